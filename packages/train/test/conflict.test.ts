// Whether each of several requirements that must hold can be met without the others.
import { atMost, createSolver, equals, minimise, type Requirement, sgd, solveWith } from "@pliant/core";
import { array, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";
import { metAlone } from "../src/run/conflict.js";

/** ½(x − 3)² with x to be as asked. */
async function alone(asked: Record<string, Requirement<Tensor, Tensor>>) {
  const task = minimise({
    params: { x: array([0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo(asked);
  const solver = await createSolver(task, { data: array([0]), optimizer: sgd(0.05) });
  const solution = await solveWith(solver, { steps: 100 });
  return metAlone({ solver, solution, steps: 500, every: 10, show: () => {} });
}
const hard = { hard: true };
const low = atMost<Tensor, Tensor>(1, (x) => x, hard);
const high = atMost<Tensor, Tensor>(-2, (x) => x.neg(), hard);

test("two that pull against each other are each had alone", async () => {
  expect(await alone({ low, high })).toEqual({ low: true, high: true });
});

test("an equality has no level that asks for nothing: beside one nothing is tried", async () => {
  const two = equals<Tensor, Tensor>(2, (x) => x, hard);
  expect(await alone({ low, two })).toBeUndefined();
});
