// What the solver's options do, on quadratic problems whose answer is known.
import { sgd, solve } from "@pliant/core";
import { describe, expect, test } from "vitest";
import { quadraticProblem, stated } from "../bench/problems.js";
import { jointSolution } from "./qp-joint.js";

const options = {
  optimizer: sgd(0.15),
  dualRate: 0.2,
  tolerance: 1e-7,
  steps: 20_000,
  every: 50,
};
/** Two that can be met, two that cannot. */
const seeds = [2, 3, 4, 5];
const farthest = (x: ArrayLike<number | bigint>, y: readonly number[]): number =>
  y.reduce((most, v, i) => Math.max(most, Math.abs(v - Number(x[i]))), 0);

describe.each(seeds)("problem %i", (seed) => {
  const problem = quadraticProblem(seed);
  const { task, data } = stated(problem);
  const expected = jointSolution(problem);

  test.each([
    ["extragradient steps", { algorithm: "extragradient" }],
    ["no damping", { damping: 0 }],
    ["more damping", { damping: 2 }],
    ["a dual rate that falls", { dualRate: (step: number) => 0.2 / (1 + step / 500) }],
    ["the paper's steps", { algorithm: "paper", dualRate: 0.03, relaxationRate: 0.3, optimizer: sgd(0.1) }],
  ] as const)("%s lead to the same equilibrium", async (_, given) => {
    const { certificate, state } = await solve(task, { ...options, ...given, data });
    expect(certificate.holds).toBe(true);
    expect(farthest(state.prices[0].data, expected.prices)).toBeLessThan(1e-5);
    expect(farthest(state.relaxations[0].data, expected.relaxations)).toBeLessThan(1e-5);
  });
});

test("a schedule goes on where a resumed run left it", async () => {
  const { task, data } = stated(quadraticProblem(3));
  const falling = { ...options, data, dualRate: (step: number) => 0.2 / (1 + step / 10), tolerance: 0 };
  const whole = await solve(task, { ...falling, steps: 60, every: 20 });
  const half = await solve(task, { ...falling, steps: 20, every: 20 });
  const rest = await solve(task, { ...falling, steps: 40, every: 20, state: half.state });
  expect(rest.state).toEqual(whole.state);
});

test.each([
  ["a dual rate of 0", { dualRate: 0 }, /^dualRate must be a positive number, got 0/],
  [
    "a schedule that ends in NaN",
    { dualRate: () => Number.NaN },
    /^dualRate must be a positive number, got NaN/,
  ],
])("%s is refused", async (_, given, sentence) => {
  const { task, data } = stated(quadraticProblem(3));
  await expect(solve(task, { ...options, ...given, data })).rejects.toThrow(sentence);
});
