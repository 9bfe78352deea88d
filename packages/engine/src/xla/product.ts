// A convolution over few channels as a product over patches, which keeps tensor cores busy where a convolution over 3 channels
// leaves them idle. Where a max-pooling follows, a patch is all that one window of the pooling sees, and the elements of that
// window, its phases, have filters of their own:
//   y[image, place, phase, o] = Σ_k patch[image, place, k] · w[k, phase, o],
// so that pooling is a maximum over a short axis. With 2×2 windows a kernel of 5×5 sees 6×6: 44% more terms than needed, for
// patches of a third of the size. `k` is filled up with zeros to a multiple of what tensor cores take.
import { NdArray } from "../ndarray.js";
import { add } from "../ops/binary.js";
import { gather } from "../ops/indexing.js";
import { matmul } from "../ops/linear.js";
import { reshape, stack, swapLast, transpose } from "../ops/movement.js";
import { pad, slice } from "../ops/slicing.js";
import { unfold } from "../ops/unfold.js";
import { range, sizeOf } from "../shape.js";
import { constant, type Tensor } from "../tensor.js";
import type { Narrow, Pair } from "./narrow-conv.js";
import { anchor } from "./order.js";

const filledUp = (k: number): number => Math.ceil(k / 16) * 16;

/** What one window of the pooling sees of the image. */
const seen = ({ kernel, pool, stride }: Narrow): Pair => [
  (pool[0] - 1) * stride[0] + kernel[0],
  (pool[1] - 1) * stride[1] + kernel[1],
];

/** Where in that each phase of the pooling has its kernel. */
const corners = ({ pool: [h, w], stride }: Narrow): [number, number][] =>
  Array.from({ length: h * w }, (_, i) => [Math.floor(i / w) * stride[0], (i % w) * stride[1]]);

/** The images with groups as their first axis, if there are several: [G, N, C, H, W] or [N, C, H, W]. */
function grouped(x: Tensor, groups: number): Tensor {
  const [n, c, ...size] = x.shape;
  if (groups === 1) return x;
  return transpose(reshape(x, [n, groups, c / groups, ...size]), [1, 0, 2, 3, 4]);
}

/** From one window of the pooling to the next. */
const apartIn = ({ stride, pool }: Narrow): Pair => [stride[0] * pool[0], stride[1] * pool[1]];

/** Where those windows are, along the two axes of the image. */
const placesIn = ({ out, pool }: Narrow): Pair => [out[0] / pool[0], out[1] / pool[1]];

/** Elements of all patches. */
export const patchElements = (conv: Narrow): number =>
  conv.count * conv.groups * sizeOf(placesIn(conv)) * filledUp(conv.channels * sizeOf(seen(conv)));

/** The patches as matrices [G, images and places, k]. */
const patches = (x: Tensor, conv: Narrow): Tensor =>
  conv.images === "change" ? patchesRead(x, conv) : patchesMade(x, conv);

/** By moving whole images: good once, slow in every step. */
function patchesMade(x: Tensor, conv: Narrow): Tensor {
  const { padding, groups } = conv;
  const images = grouped(x, groups);
  const lead = range(images.rank - 3);
  const apart = apartIn(conv);
  const windows = unfold(images, { window: seen(conv), stride: apart, padding });
  const l = lead.length;
  const last = transpose(windows, [...lead, l + 1, l + 2, l]);
  const k = last.shape[l + 2];
  const full = pad(last, [...range(l + 2).map(() => [0, 0]), [0, filledUp(k) - k]]);
  return reshape(full, [groups, full.size / groups / filledUp(k), filledUp(k)]);
}

/** Gathers the patches element by element from the image, in one kernel of the device; padding elements are read again. */
function patchesRead(x: Tensor, conv: Narrow): Tensor {
  const { padding, groups, channels } = conv;
  const wide = pad(x, [[0, 0], [0, 0], ...padding]);
  const [n, , height, width] = wide.shape;
  const [window, apart, places] = [seen(conv), apartIn(conv), placesIn(conv)];
  const k = channels * sizeOf(window);
  const inImage = Int32Array.from({ length: sizeOf(places) * filledUp(k) }, (_, i) => {
    const [place, j] = [Math.floor(i / filledUp(k)), i % filledUp(k)];
    const element = j < k ? j : 0;
    const inWindow = element % sizeOf(window);
    const row = Math.floor(place / places[1]) * apart[0] + Math.floor(inWindow / window[1]);
    const column = (place % places[1]) * apart[1] + (inWindow % window[1]);
    return (Math.floor(element / sizeOf(window)) * height + row) * width + column;
  });
  const image = channels * height * width;
  const first = Int32Array.from(
    { length: groups * n },
    (_, i) => ((i % n) * groups + Math.floor(i / n)) * image,
  );
  const position = add(
    constant(new NdArray(first, [groups, n, 1])),
    constant(new NdArray(inImage, [inImage.length])),
  );
  return reshape(gather(reshape(wide, [wide.size]), position), [groups, n * sizeOf(places), filledUp(k)]);
}

