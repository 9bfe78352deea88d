// The truth benchmark's own judgement: it accepts right answers and rejects wrong ones.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Report } from "../bench/pliant.js";
import { classes, numbers, part, rowsOf } from "../bench/table.js";
import { apart } from "../bench/truth/apart.js";
import { misses, parity, problem } from "../bench/truth/case.js";
import { generated } from "../bench/truth/cases.js";
import { insisting, prices, type Stated } from "../bench/truth/exact.js";
import { ratesOf } from "../bench/truth/judge.js";
import { network, sizeOf } from "../bench/truth/network.js";
import type { Result } from "../bench/truth/result.js";
import { summarised } from "../bench/truth/summary.js";

/** A bias alone, half the answers 0 and half 1: the objective is (b² + (b − 1)²) / 2, the requirement (b − 1)² ≤ ε. */
function halves(level: number, alpha?: number): Stated {
  const n = 10;
  const y = Float64Array.from({ length: n }, (_, i) => i % 2);
  const x = Array.from(y, () => Float64Array.of(0));
  return {
    problem: {
      examples: { x, y, kind: "number" },
      decay: 0,
      requirements: [{ weights: y.map((v) => (2 * v) / n), level, ...(alpha && { alpha }) }],
    },
    layers: [1, 1],
    start: new Float64Array(2),
    said: [0],
  };
}

test("a measured price is the slope of the optimal value", () => {
  // P(ε) = ((1 − √ε)² + ε) / 2, so −P′(0.04) = 0.8 / 0.4 − 0.5.
  expect(prices(halves(0.04))[0]).toBeCloseTo(1.5, 4);
  expect(prices(halves(0.3))[0]).toBeCloseTo(0, 6);
});

test("the cost of insisting is the difference between the objectives of the two solutions", () => {
  // Giving way at α = 1: b − 1/2 = (1 − b)((1 − b)² − 0.04), solved by bisection.
  let [low, high] = [0, 1];
  for (let k = 0; k < 60; k++) {
    const b = (low + high) / 2;
    const slope = 2 * b - 1 - 4 * ((1 - b) ** 2 - 0.04) * (1 - b);
    [low, high] = slope > 0 ? [low, b] : [b, high];
  }
  const objective = (b: number): number => (b * b + (b - 1) ** 2) / 2;
  expect(insisting(halves(0.04, 1), 0)).toBeCloseTo(objective(0.8) - objective(low), 6);
});

test("the network's gradient is that of its losses", () => {
  const layers = [2, 3, 1];
  const x = [Float64Array.of(0.3, -1), Float64Array.of(1.2, 0.4), Float64Array.of(-0.7, 0.9)];
  const at = Float64Array.from({ length: sizeOf(layers) }, (_, i) => Math.sin(i + 1));
  const weights = Float64Array.of(0.5, 2, -1);
  for (const kind of ["class", "number"] as const) {
    const model = network(layers, { x, y: Float64Array.of(1, 0, 1), kind });
    const sum = (p: Float64Array): number => model.at(p).losses.reduce((s, v, i) => s + v * weights[i], 0);
    const slope = model.at(at).slope(weights);
    for (let k = 0; k < at.length; k++) {
      const d = (sum(at.with(k, at[k] + 1e-6)) - sum(at.with(k, at[k] - 1e-6))) / 2e-6;
      expect(slope[k]).toBeCloseTo(d, 7);
    }
  }
});

const table = classes({ seed: 1, rows: 1000, positives: 0.4, groups: [1, 1] });
const measure = (value: number, examples = 400) => ({
  strict: { value, interval: [value - 0.02, value + 0.02], examples },
});
const report = (requirements: object, more: object = {}): Report => ({ requirements, ...more }) as Report;
const about = { sense: "at most", level: 0.1, cost: "hard", of: "misses", metric: "false-negative-rate" };

