// What may have been meant by a name that is not known.
import { nearest } from "@pliant/core";

/** `; did you mean "income"?`, or a full stop where nothing is near. */
export function meant(given: string, known: readonly string[]): string {
  const near = nearest(given, known);
  return near.length > 0 ? `; did you mean ${near.map((name) => `"${name}"`).join(" or ")}?` : ".";
}

/** The same, and what there is. */
export const hint = (given: string, known: readonly string[]): string =>
  `${meant(given, known)} There are: ${known.join(", ")}.`;
