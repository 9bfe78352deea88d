// Steps on minibatches: the mean of a cloud of points, asked to lie where it does not.

import { adam, atMost, equals, minimise, quadratic, sgd, solve } from "@pliant/core";
import { array, NdArray, random, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";

const points = random.normal(random.key(1), [200], { mean: 2, dtype: "float64" });
const mean = Array.from(points.data, Number).reduce((a, b) => a + b, 0) / 200;
const task = minimise({
  params: { x: array([0], { dtype: "float64" }) },
  forward: ({ x }: { x: Tensor }, cloud: Tensor) => ({ x, cloud }),
  objective: ({ x, cloud }) => x.sub(cloud).pow(2).mul(0.5).mean(),
}).subjectTo({ low: atMost(0, ({ x }) => x) }, { cost: quadratic(0.5) });
const options = { data: points, optimizer: sgd(0.02), dualRate: 0.02, every: 100 };

test("hover about the equilibrium of all data", async () => {
  const { report } = await solve(task, { ...options, batch: { size: 20 }, steps: 2000, tolerance: 0 });
  expect(report.requirements.low.relaxation).toBeCloseTo(mean / 2, 1);
});

test("that hold all data are steps on all of it", async () => {
  const whole = await solve(task, { ...options, steps: 100, tolerance: 0 });
  const batched = await solve(task, { ...options, batch: { size: 500 }, steps: 100, tolerance: 0 });
  expect(batched.params.x.item()).toBeCloseTo(whole.params.x.item(), 12);
});

test("are the same again after a run is resumed", async () => {
  const given = { ...options, batch: { size: 30, seed: 5 }, tolerance: 0 };
  const whole = await solve(task, { ...given, steps: 60, every: 7 });
  const half = await solve(task, { ...given, steps: 20, every: 20 });
  const rest = await solve(task, { ...given, steps: 40, every: 13, state: half.state });
  expect(rest.state).toEqual(whole.state);
});

test("an empty batch is refused", async () => {
  await expect(solve(task, { ...options, batch: { size: 0 } })).rejects.toThrow(
    /^batch.size must be a whole number from 1, got 0/,
  );
});

// y = x·(1, −2, 0.5) + noise, and the weights are to add up to 0 or 1: no batch has any noise in that, and nothing gives way.
describe("equalities stay close to the full-batch solution", () => {
  const rows = 240;
  const x = random.normal(random.key(1), [rows, 3]);
  const noise = random.normal(random.key(2), [rows], { std: 0.5 }).data;
  const y = Float32Array.from({ length: rows }, (_, i) =>
    [1, -2, 0.5].reduce((sum, w, j) => sum + w * Number(x.data[3 * i + j]), Number(noise[i])),
  );
  const data = { x, y: new NdArray(y, [rows]) };
  const regression = minimise({
    params: { w: array([0, 0, 0]) },
    forward: ({ w }: { w: Tensor }, { x, y }: { x: Tensor; y: Tensor }) => ({
      w,
      loss: x.matmul(w).sub(y).pow(2).mul(0.5),
    }),
    objective: ({ loss }) => loss.mean(),
  });
  test.each([
    ["adam(0.02)", 0, 20, adam(0.02)],
    ["sgd(0.05)", 1, 40, sgd(0.05)],
  ])("by %s, at %d, in batches of %d", async (_, level, size, optimizer) => {
    const task = regression.subjectTo({ sum: equals(level, ({ w }) => w.sum(), { hard: true }) });
    const whole = await solve(task, { data, optimizer });
    expect(whole.certificate.holds).toBe(true);
    const found = await solve(task, { data, optimizer, batch: { size }, steps: 1500, every: 500 });
    const [exact, price] = [whole, found].map(({ report }) => report.requirements.sum.price);
    expect(Math.abs(price - exact)).toBeLessThan(0.02);
    found.params.w.data.forEach((w, j) => {
      expect(Math.abs(Number(w) - Number(whole.params.w.data[j])), `w${j}`).toBeLessThan(0.05);
    });
  });
});
