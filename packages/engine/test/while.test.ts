// A loop whose end is found as it runs: its values on every back end, derivatives forward, in vmap, and what is refused.
import {
  array,
  type Backend,
  compile,
  exportOnnx,
  grad,
  jacobian,
  jvp,
  readAll,
  reference,
  type Tensor,
  vmap,
  whileLoop,
} from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { openNatives } from "./natives.js";

const natives = await openNatives();
const f64 = (values: number | number[]) => array(values, { dtype: "float64" });

/** Heron's: x ← (x + a/x)/2 until x² is near a. */
const root = (a: Tensor): Tensor =>
  whileLoop(
    (x: Tensor) => x.mul(x).sub(a).abs().gt(1e-14),
    (x: Tensor) => x.add(a.div(x)).div(2),
    a,
  );

/** How often a number is halved until it is 1, and what is left of it. */
const halvings = (n: Tensor) =>
  whileLoop(
    ({ n: left }: { n: Tensor; count: Tensor }) => left.gt(1),
    ({ n: left, count }) => ({ n: left.div(2), count: count.add(1) }),
    { n, count: array(0, { dtype: "int32" }) as unknown as Tensor },
  );

const value = async (x: unknown): Promise<unknown> => {
  const read = await readAll(x as never);
  return JSON.parse(JSON.stringify(read, (_, v) => (v?.toNested ? v.toNested() : v)));
};

describe.each<[string, Backend]>([
  ["reference", reference()],
  ...natives.map((b): [string, Backend] => [b.name, b]),
])("on %s", (_, backend) => {
  const near = (got: unknown, wanted: number): void =>
    expect(Math.abs((got as number) - wanted)).toBeLessThan(1e-12);

  test("stops when the condition fails, at once if it never holds", async () => {
    const run = compile((n: Tensor) => halvings(n), { backend });
    const int = (n: number) => array(n, { dtype: "int32" });
    expect(await value(await run(int(1000)))).toEqual({ n: 1, count: 9 });
    expect(await value(await run(int(1)))).toEqual({ n: 1, count: 0 });
  });

  test("has forward derivatives of every order, in what it closes over", async () => {
    near(await value(await compile(root, { backend })(f64(2))), Math.SQRT2);
    const first = (a: Tensor): Tensor => jvp(root)(a, f64(1)).tangent;
    near(await value(await compile(first, { backend })(f64(2))), 0.5 / Math.SQRT2);
    const second = (a: Tensor): Tensor => jvp(first)(a, f64(1)).tangent;
    near(await value(await compile(second, { backend })(f64(2))), -0.25 / 2 ** 1.5);
    near(await value(await compile((a: Tensor) => jacobian(root)(a), { backend })(f64(2))), 0.5 / Math.SQRT2);
  });

  test("in vmap each entry stops by itself", async () => {
    const run = compile((n: Tensor) => vmap((one: Tensor) => halvings(one))(n), { backend });
    const given = array([1, 5, 64, 1000], { dtype: "int32" });
    expect(await value(await run(given))).toEqual({ n: [1, 1, 1, 1], count: [0, 2, 6, 9] });
    const slopes = compile((a: Tensor) => vmap((one: Tensor) => jvp(root)(one, f64(1)).tangent)(a), {
      backend,
    });
    const got = (await value(await slopes(f64([2, 9, 0.25])))) as number[];
    for (const [i, a] of [2, 9, 0.25].entries()) near(got[i], 0.5 / Math.sqrt(a));
  });
});

test("a gradient, an export and a condition that is no bool are refused in a sentence", async () => {
  await expect(compile((a: Tensor) => grad(root)(a))(f64(2))).rejects.toThrow(
    "whileLoop: derivatives go forward only (jvp, jacobian); for a gradient repeat a fixed number of steps with scan.",
  );
  const model = ({ a }: { a: Tensor }) => ({ root: root(a) });
  expect(() => exportOnnx(model, { inputs: { a: { shape: [] } } })).toThrow(
    "whileLoop: the number of steps is known only as it runs, so it cannot be written out; a model that is exported uses scan.",
  );
  const loop = (x: Tensor) =>
    whileLoop(
      (s: Tensor) => s,
      (s: Tensor) => s,
      x,
    );
  await expect(compile(loop)(f64(2))).rejects.toThrow(
    "whileLoop: the condition must be one bool, got float64[].",
  );
  const grows = (x: Tensor) =>
    whileLoop(
      (s: Tensor) => s.sum().gt(0),
      (s: Tensor) => s.expandDims(0),
      x,
    );
  await expect(compile(grows)(f64([2]))).rejects.toThrow(
    "whileLoop: state is float64[1] and becomes float64[1,1].",
  );
});