/** Kernels [G·O, C, kh, kw] as matrices [G, k, phases · O]. */
function filterMatrix(w: Tensor, conv: Narrow): Tensor {
  const { groups, channels, filters, kernel } = conv;
  const size = seen(conv);
  const none = [0, 0];
  const last = transpose(reshape(w, [groups, filters, channels, ...kernel]), [0, 2, 3, 4, 1]);
  const placed = corners(conv).map((corner) => {
    const edges = corner.map((from, i) => [from, size[i] - kernel[i] - from]);
    return pad(last, [none, none, ...edges, none]);
  });
  const k = channels * sizeOf(size);
  const matrix = reshape(stack(placed, 4), [groups, k, placed.length * filters]);
  return pad(matrix, [none, [0, filledUp(k) - k], none]);
}

/** The adjoint of `filterMatrix`: from the gradient of the matrices to that of the kernels. */
function kernelsFrom(matrix: Tensor, conv: Narrow): Tensor {
  const { groups, channels, filters, kernel, pool } = conv;
  const size = seen(conv);
  const bare = slice(matrix, [[], [0, channels * sizeOf(size)]]);
  const split = reshape(bare, [groups, channels, ...size, sizeOf(pool), filters]);
  const parts = corners(conv).map((corner, phase) => {
    const window = corner.map((from, i) => [from, from + kernel[i]]);
    return reshape(slice(split, [[], [], ...window, [phase, phase + 1]]), [
      groups,
      channels,
      ...kernel,
      filters,
    ]);
  });
  const last = parts.reduce((a, b) => add(a, b));
  return reshape(transpose(last, [0, 4, 1, 2, 3]), [groups * filters, channels, ...kernel]);
}

/** The convolution of images x [N, G·C, H, W] with kernels w [G·O, C, kh, kw]. */
export function product(x: Tensor, w: Tensor, conv: Narrow): Tensor {
  const { groups, filters, out, pool } = conv;
  const [n] = x.shape;
  const places = placesIn(conv);
  const y = matmul(patches(x, conv), filterMatrix(w, conv));
  const inOrder = anchor(y, [groups, n, ...places, ...pool, filters]);
  return reshape(transpose(inOrder, [1, 0, 6, 2, 4, 3, 5]), [n, groups * filters, ...out]);
}

/** The gradient g of the result, as matrices [G, images and places, phases · O]. */
function gradientRows(g: Tensor, conv: Narrow): Tensor {
  const { groups, filters, pool } = conv;
  const [n] = g.shape;
  const [ph, pw] = placesIn(conv);
  const split = reshape(g, [n, groups, filters, ph, pool[0], pw, pool[1]]);
  const inOrder = transpose(split, [1, 0, 3, 5, 4, 6, 2]);
  return reshape(inOrder, [groups, n * ph * pw, sizeOf(pool) * filters]);
}

/** The gradient of the kernels, from images x and the gradient g of the result. */
export const kernelGradient = (x: Tensor, g: Tensor, conv: Narrow): Tensor =>
  kernelsFrom(matmul(swapLast(patches(x, conv)), gradientRows(g, conv)), conv);

/** Whether what one window of the pooling sees is whole cells of its size, which neighbouring windows share. */
export const isTiled = (conv: Narrow): boolean =>
  conv.stride.every((s) => s === 1) && seen(conv).every((d, i) => d % conv.pool[i] === 0);

/** The gradient of the images, from the gradient g of the result and kernels w: that of the patches, added up cell by cell. */
export function imageGradient(g: Tensor, w: Tensor, conv: Narrow): Tensor {
  const { groups, channels, pool, padding } = conv;
  const [n] = g.shape;
  const [ph, pw] = placesIn(conv);
  const cells = seen(conv).map((d, i) => d / pool[i]);
  const k = channels * sizeOf(seen(conv));
  const full = matmul(gradientRows(g, conv), swapLast(filterMatrix(w, conv)));
  const bare = slice(full, [[], [], [0, k]]);
  const split = reshape(bare, [groups, n, ph, pw, channels, cells[0], pool[0], cells[1], pool[1]]);
  const none = [0, 0];
  const parts = range(cells[0]).flatMap((i) =>
    range(cells[1]).map((j) => {
      const one = slice(split, [[], [], [], [], [], [i, i + 1], [], [j, j + 1]]);
      const cell = reshape(one, [groups, n, ph, pw, channels, ...pool]);
      const edges = [
        [i, cells[0] - 1 - i],
        [j, cells[1] - 1 - j],
      ];
      return pad(cell, [none, none, ...edges, none, none, none]);
    }),
  );
  const sum = parts.reduce((a, b) => add(a, b));
  const [high, wide] = [(ph + cells[0] - 1) * pool[0], (pw + cells[1] - 1) * pool[1]];
  const image = reshape(transpose(sum, [1, 0, 4, 2, 5, 3, 6]), [n, groups * channels, high, wide]);
  const [[top, bottom], [left, right]] = padding;
  return slice(image, [[], [], [top, high - bottom], [left, wide - right]]);
}
