// Patches and what is built of them: a convolution is a product over them.
import {
  type ConvOptions,
  compile,
  conv2d,
  evaluate,
  matmul,
  NdArray,
  random,
  type Shape,
  type Tensor,
  unfold,
} from "@pliant/engine";
import { expect, test } from "vitest";

const cases: { x: Shape; w: Shape; options: Omit<ConvOptions, "groups"> }[] = [
  { x: [2, 3, 6, 7], w: [4, 3, 3, 2], options: {} },
  { x: [2, 1, 5, 5], w: [2, 1, 3, 3], options: { padding: "same" } },
  { x: [1, 2, 9, 8], w: [3, 2, 2, 3], options: { stride: [2, 3], dilation: [2, 1], padding: [1, 2] } },
  {
    x: [2, 2, 4, 4],
    w: [3, 2, 4, 4],
    options: {
      padding: [
        [0, 1],
        [2, 0],
      ],
    },
  },
];

test.each(cases)("a convolution of $x with $w is a product over patches", ({ x, w, options }) => {
  const image = random.normal(random.key(1), x, { dtype: "float64" });
  const kernel = random.normal(random.key(2), w, { dtype: "float64" });
  const wanted = evaluate(conv2d(image, kernel, options));
  const patches = unfold(image, { window: [w[2], w[3]], ...options });
  const [n, k, oh, ow] = patches.shape;
  const rows = new NdArray(kernel.data, [w[0], k]);
  const got = evaluate(matmul(rows, patches.reshape([n, k, oh * ow])).reshape(wanted.shape));
  for (let i = 0; i < wanted.size; i++) {
    expect(Math.abs(got.data[i] - wanted.data[i])).toBeLessThan(1e-14 * k);
  }
});

test("each patch is the window at its place, channel by channel, zeros outside", () => {
  const image = new NdArray(
    Float32Array.from({ length: 8 }, (_, i) => i + 1),
    [2, 2, 2],
  );
  const patches = evaluate(
    unfold(image, {
      window: 2,
      padding: [
        [0, 1],
        [0, 0],
      ],
    }),
  );
  expect(patches.shape).toEqual([8, 2, 1]);
  // Channels 1…4 and 5…8, the window at the top and the one that hangs over the bottom.
  expect([...patches.data]).toEqual([1, 3, 2, 4, 3, 0, 4, 0, 5, 7, 6, 8, 7, 0, 8, 0]);
});

test("windows that do not fit are refused in words", () => {
  const image = new NdArray(new Float32Array(8), [2, 2, 2]);
  expect(() => unfold(image, { window: 3 })).toThrow(/windows of 3×3 do not fit/);
  expect(() => unfold(image, { window: 0 })).toThrow(/whole numbers/);
  expect(() =>
    compile((x: Tensor) => x.unfold({ window: 1 })).show(new NdArray(new Float32Array(4), [2, 2])),
  ).toThrow(/windows of 1×1 do not fit/);
});
