// Counts one of the paper's claims over the cases on record.
import type { Claim } from "./item.js";

/** In how many of the cases it holds; no claim without a case. */
export function over<Case>(id: string, cases: readonly Case[], holds: (one: Case) => boolean): Claim[] {
  if (cases.length === 0) return [];
  const right = cases.filter(holds).length;
  return [{ id, holds: right === cases.length, found: `${right} of ${cases.length}` }];
}

/** A claim with the numbers it rests on. */
export const stating = (id: string, holds: boolean, found: string): Claim => ({ id, holds, found });
