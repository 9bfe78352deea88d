// A function done to many at once is the function done to one after another: for every operation, whichever of its operands
// are stacks, values and gradients; and the program does not grow with the stack.
import {
  array,
  compile,
  concat,
  constant,
  evaluate,
  grad,
  NdArray,
  operation,
  random,
  readAll,
  type Tensor,
  vmap,
} from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { topological } from "../src/graph.js";
import { derivedCases } from "./calls/cases.js";
import { type Case, operations as primitive } from "./operations.js";
import {
  apart,
  patterns as every,
  type Fn,
  given,
  inTurn,
  isReal,
  mapped,
  n,
  run,
  withGradient,
} from "./stacked.js";

// One case for each of those made of others, the last: its operands are all stacks, or the first is.
const derived = new Map(derivedCases.map((one) => [one.name.split(",")[0], one]));
const operations = [...primitive, ...derived.values()];
const patterns = (of: Case): boolean[][] => (primitive.includes(of) ? every(of) : every(of).slice(0, 2));

describe("is a loop over the entries", () => {
  test.each(operations)("$name", async (operation) => {
    for (const has of patterns(operation)) {
      const inputs = given(operation.inputs, has);
      const wanted = await run(inTurn(operation.fn, has, n), inputs);
      const got = await run(mapped(operation.fn, has), inputs);
      for (const [i, array] of wanted.entries()) expect(apart(array, got[i]), `${has} ${i}`).toBeUndefined();
      const size = (many: number) =>
        topological(
          trace(withGradient(mapped(operation.fn, has)), given(operation.inputs, has, many)).program.outputs,
        ).length;
      expect(size(5), `${has}`).toBe(size(3));
    }
  });
});

/** The gradients of an operation in all its real inputs, in one row. */
const slopes =
  (fn: Fn): Fn =>
  (...inputs) =>
    concat(withGradient(fn)(...inputs).gradient.map((g) => g.flatten()));

describe("of gradients equals a loop over the entries", () => {
  const smooth = operations.filter(
    ({ inputs, fn }) => isReal(evaluate(fn(...inputs.map(constant)))) && inputs.some(isReal),
  );
  test.each(smooth)("$name", async (operation) => {
    for (const has of patterns(operation)) {
      const inputs = given(operation.inputs, has);
      const value = async (fn: Fn) => (await (await compile(fn)(...(inputs as never[]))).read()) as NdArray;
      const [wanted, got] = [
        await value(inTurn(slopes(operation.fn), has, n)),
        await value(mapped(slopes(operation.fn), has)),
      ];
      expect(apart(wanted, got), `${has}`).toBeUndefined();
      const size = (many: number) =>
        topological(
          trace(mapped(slopes(operation.fn), has), given(operation.inputs, has, many)).program.outputs,
        ).length;
      expect(size(5), `${has}`).toBe(size(3));
    }
  });
});

const x = random.normal(random.key(1), [n, 4], { dtype: "float64" });
const w = random.normal(random.key(2), [4], { dtype: "float64" });
test("gradients of many samples at once, each its own", async () => {
  const loss = (w: Tensor, x: Tensor) => x.mul(w).sum().tanh();
  const each = compile((w: Tensor, xs: Tensor) => vmap((x: Tensor) => grad(loss)(w, x))(xs));
  const got = await (await each(w, x)).read();
  for (let k = 0; k < n; k++) {
    const row = new NdArray((x.data as Float64Array).slice(4 * k, 4 * k + 4), [4]);
    const one = await (await compile((w: Tensor, x: Tensor) => grad(loss)(w, x))(w, row)).read();
    expect([...got.data.slice(4 * k, 4 * k + 4)]).toEqual([...one.data]);
  }
});

test("an operation of one's own, with its own gradient, is done to one entry after another unless it has a rule", async () => {
  const twice = operation<object>({
    name: "twice",
    infer: ([x]) => x,
    gradient: (g) => [g.mul(7)],
    reference: () => (out, x) => {
      for (let i = 0; i < out.length; i++) out[i] = 2 * x[i];
    },
  });
  const f = vmap((x: Tensor) => twice([x], {}));
  const { value, gradient } = await readAll(
    await compile((x: Tensor) => ({ value: f(x), gradient: grad((x: Tensor) => f(x).sum())(x) }))(
      array([1, 2]),
    ),
  );
  expect([value.toNested(), gradient.toNested()]).toEqual([
    [2, 4],
    [7, 7],
  ]);
});

test("no entries give none, and unequal numbers of them are refused", async () => {
  const none = await (
    await compile((x: Tensor) => vmap((e: Tensor) => e.sum())(x))(new NdArray(new Float32Array(0), [0, 3]))
  ).read();
  expect(none.shape).toEqual([0]);
  expect(() => vmap((a: Tensor, b: Tensor) => a.add(b))(array([1, 2]) as never, array([1]) as never)).toThrow(
    "vmap: arguments need one leading axis of equal length; got float32[2], float32[1].",
  );
});
