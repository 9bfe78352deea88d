import { expect, test } from "vitest";
import {
  deviation,
  differenceReach,
  largest,
  mean,
  ranks,
  rms,
  smallest,
  spearman,
  sum,
} from "../src/statistics.js";

test("the standard deviation of two values divides by n − 1", () => {
  expect(deviation([1, 4])).toBeCloseTo(Math.sqrt(4.5), 12);
  expect(deviation([])).toBe(0);
});

test("sums, means and extremes of few values", () => {
  expect([sum([1, -2, 4]), mean([1, -2, 6])]).toEqual([3, 5 / 3]);
  expect(rms([3, -4])).toBeCloseTo(Math.sqrt(12.5), 12);
  expect([largest([-3, -1, -2]), smallest([3, 1, 2])]).toEqual([-1, 1]);
});

test("equal values share the mean of their ranks, wherever they stand", () => {
  expect(ranks([2, 2, 1, 3, 3, 3])).toEqual([2.5, 2.5, 1, 5, 5, 5]);
  expect(ranks([])).toEqual([]);
});

test("Spearman's correlation of what is ranked the other way but for one is known", () => {
  // 1 − 6 Σd²/(n(n² − 1)) with d = 3, −1, −1, −1.
  expect(spearman([10, 20, 30, 40], [4, 1, 2, 3])).toBeCloseTo(1 - (6 * 12) / (4 * 15), 12);
});

test("the interval of a difference is Welch's, a prediction where one side is one run, and unknown for two", () => {
  const sample = (mean: number, deviation: number, count: number) => ({ mean, deviation, count });
  // Equal spreads and counts: 2n − 2 degrees of freedom, t = 2.776 of 4.
  expect(differenceReach(sample(1, 0.3, 3), sample(2, 0.3, 3))).toBeCloseTo(
    2.7764 * 0.3 * Math.sqrt(2 / 3),
    4,
  );
  // Unequal ones: ν = (4/5 + 1/10)² / ((4/5)²/4 + (1/10)²/9), 5.03 degrees of freedom.
  expect(differenceReach(sample(0, 2, 5), sample(0, 1, 10))).toBeCloseTo(2.5663 * Math.sqrt(0.9), 3);
  // One more run of three: t = 4.303 of 2, on either side.
  expect(differenceReach(sample(0, 0, 1), sample(0, 0.1, 3))).toBeCloseTo(4.3027 * 0.1 * Math.sqrt(4 / 3), 4);
  expect(differenceReach(sample(0, 0.1, 3), sample(0, 0, 1))).toBeCloseTo(4.3027 * 0.1 * Math.sqrt(4 / 3), 4);
  expect(differenceReach(sample(0, 0, 1), sample(0, 0, 1))).toBeUndefined();
  expect(differenceReach(sample(0, 0, 0), sample(0, 0.1, 3))).toBeUndefined();
  expect(differenceReach(sample(0, 0, 3), sample(0, 0, 3))).toBe(0);
});
