// Judges our numbers against the paper's by one rule: a difference is within the 95% interval for a difference of means, or it is
// not; where neither side repeats its runs the spread is unknown, and the difference is all there is to say.
import { differenceReach, mean, type Sample, sampleOf } from "../statistics.js";
import type { Comparison, Shown } from "./item.js";

export const outcomes = ["within", "outside", "unknown", "not run"] as const;
export type Outcome = (typeof outcomes)[number];

export interface Judged extends Comparison {
  readonly outcome: Outcome;
  /** Ours minus the paper's. */
  readonly difference: number;
  /** Half the width of the interval around it. */
  readonly reach?: number;
}

/** The paper's tables are over three runs. */
const paperRuns = 3;

export function judge(comparison: Comparison): Judged {
  const { ours, paper, paperDeviation, resolution } = comparison;
  if (ours.length === 0) return { ...comparison, outcome: "not run", difference: Number.NaN };
  const theirs: Sample =
    paperDeviation === undefined
      ? { mean: paper, deviation: 0, count: 1 }
      : { mean: paper, deviation: paperDeviation, count: paperRuns };
  const reach = differenceReach(sampleOf(ours), theirs);
  const difference = mean(ours) - paper;
  // The paper's number is known up to its last digit; 1e-9 is for the rounding of decimals.
  const near = Math.abs(difference) <= (reach ?? 0) + resolution + 1e-9;
  const outcome = near ? "within" : reach === undefined ? "unknown" : "outside";
  return { ...comparison, difference, ...(reach !== undefined && { reach }), outcome };
}

/** How many of the comparisons come to each outcome. */
export function tally(judged: readonly Judged[]): Readonly<Record<Outcome, number>> {
  const count = (outcome: Outcome): number => judged.filter((entry) => entry.outcome === outcome).length;
  return {
    within: count("within"),
    outside: count("outside"),
    unknown: count("unknown"),
    "not run": count("not run"),
  };
}

/** The verdict in a sentence. */
export function verdictOf({ comparisons, claims }: Pick<Shown, "comparisons" | "claims">): string {
  const judged = comparisons.map(judge);
  const { within, outside, unknown, "not run": missing } = tally(judged);
  const holding = claims.filter(({ holds }) => holds).length;
  const counted = [
    ...(judged.length > 0 ? [`${within} of ${judged.length} numbers within the interval`] : []),
    ...(outside > 0 ? [`${outside} outside`] : []),
    ...(unknown > 0 ? [`${unknown} of unknown spread`] : []),
    ...(missing > 0 ? [`${missing} not run`] : []),
    ...(claims.length > 0 ? [`${holding} of ${claims.length} claims hold`] : []),
  ];
  return counted.length === 0 ? "the paper has no number for these runs" : counted.join(", ");
}
