// A state is plain data: however it was saved and brought back, the run goes on to the same bits.
import { deserialize, serialize } from "node:v8";
import {
  adam,
  atMost,
  createSolver,
  groupMeans,
  linear,
  minimise,
  quadratic,
  readState,
  type SolverState,
  solveWith,
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

describe("between minibatches and all rows", () => {
  // ½ mean (w − x)² with w at most ½ at a cost of ½u², and the mean of the few rows that are marked, which half of the batches see none of.
  const rows = Array.from({ length: 40 }, (_, i) => 1 + ((i * 7) % 40) / 20);
  const mean = rows.reduce((sum, x) => sum + x, 0) / rows.length;
  const data = {
    x: array(rows, { dtype: "float64" }),
    marks: array(
      rows.map((_, i) => Number(i < 5)),
      { dtype: "float64" },
    ),
  };
  type Rows = { readonly x: Tensor; readonly marks: Tensor };
  const task = minimise({
    params: { w: array([0], { dtype: "float64" }) },
    forward: ({ w }: { w: Tensor }, { x }: Rows) => x.mul(0).add(w),
    objective: (w, { x }: Rows) => w.sub(x).pow(2).mean().mul(0.5),
  }).subjectTo(
    {
      low: atMost(0.5, (w) => w.mean()),
      marked: atMost(9, (w, { marks }) => groupMeans(w, marks)),
    },
    { cost: quadratic(0.5) },
  );
  const options = { data, backend: reference(), optimizer: adam(0.03) };
  const solverOf = (size?: number) => createSolver(task, { ...options, ...(size && { batch: { size } }) });

  test.each([
    ["from minibatches to all rows", 5, undefined],
    ["from all rows to minibatches", undefined, 5],
  ])("a state goes on %s, and from there to the same bits", async (_, first, then) => {
    const [from, to] = [await solverOf(first), await solverOf(then)];
    const { state } = await from.next(await from.inspect(from.initial), 30);
    const begun = await to.inspect(state);
    expect(begun.steps).toBe(30);
    const { pace } = begun.state;
    expect(numbers({ ...begun.state, pace: [] as never })).toEqual(numbers({ ...state, pace: [] as never }));
    expect(pace.rates).toEqual(state.pace.rates);
    expect(pace.noise).toEqual(to.initial.pace.noise);
    const on = await to.next(begun, 40);
    const middle = await to.next(await to.inspect(JSON.parse(JSON.stringify(state))), 20);
    const again = await to.next(await to.inspect(structuredClone(middle.state)), 20);
    expect(numbers(again.state)).toEqual(numbers(on.state));
    expect(numbers(on.state)).not.toEqual(numbers(begun.state));
  });

  test("on all rows it comes to what is certified there", async () => {
    const part = await solveWith(await solverOf(5), { steps: 200 });
    const { certificate, report } = await solveWith(await solverOf(), { state: part.state });
    expect(certificate.short).toEqual([]);
    expect(report.requirements.low.price).toBeCloseTo((mean - 0.5) / 2, 2);
  });

  test("how often a group is seen is counted from the first minibatch on", async () => {
    const all = await solverOf();
    const begun = await all.next(await all.inspect(all.initial), 200);
    const parts = await solverOf(5);
    const seen = async (state: SolverState): Promise<number> => {
      const { pace } = (await parts.next(await parts.inspect(state), 200)).state;
      return Number(pace.observed[0].data[1]);
    };
    const afresh = await seen(parts.initial);
    expect(afresh).toBeLessThan(0.6);
    // Both are of whole epochs of 8 steps, each in an order of its own.
    expect(Math.abs((await seen(begun.state)) - afresh)).toBeLessThan(0.05);
  });
});
