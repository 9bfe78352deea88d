// Intervals of what is no mean: precision, false discoveries, F1 and the worst losses hold the truth about 19 times in 20. Those of few
// rows, and what is judged by them, by hand.
import { array, constant, evaluate, random } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import type { Examples } from "../src/data/examples.js";
import { meanOver, rateOver } from "../src/evaluate/evaluate.js";
import { f1, falseDiscoveryRate, precision } from "../src/metrics/counts.js";
import type { Look, Statistic } from "../src/metrics/metric.js";
import { rootMeanSquareError } from "../src/metrics/numbers.js";
import { cvar } from "../src/metrics/tail.js";
import { measured, noiseOf } from "../src/problem/measure.js";
import { verdictBy } from "../src/report/new-rows.js";
import { excessOn } from "../src/report/overfitting.js";
import type { TrainRequirement } from "../src/report/report.js";
import { pairedDifference } from "../src/use/differences.js";

const nothing = {
  moved: () => ({ target: { kind: "number" as const, mean: 0, deviation: 1 }, logits: constant(array(0)) }),
  squares: constant(array(0)),
};

/** The interval of a statistic of the first half of some examples. */
function intervalOf(metric: Statistic, look: Look, marks: Uint8Array): readonly [number, number] {
  const members = constant(array(Float32Array.from(marks)));
  const value = evaluate(measured(metric, "strict", look, members).value).item();
  const noise = evaluate(noiseOf(metric, look, members)).item();
  return metric.interval!(value, { y: look.y } as unknown as Examples, marks, noise)!;
}

/** How often the truth is inside. */
function coverage(metric: Statistic, truth: number, draw: (seed: number) => Look, n: number): number {
  const marks = Uint8Array.from({ length: 2 * n }, (_, i) => Number(i < n));
  const trials = 300;
  let inside = 0;
  for (let seed = 0; seed < trials; seed++) {
    const [low, high] = intervalOf(metric, draw(seed), marks);
    if (low <= truth && truth <= high) inside++;
  }
  return inside / trials;
}

describe("of 95 in 100 draws the truth is inside the interval of", () => {
  // The class is right in 0.3 of the cases; it is then given in 0.8 of them, else in 0.2.
  const [tp, fp, fn] = [0.3 * 0.8, 0.7 * 0.2, 0.3 * 0.2];
  const classes =
    (n: number) =>
    (seed: number): Look => {
      const u = random.uniform(random.key(seed), [2 * n, 2]).data;
      const right = Array.from({ length: 2 * n }, (_, i) => Number(u[2 * i] < 0.3));
      const given = right.map((y, i) => u[2 * i + 1] < (y === 1 ? 0.8 : 0.2));
      return {
        target: { kind: "class", classes: ["no", "yes"], positive: 1 },
        logits: constant(array(given.map((g) => (g ? [0, 1] : [1, 0])))),
        y: constant(array(right, { dtype: "int32" })),
        ...nothing,
      };
    };

  test.each([
    ["precision", precision(1), tp / (tp + fp)],
    ["false discoveries", falseDiscoveryRate(1), fp / (tp + fp)],
    ["F1", f1(1), (2 * tp) / (2 * tp + fp + fn)],
  ])("%s", (_, metric, truth) => {
    for (const n of [40, 200]) {
      const share = coverage(metric, truth, classes(n), n);
      expect(share).toBeGreaterThan(0.91);
      expect(share).toBeLessThan(0.99);
    }
  });

  const errors =
    (n: number) =>
    (seed: number): Look => ({
      target: { kind: "number", mean: 0, deviation: 3 },
      logits: constant(random.normal(random.key(seed), [2 * n])),
      y: constant(array(new Float32Array(2 * n))),
      ...nothing,
    });

  test("the root mean square error", () => {
    for (const n of [40, 200]) {
      const share = coverage(rootMeanSquareError, 3, errors(n), n);
      expect(share).toBeGreaterThan(0.9);
      expect(share).toBeLessThan(0.98);
    }
  });

  test("a mean of few rows", () => {
    const marks = new Uint8Array(5).fill(1);
    const drawn = Array.from({ length: 2000 }, (_, seed) => {
      const [low, high] = meanOver(random.normal(random.key(seed), [5]), marks).interval!;
      return Number(low <= 0 && 0 <= high);
    });
    const share = drawn.reduce((a, b) => a + b, 0) / drawn.length;
    expect(share).toBeGreaterThan(0.94);
    expect(share).toBeLessThan(0.96);
  });

  test("the mean of the worst losses", () => {
    // The squared error of a standard normal number; the mean of its worst fifth is by its density: 1 + 2 q φ(q) / 0.2, P(|x| > q) = 0.2.
    const q = random.normalQuantile(0.9);
    const truth = 1 + (2 * q * Math.exp(-(q ** 2) / 2)) / Math.sqrt(2 * Math.PI) / 0.2;
    const n = 400;
    const draw = (seed: number): Look => ({
      target: { kind: "number", mean: 0, deviation: 1 },
      logits: constant(random.normal(random.key(seed), [2 * n])),
      y: constant(array(new Float32Array(2 * n))),
      ...nothing,
    });
    const share = coverage(cvar(0.2), truth, draw, n);
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThan(0.98);
  });
});

