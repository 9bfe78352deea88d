// Simplifications keep every value: the result of a program does not depend on whether a number in it is known beforehand.
import { compile, grad, jvp, NdArray, type Tensor, where } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import { attrsKey } from "../src/graph.js";
import { constant } from "../src/tensor.js";

const native = await onnx();
afterAll(() => native.close());

const values = [NaN, Infinity, -Infinity, 0, -0, 1, -1, 0.5, -2.5, 1e38, -1e-38];
const x = new NdArray(Float64Array.from(values), [values.length]);

const binary = ["add", "sub", "mul", "div", "pow", "maximum", "minimum"] as const;
const numbers = [0, -0, 1, -1, 2, 0.5, Infinity, NaN];

describe.each(binary)("%s with a number known beforehand gives what it gives with an argument", (name) => {
  test.each(numbers)("%o", async (n) => {
    const given = new NdArray(Float64Array.of(n), []);
    const both = compile((x: Tensor, n: Tensor) => [x[name](n), n[name](x)]);
    const known = compile((x: Tensor) => [x[name](n), constant(given)[name](x)]);
    const [wanted, got] = [await both(x, given), await known(x)];
    for (const i of [0, 1]) {
      const [w, g] = [await wanted[i].read(), await got[i].read()];
      expect([...g.data].map(show)).toEqual([...w.data].map(show));
    }
  });
});

const show = (v: number): string => (Object.is(v, -0) ? "-0" : String(v));

test.each([true, false])("a choice whose condition is known is the operand it takes: %o", async (holds) => {
  const condition = constant(new NdArray(Uint8Array.of(Number(holds)), [], "bool"));
  const f = compile((a: Tensor, b: Tensor) => where(condition, a, b));
  const row = new NdArray(Float64Array.of(7), []);
  expect([...(await (await f(x, row)).read()).data]).toEqual(holds ? values : values.map(() => 7));
  expect(f.show(x, row)).not.toContain("where");
});

test("the second derivative of a square takes no power", () => {
  const bent = compile((p: Tensor, v: Tensor) => jvp(grad((q: Tensor) => q.pow(2).sum()))(p, v).tangent);
  expect(bent.show(x, x)).not.toMatch(/pow|where/);
});

test("a constant of both zeros is no single number", async () => {
  const zeros = new NdArray(Float32Array.of(0, -0), [2]);
  const f = compile((x: Tensor) => x.sub(constant(zeros)));
  const { data } = await (await f(new NdArray(Float32Array.of(-0, -0), [2]))).read();
  expect([...data].map(show)).toEqual(["-0", "0"]);
});

test("attributes that differ in the sign of zero or in being NaN are distinct", () => {
  const keys = [0, -0, NaN, Infinity, -Infinity, null, "NaN"].map((value) => attrsKey({ value }));
  expect(new Set(keys).size).toBe(keys.length);
});

test("padding with 0 and with −0 are two things", async () => {
  const f = compile((x: Tensor) => [x.pad([[1, 0]], 0), x.pad([[1, 0]], -0)]);
  const [zero, minusZero] = await f(new NdArray(Float32Array.of(1), [1]));
  expect([zero, minusZero].map((p) => show((p as NdArray).data[0]))).toEqual(["0", "-0"]);
});

test("an update by a product times 0 keeps the product's NaN", async () => {
  const f = (w: Tensor, x: Tensor, g: Tensor) => w.sub(x.matmul(g).mul(0));
  const [w, a, b] = [1, NaN, 1].map((v) => new NdArray(Float32Array.of(v), [1, 1]));
  expect((await (await compile(f, { backend: native })(w, a, b)).read()).item()).toBeNaN();
});
