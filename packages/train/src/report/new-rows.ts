// A requirement on rows that are new to the model: how far it is from what was asked there, and what such rows can tell of it. Pages
// judge by this too: nothing here needs Node.
import type { Outcome } from "../run/evaluate.js";
import type { TrainRequirement } from "./report.js";

/** Whether a requirement holds on some rows, as far as they can tell. */
export type Verdict = "holds" | "missed, within chance" | "missed" | "not told";

type Asked = Pick<TrainRequirement, "sense" | "level" | "pricedBy" | "strict" | "perExample">;

interface Found {
  readonly strict: Pick<Outcome["strict"], "value" | "interval">;
  readonly asked?: { readonly strict?: number };
}

/** How far some rows are from what was asked there: positive is beyond it. */
export interface Beyond {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Whether what the level is about is trained as it is counted: a loss, or an error of a number. */
export const isTrained = ({ pricedBy, strict }: Pick<Asked, "pricedBy" | "strict">): boolean =>
  pricedBy === "loss" && strict === undefined;

/** Where the strict number is what the level is about, and has an interval. */
export function beyondLevel(r: Asked, found: Found | undefined): Beyond | undefined {
  const comparable = (r.pricedBy === "strict" || isTrained(r)) && !r.perExample;
  if (!found?.strict.interval || !comparable) return undefined;
  const level = found.asked?.strict ?? r.level;
  if (typeof level !== "number" || r.sense === "between") return undefined;
  const { value, interval } = found.strict;
  return r.sense === "at least"
    ? { value: level - value, low: level - interval[1], high: level - interval[0] }
    : { value: value - level, low: interval[0] - level, high: interval[1] - level };
}

/** What rows tell by how far they are from a level. */
export function verdictBy(beyond: Beyond | undefined): Verdict {
  if (!beyond) return "not told";
  return beyond.value <= 0 ? "holds" : beyond.low <= 0 ? "missed, within chance" : "missed";
}
