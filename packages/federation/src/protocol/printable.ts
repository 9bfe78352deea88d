// Text that others wrote, as it may stand in a terminal: nothing in it moves the cursor, hides a line or turns text around.

const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Whether it has characters that a terminal obeys instead of showing them. */
export const isPrintable = (text: string): boolean => !unprintable.test(text);

/** The same text with such characters by their numbers. */
export const printable = (text: string): string =>
  text.replace(
    new RegExp(unprintable, "gu"),
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** The first name or text in a value with such characters. */
export function unprintableIn(value: unknown): string | undefined {
  if (typeof value === "string") return isPrintable(value) ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = unprintableIn(key) ?? unprintableIn(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}
