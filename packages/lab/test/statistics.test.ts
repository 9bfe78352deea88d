import { expect, test } from "vitest";
import { deviation, largest, mean, ranks, rms, smallest, spearman, sum } from "../src/statistics.js";

test("of two values the deviation is theirs from the mean, by n − 1", () => {
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
