// A full disk is waited for: nothing is said that is not written.

export const isFull = (error: unknown): boolean => {
  const { code, message, name } = error as { code?: string; message?: string; name?: string };
  return (
    name === "QuotaExceededError" ||
    code === "ENOSPC" ||
    code === "SQLITE_FULL" ||
    /disk is full/.test(message ?? "")
  );
};

export const fullSentence = "The disk is full; waiting until there is room.";

/** Does it, again and again while the disk is full; says so once. */
export async function whenRoom<T>(
  act: () => T | Promise<T>,
  say: (what: string) => void,
  signal?: AbortSignal,
): Promise<T> {
  for (let said = false; ; said = true) {
    try {
      return await act();
    } catch (error) {
      if (!isFull(error)) throw error;
      if (!said) say(fullSentence);
      signal?.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
