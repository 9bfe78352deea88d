// Insisting, where it can be had and where it cannot.
import { array, type Tensor } from "@pliant/engine";
import { atMost, createSolver, insist, minimise, quadratic, sgd, solveWith } from "pliant";
import { expect, test } from "vitest";

/** x² with (x − 2)² + floor ≤ 1, which gives way. */
const away = (floor: number) =>
  minimise({
    params: { x: array(0) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.pow(2),
  }).subjectTo({ near: atMost(1, (x) => x.sub(2).pow(2).add(floor)) }, { cost: quadratic(0.1) });

const asked = async (floor: number) => {
  const solver = await createSolver(away(floor), {
    data: array(0),
    optimizer: sgd(0.1),
    dualRate: 0.2,
    tolerance: 1e-3,
  });
  const solution = await solveWith(solver, {});
  expect(solution.certificate.holds).toBe(true);
  return insist(solver, solution, "near");
};

test("what can be had costs what the objective comes to there", async () => {
  const { had, reached, objective } = await asked(0);
  expect(had).toBe(true);
  expect(reached).toBeCloseTo(1, 2);
  expect(objective).toBeCloseTo(1, 1);
});

test("what cannot be had is an answer, also where its price drives the steps to infinity", async () => {
  const { had, reached, certificate } = await asked(1.5);
  expect(had).toBe(false);
  expect(certificate.holds).toBe(false);
  expect(reached).toBeGreaterThan(1);
  expect(Number.isFinite(reached)).toBe(true);
});
