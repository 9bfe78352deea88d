// The onnx back end against the reference, operation by operation, values and two orders of derivatives.
import { array, compile, readAll, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import { disagreement } from "./agreement.js";
import { derivatives } from "./derivatives.js";
import { inputsAs, operations } from "./operations.js";

const backend = await onnx();
afterAll(() => backend.close());

describe.each(["float32", "float64"] as const)("agrees with the reference in %s", (dtype) => {
  test.each(operations.filter((o) => dtype === "float32" || !o.float32Only))("$name", async (operation) => {
    const inputs = inputsAs(operation.inputs, dtype);
    const fn = derivatives(operation);
    const got = await readAll(await compile(fn, { backend })(...inputs));
    expect(disagreement(fn, inputs, got)).toBeUndefined();
  });
});

test("a float64 number with axes gives its partner those axes", async () => {
  const fn = (x: Tensor) => x.mul(array([[2]], { dtype: "float64" })).slice([[], [0, 2]]);
  const x = array([1, 2, 3], { dtype: "float64" });
  expect((await (await compile(fn, { backend })(x)).read()).toNested()).toEqual([[2, 4]]);
});

// The runtime would fuse such a factor into the product, where it has room for a float32.
test.each([
  ["times a number", (x: Tensor) => x.matmul(x).mul(Math.SQRT1_2)],
  ["of something times a number", (x: Tensor) => x.mul(Math.SQRT1_2).matmul(x)],
  ["by a number", (x: Tensor) => x.matmul(x).div(Math.PI)],
])("a float64 product %s keeps all digits", async (_, fn) => {
  const numbers = [0.1, 0.7, 0.3, 0.9, 0.2, 0.6, 0.8, 0.4];
  const x = array(Float64Array.from(numbers), { shape: [2, 2, 2] });
  for (const given of [x, array(Float64Array.of(0.7), { shape: [1, 1, 1] })]) {
    const got = await (await compile(fn, { backend })(given)).read();
    expect(disagreement(fn, [given], got)).toBeUndefined();
  }
});
