// A function done to many at once is the function done to one after another: for every operation, whichever of its operands
// are stacks, values and gradients, on every back end; and the program does not grow with the stack.
import {
  array,
  type Backend,
  checkpoint,
  compile,
  concat,
  cond,
  constant,
  customGradient,
  evaluate,
  grad,
  jvp,
  NdArray,
  operation,
  random,
  readAll,
  reference,
  scan,
  stack,
  type Tensor,
  vmap,
} from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { allocate } from "../src/dtype.js";
import { topological } from "../src/graph.js";
import { disagreement } from "./agreement.js";
import { difference } from "./edges/units.js";
import { openNatives } from "./natives.js";
import { type Case, inputsAs, operations } from "./operations.js";

const natives = await openNatives();

/** Entries of the same numbers, each in another order. */
function stackOf({ data, shape, dtype, size }: NdArray, n: number): NdArray {
  const all = allocate(dtype, n * size);
  for (let k = 0; k < n; k++) for (let i = 0; i < size; i++) all[k * size + i] = data[(i + k) % size];
  return new NdArray(all, [n, ...shape], dtype);
}

type Fn = (...inputs: Tensor[]) => Tensor;

/** The function of inputs of which some are stacks, by vmap. */
const mapped =
  (fn: Fn, has: readonly boolean[]): Fn =>
  (...inputs) =>
    vmap((...entries: Tensor[]) => {
      let next = 0;
      return fn(...inputs.map((x, i) => (has[i] ? entries[next++] : x)));
    })(...inputs.filter((_, i) => has[i]));

/** The same, one entry after another. */
const inTurn =
  (fn: Fn, has: readonly boolean[], n: number): Fn =>
  (...inputs) => {
    const entry = (x: Tensor, k: number) => x.slice([[k, k + 1]]).reshape(x.shape.slice(1));
    return stack(
      Array.from({ length: n }, (_, k) => fn(...inputs.map((x, i) => (has[i] ? entry(x, k) : x)))),
    );
  };

const isReal = ({ dtype }: { dtype: string }): boolean => dtype.startsWith("float");

/** What it gives and, where it is smooth, the gradient of a sum in which no element counts like another. */
const withGradient =
  (fn: Fn) =>
  (...inputs: Tensor[]) => {
    const value = fn(...inputs);
    const at = inputs.flatMap((x, i) => (isReal(x) ? [i] : []));
    if (!isReal(value) || at.length === 0) return { value, gradient: [] };
    const loss = (reals: Tensor[]): Tensor => {
      const y = fn(...inputs.map((x, i) => (at.includes(i) ? reals[at.indexOf(i)] : x)));
      const weights = Float64Array.from({ length: y.size }, (_, i) => 1 + Math.sin(i));
      return y.mul(array(weights, { shape: y.shape, dtype: y.dtype })).sum();
    };
    return { value, gradient: grad(loss)(at.map((i) => inputs[i])) };
  };

/** All operands; each alone; all but the first. */
const patterns = ({ inputs }: Case): boolean[][] => {
  const all = inputs.map(() => true);
  const alone = inputs.map((_, k) => inputs.map((_, i) => i === k));
  return inputs.length === 1 ? [all] : [all, ...alone, inputs.map((_, i) => i > 0)];
};

const n = 3;
const given = (inputs: readonly NdArray[], has: readonly boolean[], many = n): NdArray[] =>
  inputs.map((x, i) => (has[i] ? stackOf(x, many) : x));

const run = async (fn: Fn, inputs: readonly NdArray[], backend?: Backend) => {
  const { value, gradient } = await readAll(
    await compile(withGradient(fn), { backend })(...(inputs as never[])),
  );
  return [value, ...gradient] as NdArray[];
};

/** In units of the last place, or of that of 1 where sums cancel: in double precision hardly anything is rounded otherwise. */
const apart = (wanted: NdArray, got: NdArray): string | undefined =>
  difference(wanted, got, {
    units: 256,
    scale: new Float64Array(wanted.size).fill(1),
    accepts: (a, b) => a === b,
  });

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

describe("of gradients is a loop over the entries", () => {
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

describe.each(natives)("on $name too", (backend) => {
  test.each(operations)("$name", async (operation) => {
    const has = operation.inputs.map(() => true);
    const inputs = given(inputsAs(operation.inputs, "float32"), has);
    const fn = withGradient(inTurn(operation.fn, has, n));
    const got = await readAll(
      await compile(withGradient(mapped(operation.fn, has)), { backend })(...(inputs as never[])),
    );
    expect(disagreement(fn, inputs, got)).toBeUndefined();
  });
});

const x = random.normal(random.key(1), [n, 4], { dtype: "float64" });
const w = random.normal(random.key(2), [4], { dtype: "float64" });
const nested: Record<string, Fn> = {
  "vmap of vmap": (x, w) => vmap((e: Tensor) => e.mul(w.sum()).tanh())(x),
  "vmap of a gradient": (x, w) => grad((e: Tensor) => e.mul(w).sin().sum().pow(2))(x),
  "vmap of a derivative along": (x, w) => jvp((e: Tensor) => e.mul(w).sin())(x, w).tangent,
  "vmap of a scan": (x, w) =>
    scan((s: Tensor, e: Tensor) => ({ state: s.mul(e).add(w), record: s.sum().mul(e) }), w, x).record,
  "vmap of the last state": (x, w) =>
    scan((s: Tensor, e: Tensor) => ({ state: s.mul(e).add(w), record: s.sum() }), w, x, { reverse: true })
      .state,
  "vmap of a choice": (x, w) =>
    cond(
      x.sum().gt(0),
      () => x.mul(2),
      () => x.sub(w),
    ),
  "vmap of one choice for all": (x, w) =>
    cond(
      w.sum().gt(0),
      () => x.mul(2),
      () => x.sub(w),
    ),
  "vmap of a checkpoint": (x, w) => checkpoint((e: Tensor) => e.mul(w).tanh())(x),
  "vmap of a gradient of one's own": (x, w) =>
    customGradient(
      (a, b) => a.mul(b),
      (g, [a]) => [g.clip(-0.5, 0.5), g.mul(a.sum())],
    )(x, w),
};

describe.each([reference(), ...natives])("with transformations on $name", (backend) => {
  test.each(Object.keys(nested))("%s", async (name) => {
    for (const has of [
      [true, false],
      [true, true],
    ]) {
      const inputs = given([random.normal(random.key(3), [4], { dtype: "float64" }), w], has);
      const wanted = await run(inTurn(nested[name], has, n), inputs);
      const got = await run(mapped(nested[name], has), inputs, backend);
      for (const [i, array] of wanted.entries()) expect(apart(array, got[i]), `${has} ${i}`).toBeUndefined();
    }
  });
});

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
