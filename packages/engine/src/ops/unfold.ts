// Patches: every window of an image as a column, and the adjoint, which adds columns up to an image. A convolution is a
// product over patches: conv2d(x, w) = w as [O, C·kh·kw] times unfold(x), which has the axes [C·kh·kw, oh, ow] last.
import { axesGo } from "../batch.js";
import type { Data, Shape } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { sizeOf } from "../shape.js";
import { apply, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import { add } from "./binary.js";
import { type ConvOptions, extent, paddingOf, pair } from "./conv.js";
import { concat, expandDims, reshape } from "./movement.js";
import { dilate, pad, slice } from "./slicing.js";
import { numeric } from "./unary.js";

type Pair = readonly [number, number];

export interface UnfoldAttrs {
  readonly window: Pair;
  readonly stride: Pair;
  /** [[top, bottom], [left, right]] */
  readonly padding: readonly [Pair, Pair];
  readonly dilation: Pair;
}

interface FoldAttrs extends UnfoldAttrs {
  /** Height and width of the image. */
  readonly size: Pair;
}

/** The windows that `unfold` takes from images, as a convolution would. */
export interface UnfoldOptions extends Omit<ConvOptions, "groups"> {
  window: number | Pair;
}

/** How many windows fit along the two axes of an image. */
const places = (size: readonly number[], { window, stride, padding, dilation }: UnfoldAttrs): number[] =>
  [0, 1].map(
    (i) =>
      Math.floor((size[i] + padding[i][0] + padding[i][1] - extent(window[i], dilation[i])) / stride[i]) + 1,
  );

/** Walks all elements of all patches in row-major order; `visit` receives the position of each, or -1 in the padding. */
function eachElement(image: Shape, attrs: UnfoldAttrs, visit: (element: number, position: number) => void) {
  const { window, stride, padding, dilation } = attrs;
  const [h, w] = image.slice(-2);
  const [oh, ow] = places([h, w], attrs);
  const planes = sizeOf(image.slice(0, -2));
  let element = 0;
  for (let p = 0; p < planes; p++) {
    for (let i = 0; i < window[0]; i++) {
      for (let j = 0; j < window[1]; j++) {
        for (let r = 0; r < oh; r++) {
          const y = r * stride[0] + i * dilation[0] - padding[0][0];
          for (let c = 0; c < ow; c++) {
            const x = c * stride[1] + j * dilation[1] - padding[1][0];
            visit(element++, y < 0 || y >= h || x < 0 || x >= w ? -1 : (p * h + y) * w + x);
          }
        }
      }
    }
  }
}

/** The element at row i and column j of each window of a padded image: a slice along the last two axes. */
function spans({ stride, dilation }: UnfoldAttrs, [oh, ow]: readonly number[], i: number, j: number) {
  const span = (from: number, n: number, step: number) => [from, from + (n - 1) * step + 1, step];
  return [span(i * dilation[0], oh, stride[0]), span(j * dilation[1], ow, stride[1])];
}

const positions = ([kh, kw]: Pair): [number, number][] =>
  Array.from({ length: kh * kw }, (_, k) => [Math.floor(k / kw), k % kw]);

/** Each image by itself. */
const ofImages = axesGo((_, axis, { rank }) => (axis < rank - 3 ? axis : undefined));

const unfoldOp: Op<UnfoldAttrs> = {
  name: "unfold",
  batch: ofImages,
  bf16: "follow",
  infer: ([x], attrs) => {
    numeric("unfold", x);
    const [c, h, w] = x.shape.slice(-3);
    const count = places([h, w], attrs);
    if (x.rank < 3 || count.some((n) => n < 1)) {
      const { window } = attrs;
      throw new ShapeError("unfold", `windows of ${window.join("×")} do not fit into images ${showAval(x)}`);
    }
    return { shape: [...x.shape.slice(0, -3), c * sizeOf(attrs.window), ...count], dtype: x.dtype };
  },
  gradient: (g, node) => {
    const [h, w] = node.inputs[0].shape.slice(-2);
    return [apply(foldOp, [g], { ...(node.attrs as UnfoldAttrs), size: [h, w] })];
  },
  stacked: ({ attrs }) => attrs,
  expand: ([x], attrs) => {
    const lead = x.shape.slice(0, -2);
    const [oh, ow] = places(x.shape.slice(-2), attrs);
    const wide = pad(x, [...lead.map(() => [0, 0]), ...attrs.padding]);
    const parts = positions(attrs.window).map(([i, j]) =>
      expandDims(slice(wide, [...lead.map(() => []), ...spans(attrs, [oh, ow], i, j)]), lead.length),
    );
    return reshape(concat(parts, lead.length), [
      ...lead.slice(0, -1),
      lead[lead.length - 1] * parts.length,
      oh,
      ow,
    ]);
  },
  reference: ({ inputs: [x], attrs }) => {
    return (out: Data, data: Data) =>
      eachElement(x.shape, attrs, (element, position) => {
        out[element] = position < 0 ? 0 : data[position];
      });
  },
};

/** The adjoint of unfold: each element of a patch added at the place of the image it stands for. */
const foldOp: Op<FoldAttrs> = {
  name: "fold",
  batch: ofImages,
  infer: ([p], { window, size }) => ({
    shape: [...p.shape.slice(0, -3), p.shape[p.rank - 3] / sizeOf(window), ...size],
    dtype: p.dtype,
  }),
  gradient: (v, node) => {
    const { size: _, ...attrs } = node.attrs as FoldAttrs;
    return [apply(unfoldOp, [v], attrs)];
  },
  stacked: ({ attrs }) => attrs,
  expand: ([p], attrs) => {
    const { window, stride, padding, size } = attrs;
    const lead = p.shape.slice(0, -3);
    const [oh, ow] = p.shape.slice(-2);
    const channels = p.shape[p.rank - 3] / sizeOf(window);
    const split = reshape(p, [...lead, channels, sizeOf(window), oh, ow]);
    const whole = [...lead, channels].map(() => [] as number[]);
    const none = whole.map(() => [0, 0]);
    const wide = [0, 1].map((i) => size[i] + padding[i][0] + padding[i][1]);
    const parts = positions(window).map(([i, j], k) => {
      const part = reshape(slice(split, [...whole, [k, k + 1]]), [...lead, channels, oh, ow]);
      const apart = dilate(part, [...whole.map(() => 1), ...stride]);
      const edges = spans(attrs, [oh, ow], i, j).map(([from, to], a) => [from, wide[a] - to]);
      return pad(apart, [...none, ...edges]);
    });
    const total = parts.reduce((a, b) => add(a, b));
    return slice(total, [...whole, ...[0, 1].map((i) => [padding[i][0], padding[i][0] + size[i]])]);
  },
  reference: (node) => {
    const { shape, attrs } = node;
    const total = new Float64Array(sizeOf(shape));
    return (out: Data, patches: Data) => {
      total.fill(0);
      eachElement(shape, attrs, (element, position) => {
        if (position >= 0) total[position] += patches[element];
      });
      out.set(total);
    };
  },
};

/**
 * The patches of images [..., C, H, W] as [..., C·kh·kw, oh, ow]: at each place the window that a convolution with the same
 * stride, padding and dilation sees there, zeros in the padding.
 */
export function unfold(x: Operand, { window, ...options }: UnfoldOptions): Tensor {
  const stride = pair(options.stride ?? 1);
  const dilation = pair(options.dilation ?? 1);
  const size = pair(window);
  const padding = paddingOf(options.padding ?? 0, size, dilation);
  const whole = [...size, ...stride, ...dilation].every((n) => Number.isInteger(n) && n >= 1);
  if (!whole || !padding.flat().every((n) => Number.isInteger(n) && n >= 0)) {
    throw new ShapeError(
      "unfold",
      "window, stride and dilation are whole numbers of at least 1, padding of at least 0",
    );
  }
  return apply(unfoldOp, [lift(x)], { window: size, stride, padding, dilation });
}

export const isUnfold = (node: Tensor): boolean => (node.op as object) === unfoldOp;
