// A metric of decisions as two sums over rows, so that running sums evaluate every cut of a sorted list. For a class, they count rows
// predicted as it that are of it (tp) or not (fp); for costs, one sum of the cost of each answer.
import type { Decides } from "../metrics/metric.js";

export interface Tally {
  /** The rows it is about. */
  readonly marks: Uint8Array;
  readonly size: number;
  /** The contribution of a row to the sums if a class is predicted for it. */
  first(row: number, given: number): number;
  second(row: number, given: number): number;
  value(first: number, second: number): number;
  /** For a share: the part, and the whole that it is of. */
  share?(first: number, second: number): readonly [part: number, whole: number];
  /** Whether the whole is the same at every cut. */
  readonly fixedWhole: boolean;
  /** For a rate among the rows that are predicted as the class: the smallest number for which its value means anything. */
  readonly fewest?: number;
  /** Whether so few rows are given the class that its value says nothing. */
  saysNothing(first: number, second: number): boolean;
}

/** Fewer rows that are given a class tell no precision of it. */
const enoughGiven = 30;

/** The costs of wrong answers where each counts 1. */
export const errorCosts = (classes: number): number[][] =>
  Array.from({ length: classes }, (_, right) =>
    Array.from({ length: classes }, (_, given) => Number(given !== right)),
  );

export function tallyOf(decides: Decides, marks: Uint8Array, y: ArrayLike<number>, classes: number): Tally {
  const size = marks.reduce((sum, mark) => sum + mark, 0);
  if ("costs" in decides) {
    const costs = decides.costs === "errors" ? errorCosts(classes) : decides.costs;
    return {
      marks,
      size,
      first: (i, given) => marks[i] * costs[y[i]][given],
      second: () => 0,
      value: (first) => first / Math.max(1, size),
      ...(decides.costs === "errors" && { share: (first) => [first, size] as const }),
      fixedWhole: decides.costs === "errors",
      saysNothing: () => false,
    };
  }
  const { of, share, ofNothing = 0, back = (j) => j, amongGiven } = decides;
  let P = 0;
  for (let i = 0; i < marks.length; i++) if (marks[i] === 1 && y[i] === of) P++;
  const N = size - P;
  const shareOf = (tp: number, fp: number) => share({ tp, fp, P, N });
  const fewest = Math.min(enoughGiven, Math.ceil(P / 2));
  return {
    marks,
    size,
    first: (i, given) => Number(marks[i] === 1 && given === of && y[i] === of),
    second: (i, given) => Number(marks[i] === 1 && given === of && y[i] !== of),
    value: (tp, fp) => {
      const [part, whole] = shareOf(tp, fp);
      return whole > 0 ? back(part / whole) : ofNothing;
    },
    share: shareOf,
    fixedWhole: shareOf(0, 0)[1] === shareOf(1, 1)[1] && decides.back === undefined,
    ...(amongGiven && { fewest }),
    saysNothing: (tp, fp) => amongGiven === true && tp + fp < fewest,
  };
}

/** The two sums where every row is given what it is given. */
export function sumsOf({ first, second }: Tally, given: ArrayLike<number>): [number, number] {
  let [a, b] = [0, 0];
  for (let i = 0; i < given.length; i++) {
    a += first(i, given[i]);
    b += second(i, given[i]);
  }
  return [a, b];
}
