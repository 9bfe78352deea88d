// Matrices of derivatives against formulas: by columns, by rows, of trees, and twice.
import {
  array,
  compile,
  constant,
  evaluate,
  hessian,
  jacobian,
  readAll,
  type Tensor,
  vjp,
} from "@pliant/engine";
import { expect, test } from "vitest";

const f64 = (values: number[] | number[][]) => array(values, { dtype: "float64" });
const x = f64([1, 2, 3]);

test.each([
  [
    "columns, of as many results as parameters",
    (x: Tensor) => x.mul(x),
    [
      [2, 0, 0],
      [0, 4, 0],
      [0, 0, 6],
    ],
  ],
  [
    "rows, of fewer results",
    (x: Tensor) => x.mul(x).slice([[0, 2]]),
    [
      [2, 0, 0],
      [0, 4, 0],
    ],
  ],
  ["a scalar's row", (x: Tensor) => x.prod(), [6, 3, 2]],
  [
    "no dependence",
    (x: Tensor) => x.mul(0).add(1).stopGradient(),
    [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ],
  ],
])("jacobian: %s", async (_, f, wanted) => {
  const made = compile((x: Tensor) => jacobian(f)(x));
  expect((await (await made(x)).read()).toNested()).toEqual(wanted);
});

test("for a tree it is a tree; for matrices it has their axes, those of the result first", async () => {
  const f = ({ a, b }: { a: Tensor; b: Tensor }) => a.matmul(b);
  const made = compile((p: { a: Tensor; b: Tensor }) => jacobian(f)(p));
  const { a, b } = await readAll(await made({ a: f64([[1, 2]]), b: f64([[3], [4]]) }));
  expect([a.shape, b.shape]).toEqual([
    [1, 1, 1, 2],
    [1, 1, 2, 1],
  ]);
  expect([a.toNested(), b.toNested()]).toEqual([[[[[3, 4]]]], [[[[1], [2]]]]]);
});

test("a hessian is symmetric and that of the formula", () => {
  const f = (x: Tensor) => x.pow(3).sum().add(x.prod());
  // 6x on the diagonal, and off it the third element.
  expect(evaluate(hessian(f)(constant(x))).toNested()).toEqual([
    [6, 3, 2],
    [3, 12, 1],
    [2, 1, 18],
  ]);
});

test("vjp takes a gradient back, again and again", () => {
  const { value, pullback } = vjp((x: Tensor) => x.mul(x))(constant(x));
  expect(evaluate(value).toNested()).toEqual([1, 4, 9]);
  expect(evaluate(pullback(f64([1, 0, 0]))).toNested()).toEqual([2, 0, 0]);
  expect(evaluate(pullback(f64([0, 1, 1]))).toNested()).toEqual([0, 4, 6]);
  expect(() => pullback(f64([1]))).toThrow("vjp: the gradient of float64[3] has its form, got float64[1].");
});

test("several results are refused", () => {
  expect(() => jacobian((x: Tensor) => ({ x }) as never)(constant(x))).toThrow(
    "jacobian: the function must return one floating-point tensor.",
  );
});
