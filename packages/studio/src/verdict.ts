// What became of a requirement, in one word. Strictly, where a strict metric is known: that is what was asked.
import type { RequirementResult } from "./api.js";
import { excessOf, slackOf } from "./requirement.js";

export type Verdict =
  | "gave"
  | "held"
  | "met"
  | "missed"
  | "unknown"
  | "open"
  | "pending"
  | "watched"
  | "unreadable";

/** The words of reports. */
const verdicts: Readonly<Record<string, Verdict>> = {
  met: "met",
  "at its level": "held",
  "gave way": "gave",
  violated: "missed",
  unknown: "unknown",
};

/** A `free` requirement is only watched; without a certificate what holds, or nearly does, is open. */
export function verdictOf(r: RequirementResult, tolerance = 1e-3): Verdict {
  if (r.unreadable !== undefined) return "unreadable";
  if (r.pending) return "pending";
  if (r.cost === "free") return "watched";
  const found = ofNumbers(r, tolerance);
  return r.unsettled && (found === "held" || found === "met") ? "open" : found;
}

function ofNumbers(r: RequirementResult, tolerance: number): Verdict {
  if (r.status !== undefined && Object.hasOwn(verdicts, r.status)) return verdicts[r.status];
  if (r.examples) return r.relaxation > tolerance ? "gave" : r.price > tolerance ? "held" : "met";
  const allowance = Math.max(tolerance, r.allowance ?? 0);
  const excess = excessOf(r);
  if (Number.isNaN(excess)) return "unknown";
  if (excess > allowance) {
    // A price still rising: not even what it gave way is enough.
    const rising = slackOf(r) > r.relaxation + 10 * tolerance;
    return r.hard || rising ? "missed" : "gave";
  }
  return r.price > tolerance && excess > -Math.max(allowance, 10 * tolerance) ? "held" : "met";
}

/** Whether it is beyond its level, in three digits: an allowance excuses that in a run that is certified. */
export const isBeyond = (r: RequirementResult): boolean =>
  excessOf(r) > 5e-4 * Math.max(...[r.level].flat().map(Math.abs));

/** How far it gave way: beyond its level, strictly where that is known; of examples, the sum. */
export const gaveBy = (r: RequirementResult): number =>
  r.examples ? r.relaxation : Math.max(0, excessOf(r));
