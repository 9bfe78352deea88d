// Byte images laid out for resampling on a device. A bilinear sample needs the four pixels around a place; reading them one by
// one is what a GPU spends its time on. Here the four bytes of every square of neighbouring pixels share one 32-bit word, so
// that a sample is one read, and its slope needs no other.

import { InputError } from "@pliant/core";
import { constant, gather, NdArray, type Tensor, where } from "@pliant/engine";
import { type Corners, conventions, pixelPlace } from "./transform.js";

/** The words of N images [H, W]: those of an image are [H + 2, W + 2], the squares at −1 … H from the top, −1 … W from the left. */
export function quads(pixels: Uint8Array, [n, height, width]: readonly [number, number, number]): NdArray {
  if (pixels.length !== n * height * width)
    throw new InputError(
      `quads: ${n} images of ${height} × ${width} are ${n * height * width} bytes, got ${pixels.length}.`,
    );
  const [rows, columns] = [height + 2, width + 2];
  const words = new Int32Array(n * rows * columns);
  // Row by row, each word from its upper and lower row with zeros around.
  const blank = new Uint8Array(width + 3);
  let [upper, lower] = [new Uint8Array(width + 3), new Uint8Array(width + 3)];
  for (let i = 0, at = 0; i < n; i++) {
    upper.set(blank);
    for (let r = 0; r < rows; r++) {
      lower.set(blank);
      if (r < height) lower.set(pixels.subarray((i * height + r) * width, (i * height + r + 1) * width), 1);
      for (let c = 0; c < columns; c++, at++)
        words[at] = word(upper[c], upper[c + 1], lower[c], lower[c + 1]);
      [upper, lower] = [lower, upper];
    }
  }
  return new NdArray(words, [n, rows * columns]);
}

/** The last byte's top bit is the sign, as −1 − x: the rest can then be taken apart by divisions. */
function word(a: number, b: number, c: number, d: number): number {
  const magnitude = a | (b << 8) | (c << 16) | ((d & 127) << 24);
  return d < 128 ? magnitude : -1 - magnitude;
}

/** The four bytes of words, as numbers in 0 … 255. */
function bytes(words: Tensor): [Tensor, Tensor, Tensor, Tensor] {
  const negative = words.lt(0);
  const w = where(negative, words.neg().sub(1), words);
  const [ab, abc] = [w.div(256), w.div(65_536)];
  const d = w.div(16_777_216);
  const number = (x: Tensor): Tensor => x.cast("float32");
  return [
    number(w.sub(ab.mul(256))),
    number(ab.sub(abc.mul(256))),
    number(abc.sub(d.mul(256))),
    number(d).add(where(negative, 128, 0)),
  ];
}

/**
 * The images `rows` [S, B] of a pool of `quads` [N, (H + 2)(W + 2)], in 0 … 1, under matrices [S, K, B, 2, 3]: [S, K, B, 1, H, W],
 * what `transform` makes of the same images. Differentiable in the matrices.
 */
export function transformQuads(
  pool: Tensor,
  rows: Tensor,
  matrices: Tensor,
  { height, width, corners = "edges" }: { height: number; width: number; corners?: Corners },
): Tensor {
  const { placed, read } = conventions(corners);
  const [s, k, b] = matrices.shape;
  const cells = (height + 2) * (width + 2);
  if (pool.shape[1] !== cells)
    throw new InputError(
      `transformQuads: images of ${height} × ${width} have ${cells} words, not ${pool.shape[1]}.`,
    );
  const entry = (row: number, column: number): Tensor =>
    matrices.slice([[], [], [], [row, row + 1], [column, column + 1]]);
  const axis = (size: number, shape: readonly number[]): Tensor =>
    constant(
      new NdArray(
        Float32Array.from({ length: size }, (_, j) => pixelPlace(j, size, placed)),
        shape,
      ),
    );
  const [x, y] = [axis(width, [1, width]), axis(height, [height, 1])];
  /** Where each pixel is read, in pixels; beyond the border all is 0. */
  const place = (row: number, size: number): Tensor => {
    const factor = read === "centres" ? (size - 1) / 2 : size / 2;
    return entry(row, 0)
      .mul(x)
      .add(entry(row, 1).mul(y))
      .add(entry(row, 2))
      .mul(factor)
      .add((size - 1) / 2)
      .clip(-1, size);
  };
  const [px, py] = [place(0, width), place(1, height)];
  const [left, top] = [px.floor(), py.floor()];
  const [fx, fy] = [px.sub(left), py.sub(top)];
  const cell = top
    .add(1)
    .mul(width + 2)
    .add(left.add(1))
    .cast("int32");
  const first = rows.mul(cells).reshape([s, 1, b, 1, 1]);
  const [a, right, below, across] = bytes(gather(pool.reshape([pool.size]), cell.add(first)));
  const upper = a.add(right.sub(a).mul(fx));
  const lower = below.add(across.sub(below).mul(fx));
  return upper.add(lower.sub(upper).mul(fy)).div(255).reshape([s, k, b, 1, height, width]);
}
