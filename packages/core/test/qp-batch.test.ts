// Steps on minibatches: the mean of a cloud of points, asked to lie where it does not.

import { atMost, minimise, quadratic, sgd, solve } from "@pliant/core";
import { array, random, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";

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

test("of no examples are refused", async () => {
  await expect(solve(task, { ...options, batch: { size: 0 } })).rejects.toThrow(
    /^batch.size must be a whole number of examples, got 0/,
  );
});
