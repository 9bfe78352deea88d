// Convolution in two dimensions and its two adjoints. Images are [N, C, H, W], kernels [O, C/groups, kh, kw]; each back
// end chooses its own memory layout. The three operations are closed under differentiation: y = x ⋆ w is linear in x
// and in w, so every gradient is another of the three.
import { axesGo, type BatchRule, Mixed } from "../batch.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { onnxConv, onnxConvInput, onnxConvKernel } from "../onnx/emission/conv.js";
import { convolve, inputGradient, kernelGradient } from "../onnx/layout/blocked.js";
import { referenceConv, referenceConvInput, referenceConvKernel } from "../reference/conv.js";
import { sizeOf } from "../shape.js";
import { allStacked, merged, unmerged } from "../stacked.js";
import { type Aval, apply, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import { hloConv, hloConvInput, hloConvKernel } from "../xla/conv.js";
import { broadcastTo, reshape, transpose } from "./movement.js";
import { cast, floating } from "./unary.js";

type Pair = readonly [number, number];

export interface ConvAttrs {
  readonly stride: Pair;
  /** [[top, bottom], [left, right]] */
  readonly padding: readonly [Pair, Pair];
  readonly dilation: Pair;
  readonly groups: number;
}

/** The additional argument of the adjoints: the shape of the operand that they return. */
export interface ConvAdjointAttrs extends ConvAttrs {
  readonly shape: readonly number[];
}

/** How a convolution moves over its images: by default steps of 1, no padding, no holes and one group. */
export interface ConvOptions {
  stride?: number | Pair;
  /** Zeros around the image: one number, [vertical, horizontal], [[top, bottom], [left, right]], or `same`. */
  padding?: number | Pair | readonly [Pair, Pair] | "same" | "valid";
  dilation?: number | Pair;
  groups?: number;
}

/** The size of a window's extent along one axis, holes included. */
export const extent = (kernel: number, dilation: number): number => (kernel - 1) * dilation + 1;

/** A sum of no terms: no channels, no images or no filters to sum over. */
const zeros = ({ shape, dtype }: Aval): Tensor => broadcastTo(cast(0, dtype), shape);

/** Each image by itself; a batch of kernels is no batch. */
const ofImages = axesGo((operand, axis) => (operand === 0 && axis === 0 ? 0 : undefined));

/** Rows that are models, each with groups of its own: they lie along these axes of the operands and of the result. */
const ofModels =
  (axes: readonly number[], result: number, otherwise: BatchRule): BatchRule<ConvAttrs> =>
  (node, rows) => {
    const along = ({ shape }: Tensor, axis: number): number => sizeOf(shape.slice(axis)) / rows.count;
    const own = node.inputs.every((x, i) => rows.strides[i] === along(x, axes[i]));
    return own && node.attrs.groups % rows.count === 0
      ? along(node as Tensor, result)
      : otherwise(node as Tensor, rows);
  };

const mixed: BatchRule = ({ inputs: [x] }) => new Mixed(x, undefined);

/** With more or fewer models there are more or fewer groups. */
const regrouped = (groups: number, before: number, after: number): number => (groups * after) / before;

export const convOp: Op<ConvAttrs> = {
  name: "conv2d",
  suitsOnnx: true,
  batch: ofModels([1, 0], 1, ofImages),
  resized: ({ shape: own, attrs }, shape) => ({
    ...attrs,
    groups: regrouped(attrs.groups, own[1], shape[1]),
  }),
  vmap: (node, [x, w], stack) => {
    // One kernel for all is a larger batch; one image, without groups, more filters.
    if (!stack.has[1]) return unmerged(apply(convOp, [merged(x), w], node.attrs), stack.n);
    if (!stack.has[0] && node.attrs.groups === 1) {
      const y = apply(convOp, [x, merged(w)], node.attrs);
      return transpose(reshape(y, [y.shape[0], stack.n, w.shape[1], ...y.shape.slice(2)]), [1, 0, 2, 3, 4]);
    }
    const [images, kernels] = allStacked([x, w], stack);
    return conv2d(images, kernels, node.attrs);
  },
  bf16: "compute",
  onnxFloat32Only: true,
  infer: ([x, w], { stride, padding, dilation, groups }) => {
    const refuse = (problem: string): never => {
      throw new ShapeError("conv2d", `image ${showAval(x)} and kernel ${showAval(w)} do not fit: ${problem}`);
    };
    floating("conv2d", x);
    if (x.dtype !== w.dtype) refuse("their dtypes differ");
    if (x.rank !== 4 || w.rank !== 4) refuse("both need four axes, [N, C, H, W] and [O, C/groups, kh, kw]");
    if (x.shape[1] !== w.shape[1] * groups)
      refuse(`the image has ${x.shape[1]} channels, the kernel takes ${w.shape[1]} × ${groups} groups`);
    if (w.shape[0] % groups !== 0) refuse(`${w.shape[0]} filters cannot be shared among ${groups} groups`);
    const out = [0, 1].map((i) => {
      const room = x.shape[2 + i] + padding[i][0] + padding[i][1] - extent(w.shape[2 + i], dilation[i]);
      if (room < 0) refuse("the kernel is larger than the padded image");
      return Math.floor(room / stride[i]) + 1;
    });
    return { shape: [x.shape[0], w.shape[0], ...out], dtype: x.dtype };
  },
  gradient: (g, node) => {
    const [x, w] = node.inputs;
    const attrs = node.attrs as ConvAttrs;
    return [convInput(g, w, { ...attrs, shape: x.shape }), convKernel(x, g, { ...attrs, shape: w.shape })];
  },
  empty: (_, node) => zeros(node),
  reference: referenceConv,
  onnx: onnxConv,
  onnxBlocked: convolve,
  xla: hloConv,
};

/** The adjoint in the image: which image gradient a gradient of the result stands for. Inputs g, w. */
export const convInputOp: Op<ConvAdjointAttrs> = {
  name: "conv2dInput",
  suitsOnnx: true,
  batch: ofModels([1, 0], 1, ofImages) as BatchRule<ConvAdjointAttrs>,
  resized: ({ shape: own, attrs }, shape) => ({
    ...attrs,
    groups: regrouped(attrs.groups, own[1], shape[1]),
    shape,
  }),
  vmap: (node, operands, stack) => {
    const { groups, shape } = node.attrs;
    const [m, c, ...size] = shape;
    if (!stack.has[1]) {
      const attrs = { ...node.attrs, shape: [stack.n * m, c, ...size] };
      return unmerged(apply(convInputOp, [merged(operands[0]), operands[1]], attrs), stack.n);
    }
    const [g, w] = allStacked(operands, stack);
    const attrs = { ...node.attrs, groups: groups * stack.n, shape: [m, stack.n * c, ...size] };
    return apart(apply(convInputOp, [beside(g), merged(w)], attrs), stack.n);
  },
  bf16: "compute",
  onnxFloat32Only: true,
  infer: ([g], { shape }) => ({ shape, dtype: g.dtype }),
  gradient: (v, node) => {
    const [g, w] = node.inputs;
    const { shape: _, ...attrs } = node.attrs as ConvAdjointAttrs;
    return [apply(convOp, [v, w], attrs), convKernel(v, g, { ...attrs, shape: w.shape })];
  },
  empty: (_, node) => zeros(node),
  reference: referenceConvInput,
  onnx: onnxConvInput,
  onnxBlocked: inputGradient,
  xla: hloConvInput,
};
/** Which image gradient a gradient of the result stands for; a transposed convolution by itself. */
export const convInput = (g: Tensor, w: Tensor, attrs: ConvAdjointAttrs): Tensor =>
  apply(convInputOp, [g, w], attrs);

/** The adjoint in the kernel. Inputs x, g. */
export const convKernelOp: Op<ConvAdjointAttrs> = {
  name: "conv2dKernel",
  suitsOnnx: true,
  batch: ofModels([1, 1], 0, mixed) as BatchRule<ConvAdjointAttrs>,
  resized: ({ shape: own, attrs }, shape) => ({
    ...attrs,
    groups: regrouped(attrs.groups, own[0], shape[0]),
    shape,
  }),
  vmap: (node, operands, stack) => {
    const [x, g] = allStacked(operands, stack).map(beside);
    const { groups, shape } = node.attrs;
    const attrs = { ...node.attrs, groups: groups * stack.n, shape: [stack.n * shape[0], ...shape.slice(1)] };
    return unmerged(apply(convKernelOp, [x, g], attrs), stack.n);
  },
  bf16: "compute",
  onnxFloat32Only: true,
  infer: ([x], { shape }) => ({ shape, dtype: x.dtype }),
  gradient: (v, node) => {
    const [x, g] = node.inputs;
    const { shape: _, ...attrs } = node.attrs as ConvAdjointAttrs;
    return [convInput(g, v, { ...attrs, shape: x.shape }), apply(convOp, [x, v], attrs)];
  },
  empty: (_, node) => zeros(node),
  reference: referenceConvKernel,
  onnx: onnxConvKernel,
  onnxBlocked: kernelGradient,
  xla: hloConvKernel,
};
const convKernel = (x: Tensor, g: Tensor, attrs: ConvAdjointAttrs): Tensor =>
  apply(convKernelOp, [x, g], attrs);

/**
 * Convolution (cross-correlation, as everywhere in learning) of images [N, C, H, W] with kernels [O, C/groups, kh, kw].
 * Stacked: images [S, N, C, H, W] and kernels [S, O, C/groups, kh, kw] run S models at once, each with its own kernels.
 */
export function conv2d(x: Operand, w: Operand, options: ConvOptions = {}): Tensor {
  const image = lift(x);
  const kernel = lift(w);
  const { groups = 1 } = options;
  const stride = pair(options.stride ?? 1);
  const dilation = pair(options.dilation ?? 1);
  const padding = paddingOf(options.padding ?? 0, kernel.shape.slice(-2), dilation);
  const whole = [...stride, ...dilation, groups].every((n) => Number.isInteger(n) && n >= 1);
  if (!whole || !padding.flat().every((n) => Number.isInteger(n) && n >= 0)) {
    throw new ShapeError(
      "conv2d",
      "stride, dilation and groups are whole numbers of at least 1, padding of at least 0",
    );
  }
  const attrs: ConvAttrs = { stride, padding, dilation, groups };
  if (image.rank !== 5 || kernel.rank !== 5) return apply(convOp, [image, kernel], attrs);

  const [s] = image.shape;
  if (kernel.shape[0] !== s) {
    throw new ShapeError("conv2d", `${s} stacked images sets need ${s} kernel sets, got ${showAval(kernel)}`);
  }
  // A stack of models is a convolution with one group (of groups) a model.
  return apart(apply(convOp, [beside(image), merged(kernel)], { ...attrs, groups: groups * s }), s);
}

/** Stacked images [S, N, C, H, W] with their channels side by side, [N, S·C, H, W]. */
function beside(x: Tensor): Tensor {
  const [s, n, c, ...size] = x.shape;
  return reshape(transpose(x, [1, 0, 2, 3, 4]), [n, s * c, ...size]);
}

/** The way back. */
function apart(y: Tensor, s: number): Tensor {
  const [n, c, ...size] = y.shape;
  return transpose(reshape(y, [n, s, c / s, ...size]), [1, 0, 2, 3, 4]);
}

export const pair = (v: number | Pair): Pair => (typeof v === "number" ? [v, v] : v);

export function paddingOf(
  padding: NonNullable<ConvOptions["padding"]>,
  window: readonly number[],
  dilation: Pair,
): readonly [Pair, Pair] {
  if (padding === "valid") return paddingOf(0, window, dilation);
  if (padding === "same") {
    const around = (i: number): Pair => {
      const total = extent(window[i], dilation[i]) - 1;
      return [Math.floor(total / 2), Math.ceil(total / 2)];
    };
    return [around(0), around(1)];
  }
  if (typeof padding === "number") return paddingOf([padding, padding], window, dilation);
  return [pair(padding[0]), pair(padding[1])];
}
