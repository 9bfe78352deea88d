// Errands that many ask for at once, such as looking at a folder.

/**
 * An errand done once for all who ask meanwhile, never twice at a time. Whoever asks while it is under way waits for the next, since the one
 * under way may have looked before what they ask about happened.
 */
export function together<T>(errand: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    const begun = errand();
    const over = (): void => {
      if (!next) running = undefined;
    };
    begun.then(over, over);
    running = begun;
    return begun;
  };
  return () => {
    if (!running) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
}
