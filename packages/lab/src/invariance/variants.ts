// Datasets with a synthetic invariance: each image is transformed once, before training, and cut back to bytes. The random
// numbers are torch's, of seed 1 for training and 0 for test images, so that all runs share the paper's own data; the
// arithmetic is float32 in torch's order, since a byte is cut, not rounded.
import { type Dataset, type ImageSet, torchStream } from "@pliant/data";
import type { Variant } from "./recipe.js";

/** Rows (a, b, c), (d, e, f): an output pixel at (x, y) takes the input's value at (ax + by + c, dx + ey + f). */
type Matrix = readonly [number, number, number, number, number, number];

interface Synthetic {
  /** Whether −1 and 1 are the centres of the corner pixels, or the image's edges. */
  readonly centres: boolean;
  /** One matrix an image. */
  matrices(n: number, seed: number): (i: number) => Matrix;
}

const rotated = (degrees: number): Synthetic => ({
  centres: false,
  matrices: (n, seed) => {
    const angles = torchStream(seed).uniform(n, -1, 1);
    return (i) => {
      const angle = (angles[i] * degrees * Math.PI) / 180;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      return [cos, -sin, 0, sin, cos, 0];
    };
  },
});

const synthetic: Record<Variant, Synthetic> = {
  original: { centres: false, matrices: () => () => [1, 0, 0, 0, 1, 0] },
  "rotated-90": rotated(90),
  "rotated-180": rotated(180),
  translated: {
    centres: true,
    matrices: (n, seed) => {
      const stream = torchStream(seed);
      const [x, y] = [stream.uniform(n, -1, 1), stream.uniform(n, -1, 1)];
      return (i) => [1, 0, (x[i] * 8) / 14, 0, 1, (y[i] * 8) / 14];
    },
  },
  scaled: {
    centres: true,
    matrices: (n, seed) => {
      const logs = torchStream(seed).uniform(n, -1, 1);
      return (i) => {
        const factor = Math.exp(logs[i] * Math.LN2);
        return [factor, 0, 0, 0, factor, 0];
      };
    },
  },
};

/** The dataset with the variant's invariance in both its sets. */
export function withInvariance(dataset: Dataset, variant: Variant): Dataset {
  const { centres, matrices } = synthetic[variant];
  const transformed = (set: ImageSet, seed: number): ImageSet => ({
    ...set,
    pixels: resample(set, matrices(set.shape[0], seed), centres),
  });
  return { ...dataset, train: transformed(dataset.train, 1), test: transformed(dataset.test, 0) };
}

const { fround } = Math;

/** Bilinear resampling of images of one channel, zeros outside. Some 50 million pixels a set: no closures, no small arrays. */
function resample(
  { pixels, shape }: ImageSet,
  matrixOf: (i: number) => Matrix,
  centres: boolean,
): Uint8Array {
  const [n, , height, width] = shape;
  const across = positions(width, centres);
  const down = positions(height, centres);
  // The image with two rows and columns of zeros around it, so that pixels outside need no question.
  const row = width + 4;
  const image = new Uint8Array((height + 4) * row);
  const matrix = new Float32Array(6);
  const out = new Uint8Array(pixels.length);
  for (let i = 0, at = 0; i < n; i++) {
    for (let r = 0; r < height; r++)
      for (let c = 0; c < width; c++) image[(r + 2) * row + c + 2] = pixels[(i * height + r) * width + c];
    matrix.set(matrixOf(i));
    for (let r = 0; r < height; r++) {
      const v = down[r];
      const [vb, ve] = [fround(v * matrix[1]), fround(v * matrix[4])];
      for (let c = 0; c < width; c++, at++) {
        const u = across[c];
        const x = place(fround(fround(fround(u * matrix[0]) + vb) + matrix[2]), width, centres);
        const y = place(fround(fround(fround(u * matrix[3]) + ve) + matrix[5]), height, centres);
        if (x <= -1 || y <= -1 || x >= width || y >= height) continue;
        const left = Math.floor(x);
        const top = Math.floor(y);
        const toRight = fround(x - left);
        const toBottom = fround(y - top);
        const toLeft = fround(left + 1 - x);
        const toTop = fround(top + 1 - y);
        const first = (top + 2) * row + left + 2;
        let value = fround(image[first] * fround(toLeft * toTop));
        value = fround(value + fround(image[first + 1] * fround(toRight * toTop)));
        value = fround(value + fround(image[first + row] * fround(toLeft * toBottom)));
        value = fround(value + fround(image[first + row + 1] * fround(toRight * toBottom)));
        out[at] = value;
      }
    }
  }
  return out;
}

/** Where the pixels of an axis lie in −1 … 1. */
function positions(size: number, centres: boolean): Float32Array {
  const step = fround(2 / (size - 1));
  return Float32Array.from({ length: size }, (_, j) => {
    // torch's linspace: from the left end in the first half, from the right one in the second.
    const even = j < size / 2 ? fround(-1 + fround(step * j)) : fround(1 - fround(step * (size - 1 - j)));
    return centres ? even : fround(fround(even * (size - 1)) / size);
  });
}

/** From −1 … 1 to pixels. */
const place = (q: number, size: number, centres: boolean): number =>
  centres
    ? fround(fround(fround(q + 1) / 2) * (size - 1))
    : fround(fround(fround(fround(q + 1) * size) - 1) / 2);
