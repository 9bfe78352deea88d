// Work that nobody waits for.

/** Done when the browser has nothing else to do, soon where it cannot tell; the function that is returned calls it off. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const asked = requestIdleCallback(work);
    return () => cancelIdleCallback(asked);
  }
  const timer = setTimeout(work, 100);
  return () => clearTimeout(timer);
}
