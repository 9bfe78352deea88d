import { InputError } from "@pliant/core";
import { array, compile, full, random, readAll, type Tensor } from "@pliant/engine";
import {
  accuracy,
  calibrationError,
  confusion,
  errorRate,
  exactInterval,
  falseNegativeRate,
  falsePositiveRate,
  positiveRate,
  proportionInterval,
  studentReach,
} from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { backends, numbers } from "./backends.js";

describe.each(backends)("on $name", ({ backend }) => {
  test("accuracy and errorRate count along the last axis, separately for each model of a stack", async () => {
    const logits = array([
      [
        [1, 0],
        [0, 1],
        [2, 3],
      ],
      [
        [1, 0],
        [1, 0],
        [1, 0],
      ],
    ]);
    const labels = array(Int32Array.of(0, 0, 1, 0, 0, 0), { shape: [2, 3] });
    const both = compile((l: Tensor, y: Tensor) => [accuracy(l, y), errorRate(l, y)], {
      backend: await backend(),
    });
    const [right, wrong] = await readAll(await both(logits, labels));
    expect(right.data[0]).toBeCloseTo(2 / 3, 6);
    expect(right.data[1]).toBe(1);
    expect(wrong.data[0]).toBeCloseTo(1 / 3, 6);
    expect(wrong.data[1]).toBe(0);
  });

  test("rates are ratios of counts within the weighted group", async () => {
    const n = 200;
    const coin = (seed: number) =>
      array(Float32Array.from(random.bernoulli(random.key(seed), [n], 0.4).data));
    const [decided, truth, group] = [coin(1), coin(2), coin(3)];
    const study = compile(
      (d: Tensor, t: Tensor, w: Tensor) => ({
        counts: confusion(d, t, w),
        rates: [falsePositiveRate(d, t, w), falseNegativeRate(d, t, w), positiveRate(d, w)],
      }),
      { backend: await backend() },
    );
    const { counts, rates } = await readAll(await study(decided, truth, group));
    const tally = (d: number, t: number): number =>
      Array.from({ length: n }, (_, i) => i).filter(
        (i) => group.data[i] === 1 && decided.data[i] === d && truth.data[i] === t,
      ).length;
    const [tp, fp, tn, fn] = [tally(1, 1), tally(1, 0), tally(0, 0), tally(0, 1)];
    expect(counts.truePositives.item()).toBe(tp);
    expect(counts.falsePositives.item()).toBe(fp);
    expect(counts.trueNegatives.item()).toBe(tn);
    expect(counts.falseNegatives.item()).toBe(fn);
    expect(rates[0].item()).toBeCloseTo(fp / (fp + tn), 6);
    expect(rates[1].item()).toBeCloseTo(fn / (fn + tp), 6);
    expect(rates[2].item()).toBeCloseTo((tp + fp) / (tp + fp + tn + fn), 6);
  });
});

test("the rates of an absent group are 0", async () => {
  const none = full([3], 0);
  const rate = compile((d: Tensor, t: Tensor, w: Tensor) => falsePositiveRate(d, t, w));
  expect((await (await rate(full([3], 1), none, none)).read()).item()).toBe(0);
});

describe("calibrationError", () => {
  test("is the gap between predicted and observed rates", () => {
    expect(calibrationError([0.9, 0.9, 0.9, 0.9], [1, 1, 0, 0])).toBeCloseTo(0.4, 12);
    expect(calibrationError([0.25, 0.25, 0.25, 0.25, 1], [true, false, false, false, true])).toBeCloseTo(
      0,
      12,
    );
  });

  test("adds opposite errors in different bins, and cancels them in one", () => {
    expect(calibrationError([0.2, 0.8], [1, 0])).toBeCloseTo(0.8, 12);
    expect(calibrationError([0.2, 0.8], [1, 0], { bins: 1 })).toBeCloseTo(0, 12);
  });

  test("is near 0 for outcomes drawn with the predicted probabilities", () => {
    const n = 20_000;
    const p = numbers(5, [n], { low: 0, high: 1 }).data;
    const u = numbers(6, [n], { low: 0, high: 1 }).data;
    expect(
      calibrationError(
        p,
        Array.from(p, (v, i) => u[i] < v),
      ),
    ).toBeLessThan(0.02);
  });

  test("refuses values that are not probabilities", () => {
    expect(() => calibrationError([1.2], [1])).toThrow(InputError);
    expect(() => calibrationError([], [])).toThrow(InputError);
  });
});

