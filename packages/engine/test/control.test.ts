// Loops and branches inside traced functions: what they give, and their derivatives, are those of the program written out.
import {
  array,
  compile,
  cond,
  exportOnnx,
  grad,
  jvp,
  leaves,
  NdArray,
  type Operand,
  operation,
  random,
  readAll,
  reference,
  scan,
  stack,
  type Tensor,
  where,
} from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { trace } from "../src/compile.js";
import { topological } from "../src/graph.js";
import { lower } from "../src/passes.js";
import { disagreement } from "./agreement.js";
import { openNatives } from "./natives.js";

const backends = [reference(), ...(await openNatives())];

type Step<S, X, R> = (state: S, slice: X) => { state: S; record: R };
type Scan = typeof scan;

/** The same, written out: the program a scan stands for. */
const writtenOut = ((
  step: Step<unknown, Tensor, Tensor>,
  state: unknown,
  xs: Tensor,
  { reverse = false } = {},
) => {
  const n = xs.shape[0];
  const records: Tensor[] = [];
  let s = state;
  for (let t = 0; t < n; t++) {
    const at = reverse ? n - 1 - t : t;
    const done = step(s, xs.slice([[at, at + 1]]).squeeze(0));
    s = done.state;
    records.push(done.record);
  }
  return { state: s, record: stack(reverse ? records.reverse() : records) };
}) as unknown as Scan;

const draw = (seed: number, ...shape: number[]): NdArray =>
  random.normal(random.key(seed), shape, { dtype: "float64" });

type Params = { w: Tensor; h: Tensor; xs: Tensor };
const params = { w: draw(1, 3, 3), h: draw(2, 3), xs: draw(3, 5, 3) };

const cell =
  (w: Tensor) =>
  (h: Tensor, x: Tensor): { state: Tensor; record: Tensor } => {
    const next = h.matmul(w).add(x).tanh();
    return { state: next, record: next.mul(x).add(h) };
  };

/** Functions of the parameters that scan in one way or another, all with one scalar. */
const programs: Record<string, (scan: Scan, p: Params) => Tensor> = {
  "a recurrent cell": (scan, { w, h, xs }) => {
    const { state, record } = scan(cell(w), h, xs);
    return state.pow(2).sum().add(record.sin().sum());
  },
  "its state alone": (scan, { w, h, xs }) => scan(cell(w), h, xs).state.pow(2).sum(),
  "its records alone": (scan, { w, h, xs }) => scan(cell(w), h, xs).record.pow(2).sum(),
  "from the last to the first": (scan, { w, h, xs }) => {
    const { state, record } = scan(cell(w), h, xs, { reverse: true });
    return state
      .pow(3)
      .sum()
      .add(
        record
          .slice([[1, 3]])
          .pow(2)
          .sum(),
      );
  },
  "a state of several, one of them whole numbers": (scan, { w, h, xs }) => {
    const start = { h, n: h.sum().mul(0).cast("int32"), still: w };
    const { state, record } = scan(
      (s, x: Tensor) => ({
        state: { h: s.h.mul(x).add(s.n.cast("float64")), n: s.n.add(2), still: s.still },
        record: s.h.matmul(s.still),
      }),
      start,
      xs,
    );
    return state.h.sum().add(state.still.pow(2).sum()).add(record.pow(2).sum());
  },
  "a scan in a scan": (scan, { w, h, xs }) => {
    const inner = (h: Tensor, x: Tensor) => scan(cell(w.mul(x.sum())), h, xs.slice([[0, 2]]));
    const { state, record } = scan(
      (s: Tensor, x: Tensor) => {
        const done = inner(s, x);
        return { state: done.state.mul(0.5), record: done.record.sum() };
      },
      h,
      xs,
    );
    return state.sum().add(record.pow(2).sum());
  },
  "a step that reads no slice": (scan, { w, h, xs }) =>
    scan((s: Tensor) => ({ state: s.matmul(w).tanh(), record: s.sum() }), h, xs).state.sum(),
  "nothing carried": (scan, { w, xs }) =>
    scan((_: Tensor, x: Tensor) => ({ state: array(1) as never, record: x.matmul(w) }), array(1) as never, xs)
      .record.pow(2)
      .sum(),
  "a branch in a step": (scan, { w, h, xs }) =>
    scan(
      (s: Tensor, x: Tensor) => {
        const next = cond(
          x.sum().gt(0),
          () => s.matmul(w).tanh(),
          () => s.mul(x),
        );
        return { state: next, record: next };
      },
      h,
      xs,
    )
      .record.pow(2)
      .sum(),
};

/** Value, gradient, derivative along a direction, and the gradient of the gradient. */
const everythingOf = (f: (p: Params) => Tensor) => (p: Params) => ({
  value: f(p),
  first: grad(f)(p),
  along: jvp(f)(p, p).tangent,
  second: grad((q: Params) =>
    leaves(grad(f)(q))
      .map(({ leaf }) => (leaf as Tensor).pow(2).sum())
      .reduce((a, b) => a.add(b)),
  )(p),
});

