// What the paper says in words, counted over the cases on record.
import type { Claim } from "./item.js";

/** In how many of the cases it holds; no claim without a case. */
export function over<Case>(text: string, cases: readonly Case[], holds: (each: Case) => boolean): Claim[] {
  if (cases.length === 0) return [];
  const right = cases.filter(holds).length;
  return [{ text, holds: right === cases.length, found: `${right} of ${cases.length}` }];
}
