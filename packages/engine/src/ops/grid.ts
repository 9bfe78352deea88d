// Bilinear sampling of images at real-valued coordinates, differentiable in image and coordinates.
import { axesGo } from "../batch.js";
import { isFloat } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { grad } from "../grad.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import { range } from "../shape.js";
import { inFirstAxis } from "../stacked.js";
import { apply, constant, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import { add, and, div, ge, le, mul, sub, where } from "./binary.js";
import { gather } from "./indexing.js";
import { broadcastTo, concat, reshape, stack, transpose } from "./movement.js";
import { sum } from "./reduce.js";
import { pad, slice } from "./slicing.js";
import { cast, clip, floor } from "./unary.js";

/** What coordinates of −1 and 1 mean when an image is resampled. */
export interface GridOptions {
  /** true: −1 and 1 are the centres of the corner pixels; false: the outer edges of the image. */
  alignCorners?: boolean;
}

type Attrs = Required<GridOptions>;

const gridSampleOp: Op<Attrs> = {
  name: "gridSample",
  vmap: inFirstAxis,
  batch: axesGo((_, axis) => (axis === 0 ? 0 : undefined)),
  onnxFloat32Only: true,
  infer: ([x, at]) => {
    const fits = x.rank === 4 && at.rank === 4 && at.shape[3] === 2 && at.shape[0] === x.shape[0];
    if (!fits || at.dtype !== x.dtype || !isFloat(x.dtype)) {
      throw new ShapeError(
        "gridSample",
        `needs an image [N, C, H, W] and a grid [N, h, w, 2] of one float dtype, got ${showAval(x)} and ${showAval(at)}`,
      );
    }
    return { shape: [x.shape[0], x.shape[1], at.shape[1], at.shape[2]], dtype: x.dtype };
  },
  gradient: (g, { inputs: [x, at], attrs }) => {
    const { alignCorners } = attrs as Attrs;
    const image = grad((pixels: Tensor) => sum(mul(byGathers([pixels, at], { alignCorners }), g)))(x);
    const slopes = [0, 1].map((axis) => {
      const along = mul(slope(x, at, axis, alignCorners), g);
      return sum(along, { axis: 1 });
    });
    return [image, stack(slopes, 3)];
  },
  expand: (inputs, attrs) => byGathers(inputs, attrs),
  onnx: (graph, [x, at], { attrs: { alignCorners } }) => {
    const near = graph.op("Clip", [
      at,
      graph.scalar(-farOutside, "float32"),
      graph.scalar(farOutside, "float32"),
    ]);
    const samples = graph.op("GridSample", [x, near], {
      mode: "bilinear",
      padding_mode: "zeros",
      align_corners: Number(alignCorners),
    });
    // The runtime treats a NaN coordinate as inside. Clipping to 0 … 0 turns all other coordinates into 0.
    const zero = graph.scalar(0, "float32");
    const missing = graph.op("ReduceSum", [graph.op("Clip", [near, zero, zero]), graph.ints([3])], {
      keepdims: 0,
    });
    return graph.op("Add", [samples, graph.op("Unsqueeze", [missing, graph.ints([1])])]);
  },
};

/** Coordinates of so much and more are outside the image and all alike; smaller ones have an int32 as integer part. */
const farOutside = 8;

/**
 * Images [N, C, H, W] sampled at grid [N, h, w, 2] of (x, y) in −1 … 1 give [N, C, h, w]. Each sample is the bilinear
 * mean of the four pixels around it; pixels outside the image are 0. At a pixel's centre the coordinates' derivative is
 * the one from the right and from below.
 */
export function gridSample(
  image: Operand,
  grid: Operand,
  { alignCorners = false }: GridOptions = {},
): Tensor {
  const inputs = [lift(image), lift(grid)];
  const samples = apply(gridSampleOp, inputs, { alignCorners });
  // All outside an image without pixels.
  return inputs[0].size > 0 ? samples : broadcastTo(cast(0, samples.dtype), samples.shape);
}

/** Where −1 … 1 falls on an axis of so many pixels, as factor and offset. */
const toPixels = (size: number, alignCorners: boolean): [number, number] =>
  alignCorners ? [(size - 1) / 2, (size - 1) / 2] : [size / 2, (size - 1) / 2];

/**
 * The derivative of the samples in one coordinate, x (0) or y (1): between two pixels of that axis the sample is linear, so
 * it is the difference of the two, itself sampled along the other axis. Image j of the differences is pixel j minus pixel j − 1.
 * There are as many of them, with zeros, that where one lies is found by a power of two and without rounding: a coordinate that
 * is computed twice, once rounded and once not, would otherwise have its whole part of one pixel and its fraction of the next.
 */
function slope(x: Tensor, at: Tensor, axis: number, alignCorners: boolean): Tensor {
  const imageAxis = 3 - axis;
  const size = x.shape[imageAxis];
  const border = (before: number, after: number): [number, number][] =>
    x.shape.map((_, i) => (i === imageAxis ? [before, after] : [0, 0]));
  const wide = alignCorners ? powerOfTwo(size) + 1 : powerOfTwo(size + 1);
  const differences = sub(pad(x, border(0, wide - size)), pad(x, border(1, wide - size - 1)));
  const coordinate = (i: number): Tensor => slice(at, [[], [], [], [i, i + 1]]);
  const [factor, offset] = toPixels(size, alignCorners);
  const next = add(floor(clip(add(mul(coordinate(axis), factor), offset), -2, size + 1)), 1);
  const [across, middle] = toPixels(wide, alignCorners);
  const exact = div(sub(next, middle), across);
  const grid = concat(axis === 0 ? [exact, coordinate(1)] : [coordinate(0), exact], 3);
  return mul(gridSample(differences, grid, { alignCorners }), factor);
}

/** The smallest power of two that is no smaller. */
const powerOfTwo = (n: number): number => 2 ** Math.ceil(Math.log2(n));

/** The same in four gathers, one a corner of the square a sample falls into. */
function byGathers([x, at]: readonly Tensor[], { alignCorners }: Attrs): Tensor {
  const [n, c, height, width] = x.shape;
  const [, h, w] = at.shape;

  const pixels = (axis: number, size: number): Tensor => {
    const unit = reshape(slice(at, [[], [], [], [axis, axis + 1]]), [n, h, w]);
    const [factor, offset] = toPixels(size, alignCorners);
    return add(mul(clip(unit, -farOutside, farOutside), factor), offset);
  };
  const px = pixels(0, width);
  const py = pixels(1, height);
  const left = floor(px);
  const top = floor(py);
  const fx = sub(px, left);
  const fy = sub(py, top);

  const rows = reshape(transpose(x, [0, 2, 3, 1]), [n * height * width, c]);
  const first = constant(
    new NdArray(
      Int32Array.from(range(n), (i) => i * height * width),
      [n, 1, 1],
    ),
  );
  const corner = (dx: number, dy: number): Tensor => {
    const cx = dx === 0 ? left : add(left, dx);
    const cy = dy === 0 ? top : add(top, dy);
    const inside = and(and(ge(cx, 0), le(cx, width - 1)), and(ge(cy, 0), le(cy, height - 1)));
    const column = cast(clip(cx, 0, width - 1), "int32");
    const row = cast(clip(cy, 0, height - 1), "int32");
    const value = gather(rows, add(first, add(mul(row, width), column)));
    const weight = mul(dx === 1 ? fx : sub(1, fx), dy === 1 ? fy : sub(1, fy));
    // Not a weight of 0, because the pixel at the edge may be NaN.
    const one = (v: Tensor): Tensor => reshape(v, [n, h, w, 1]);
    return mul(where(one(inside), value, 0), one(weight));
  };
  const y = add(add(corner(0, 0), corner(1, 0)), add(corner(0, 1), corner(1, 1)));
  return transpose(y, [0, 3, 1, 2]);
}
