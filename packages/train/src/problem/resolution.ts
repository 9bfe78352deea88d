// The resolution of a count. A count moves in steps of one example, so neither of two steps meets a level between them, and few examples
// come close to none.
import { excessOf, type RequirementReport } from "@pliant/core";

type Counted = Pick<
  RequirementReport,
  "sense" | "level" | "reached" | "relaxation" | "status" | "allowance" | "resolution"
>;

/** With fewer examples than this, one moves a rate by more than ten points, and its price follows chance. */
export const enough = 10;

/** By how much a level is missed that is as near as counting comes to it; 0 where it is not missed, or by more. */
export function missedByPart(r: Counted): number {
  if (r.status !== "at its level" || r.resolution === undefined) return 0;
  const excess = excessOf(r);
  return excess > r.allowance - r.resolution ? excess : 0;
}

/** Whether a level is missed by no more than one example; values that have a tolerance as well may be missed by more. */
export const isWithinOne = (r: Counted): boolean => excessOf(r) <= r.resolution! * (1 + rounding);

/** For counts in single precision. */
const rounding = 1e-3;

/** Whether so few examples are counted that nobody knows if it holds, though what stands for it gave way, or the count misses. */
export function isUnreported(r: Counted): boolean {
  if (r.status !== "at its level" || r.resolution === undefined || r.resolution <= 1 / enough) return false;
  return missedByPart(r) > 0 || r.relaxation > r.allowance - r.resolution;
}