describe("proportionInterval", () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %i out of %i is the published one", (successes, trials, low, high) => {
    const found = proportionInterval(successes, trials);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  test("covers the truth about as often as stated", () => {
    const [trials, p, runs] = [50, 0.2, 2000];
    let holds = 0;
    for (let i = 0; i < runs; i++) {
      const successes = random.bernoulli(random.key(i), [trials], p).data.filter(Boolean).length;
      const { low, high } = proportionInterval(successes, trials, { confidence: 0.9 });
      if (low <= p && p <= high) holds++;
    }
    expect(holds / runs).toBeGreaterThan(0.87);
    expect(holds / runs).toBeLessThan(0.93);
  });

  test("refuses values that are not proportions", () => {
    expect(() => proportionInterval(3, 2)).toThrow(InputError);
    expect(() => proportionInterval(0, 0)).toThrow(InputError);
  });
});

test("studentReach is the quantile of Student's t in closed form, and of very many the normal one", () => {
  expect(studentReach(1)).toBeCloseTo(Math.tan(Math.PI * 0.475), 9);
  expect(studentReach(2)).toBeCloseTo(0.95 * Math.sqrt(2 / (4 * 0.975 * 0.025)), 10);
  // Tables of it.
  expect(studentReach(9)).toBeCloseTo(2.262157, 6);
  expect(studentReach(30)).toBeCloseTo(2.042272, 6);
  expect(studentReach(9, { confidence: 0.99 })).toBeCloseTo(3.249836, 6);
  expect(studentReach(1e8)).toBeCloseTo(random.normalQuantile(0.975), 6);
  expect(() => studentReach(0)).toThrow("0 degrees of freedom");
});

describe("exactInterval", () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 5.
  test.each([
    [81, 263, 0.2527, 0.3676],
    [15, 148, 0.0578, 0.1617],
    [0, 20, 0, 0.1684],
    [1, 29, 0.0009, 0.1776],
  ])("of %i out of %i is the published one", (successes, trials, low, high) => {
    const found = exactInterval(successes, trials);
    expect(found.low).toBeCloseTo(low, 4);
    expect(found.high).toBeCloseTo(high, 4);
  });

  /** P(X ≤ k) of n trials at p, term by term. */
  const upTo = (k: number, n: number, p: number): number => {
    let [term, sum] = [(1 - p) ** n, 0];
    for (let i = 0; i <= k; i++) {
      sum += term;
      term *= ((n - i) / (i + 1)) * (p / (1 - p));
    }
    return sum;
  };

  test("ends where an exact test starts to reject, for few trials and many", () => {
    for (const [successes, trials] of [
      [3, 11],
      [8, 11],
      [1, 2],
      [29, 30],
      [60, 1000],
    ]) {
      const { low, high } = exactInterval(successes, trials);
      expect(1 - upTo(successes - 1, trials, low)).toBeCloseTo(0.025, 10);
      expect(upTo(successes, trials, high)).toBeCloseTo(0.025, 10);
    }
    const { low, high } = exactInterval(500_000, 1_000_000);
    expect(low).toBeCloseTo(0.49902, 5);
    expect(high).toBeCloseTo(0.50098, 5);
    expect(exactInterval(0, 1)).toEqual({ low: 0, high: expect.closeTo(0.975, 12) });
    expect(exactInterval(1, 1)).toEqual({ low: expect.closeTo(0.025, 12), high: 1 });
    expect(() => exactInterval(3, 2)).toThrow("exactInterval: 3 successes out of 2 trials is no proportion.");
  });
});
