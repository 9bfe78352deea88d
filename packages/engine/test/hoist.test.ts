// Computations of a loop that depend only on constant data run once before it, with the same results.
import { loop, NdArray, random, type Stored, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import type { StepProgram } from "../src/backend.js";
import { executableFor, trace } from "../src/compile.js";
import { topological } from "../src/graph.js";
import { hoist } from "../src/hoist.js";
import { reference } from "../src/reference/index.js";
import { type Aval, input } from "../src/tensor.js";

const rows = 7;
const data = random.normal(random.key(1), [rows, 2, 4, 4]);
const state = random.normal(random.key(2), [3]);
const plenty = 2 ** 30;

type Body = (state: Tensor, data: Tensor, at: Tensor) => Tensor;

function stepOf(body: Body, at: Aval): StepProgram {
  const { program } = trace(
    ((s: Tensor, d: Tensor, i: Tensor) => [s.mul(0.5).add(body(s, d, i).sum()), body(s, d, i)]) as never,
    [state, data, at],
  );
  return { ...program, states: 1, constants: 1 };
}

const operationsOf = (outputs: readonly Tensor[]): string[] => topological(outputs).map(({ op }) => op.name);

/** Both halves run one after the other, and the step as it was. */
async function both(step: StepProgram, at: NdArray, limit = plenty) {
  const backend = reference();
  const run = async (program: Parameters<typeof executableFor>[0], inputs: Stored[]) =>
    Promise.all((await (await executableFor(program, backend)).executable.run(inputs)).map((r) => r.read()));
  const wanted = await run(step, [state, data, at]);
  const parts = hoist(step, limit);
  const kept = await run(
    parts.before,
    parts.reads.map(() => data),
  );
  const got = await run(parts.step, [state, data, ...kept, at]);
  expect(got.map(({ data }) => [...data])).toEqual(wanted.map(({ data }) => [...data]));
  return { before: operationsOf(parts.before.outputs), step: operationsOf(parts.step.outputs) };
}

const at = new NdArray(Int32Array.of(3, 0, 3, 6), [2, 2]);
const index = input("at", at);

describe("rows that are gathered", () => {
  test("are transformed before, all of them, whatever is done to each by itself", async () => {
    const body: Body = (_, x, i) =>
      x
        .gather(i)
        .sub(0.3)
        .tanh()
        .pad([
          [0, 0],
          [0, 0],
          [0, 0],
          [1, 1],
          [0, 0],
        ])
        .flip(4)
        .transpose([0, 1, 3, 2, 4])
        .slice([[], [], [1, 5]])
        .max({ axis: 3 })
        .reshape([2, 2, 16]);
    const { before, step } = await both(stepOf(body, index), at);
    for (const name of ["sub", "tanh", "pad", "flip", "transpose", "slice", "max"]) {
      expect(before, name).toContain(name);
      expect(step, name).not.toContain(name);
    }
    expect(before).not.toContain("gather");
    expect(step).toContain("gather");
  });

  test("become patches before", async () => {
    const { before, step } = await both(
      stepOf((_, x, i) => x.gather(i).unfold({ window: 3 }), index),
      at,
    );
    expect([before.includes("unfold"), step.includes("unfold")]).toEqual([true, false]);
  });

  test("that meet other rows of the same index do so before", async () => {
    const body: Body = (_, x, i) => x.gather(i).mul(x.exp().gather(i));
    const { before, step } = await both(stepOf(body, index), at);
    expect(before).toEqual(expect.arrayContaining(["exp", "mul"]));
    expect(step.filter((name) => name === "gather")).toHaveLength(1);
  });

  test.each<[string, Body]>([
    ["the state", (s, x, i) => x.gather(i).mul(s.sum())],
    ["each other", (_, x, i) => x.gather(i).cumsum(0)],
    ["each other, moved", (_, x, i) => x.gather(i).transpose([1, 0, 2, 3, 4])],
    ["rows of another index", (_, x, i) => x.gather(i).mul(x.gather(i.add(1)))],
  ])("stay in the step where they meet %s", async (_, body) => {
    const { before } = await both(stepOf(body, index), at);
    expect(before).toEqual([]);
  });

  test("stay in the step where there is no room for all", async () => {
    const body: Body = (_, x, i) => x.gather(i).unfold({ window: 3 });
    // All patches are 7 · 72 · 4 bytes.
    expect((await both(stepOf(body, index), at, 2015)).step).toContain("unfold");
    expect((await both(stepOf(body, index), at, 2016)).step).not.toContain("unfold");
  });
});

describe("what depends on constants alone", () => {
  test("is worked out before", async () => {
    const { before, step } = await both(
      stepOf(
        (s, x) =>
          x
            .exp()
            .sum({ axis: [0, 1] })
            .mul(s.sum()),
        index,
      ),
      at,
    );
    expect([before.includes("exp"), step.includes("exp")]).toEqual([true, false]);
  });

  test("is not kept where it merely moves or repeats", async () => {
    expect(
      (
        await both(
          stepOf((s, x) => x.transpose().mul(s.sum()), index),
          at,
        )
      ).before,
    ).toEqual([]);
    const body: Body = (s, x) => {
      const top = x.max({ axis: [0, 1, 2] });
      return top.broadcastTo([4, 4]).matmul(top.mul(s.sum()).reshape([4, 1]));
    };
    const { before, step } = await both(stepOf(body, index), at);
    expect([before.includes("max"), before.includes("broadcastTo")]).toEqual([true, false]);
    expect([step.includes("max"), step.includes("broadcastTo")]).toEqual([false, true]);
  });

  test("may be a record itself", async () => {
    const { before } = await both(
      stepOf((_, x) => x.exp(), index),
      at,
    );
    expect(before).toContain("exp");
  });
});

test("a loop takes the same steps as before on the reference", async () => {
  const step = (s: Tensor, d: Tensor, i: Tensor) => {
    const next = s.add(d.gather(i).tanh().sum());
    return { state: next, record: next };
  };
  const slices = new NdArray(Int32Array.of(1, 5, 2), [3, 1]);
  const { state: after } = await loop(step)(state, data, slices);
  let sum = 0;
  for (const i of slices.data) for (const v of data.data.subarray(i * 32, i * 32 + 32)) sum += Math.tanh(v);
  expect((await after.read()).data[0]).toBeCloseTo(state.data[0] + sum, 4);
});
