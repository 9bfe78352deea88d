// The ONNX model of a program.
import { array, compile, full, grad, random, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import { count } from "./emission.js";

const backend = await onnx();
afterAll(() => backend.close());

describe("a convolution", () => {
  test.each([8, 6])("of %d filters adds its bias itself", (filters) => {
    expect(count("Conv", (x, w, b) => x.conv2d(w).add(b), { filters })).toBe(1);
    expect(count("Add", (x, w, b) => x.conv2d(w).add(b), { filters })).toBe(0);
  });

  test("read with its bias and without is computed once", () => {
    const twice = (x: Tensor, w: Tensor, b: Tensor) => {
      const y = x.conv2d(w);
      return [y.add(b), y.tanh()];
    };
    expect(count("Conv", twice)).toBe(1);
    expect(count("Add", twice)).toBe(1);
  });
});

describe("the gradient of a leaky ReLU", () => {
  const slope = 0.1;
  const back = grad((x: Tensor, g: Tensor) => x.leakyRelu(slope).mul(g).sum());

  test("chooses between two factors, not between two products", () => {
    expect(count("Where", (x) => back(x, x.tanh()))).toBe(0);
  });

  test("is 1 or the slope times what comes in, to the last bit, whatever that is", async () => {
    const edges = [Number.NaN, Infinity, -Infinity, 0, -0, 1.5, -1.5, 1e-45, -3e38];
    const pairs = edges.flatMap((x) => edges.map((g) => ({ x, g })));
    const found = await compile(back, { backend })(
      array(Float32Array.from(pairs, ({ x }) => x)),
      array(Float32Array.from(pairs, ({ g }) => g)),
    );
    const wanted = Float32Array.from(pairs, ({ x, g }) => Math.fround(g) * (x > 0 ? 1 : Math.fround(slope)));
    expect((await found.read()).data).toEqual(wanted);
  });
});

describe("many short rows", () => {
  const stack = full([3, 2000, 8], 0.5);
  const rows = array(
    Float32Array.from({ length: 24 }, (_, i) => i / 7),
    { shape: [3, 1, 8] },
  );

  test("have a row added to each as a sum of equals", async () => {
    const found = await compile((x: Tensor, row: Tensor) => x.add(row), { backend })(stack, rows);
    const { data } = await found.read();
    const wanted = stack.data.map((v, i) => Math.fround(v + rows.data[8 * Math.floor(i / 16_000) + (i % 8)]));
    expect(data).toEqual(wanted);
  });

  test("with one element each are summed as one row", async () => {
    const column = random.normal(random.key(3), [2, 6000, 1]);
    const found = await compile((x: Tensor) => x.sum({ axis: 1 }), { backend })(column);
    expect(found.shape).toEqual([2, 1]);
    const { data } = await found.read();
    for (const half of [0, 1]) {
      const own = Array.from(column.data.subarray(6000 * half, 6000 * (half + 1)));
      const total = own.reduce((a, v) => a + v, 0);
      const size = own.reduce((a, v) => a + Math.abs(v), 0);
      expect(Math.abs(data[half] - total)).toBeLessThan(2 ** -23 * size);
    }
  });
});
