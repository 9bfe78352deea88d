// A state is plain data: however it was saved and brought back, the run goes on to the same bits.
import { deserialize, serialize } from "node:v8";
import {
  adam,
  atMost,
  createSolver,
  linear,
  minimise,
  quadratic,
  readState,
  type SolverState,
} from "@pliant/core";
import { array, type DType, leaves, type NdArray, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";

async function halfway(dtype: DType) {
  const task = minimise({
    params: { x: array([0, 0], { dtype }), bias: array(0, { dtype }) },
    forward: ({ x, bias }: { x: Tensor; bias: Tensor }, _: Tensor) => x.add(bias),
    objective: (x) =>
      x
        .sub(array([3, 1], { dtype }))
        .pow(2)
        .sum(),
  }).subjectTo(
    { r: atMost(1, (x) => x.sum()), s: atMost(0.5, (x) => x, { cost: linear(1) }) },
    { cost: quadratic(1) },
  );
  const solver = await createSolver(task, {
    data: array([0], { dtype }),
    backend: reference(),
    optimizer: adam(0.05),
  });
  const found = await solver.next(await solver.inspect(solver.initial), 30);
  return { solver, found, saved: await readState(found.state) };
}

const numbers = (state: SolverState): unknown[] =>
  leaves(state).map(({ path, leaf }) => [path, Array.from((leaf as NdArray).data ?? [leaf as number])]);

describe("a saved state goes on to the same bits", () => {
  test.each<[string, (state: SolverState) => SolverState]>([
    ["structuredClone", (state) => structuredClone(state)],
    ["v8.serialize", (state) => deserialize(serialize(state))],
    ["JSON", (state) => JSON.parse(JSON.stringify(state))],
  ])("through %s", async (_, copy) => {
    for (const dtype of ["float32", "float64"] as const) {
      const { solver, found, saved } = await halfway(dtype);
      const again = await solver.next(await solver.inspect(copy(saved)), 20);
      const straight = await solver.next(found, 20);
      expect(numbers(again.state)).toEqual(numbers(straight.state));
    }
  });
});

test("a saved state with a number missing, or of another shape, is refused", async () => {
  const { solver, saved } = await halfway("float64");
  const spoilt = JSON.parse(JSON.stringify(saved)) as { params: { x: { data: Record<string, unknown> } } };
  spoilt.params.x.data["1"] = null;
  await expect(solver.inspect(spoilt as unknown as SolverState)).rejects.toThrow("of other parameters");
  const longer = JSON.parse(JSON.stringify(saved)) as { params: { x: unknown } };
  longer.params.x = JSON.parse(JSON.stringify(array([1, 2, 3], { dtype: "float64" })));
  await expect(solver.inspect(longer as unknown as SolverState)).rejects.toThrow(
    "params.x is float64 [3] where float64 [2] is needed",
  );
});