describe("the interval of few rows is Student's, by hand", () => {
  /** For 4 rows: 3.182446 standard errors, by the deviation of a sample. */
  const t = 3.182446305284263;

  test("that of the root of squares", () => {
    const errors = [1, 2, 3, 5];
    const look: Look = {
      target: { kind: "number", mean: 0, deviation: 1 },
      logits: constant(array(errors)),
      y: constant(array([0, 0, 0, 0])),
      ...nothing,
    };
    const squares = errors.map((x) => x ** 2);
    const mean = squares.reduce((a, b) => a + b, 0) / 4;
    const deviation = Math.sqrt(squares.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 3);
    const [low, high] = intervalOf(rootMeanSquareError, look, new Uint8Array(4).fill(1));
    expect(high ** 2).toBeCloseTo(mean + (t * deviation) / 2, 3);
    expect(low).toBe(0);
  });

  test("that of a difference between two models on the same rows", () => {
    const own = new Uint8Array(4).fill(1);
    const differences = Float64Array.of(1, 2, 4, 9);
    const { value, interval } = pairedDifference(
      { values: new Float64Array(4), own },
      { values: differences, own },
    );
    expect(value).toBe(4);
    const deviation = Math.sqrt((9 + 4 + 0 + 25) / 3);
    expect(interval![1] - 4).toBeCloseTo((t * deviation) / 2, 9);
    expect(4 - interval![0]).toBeCloseTo((t * deviation) / 2, 9);
  });
});

test("a level is missed on new rows where their whole interval is beyond it", () => {
  const beyond = (value: number, low: number) => verdictBy({ value, low, high: value + 1 });
  expect([beyond(-0.1, -1), beyond(0, -1), beyond(0.1, -0.2), beyond(0.1, 0), beyond(0.1, 0.05)]).toEqual([
    ...["holds", "holds", "missed, within chance", "missed, within chance", "missed"],
  ]);
  expect(verdictBy(undefined)).toBe("not told");
});

test("an error of a number is judged by its interval, and a count by which nothing is asked is not", () => {
  const asked = { pricedBy: "loss", sense: "at most", level: 3.6, perExample: false } as TrainRequirement;
  const outcome = {
    strict: { value: 160.3, interval: [154.2, 166.1], examples: 300 },
    surrogate: 160.3,
  } as const;
  for (const metric of ["root-mean-square-error", "quantile-loss", "mean-absolute-error", "loss"] as const)
    expect(excessOn({ ...asked, metric }, outcome)?.low).toBeCloseTo(150.6, 9);
  expect(excessOn({ ...asked, metric: "margin", strict: 0.1 }, outcome)).toBeUndefined();
});

test("no values have no interval", () => {
  const look: Look = {
    target: { kind: "class", classes: ["no", "yes"], positive: 1 },
    logits: constant(array([[1, 0]])),
    y: constant(array([1], { dtype: "int32" })),
    ...nothing,
  };
  expect(intervalOf(precision(1), look, Uint8Array.of(1))).toBeUndefined();
});

/** P(X ≥ k) of n trials at p. */
function atLeast(k: number, n: number, p: number): number {
  let [term, below] = [(1 - p) ** n, 0];
  for (let i = 0; i < k; i++) {
    below += term;
    term *= ((n - i) / (i + 1)) * (p / (1 - p));
  }
  return 1 - below;
}

test("on few rows nothing is beyond chance unless an exact test agrees", () => {
  let called = 0;
  for (let n = 1; n <= 25; n++)
    for (let k = 0; k <= n; k++)
      for (const level of [0.05, 0.1, 0.2, 0.35, 0.5, 0.8]) {
        const rows = array(Float32Array.from({ length: n }, (_, i) => Number(i < k)));
        const strict = rateOver(rows, new Uint8Array(n).fill(1));
        const asked = { pricedBy: "strict", metric: "error", sense: "at most", level } as TrainRequirement;
        const { low } = excessOn(asked, { strict, surrogate: 0 })!;
        if (low <= 0) continue;
        called++;
        expect(atLeast(k, n, level)).toBeLessThanOrEqual(0.025 + 1e-12);
      }
  expect(called).toBeGreaterThan(500);
});
