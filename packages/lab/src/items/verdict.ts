// What to make of an item's numbers, by rule: a number is within spread where it lies within two standard deviations of the
// paper's, both sides' deviations together, or within what the paper's number resolves.
import { deviation, mean, sum } from "../statistics.js";
import type { Comparison, Shown } from "./item.js";

export interface Judged extends Comparison {
  readonly mean: number;
  /** Ours over the seeds; of fewer than three what other comparisons of the same quantity have, if any. */
  readonly deviation?: number;
  /** Nothing where neither side's spread is known and the difference is more than the paper resolves. */
  readonly within?: boolean;
}

/** Two runs may agree by chance, and would say that nothing varies. */
const several = ({ ours }: Comparison): boolean => ours.length >= 3;

/** √ of the mean variance of the comparisons that have several seeds. */
function pooled(all: readonly Comparison[]): number | undefined {
  const comparisons = all.filter(several);
  if (comparisons.length === 0) return undefined;
  const freedom = sum(comparisons.map(({ ours }) => ours.length - 1));
  return Math.sqrt(sum(comparisons.map(({ ours }) => (ours.length - 1) * deviation(ours) ** 2)) / freedom);
}

export function judge(comparisons: readonly Comparison[]): Judged[] {
  return comparisons.map((comparison) => {
    const { ours, paper, paperDeviation, resolution, quantity } = comparison;
    const own = several(comparison)
      ? deviation(ours)
      : pooled(comparisons.filter((other) => other.quantity === quantity));
    const known = own !== undefined || paperDeviation !== undefined;
    const spread = Math.max(resolution, 2 * Math.hypot(own ?? 0, paperDeviation ?? 0));
    // A hair's breadth for the rounding of decimals.
    const near = Math.abs(mean(ours) - paper) <= spread * (1 + 1e-9);
    return {
      ...comparison,
      mean: mean(ours),
      ...(own !== undefined && { deviation: own }),
      ...((known || near) && { within: near }),
    };
  });
}

type Judgeable = Pick<Shown, "comparisons" | "claims" | "reasons">;

/** The verdict in a sentence. */
export function verdictOf({ comparisons, claims, reasons }: Judgeable): string {
  const judged = judge(comparisons);
  const within = judged.filter((each) => each.within === true).length;
  const open = judged.filter((each) => each.within === undefined).length;
  const beyond = judged.length - within - open;
  const holding = claims.filter(({ holds }) => holds).length;
  const counted = [
    ...(judged.length > 0 ? [`${within} of ${judged.length} numbers within spread`] : []),
    ...(beyond > 0 ? [`${beyond} beyond it`] : []),
    ...(open > 0 ? [`${open} of fewer than three seeds, whose spread is not known`] : []),
    ...(claims.length > 0 ? [`${holding} of ${claims.length} claims hold`] : []),
  ];
  if (counted.length === 0) return "the paper has no number for these runs";
  const differs = within < judged.length || holding < claims.length;
  const because = differs && reasons.length > 0 ? `; known differences: ${reasons.join("; ")}` : "";
  return counted.join(", ") + because;
}
