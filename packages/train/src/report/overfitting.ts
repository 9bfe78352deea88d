// Whether a model is overfitted: it does not reach on new rows what it reaches on its training rows. Its prices then mean nothing,
// since reweighting rows that are classified correctly changes nothing.

import type { Part } from "../data/examples.js";
import { type Outcome, showOutcome } from "../evaluate/evaluate.js";
import { beyondChance } from "../fit/generalisation-gap.js";
import { quoted } from "../format/figure.js";
import { askedOf } from "../questions/answers.js";
import { type Beyond, beyondLevel, isTrained } from "./new-rows.js";
import type { TrainReport, TrainRequirement } from "./report.js";
import { reachedOf } from "./requirement-view.js";

/** Smaller differences than this, of a rate or relative to a loss, harm nobody. */
const small = { rate: 0.02, loss: 0.1 };

/** How far a part of the examples is from what was asked there, and what it is there. */
interface Excess extends Beyond {
  readonly shown: string;
}

/** The rows that are new to the model. */
export const newRows: Record<Exclude<Part, "train">, string> = {
  validation: "the validation rows",
  test: "the test rows",
};

/** Where the strict number is what the level is about, and has an interval. */
export function excessOn(r: TrainRequirement, outcome: Outcome | undefined): Excess | undefined {
  const beyond = beyondLevel(r, outcome);
  return beyond && { ...beyond, shown: showOutcome(outcome!) };
}

const wider = ({ value, low, high, shown }: Excess, among: number): Excess => {
  const by = beyondChance(among) / beyondChance(1);
  return { value, low: value - by * (value - low), high: value + by * (high - value), shown };
};

interface Looked {
  /** How many requirements are looked at. */
  readonly among?: number;
  /** How many rows can be overfitted, if known: a difference on more rows has another cause. */
  readonly rows?: number;
}

/** A sentence, where a requirement that binds, or is missed on new rows, parts from the training rows beyond chance. */
export function overfittedIn(
  name: string,
  r: TrainRequirement,
  { among = 1, rows = Number.POSITIVE_INFINITY }: Looked = {},
): string | undefined {
  const part = r.validation ? "validation" : "test";
  const seen = [excessOn(r, r.train), excessOn(r, r[part])];
  // Two rates each.
  const [here, there] = seen.map((one) => one && wider(one, 2 * among));
  if (!here || !there) return undefined;
  const concerned = r.price > 0 || seen[1]!.low > r.relaxation;
  const least = isTrained(r) ? small.loss * r.train!.strict.value : small.rate * (r.unit ?? 1);
  const apart = there.value - here.value;
  // The interval of a difference from those of its two sides (Newcombe, 1998).
  const byChance = Math.hypot(there.value - there.low, here.high - here.value);
  if (!concerned || apart <= byChance || apart <= least) return undefined;
  if (rowsApart(apart, r.train!, r[part]!) > rows) return undefined;
  return `${quoted(name)} is ${here.shown} on the training rows and ${there.shown} on ${newRows[part]}`;
}

/** How many of the training rows would have to be overfitted for new ones to be so far off: of a gap, rows of its smaller side. */
function rowsApart(apart: number, { strict, sides, group }: Outcome, there: Outcome): number {
  const counts = sides && group === undefined ? Object.values(sides) : [strict];
  const rows = Math.min(...counts.map(({ examples }) => examples));
  // A row that is known has nothing of what is a share at the most, and of an error or a loss about what others have in the mean.
  return (rows * apart) / Math.max(1, Math.abs(there.strict.value));
}

/** For requirements that hold where they were asked to: those that other rows speak against, beyond chance. */
export function missedOn(
  part: Exclude<Part, "train">,
  name: string,
  r: TrainRequirement,
  judgedOn: TrainReport["judgedOn"],
): string | undefined {
  const there = excessOn(r, r[part]);
  if (!there || r.status === "violated" || there.low <= r.relaxation + r.allowance) return undefined;
  return `${quoted(name)} is significantly worse: ${there.shown} instead of ${reachedOf({ judgedOn }, r)} (asked ${askedOf(r)})`;
}

/** A sentence where the loss on rows that the model was not fitted to is larger than on those it was, beyond chance and by a tenth. */
export function overfitWords({
  train,
  folds,
  validation,
  test,
  overfitted,
}: Pick<TrainReport, "train" | "folds" | "validation" | "test" | "overfitted">): string[] {
  if (overfitted) return [];
  const [there, rows] = validation
    ? [validation, newRows.validation]
    : folds
      ? [folds, "held-out rows"]
      : [test, newRows.test];
  const [here, other] = [train.loss, there.loss];
  if (!here.interval || !other.interval || !(here.value >= 0)) return [];
  const apart = other.value - here.value;
  const byChance = Math.hypot(other.value - other.interval[0], here.interval[1] - here.value);
  if (apart <= byChance || apart <= small.loss * here.value) return [];
  const [own, beside] = [here.value, other.value].map((x) => Number(x.toPrecision(3)));
  return [
    `Overfitting: the loss is ${own} on the training rows and ${beside} on ${rows}; a larger objective.decay, a smaller model or more rows may help.`,
  ];
}
