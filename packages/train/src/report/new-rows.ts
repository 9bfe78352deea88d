// A requirement on rows that are new to the model: how far it is from what was asked there, and what such rows can tell of it. Pages
// judge by this too: nothing here needs Node.
import type { Outcome } from "../evaluate/evaluate.js";
import type { TrainRequirement } from "./report.js";

/** Whether a requirement holds on some rows, as far as they can tell. */
export type Verdict = "holds" | "missed, within chance" | "missed" | "not told";

type Requirement = Pick<TrainRequirement, "sense" | "level" | "pricedBy" | "strict" | "perExample">;

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
export const isTrained = ({ pricedBy, strict }: Pick<Requirement, "pricedBy" | "strict">): boolean =>
  pricedBy === "loss" && strict === undefined;

/** Where the strict number is what the level is about, and has an interval. */
export function beyondLevel(r: Requirement, found: Found | undefined): Beyond | undefined {
  const comparable = (r.pricedBy === "strict" || isTrained(r)) && !r.perExample;
  if (!found?.strict.interval || !comparable) return undefined;
  return beyondBy(r, found.asked?.strict ?? r.level, { ...found.strict, interval: found.strict.interval });
}

interface Known {
  readonly value: number;
  readonly interval: readonly [number, number];
}

/** With two levels, the distance to the nearer one. */
export function beyondBy(
  { sense }: Pick<Requirement, "sense">,
  level: number | readonly number[],
  { value, interval: [low, high] }: Known,
): Beyond {
  const [least, most] = typeof level === "number" ? [level, level] : level;
  const under = { value: least - value, low: least - high, high: least - low };
  const over = { value: value - most, low: low - most, high: high - most };
  if (sense === "at least") return under;
  return sense === "between" && under.value > over.value ? under : over;
}

/** The verdict of rows by their distance from a level. */
export function verdictBy(beyond: Beyond | undefined): Verdict {
  if (!beyond) return "not told";
  return beyond.value <= 0 ? "holds" : beyond.low <= 0 ? "missed, within chance" : "missed";
}