describe.each(backends)("a scan on $name", (backend) => {
  test.each(Object.keys(programs))("is its steps written out: %s", async (name) => {
    const all = (how: Scan) => everythingOf((p) => programs[name](how, p));
    const got = await readAll(await compile(all(scan), { backend })(params));
    expect(disagreement(all(writtenOut), [params], got)).toBeUndefined();
  });

  test("carries NaN and infinities, and takes one step, or none", async () => {
    const run = (xs: number[], init: number) =>
      compile(
        (x: Tensor, s: Tensor) =>
          scan((s: Tensor, x: Tensor) => ({ state: s.maximum(x), record: s.add(x) }), s, x),
        { backend },
      )(new NdArray(Float32Array.from(xs), [xs.length]), init).then(readAll);
    const many = await run([1, NaN, Infinity, -0], -Infinity);
    expect(many.state.item()).toBeNaN();
    expect(many.record.toNested()).toEqual([-Infinity, NaN, NaN, NaN]);
    const one = await run([3], 1);
    expect([one.state.item(), one.record.toNested()]).toEqual([3, [4]]);
    const none = await run([], 7);
    expect([none.state.item(), none.record.shape]).toEqual([7, [0]]);
    const empty = compile(
      (xs: Tensor) =>
        scan((s: Tensor, x: Tensor) => ({ state: s.add(x.sum()), record: x.add(s) }), array(1), xs),
      { backend },
    );
    const { state, record } = await readAll(await empty(new NdArray(new Float32Array(0), [3, 0])));
    expect([state.item(), record.shape]).toEqual([1, [3, 0]]);
  });

  test("a choice computes the branch that is taken, and its gradient that one's", async () => {
    const f = (x: Tensor) =>
      cond(
        x.sum().gt(0),
        () => ({ y: x.log(), n: array(1, { dtype: "int32" }) }),
        () => ({ y: x.mul(x), n: array(2, { dtype: "int32" }) as never }),
      );
    const both = compile(
      (x: Tensor) => ({
        ...f(x),
        g: grad((x: Tensor) => f(x).y.sum())(x),
        v: jvp((x: Tensor) => f(x).y)(x, x).tangent,
      }),
      { backend },
    );
    const at = async (x: number[]) => {
      const { y, n, g, v } = await readAll(await both(array(x, { dtype: "float64" })));
      return [y, n, g, v].map((a) => a.toNested());
    };
    expect(await at([1, 4])).toEqual([[0, expect.closeTo(Math.log(4), 14)], 1, [1, 0.25], [1, 1]]);
    // The logarithm of a negative number would be NaN.
    expect(await at([-1, -4])).toEqual([[1, 16], 2, [-2, -8], [2, 32]]);
  });
});

test("only the branch that is taken is computed", async () => {
  const calls: string[] = [];
  const told = (name: string) =>
    operation<object>({
      name,
      infer: ([x]) => x,
      reference: () => (out, x) => {
        calls.push(name);
        out.set(x);
      },
    });
  const [yes, no] = [told("yes"), told("no")];
  const f = compile((x: Tensor) =>
    cond(
      x.gt(0),
      () => yes([x], {}),
      () => no([x], {}),
    ),
  );
  await f(1);
  await f(-1);
  expect(calls).toEqual(["yes", "no"]);
});

test("a scan for value and gradient runs once each way, and carries what is wanted only", () => {
  const { program } = trace(
    (p: Params) => everythingOf((q) => programs["its state alone"](scan, q))(p).first,
    [params],
  );
  const { outputs } = lower(program, () => true);
  const scans = topological(outputs).filter(({ op }) => op.name === "scan");
  const families = new Set(scans.map(({ attrs }) => (attrs as { family: object }).family));
  expect(families.size).toBe(2);
  // Forward: the state before each step is all that the gradient reads, beside the last.
  const wanted = [...families].map((f) => (f as { wanted: number[] }).wanted.length);
  expect(wanted.sort()).toEqual([2, 3]);
  const onlyState = trace(
    (p: Params) => grad((h: Tensor) => programs["its state alone"](scan, { ...p, h }))(p.h),
    [params],
  );
  const [back] = topological(lower(onlyState.program, () => true).outputs)
    .filter(({ op }) => op.name === "scan")
    .reverse();
  // Nothing is summed up for the weights.
  expect((back.attrs as { states: number }).states).toBe(1);
});

test("an exported model has its steps written out", async () => {
  const bytes = exportOnnx(
    ({ xs }: Record<string, Tensor>) => ({
      y: scan((s: Tensor, x: Tensor) => ({ state: s.add(x), record: s.mul(x) }), array([0, 0]), xs).record,
      z: cond(
        xs.sum().gt(0),
        () => xs.sum(),
        () => xs.max(),
      ),
    }),
    { inputs: { xs: { shape: [3, 2] } } },
  );
  const text = Buffer.from(bytes).toString("latin1");
  expect(text).not.toContain("Scan");
  expect(bytes.length).toBeGreaterThan(100);
});

test("mistakes are answered with a sentence", () => {
  const xs = array([1, 2]);
  expect(() => scan((s: Tensor) => ({ state: s, record: s }), array(1), [] as Operand[])).toThrow(
    "scan: slices need one leading axis of equal length, the number of steps; got none.",
  );
  expect(() => scan((s: Tensor, x: Tensor) => ({ state: stack([s, x]), record: s }), array(1), xs)).toThrow(
    "scan: state is float32[] and becomes float32[2].",
  );
  expect(() => scan((s: Tensor) => s as never, array(1), xs)).toThrow(
    "scan: a step returns { state, record }",
  );
  expect(() =>
    cond(
      where(true, 1, 2),
      () => array(1),
      () => array(2),
    ),
  ).toThrow("cond: the condition must be one bool, got float32[].");
  expect(() =>
    cond(
      true,
      () => array(1),
      () => array([1]),
    ),
  ).toThrow("cond: result is float32[] and becomes float32[1].");
});
