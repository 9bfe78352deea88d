// Draws have the distributions that they are said to have, and no pattern besides.
import type { NdArray } from "@pliant/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bernoulli,
  categorical,
  foldIn,
  key,
  normal,
  normalQuantile,
  permutation,
  randint,
  uniform,
} from "../src/random.js";
import { chiSquare, correlation, counts, kolmogorovSmirnov, mean, normalCdf } from "./sampled.js";

const numbers = (array: NdArray): number[] => Array.from(array.data);
const anyKey = fc.maxSafeNat().map(key);

describe("uniform", () => {
  test.each(["float32", "float64"] as const)("%s has the uniform distribution", (dtype) => {
    const { data } = uniform(key(10), [100_000], { low: -2, high: 3, dtype });
    expect(kolmogorovSmirnov(data, (x) => (x + 2) / 5)).toBeLessThan(1.95);
    // Four standard errors of the mean 1/2 and of the variance 25/12 (fourth central moment 625/80).
    expect(Math.abs(mean(data) - 1 / 2)).toBeLessThan(4 * Math.sqrt(25 / 12 / data.length));
    const variance = mean(Float64Array.from(data, (x) => (x - 0.5) ** 2));
    expect(Math.abs(variance - 25 / 12)).toBeLessThan(
      4 * Math.sqrt((625 / 80 - (25 / 12) ** 2) / data.length),
    );
    expect(Math.abs(correlation(data.slice(1), data.slice(0, -1)))).toBeLessThan(3.7);
  });

  test("float32 numbers are multiples of 2^-24, float64 of 2^-53", () => {
    for (const x of uniform(key(11), [1000]).data) expect(x * 2 ** 24).toBe(Math.floor(x * 2 ** 24));
    for (const x of uniform(key(11), [1000], { dtype: "float64" }).data) {
      expect(x * 2 ** 53).toBe(Math.floor(x * 2 ** 53));
    }
  });

  test("stays in [low, high) for any bounds", () => {
    const finite = { noNaN: true, min: -1e300, max: 1e300 };
    fc.assert(
      fc.property(anyKey, fc.double(finite), fc.double(finite), (k, a, b) => {
        fc.pre(a !== b);
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        for (const x of uniform(k, [50], { low, high, dtype: "float64" }).data) {
          expect(x >= low && x < high).toBe(true);
        }
      }),
    );
    const float = { noNaN: true, min: Math.fround(-1e38), max: Math.fround(1e38) };
    fc.assert(
      fc.property(anyKey, fc.float(float), fc.float(float), (k, a, b) => {
        fc.pre(a !== b);
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        for (const x of uniform(k, [50], { low, high }).data) expect(x >= low && x < high).toBe(true);
      }),
    );
  });

  test("gives every float32 between narrow bounds its fair share, and never high", () => {
    const ulp = 2 ** -23;
    const { data } = uniform(key(12), [40_000], { low: 1, high: 1 + 4 * ulp });
    const found = counts(
      Float64Array.from(data, (x) => (x - 1) / ulp),
      4,
    );
    expect(found).toHaveLength(4);
    expect(chiSquare(found, () => 10_000)).toBeLessThan(16.3);
  });
});

describe("normal", () => {
  test.each(["float32", "float64"] as const)("%s has the normal distribution", (dtype) => {
    const { data } = normal(key(13), [100_000], { dtype });
    expect(kolmogorovSmirnov(data, normalCdf)).toBeLessThan(1.95);
    const n = data.length;
    const moment = (power: number) => mean(Float64Array.from(data, (x) => x ** power));
    // Four standard errors of each moment: Var x^p = (2p - 1)!! - (E x^p)^2.
    expect(Math.abs(moment(1))).toBeLessThan(4 * Math.sqrt(1 / n));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(4 * Math.sqrt(2 / n));
    expect(Math.abs(moment(3))).toBeLessThan(4 * Math.sqrt(15 / n));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(4 * Math.sqrt(96 / n));
    expect(Math.abs(correlation(data.slice(1), data.slice(0, -1)))).toBeLessThan(3.7);
  });

  test("mean and std shift and scale the same numbers", () => {
    const z = normal(key(14), [100], { dtype: "float64" }).data;
    const x = normal(key(14), [100], { mean: 3, std: 0.5, dtype: "float64" }).data;
    expect(x).toEqual(Float64Array.from(z, (v) => 3 + 0.5 * v));
    expect(numbers(normal(key(14), [2], { mean: 3, std: 0 }))).toEqual([3, 3]);
  });

  test.each([
    [2 ** -53, -8.209536151601387],
    [2 ** -33, -6.3379577545537895],
    [1e-12, -7.034483825301132],
    [1e-6, -4.753424308822899],
    [0.01, -2.326347874040841],
    [0.075, -1.439531470938456],
    [0.25, -0.6744897501960817],
    [0.6, 0.2533471031357997],
    [0.975, 1.9599639845400538],
  ])("the quantile of %d is %d", (p, z) => {
    expect(Math.abs(normalQuantile(p) / z - 1)).toBeLessThan(1e-15);
  });

  test("the quantile is odd about 1/2 and inverts the distribution function", () => {
    expect(normalQuantile(0.5)).toBe(0);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 32 - 1 }), (k) => {
        const p = k / 2 ** 32;
        expect(normalQuantile(1 - p)).toBe(0 - normalQuantile(p));
        expect(Math.abs(normalCdf(normalQuantile(p)) - p)).toBeLessThan(1e-14);
      }),
    );
  });
});