test("a rate below its level is wrong with a price and right without one", () => {
  const one = problem("one", () => table, misses(0.1, { hard: true }));
  const judge = (more: object) =>
    ratesOf(one, table, report({ misses: { ...about, relaxation: 0, ...more } }))[0];
  expect(judge({ price: 1, train: measure(0.032), test: measure(0.1) }).within).toBe(false);
  expect(judge({ price: 0, train: measure(0.032), test: measure(0.1) }).within).toBe(true);
  expect(judge({ price: 0, train: measure(0.11), test: measure(0.1) }).within).toBe(false);
  expect(judge({ price: 1, train: measure(0.104), test: measure(0.1) }).within).toBe(true);
  expect(judge({ price: 1, relaxation: 0.05, train: measure(0.15), test: measure(0.16) })).toMatchObject({
    within: true,
    testHolds: true,
  });
  expect(judge({ price: 1, train: measure(0.1), test: measure(0.13) }).testHolds).toBe(false);
});

test("if validation rows decide, a rate is at its level on those rows", () => {
  const one = problem("one", () => table, misses(0.1, { hard: true }));
  const parts = { price: 1, train: measure(0.2), validation: measure(0.1), test: measure(0.1) };
  const asked = { misses: { ...about, relaxation: 0, ...parts } };
  expect(ratesOf(one, table, report(asked, { judgedOn: "validation" }))[0].within).toBe(true);
  expect(ratesOf(one, table, report(asked))[0].within).toBe(false);
});

test("the larger gap of two groups counts, resolved by the smaller group", () => {
  const few = classes({ seed: 2, rows: 1000, positives: 0.4, groups: [960, 40] });
  const one = problem("one", () => few, parity(0.1, { hard: true }));
  const gap = { ...about, of: "parity", metric: "positive-rate", relaxation: 0, price: 1, test: measure(0) };
  const rates = ratesOf(
    one,
    few,
    report({
      "parity [group=A]": { ...gap, train: measure(-0.13, 1000) },
      "parity [group=B]": { ...gap, train: measure(0.13, 1000) },
    }),
  );
  expect(rates.map(({ name, counted, within, price }) => [name, counted, within, price])).toEqual([
    ["parity [group=B]", 40, true, 2],
  ]);
});

describe("a case in a separate process", () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-bench-"));
  const runs = (name: string, code: string): Promise<Result> => {
    const command = join(folder, `${name}.mjs`);
    writeFileSync(command, code);
    const one = problem("one", () => table, misses(0.1, { hard: true }), { validation: 0.3 });
    return apart(one, { settings: [], minutes: 0.05, command });
  };

  test("returns its result", async () => {
    const echo = `process.stdin.on("end", () => console.log('{"name":"one"}')).resume();`;
    expect(await runs("echo", echo)).toEqual({ name: "one" });
  });

  test.each([
    ["throws", `throw new TypeError("of is undefined");`, "TypeError: of is undefined"],
    ["does not end", "setInterval(() => {}, 1000);", "not done after 0.05 minutes"],
  ])("that %s has failed, and counts against every share", async (name, code, mistake) => {
    const result = await runs(name, code);
    expect(result).toMatchObject({ certified: false, strictWithin: false, mistake });
    expect(summarised([result]).summary).toMatchObject({ certified: 0, strictWithin: 0, testHolds: 0 });
  });
});

test("tables match their description and are reproducible", () => {
  const drawn = { seed: 3, rows: 5000, groups: [9, 1], shift: 1 } as const;
  const y = classes({ ...drawn, positives: 0.05 }).y as number[];
  expect(y.reduce((a, b) => a + b)).toBeGreaterThan(200);
  expect(y.reduce((a, b) => a + b)).toBeLessThan(300);
  expect(numbers(drawn).group.filter((g) => g === "B")).toHaveLength(500);
  expect(numbers(drawn)).toEqual(numbers(drawn));
  expect(rowsOf(part(numbers(drawn), 4000))).toBe(1000);
});

test("at least sixty problems have distinct names", () => {
  expect(generated.length).toBeGreaterThanOrEqual(60);
  expect(new Set(generated.map(({ name }) => name)).size).toBe(generated.length);
});
