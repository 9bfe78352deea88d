// A convolution over few channels under a 2×2 max-pooling, which on ONNX Runtime is four convolutions: against the reference on whole
// numbers, where every sum is exact and windows are full of ties.
import { array, compile, grad, type NdArray, reference, type Shape, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { count } from "./emission.js";

const backend = await onnx();
afterAll(() => backend.close());

const whole = (shape: Shape, seed: number): NdArray => {
  const size = shape.reduce((n, d) => n * d, 1);
  return array(
    Float32Array.from({ length: size }, (_, i) => ((i * 7919 + seed * 104729) % 613) % 4),
    { shape },
  ) as NdArray;
};

type Padding =
  | number
  | readonly [number, number]
  | readonly [readonly [number, number], readonly [number, number]];
const pooled =
  (padding: Padding | "same") =>
  (w: Tensor, x: Tensor, b: Tensor): Tensor =>
    x.conv2d(w, { padding }).add(b).maxPool({ window: 2 });
const gradients = (padding: Padding | "same") =>
  grad((params: { w: Tensor; b: Tensor; x: Tensor }, g: Tensor) =>
    pooled(padding)(params.w, params.x, params.b).mul(g).sum(),
  );

const cases = [
  { channels: 1, size: [10, 12], kernel: [3, 3], padding: 0, out: [4, 5] },
  { channels: 3, size: [7, 9], kernel: [4, 4], padding: 0, out: [2, 3] },
  { channels: 2, size: [8, 8], kernel: [5, 5], padding: 2, out: [4, 4] },
  { channels: 1, size: [8, 10], kernel: [4, 2], padding: "same", out: [4, 5] },
  { channels: 2, size: [9, 8], kernel: [4, 3], padding: [1, 0], out: [4, 3] },
] as const;

describe.each(cases)("$channels channels of $size, kernel $kernel, padding $padding", (made) => {
  const { channels, size, kernel, padding, out } = made;
  const x = whole([3, channels, ...size], 1);
  const w = whole([16, channels, ...kernel], 2);
  const b = whole([16, 1, 1], 3);
  const g = whole([3, 16, ...out], 4);

  test("the largest are the reference's", async () => {
    const found = await Promise.all(
      [backend, reference()].map((on) => compile(pooled(padding), { backend: on })(w, x, b)),
    );
    const [ours, wanted] = await Promise.all(found.map((y) => y.read()));
    expect(ours.data).toEqual(wanted.data);
  });

  test("the first of equals has the gradient", async () => {
    const params = { w, b, x };
    const [ours, wanted] = await Promise.all(
      [backend, reference()].map((on) => compile(gradients(padding), { backend: on })(params, g)),
    );
    for (const name of ["w", "b", "x"] as const) {
      expect((await ours[name].read()).data).toEqual((await wanted[name].read()).data);
    }
  });

  test("NaN and infinities pass", async () => {
    const odd = whole(x.shape, 1);
    odd.data[17] = Number.NaN;
    odd.data[odd.size - 20] = Infinity;
    const ours = await (await compile(pooled(padding), { backend })(w, odd, b)).read();
    const wanted = await (await compile(pooled(padding), { backend: reference() })(w, odd, b)).read();
    expect(ours.data).toEqual(wanted.data);
    expect(ours.data.some(Number.isNaN)).toBe(true);
  });
});

/** Along one axis: a kernel, zeros around, and an image of which these leave an even number of places. */
const axis = fc
  .record({
    kernel: fc.integer({ min: 1, max: 5 }),
    around: fc.tuple(fc.nat(6), fc.nat(6)),
    places: fc.constantFrom(2, 4, 6),
  })
  .map((drawn) => ({ ...drawn, size: drawn.places + drawn.kernel - 1 - drawn.around[0] - drawn.around[1] }))
  .filter(({ size }) => size > 0);

test("any kernel and padding, beyond the kernel too, give the reference's largest and gradients", async () => {
  const sizes = fc.record({
    vertical: axis,
    horizontal: axis,
    images: fc.integer({ min: 1, max: 17 }),
    channels: fc.integer({ min: 1, max: 4 }),
    filters: fc.constantFrom(16, 32),
  });
  const agree = fc.asyncProperty(sizes, async ({ vertical, horizontal, images, channels, filters }) => {
    const padding = [vertical.around, horizontal.around] as const;
    const x = whole([images, channels, vertical.size, horizontal.size], 1);
    const w = whole([filters, channels, vertical.kernel, horizontal.kernel], 2);
    const b = whole([filters, 1, 1], 3);
    const g = whole([images, filters, vertical.places / 2, horizontal.places / 2], 4);
    const [ours, wanted] = await Promise.all(
      [backend, reference()].map(async (on) => {
        const largest = await compile(pooled(padding), { backend: on })(w, x, b);
        const gradient = await compile(gradients(padding), { backend: on })({ w, b, x }, g);
        const read = [largest, gradient.w, gradient.b, gradient.x].map(async (y) => (await y.read()).data);
        return Promise.all(read);
      }),
    );
    expect(ours).toEqual(wanted);
  });
  await fc.assert(agree, { numRuns: 25 });
});

test("biases of more axes than the convolution give the sum as many", async () => {
  const x = whole([2, 3, 6, 6], 1);
  const w = whole([16, 3, 3, 3], 2);
  const b = whole([1, 1, 16, 1, 1], 3);
  const layer = (x: Tensor, w: Tensor, b: Tensor) => x.conv2d(w).add(b).sum({ axis: 4 });
  const [ours, wanted] = await Promise.all(
    [backend, reference()].map(async (on) => (await compile(layer, { backend: on })(x, w, b)).read()),
  );
  expect(ours.shape).toEqual([1, 2, 16, 4]);
  expect(ours).toEqual(wanted);
});

describe("a pooling of a convolution", () => {
  const layer = (x: Tensor, w: Tensor, b: Tensor) => x.conv2d(w).add(b).maxPool({ window: 2 });
  const image = { channels: 3, size: 6 };

  test("over few channels is the largest of four", () => {
    expect(count("Conv", layer, image)).toBe(4);
    expect(count("MaxPool", layer, image)).toBe(0);
    expect(count("AveragePool", layer, image)).toBe(0);
  });

  test("is a pooling where the convolution is read by others too, or is most of the work", () => {
    const twice = (x: Tensor, w: Tensor, b: Tensor) => {
      const y = x.conv2d(w).add(b);
      return [y.maxPool({ window: 2 }), y];
    };
    expect(count("Conv", twice, image)).toBe(1);
    expect(count("MaxPool", twice, image)).toBe(1);
    expect(count("Conv", layer, { channels: 16, size: 6 })).toBe(1);
  });
});
