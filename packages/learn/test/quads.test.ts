// Images as words of four bytes are resampled as images of floats are.
import { compile, NdArray, random, type Tensor, valueAndGrad } from "@pliant/engine";
import {
  type Corners,
  compose,
  quads,
  rotation,
  scaling,
  transform,
  transformQuads,
  translation,
} from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { backends, distance, numbers } from "./backends.js";

const [n, height, width] = [5, 7, 9];
// All bytes, the largest and the smallest at corners too.
const pixels = Uint8Array.from({ length: n * height * width }, (_, i) => (i * 37 + (i % 11)) % 256);
pixels.set([255, 128, 127, 0, 255]);
const pool = quads(pixels, [n, height, width]);
const images = new NdArray(
  Float32Array.from(pixels, (p) => p / 255),
  [n, 1, height, width],
);
const rows = [3, 0, 4, 1, 0, 2];
const chosen = new NdArray(Int32Array.from(rows), [2, 3]);
const gathered = new NdArray(
  Float32Array.from(rows.flatMap((r) => [...images.data.slice(r * 63, (r + 1) * 63)])),
  [2, 1, 3, 1, height, width],
);

/** Turns, shifts and scales enough to leave the image on all sides. */
const matrices = (k: Tensor): Tensor =>
  compose(rotation(k.mul(3)), translation(k.mul(-2.5), k.add(0.2)), scaling(k.mul(1.2)));

describe.each(backends)("on $name", ({ backend }) => {
  test.each<Corners>(["edges", "centres", "mixed"])(
    "values and slopes are those of transform, by %s",
    async (corners) => {
      const on = { backend: await backend() };
      const k = numbers(3, [2, 4, 3]);
      const weights = numbers(4, [2, 4, 3, 1, height, width]);
      const look = (made: (k: Tensor) => Tensor) => (k: Tensor) => {
        const { value, gradient, aux } = valueAndGrad((k: Tensor) => {
          const y = made(k);
          return { loss: y.mul(weights).sum(), aux: y };
        })(k);
        return { value, gradient, aux };
      };
      const byWords = await compile(
        (k: Tensor, pool: Tensor, rows: Tensor) =>
          look((k) => transformQuads(pool, rows, matrices(k), { height, width, corners }))(k),
        on,
      )(k, pool, chosen);
      const byFloats = await compile(
        (k: Tensor, x: Tensor) => look((k) => transform(x, matrices(k), { corners }))(k),
        on,
      )(k, gathered);
      // Coordinates of up to 10 pixels are rounded at 1e-6, and a sample's slope is at most 1 a pixel.
      expect(distance(await byWords.aux.read(), await byFloats.aux.read())).toBeLessThan(4e-6);
      const [a, b] = [await byWords.gradient.read(), await byFloats.gradient.read()];
      for (const [i, v] of a.data.entries())
        expect(Math.abs(v - b.data[i])).toBeLessThan(2e-4 * (1 + Math.abs(v)));
    },
  );
});

test("every word unpacks to its four bytes", async () => {
  const all = random.randint(random.key(1), [4096], 0, 256).data;
  const square = quads(Uint8Array.from(all), [1024, 2, 2]);
  const { backend } = backends[0];
  // The identity of images of two by two: all four bytes, from the words that hold one, two and four of them.
  const same = await compile(
    (pool: Tensor, rows: Tensor, zero: Tensor) =>
      transformQuads(pool, rows, scaling(zero), { height: 2, width: 2 }),
    { backend: await backend() },
  )(
    square,
    new NdArray(
      Int32Array.from({ length: 1024 }, (_, i) => i),
      [1, 1024],
    ),
    new NdArray(new Float32Array(1024), [1, 1, 1024]),
  );
  expect(Array.from((await same.read()).data, (v) => v * 255)).toEqual(
    Array.from(all, (v) => expect.closeTo(v, 4)),
  );
});

test("a wrong number of bytes is refused", () => {
  expect(() => quads(new Uint8Array(10), [1, 3, 3])).toThrow("quads: 1 images of 3 × 3 are 9 bytes, got 10.");
});
