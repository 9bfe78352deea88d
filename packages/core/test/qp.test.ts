// Random convex quadratic problems, half of which cannot be met as stated, against an independent solver. No seed is left out.
import { createSolver, residualOf, sgd, solveWith } from "@pliant/core";
import { describe, expect, test } from "vitest";
import { quadraticProblem, stated } from "../bench/problems.js";
import { jointSolution } from "./qp-joint.js";

const farthest = (x: ArrayLike<number | bigint>, y: readonly number[]): number =>
  y.reduce((most, v, i) => Math.max(most, Math.abs(v - Number(x[i]))), 0);

/** The same for every problem. */
const options = {
  optimizer: sgd(0.15, { momentum: 0.5 }),
  // Prices at their own pace, as by default.
  tolerance: 1e-8,
  steps: 20_000,
  every: 50,
};

const problems = Array.from({ length: 200 }, (_, seed) => quadraticProblem(seed));

test("half of the problems cannot be met as stated", () => {
  const met = problems.map((problem) => {
    const { relaxations } = jointSolution({ ...problem, cost: { kind: "linear", gamma: 1e4 } });
    return Math.max(...relaxations) < 1e-6;
  });
  expect(met).toEqual(problems.map(({ feasible }) => feasible));
  expect(met.filter(Boolean)).toHaveLength(100);
});

describe.each(["quadratic", "hard", "linear"] as const)("a %s cost", (kind) => {
  const chosen = problems.filter(({ cost }) => cost.kind === kind);
  test(`has the relaxations and prices of the joint problem: ${chosen.length} problems`, async () => {
    for (const problem of chosen) {
      const { task, data } = stated(problem);
      const expected = jointSolution(problem);
      const solver = await createSolver(task, { ...options, data });
      const early = await solver.next(await solver.inspect(solver.initial), 5);
      const { certificate, state } = await solveWith(solver, { ...options, state: early.state });
      solver.release();
      const seed = `seed ${problem.seed}`;
      expect(residualOf(early.certificate), `${seed} after 5 steps`).toBeGreaterThan(1e-6);
      expect(certificate.holds, seed).toBe(true);
      expect(farthest(state.relaxations[0].data, expected.relaxations), seed).toBeLessThan(1e-5);
      expect(farthest(state.prices[0].data, expected.prices), seed).toBeLessThan(1e-5);
      expect(Math.abs(certificate.gap), seed).toBeLessThan(1e-5);
    }
  });
});
