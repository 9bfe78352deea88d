// One measure of the examples of several, which do not depend on each other: the test rows of folds, each of a model of its own.
import { exactInterval } from "@pliant/learn";
import type { Measure } from "./evaluate.js";

const countIn = ({ value, examples }: Measure): number => Math.round(value * examples);

/** Whether a measure is the share of a count, whose interval is the exact one. */
const isShare = (one: Measure): boolean => {
  const count = countIn(one);
  if (!one.interval || Math.abs(count - one.value * one.examples) > 1e-6) return false;
  if (count < 0 || count > one.examples) return false;
  const { low, high } = exactInterval(count, one.examples);
  return Math.abs(low - one.interval[0]) < 1e-9 && Math.abs(high - one.interval[1]) < 1e-9;
};

/**
 * Shares of counts are pooled, with the exact interval; roots of squares take the mean of the squares; maxima the maximum. All other
 * metrics are weighted means, and the ends of their intervals combine independent errors.
 */
export function together(list: readonly Measure[]): Measure {
  const examples = list.reduce((sum, one) => sum + one.examples, 0);
  const [{ adds }] = list;
  switch (adds?.by) {
    case "share":
      return ofCounts(
        list,
        examples,
        (v) => v,
        (share) => share,
      );
    case "F1":
      // The share of examples both predicted as and of the class, among those that are either: F1 = 2j / (1 + j).
      return ofCounts(
        list,
        examples,
        (f) => f / (2 - f),
        (j) => (2 * j) / (1 + j),
      );
    case "square":
      return powered(
        mean(
          list.map((one) => powered(one, 2)),
          examples,
        ),
        0.5,
      );
    case "largest":
      return { value: Math.max(...list.map(({ value }) => value)), examples, adds };
    default:
      return list.every(isShare) ? counted(list, examples) : mean(list, examples);
  }
}

const exact = (count: number, of: number): readonly [number, number] => {
  const { low, high } = exactInterval(count, of);
  return [low, high];
};

function counted(list: readonly Measure[], examples: number): Measure {
  const count = list.reduce((sum, one) => sum + countIn(one), 0);
  return { value: count / examples, interval: exact(count, examples), examples };
}

/** Where nothing is counted it is what each says of nothing. */
function ofCounts(
  list: readonly Measure[],
  examples: number,
  shareOf: (value: number) => number,
  back: (share: number) => number,
): Measure {
  const of = list.reduce((sum, { adds }) => sum + adds!.of, 0);
  const count = list.reduce((sum, { value, adds }) => sum + Math.round(shareOf(value) * adds!.of), 0);
  const adds = { ...list[0].adds!, of };
  if (of === 0) return { value: list[0].value, examples, adds };
  const [low, high] = exact(count, of).map(back);
  return { value: back(count / of), interval: [low, high], examples, adds };
}

/** Weighted by the number of examples or of whatever each counts; an empty one has no weight. */
function mean(all: readonly Measure[], examples: number): Measure {
  const weightOf = ({ adds, examples }: Measure): number => adds?.of ?? examples;
  const list = all.some((one) => weightOf(one) > 0) ? all.filter((one) => weightOf(one) > 0) : all;
  const whole = list.reduce((sum, one) => sum + weightOf(one), 0) || 1;
  const share = (one: Measure): number => weightOf(one) / whole;
  const value = list.reduce((sum, one) => sum + share(one) * one.value, 0);
  const adds = list[0].adds && { adds: { ...list[0].adds, of: whole } };
  if (list.some(({ interval }) => !interval)) return { value, examples, ...adds };
  const reach = (of: (one: Measure) => number): number =>
    Math.hypot(...list.map((one) => share(one) * of(one)));
  return {
    value,
    interval: [
      value - reach((one) => one.value - one.interval![0]),
      value + reach((one) => one.interval![1] - one.value),
    ],
    examples,
    ...adds,
  };
}

const powered = ({ value, interval, ...rest }: Measure, power: number): Measure => {
  const of = (x: number): number => Math.max(0, x) ** power;
  return { ...rest, value: of(value), ...(interval && { interval: [of(interval[0]), of(interval[1])] }) };
};
