// Convolutions in one and three dimensions, and transposed ones, as convolutions in two.
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { type ConvOptions, conv2d, convInput, extent, paddingOf, pair } from "../ops/conv.js";
import { expandDims, reshape, squeeze, stack, transpose } from "../ops/movement.js";
import { avgPool, maxPool } from "../ops/pool.js";
import { pad, slice } from "../ops/slicing.js";
import { floating } from "../ops/unary.js";
import { range } from "../shape.js";
import { lift, liftAll, type Operand, type Tensor } from "../tensor.js";

type Pair = readonly [number, number];

/** How a convolution moves along one axis; see ConvOptions. */
export interface Conv1dOptions {
  stride?: number;
  /** Zeros at the ends: one number, [before, after], or `same`. */
  padding?: number | Pair | "same" | "valid";
  dilation?: number;
  groups?: number;
}

/** Convolution of sequences [N, C, L] with kernels [O, C/groups, k]. */
export function conv1d(x: Operand, w: Operand, options: Conv1dOptions = {}): Tensor {
  const [row, kernel] = liftAll(x, w);
  if (row.rank !== 3 || kernel.rank !== 3)
    throw new ShapeError(
      "conv1d",
      `needs a sequence [N, C, L] and a kernel [O, C/groups, k], got ${showAval(row)} and ${showAval(kernel)}`,
    );
  const { stride = 1, dilation = 1, groups, padding = 0 } = options;
  const [, along] = paddingOf(asAlong(padding), [1, kernel.shape[2]], [1, dilation]);
  const y = conv2d(expandDims(row, 2), expandDims(kernel, 2), {
    stride: [1, stride],
    dilation: [1, dilation],
    groups,
    padding: [[0, 0], along],
  });
  return squeeze(y, 2);
}

const asAlong = (padding: NonNullable<Conv1dOptions["padding"]>): NonNullable<ConvOptions["padding"]> => {
  if (typeof padding === "string") return padding;
  const [before, after] = pair(padding);
  return [
    [0, 0],
    [before, after],
  ];
};

/** The same number or numbers along the three axes of a volume. */
export interface Conv3dOptions {
  stride?: number | readonly number[];
  /** Zeros at both ends: one number, or one an axis. */
  padding?: number | readonly number[];
  dilation?: number | readonly number[];
  groups?: number;
}

const triple = (v: number | readonly number[]): readonly number[] => (typeof v === "number" ? [v, v, v] : v);

/** Convolution of volumes [N, C, D, H, W] with kernels [O, C/groups, kd, kh, kw]: layers that meet are channels of one image. */
export function conv3d(x: Operand, w: Operand, options: Conv3dOptions = {}): Tensor {
  const [volume, kernel] = liftAll(x, w);
  if (volume.rank !== 5 || kernel.rank !== 5)
    throw new ShapeError(
      "conv3d",
      `needs a volume [N, C, D, H, W] and a kernel [O, C/groups, kd, kh, kw], got ${showAval(volume)} and ${showAval(kernel)}`,
    );
  const { groups = 1 } = options;
  const [stride, padding, dilation] = [options.stride ?? 1, options.padding ?? 0, options.dilation ?? 1].map(
    triple,
  );
  const [n, c, , h, width] = volume.shape;
  const [o, share, depth, ...window] = kernel.shape;
  const deep = pad(volume, [
    [0, 0],
    [0, 0],
    [padding[0], padding[0]],
    [0, 0],
    [0, 0],
  ]);
  const room = deep.shape[2] - extent(depth, dilation[0]);
  if (room < 0)
    throw new ShapeError("conv3d", `the kernel ${showAval(kernel)} is deeper than ${showAval(deep)}`);
  const layers = Math.floor(room / stride[0]) + 1;
  const met = range(depth).map((k) => {
    const from = k * dilation[0];
    return slice(deep, [[], [], [from, from + (layers - 1) * stride[0] + 1, stride[0]]]);
  });
  // [N, C, k, layers, H, W], of which each layer is an image with the channels C·k.
  const images = reshape(transpose(stack(met, 2), [0, 3, 1, 2, 4, 5]), [n * layers, c * depth, h, width]);
  const y = conv2d(images, reshape(kernel, [o, share * depth, ...window]), {
    groups,
    stride: [stride[1], stride[2]],
    dilation: [dilation[1], dilation[2]],
    padding: [padding[1], padding[2]],
  });
  return transpose(reshape(y, [n, layers, o, ...y.shape.slice(2)]), [0, 2, 1, 3, 4]);
}

/** What a transposed convolution undoes the shape of; `extra` rows and columns are those a stride passes over. */
export interface ConvTransposeOptions extends Omit<ConvOptions, "padding"> {
  padding?: number | Pair;
  extra?: number | Pair;
}

/**
 * The adjoint of `conv2d` in its image: images [N, O, H, W] with kernels [O, C/groups, kh, kw] give [N, C, …], each element
 * spread over a window.
 */
export function convTranspose2d(x: Operand, w: Operand, options: ConvTransposeOptions = {}): Tensor {
  const [image, kernel] = liftAll(x, w);
  const { groups = 1 } = options;
  const [stride, dilation, border, extra] = [
    options.stride ?? 1,
    options.dilation ?? 1,
    options.padding ?? 0,
    options.extra ?? 0,
  ].map(pair);
  floating("convTranspose2d", image);
  if (
    image.rank !== 4 ||
    kernel.rank !== 4 ||
    image.shape[1] !== kernel.shape[0] ||
    image.dtype !== kernel.dtype
  )
    throw new ShapeError(
      "convTranspose2d",
      `needs an image [N, O, H, W] and a kernel [O, C/groups, kh, kw], got ${showAval(image)} and ${showAval(kernel)}`,
    );
  const size = [0, 1].map((i) => {
    const reached = (image.shape[2 + i] - 1) * stride[i] + extent(kernel.shape[2 + i], dilation[i]);
    return reached - 2 * border[i] + extra[i];
  });
  if (
    size.some((d) => d < 1) ||
    extra.some((e, i) => e >= Math.max(stride[i], dilation[i])) ||
    kernel.shape[0] % groups !== 0
  )
    throw new ShapeError(
      "convTranspose2d",
      `the options do not fit ${showAval(image)} and ${showAval(kernel)}`,
    );
  return convInput(image, kernel, {
    stride,
    dilation,
    groups,
    padding: [
      [border[0], border[0]],
      [border[1], border[1]],
    ],
    shape: [image.shape[0], kernel.shape[1] * groups, ...size],
  });
}

/** The windows of a pooling along one axis. */
export interface Pool1dOptions {
  window: number;
  stride?: number;
  padding?: number;
}

const alongLast = ({ window, stride = window, padding = 0 }: Pool1dOptions) => ({
  window: [1, window] as Pair,
  stride: [1, stride] as Pair,
  padding: [0, padding] as Pair,
});

/** The largest element of each window of the last axis. */
export const maxPool1d = (x: Operand, options: Pool1dOptions): Tensor =>
  squeeze(maxPool(expandDims(lift(x), -2), alongLast(options)), -2);

/** The mean of each window of the last axis; padding counts as zeros. */
export const avgPool1d = (x: Operand, options: Pool1dOptions): Tensor =>
  squeeze(avgPool(expandDims(lift(x), -2), alongLast(options)), -2);
