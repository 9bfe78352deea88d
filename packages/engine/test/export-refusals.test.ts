// What exportOnnx refuses, and how it says so.
import * as p from "@pliant/engine";
import { array, compile, exportOnnx, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import type { Model } from "./export-models.js";
import { real } from "./operations.js";

describe("functions that mix the rows of their batch are refused", () => {
  const rows = { x: { shape: ["batch", 3] } };
  const mixing: [string, Model, RegExp][] = [
    [
      "the mean over the batch",
      ({ x }) => ({ y: x.sub(x.mean({ axis: 0 })) }),
      /sum works over axis 0 of float32\[batch, 3\]/,
    ],
    ["the sum of everything", ({ x }) => ({ y: x.sum() }), /sum works over axis 0/],
    ["soft-max over the batch", ({ x }) => ({ y: x.softmax(0) }), /softmax works over axis 0/],
    ["the best row", ({ x }) => ({ y: x.argmax(0) }), /argmax works over axis 0/],
    [
      "a product over rows",
      ({ x }) => ({ y: x.transpose().matmul(x) }),
      /matmul works over axis 1 of float32\[3, batch\]/,
    ],
    ["running sums", ({ x }) => ({ y: x.cumsum(0) }), /cumsum/],
    ["the first row", ({ x }) => ({ y: x.sub(x.slice([[0, 1]])) }), /slice works over axis 0/],
    [
      "the largest of all entries",
      ({ x }) => ({ y: x.div(x.flatten().max()) }),
      /max works over axis 0 of float32\[3\*batch\]/,
    ],
    [
      "one row by its number",
      ({ x }) => ({ y: x.sub(x.gather(0)) }),
      /gather works over axis 0 of float32\[batch, 3\]/,
    ],
    [
      "rows by their numbers",
      ({ x }) => ({ y: x.gather(array([1, 0], { dtype: "int32" })) }),
      /gather works over axis 0/,
    ],
    [
      "a row through a flat view",
      ({ x }) => ({ y: x.sub(x.flatten().gather(1)) }),
      /gather works over axis 0 of float32\[3\*batch\]/,
    ],
    [
      "rows cut anew",
      ({ x }) => ({ y: x.add(x.transpose().reshape(x.shape)) }),
      /add works across the rows of float32\[batch, 3\]/,
    ],
    [
      "differences of all pairs",
      ({ x }) => ({ y: x.expandDims(0).sub(x.expandDims(1)).sum({ axis: 2 }) }),
      /sub works over axis/,
    ],
    [
      "a row of zeros before the first",
      ({ x }) => ({
        y: x.pad([
          [1, 0],
          [0, 0],
        ]),
      }),
      /pad works over axis 0/,
    ],
    ["rows one after another", ({ x }) => ({ y: p.concat([x, x], 0) }), /concat works over axis 0/],
    [
      "something added to one row",
      ({ x }) => ({ y: x.scatterAdd(array([0], { dtype: "int32" }), array([[1, 1, 1]])) }),
      /scatterAdd works over axis 0/,
    ],
    [
      "the number of rows",
      ({ x }) => ({ y: x.div(x.shape[0]) }),
      /div has an operand that depends on how many rows/,
    ],
    [
      "its inverse",
      ({ x }) => ({ y: x.mul(1 / x.shape[0]) }),
      /mul has an operand that depends on how many rows/,
    ],
  ];
  test.each(mixing)("%s", (_, fn, message) => {
    const attempt = () => exportOnnx(fn, { inputs: rows });
    expect(attempt).toThrow(/mixes the rows of its batch/);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(p.EngineError);
  });
});

describe("mistakes are answered in a sentence", () => {
  const x = { shape: ["batch", 3] };
  const elsewhere: Tensor[] = [];
  compile((t: Tensor) => t.add(elsewhere.push(t))).show(array([1]));
  const cases: [string, () => unknown, RegExp][] = [
    ["no inputs", () => exportOnnx(() => ({}), { inputs: {} }), /at least one input/],
    ["no outputs", () => exportOnnx(() => ({}), { inputs: { x } }), /returns no outputs/],
    [
      "a bare tensor",
      () => exportOnnx((({ x }: never) => x) as never, { inputs: { x } }),
      /by name, as in \{ logits \}/,
    ],
    [
      "an async function",
      () => exportOnnx((async () => ({})) as never, { inputs: { x } }),
      /must not be async/,
    ],
    [
      "an output that is a number",
      () => exportOnnx((() => ({ y: 1 })) as never, { inputs: { x } }),
      /output y is of type number, not a tensor/,
    ],
    [
      "an output that is an array",
      () => exportOnnx((() => ({ y: array([1]) })) as never, { inputs: { x } }),
      /output y is an array/,
    ],
    [
      "an output called as an input",
      () => exportOnnx(({ x }) => ({ x: x.neg() }), { inputs: { x } }),
      /x is the name of an input and of an output/,
    ],
    [
      "an input without a name",
      () => exportOnnx((i) => ({ y: i[""] }), { inputs: { "": x } }),
      /an input's name is empty/,
    ],
    [
      "an output without a name",
      () => exportOnnx(({ x }) => ({ "": x.neg() }), { inputs: { x } }),
      /an output's name is empty/,
    ],
    [
      "a model without a name",
      () => exportOnnx(({ x }) => ({ y: x.neg() }), { inputs: { x }, name: "" }),
      /the model's name is empty/,
    ],
    [
      "an axis without a name",
      () => exportOnnx(({ x }) => ({ y: x.neg() }), { inputs: { x: { shape: [""] } } }),
      /axis 0 of input x is ""/,
    ],
    [
      "a size that is none",
      () => exportOnnx(({ x }) => ({ y: x.neg() }), { inputs: { x: { shape: [1.5] } } }),
      /axis 0 of input x is 1.5; give a whole number/,
    ],
    [
      "a tensor of elsewhere",
      () => exportOnnx(({ x }) => ({ y: x.add(elsewhere[0]) }), { inputs: { x } }),
      /another traced function/,
    ],
    [
      "a convolution of float64",
      () =>
        exportOnnx(({ i }) => ({ y: i.conv2d(real([2, 1, 3, 3])) }), {
          inputs: { i: { shape: ["batch", 1, 5, 5], dtype: "float64" } },
        }),
      /no conv2d of float64; give the model float32/,
    ],
    [
      "parameters that are not arrays",
      () => exportOnnx(({ x }) => ({ y: x }), { inputs: { x }, parameters: { layers: [{ w: "3" }] } }),
      /parameter layers.0.w is not an array on the host/,
    ],
    [
      "shapes that fit only one size",
      () => exportOnnx(({ x }) => ({ y: x.add(p.full([3, 3], 1)) }), { inputs: { x } }),
      /tracing with batch = 5: add: shapes \[5, 3\] and \[3, 3\] do not fit/,
    ],
    [
      "something else for many words",
      () =>
        exportOnnx(({ x }) => ({ y: x.slice([[0, 100]]).exp() }), { inputs: { x: { shape: ["words", 3] } } }),
      /with words = 257 the function computes something else than with words = 3/,
    ],
    [
      "a table as long as the rows",
      () =>
        exportOnnx(
          ({ x }) => ({
            y: x.mul(
              array(
                Float32Array.from({ length: x.shape[0] }, (_, i) => i * i),
                { shape: [x.shape[0], 1] },
              ),
            ),
          }),
          {
            inputs: { x: { shape: ["rows", 3] } },
          },
        ),
      /mul has a constant operand that changes with the size of rows/,
    ],
  ];
  test.each(cases)("%s", (_, attempt, message) => {
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(p.EngineError);
  });
});

test("the names of inputs and parameters are types", () => {
  const inputs = { image: { shape: [2] } };
  const parameters = { scale: array([1, 2]) };
  // @ts-expect-error: the input is called image
  expect(() => exportOnnx(({ imag }) => ({ y: imag.neg() }), { inputs })).toThrow(TypeError);
  // @ts-expect-error: the parameter is called scale
  const wrong = () => exportOnnx(({ image }, { shift }) => ({ y: image.add(shift) }), { inputs, parameters });
  expect(wrong).toThrow(p.EngineError);
});

test("texts of an output that there is none of are refused", () => {
  const texts = { label: { of: "place", texts: ["no", "yes"] } };
  expect(() => exportOnnx(({ x }) => ({ y: x.neg() }), { inputs: { x: { shape: [2] } }, texts })).toThrow(
    /label is of the output place, which there is none of/,
  );
});