describe("choices", () => {
  test("bernoulli is true where the float64 uniform number is below p", () => {
    fc.assert(
      fc.property(anyKey, fc.double({ min: 0, max: 1, noNaN: true }), (k, p) => {
        const u = uniform(k, [20], { dtype: "float64" }).data;
        expect(numbers(bernoulli(k, [20], p))).toEqual(Array.from(u, (x) => Number(x < p)));
      }),
    );
    expect(mean(bernoulli(key(15), [100_000], 0.3).data)).toBeCloseTo(0.3, 2);
    expect(mean(bernoulli(key(15), [1000], 0).data)).toBe(0);
    expect(mean(bernoulli(key(15), [1000], 1).data)).toBe(1);
  });

  test("randint stays in [low, high)", () => {
    const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(anyKey, int, int, (k, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b) + 1];
        for (const x of randint(k, [20], low, high).data) expect(x >= low && x < high).toBe(true);
      }),
    );
  });

  test("randint is uniform, over few values and over all of int32", () => {
    const few = randint(key(16), [70_000], 3, 10).data.map((x) => x - 3);
    expect(chiSquare(counts(few, 7), () => 10_000)).toBeLessThan(22.5);
    const all = randint(key(16), [50_000], -(2 ** 31), 2 ** 31).data;
    expect(kolmogorovSmirnov(all, (x) => (x + 2 ** 31) / 2 ** 32)).toBeLessThan(1.95);
  });

  test("categorical frequencies follow the weights", () => {
    const weights = [1, 0, 2, 5, 0.5, 0, 1.5];
    const found = counts(categorical(key(17), weights, [100_000]).data, 7);
    expect([found[1], found[5]]).toEqual([0, 0]);
    const possible = [0, 2, 3, 4, 6];
    const share = (i: number) => weights[possible[i]] * 10_000;
    expect(
      chiSquare(
        possible.map((i) => found[i]),
        share,
      ),
    ).toBeLessThan(18.5);
  });

  test("categorical never chooses a weight of 0 and does not depend on the scale", () => {
    const weight = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e300, noNaN: true }));
    fc.assert(
      fc.property(anyKey, fc.array(weight, { minLength: 1, maxLength: 30 }), (k, weights) => {
        fc.pre(weights.some((w) => w > 0));
        for (const i of categorical(k, weights, [50]).data) expect(weights[i]).toBeGreaterThan(0);
      }),
    );
    const weights = [0.1, 0.7, 0.2];
    expect(
      categorical(
        key(18),
        weights.map((w) => w * 1024),
        [100],
      ),
    ).toEqual(categorical(key(18), weights, [100]));
    expect(numbers(categorical(key(18), [0, 5e-324, 0], [5]))).toEqual([1, 1, 1, 1, 1]);
  });

  test("a permutation holds every number once", () => {
    fc.assert(
      fc.property(anyKey, fc.nat(300), (k, n) => {
        expect(numbers(permutation(k, n)).sort((a, b) => a - b)).toEqual(
          Array.from({ length: n }, (_, i) => i),
        );
      }),
    );
  });

  test("all permutations, and all first numbers, are equally likely", () => {
    const drawn = Array.from({ length: 12_000 }, (_, i) => numbers(permutation(foldIn(key(19), i), 4)));
    const names = [...new Set(drawn.map(String))].sort();
    expect(names).toHaveLength(24);
    const found = counts(
      drawn.map((p) => names.indexOf(String(p))),
      24,
    );
    expect(chiSquare(found, () => 500)).toBeLessThan(49.7);
    const first = Array.from({ length: 5000 }, (_, i) => permutation(foldIn(key(20), i), 50).data[0]);
    expect(chiSquare(counts(first, 50), () => 100)).toBeLessThan(85.4);
  });
});
