// What sorting promises: NaN counts as the largest number, equal elements stay in order, gradients go back to where each
// element came from. That all back ends do so at their edges is tested in edges.test.ts.
import { array, cummax, evaluate, grad, NdArray, sort, type Tensor, topK } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { expect, test } from "vitest";
import { compile } from "../src/compile.js";

const numbers = (x: Tensor): number[] => [...(evaluate(x) as NdArray).data];
const mixed = array([2, NaN, -Infinity, 0, Infinity, -0, 2, NaN, -1], { dtype: "float64" });

test("NaN comes last in a sort and first in a descending one; 0 and −0 are equal and stay in order", () => {
  expect(numbers(sort(mixed))).toEqual([-Infinity, -1, 0, -0, 2, 2, Infinity, NaN, NaN]);
  expect(numbers(sort(mixed, { descending: true }))).toEqual([
    NaN,
    NaN,
    Infinity,
    2,
    2,
    0,
    -0,
    -1,
    -Infinity,
  ]);
  expect(numbers(topK(mixed, 3).indices)).toEqual([1, 7, 4]);
  expect(numbers(topK(mixed, 4, { smallest: true }).indices)).toEqual([2, 8, 3, 5]);
});

test("equal elements keep their order both ways", () => {
  const x = array([1, 0, 1, 0, 1], { dtype: "int32" });
  const order = (descending: boolean) =>
    compile((t: Tensor) => t.argsort({ descending }))(x).then(async (y) => [...(await y.read()).data]);
  return Promise.all([
    expect(order(false)).resolves.toEqual([1, 3, 0, 2, 4]),
    expect(order(true)).resolves.toEqual([0, 2, 4, 1, 3]),
  ]);
});

test("a running maximum keeps NaN, and its gradient goes to the first of equal elements", () => {
  expect(numbers(cummax(array([1, 3, 3, 2, NaN, 9])))).toEqual([1, 3, 3, 3, NaN, NaN]);
  const slopes = (options?: { reverse: boolean }) => (x: NdArray) =>
    numbers(
      grad((t: Tensor) =>
        cummax(t, 0, options)
          .mul(array([1, 10, 100, 1000]))
          .sum(),
      )(x as never),
    );
  expect(slopes()(array([1, 3, 3, 2]))).toEqual([1, 1110, 0, 0]);
  expect(slopes({ reverse: true })(array([1, 3, 3, 2]))).toEqual([0, 0, 111, 1000]);
  expect(slopes()(array([NaN, 3, NaN, 2]))).toEqual([1111, 0, 0, 0]);
  expect(slopes()(array([-Infinity, -Infinity, 0, 2]))).toEqual([11, 0, 100, 1000]);
});

test("a long row sorts natively as in plain TypeScript", async () => {
  const data = Float32Array.from({ length: 20_000 }, (_, i) => Math.fround(Math.sin(i * i) * 50) | 0);
  const backend = await onnx({ threads: 1 });
  const got = await (
    await compile((t: Tensor) => t.argsort(), { backend })(new NdArray(data, [20_000]))
  ).read();
  const wanted = [...data.keys()].sort((i, j) => data[i] - data[j] || i - j);
  expect([...got.data]).toEqual(wanted);
  await backend.close();
});

test("too many are refused", () => {
  expect(() => topK(array([1, 2]), 3)).toThrow(
    "topK: 3 elements cannot be chosen along axis 0 of float32[2]",
  );
  expect(() => array([1, 2]) && sort(array([true, false]))).toThrow(/argsort: needs numbers/);
});
