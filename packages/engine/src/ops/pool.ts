// Pooling over windows of the last two axes. If a window has equal maxima, every back end chooses the first in row-major order, which
// receives the whole gradient. NaN counts as the largest. A rising activation below a pooling is moved above it,
// where there are fewer elements; where it rounded different inputs to equal ones, the larger input is chosen.
import { exceptAlong } from "../batch.js";
import type { Data } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { full, NdArray } from "../ndarray.js";
import { canScatter, unpooled, withNaN } from "../onnx/emission/unpool.js";
import { poolBlocked } from "../onnx/layout/blocked.js";
import { sizeOf } from "../shape.js";
import { inFirstAxis } from "../stacked.js";
import { apply, constant, type Kernel, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import { add, eq, maximum, where } from "./binary.js";
import { conv2d, pair } from "./conv.js";
import { reshape } from "./movement.js";
import { max, mean, min, sum } from "./reduce.js";
import { dilate, pad, slice } from "./slicing.js";
import { floating } from "./unary.js";

type Pair = readonly [number, number];

export interface PoolAttrs {
  readonly window: Pair;
  readonly stride: Pair;
  readonly padding: Pair;
}

/** The windows of a pooling; default: no padding. */
export interface PoolOptions {
  window: number | Pair;
  /** The stride (default: the size of the window, so that windows do not overlap). */
  stride?: number | Pair;
  padding?: number | Pair;
}

const pooledShape = (x: Tensor, { window, stride, padding }: PoolAttrs): number[] => [
  ...x.shape.slice(0, -2),
  ...[0, 1].map((i) => Math.floor((x.shape[x.rank - 2 + i] + 2 * padding[i] - window[i]) / stride[i]) + 1),
];

/** Windows that tile the image exactly: then a window is two axes of a reshape, which compilers fuse best. */
export const tiles = (x: Tensor, { window, stride, padding }: PoolAttrs): boolean =>
  [0, 1].every(
    (i) => window[i] === stride[i] && padding[i] === 0 && x.shape[x.rank - 2 + i] % window[i] === 0,
  );

const asTiles = (x: Tensor, [wh, ww]: Pair): Tensor => {
  const [h, w] = x.shape.slice(-2);
  return reshape(x, [...x.shape.slice(0, -2), h / wh, wh, w / ww, ww]);
};

/** The k-th element of every window, as tensors of the pooled shape, in row-major order of the window. */
function elements(x: Tensor, attrs: PoolAttrs, border: number): Tensor[] {
  const { window, stride, padding } = attrs;
  const [oh, ow] = pooledShape(x, attrs).slice(-2);
  const lead = x.shape.slice(0, -2).map(() => [0, 0]);
  const wide = pad(x, [...lead, ...padding.map((p) => [p, p])], border);
  const list: Tensor[] = [];
  for (let i = 0; i < window[0]; i++) {
    for (let j = 0; j < window[1]; j++) {
      const span = (from: number, n: number, step: number) => [from, from + (n - 1) * step + 1, step];
      list.push(slice(wide, [...lead.map(() => []), span(i, oh, stride[0]), span(j, ow, stride[1])]));
    }
  }
  return list;
}

/** For each element of a window whether it is the first maximum. */
function firstMaxima(list: readonly Tensor[]): Tensor[] {
  const top = list.reduce((a, b) => maximum(a, b));
  let rest: Tensor | undefined;
  return list.map((x) => {
    const equal = eq(x, top);
    const first = rest ? where(rest, false, equal) : equal;
    rest = rest ? where(rest, true, equal) : equal;
    return first;
  });
}

/** A mask over the tiled view [..., oh, wh, ow, ww] of the first maximum of each tile. */
function firstInTile(x: Tensor, window: Pair): Tensor {
  const tiled = asTiles(x, window);
  const count = window[0] * window[1];
  const places = Int32Array.from({ length: count }, (_, i) => i);
  const place = constant(new NdArray(places, [window[0], 1, window[1]]));
  const axis = [tiled.rank - 3, tiled.rank - 1];
  const candidates = where(eq(tiled, max(tiled, { axis, keepDims: true })), place, count);
  return eq(place, min(candidates, { axis, keepDims: true }));
}

/** Walks all windows and hands over each one's place in the result and the position of its first maximum. */
function eachWindow(
  x: Tensor,
  attrs: PoolAttrs,
): (data: Data, visit: (place: number, position: number) => void) => void {
  const { window, stride, padding } = attrs;
  const [h, w] = x.shape.slice(-2);
  const [oh, ow] = pooledShape(x, attrs).slice(-2);
  const planes = sizeOf(x.shape.slice(0, -2));
  return (data, visit) => {
    let place = 0;
    for (let p = 0; p < planes; p++) {
      for (let r = 0; r < oh; r++) {
        for (let c = 0; c < ow; c++) {
          let best = -1;
          for (
            let i = Math.max(0, r * stride[0] - padding[0]);
            i < Math.min(h, r * stride[0] - padding[0] + window[0]);
            i++
          ) {
            for (
              let j = Math.max(0, c * stride[1] - padding[1]);
              j < Math.min(w, c * stride[1] - padding[1] + window[1]);
              j++
            ) {
              const at = (p * h + i) * w + j;
              const better = data[at] > data[best] || (Number.isNaN(data[at]) && !Number.isNaN(data[best]));
              if (best < 0 || better) best = at;
            }
          }
          visit(place++, best);
        }
      }
    }
  };
}

const onnxAttrs = ({ window, stride, padding }: PoolAttrs) => ({
  kernel_shape: window,
  strides: stride,
  pads: [...padding, ...padding],
});

/** Each plane by itself. */
const ofPlanes = exceptAlong(({ rank }: Tensor) => [rank - 2, rank - 1]);

export const maxPoolOp: Op<PoolAttrs> = {
  name: "maxPool",
  batch: ofPlanes,
  vmap: inFirstAxis,
  bf16: "follow",
  infer: ([x], attrs) => {
    const { window, padding } = attrs;
    floating("maxPool", x);
    const shape = pooledShape(x, attrs);
    if (x.rank < 2 || shape.slice(-2).some((d) => d < 1)) {
      throw new ShapeError("maxPool", `windows of ${window.join("×")} do not fit into ${showAval(x)}`);
    }
    if (padding.some((p, i) => p >= window[i]))
      throw new ShapeError("maxPool", "padding must be smaller than the window");
    if (x.shape.slice(-2).includes(0))
      throw new ShapeError("maxPool", `there is no maximum of nothing but padding in ${showAval(x)}`);
    return { shape, dtype: x.dtype };
  },
  gradient: (g, node) => [apply(unpoolOp, [node.inputs[0], g], node.attrs as PoolAttrs)],
  expand: ([x], attrs) => {
    if (!tiles(x, attrs)) return elements(x, attrs, -Infinity).reduce((a, b) => maximum(a, b));
    const tiled = asTiles(x, attrs.window);
    return max(tiled, { axis: [tiled.rank - 3, tiled.rank - 1] });
  },
  reference: ({ inputs: [x], attrs }): Kernel => {
    const each = eachWindow(x, attrs);
    return (out, data) =>
      each(data, (place, position) => {
        out[place] = data[position];
      });
  },
  onnxFloat32Only: true,
  onnxBlocked: poolBlocked,
  onnx: (graph, [x], { attrs }) => {
    const [largest] = graph.ops("MaxPool", [x], 2, onnxAttrs(attrs));
    return withNaN(graph, largest, graph.op("AveragePool", [x], onnxAttrs(attrs)));
  },
};

/** The adjoint of pooling: each value of g at the position of its window's maximum in x. Inputs x, g. */
export const unpoolOp: Op<PoolAttrs> = {
  name: "maxUnpool",
  // Values move within their plane only.
  sumOver: ({ rank, inputs: [, g] }, axes) =>
    axes.includes(rank - 1) && axes.includes(rank - 2) ? g : undefined,
  batch: ofPlanes,
  vmap: inFirstAxis,
  bf16: "follow",
  infer: ([x]) => x,
  gradient: (v, node) => [undefined, apply(poolLikeOp, [node.inputs[0], v], node.attrs as PoolAttrs)],
  expand: ([x, g], attrs) => {
    const { window, stride, padding } = attrs;
    if (tiles(x, attrs)) {
      const [oh, ow] = g.shape.slice(-2);
      const wide = reshape(g, [...g.shape.slice(0, -2), oh, 1, ow, 1]);
      return reshape(where(firstInTile(x, window), wide, 0), x.shape);
    }
    // The adjoint of each strided slice is the same slice of a zero image, added up.
    const masks = firstMaxima(elements(x, attrs, -Infinity));
    const lead = x.shape.slice(0, -2);
    const [h, w] = x.shape.slice(-2).map((d, i) => d + 2 * padding[i]);
    const none = lead.map(() => [0, 0]);
    const spread = masks.map((mask, k) => {
      const [i, j] = [Math.floor(k / window[1]), k % window[1]];
      const part = dilate(where(mask, g, 0), [...lead.map(() => 1), ...stride]);
      const [ph, pw] = part.shape.slice(-2);
      return pad(part, [...none, [i, h - i - ph], [j, w - j - pw]]);
    });
    const total = spread.reduce((a, b) => add(a, b));
    return slice(total, [...lead.map(() => []), ...padding.map((p, i) => [p, (i === 0 ? h : w) - p])]);
  },
  reference: ({ inputs: [x], attrs }) => {
    const each = eachWindow(x, attrs);
    return (out, data, g) => {
      out.fill(0);
      each(data, (place, position) => {
        out[position] += g[place];
      });
    };
  },
  onnx: (graph, [x, g], node) => {
    if (canScatter(node as unknown as Tensor)) return unpooled(graph, node as unknown as Tensor);
    const { attrs, shape, dtype } = node;
    const [, indices] = graph.ops("MaxPool", [x], 2, onnxAttrs(attrs));
    const apart = attrs.stride.every((s, i) => s >= attrs.window[i]);
    // MaxUnpool overwrites, so it serves where no two windows share an element.
    if (apart && dtype === "float32" && attrs.padding.every((p) => p === 0)) {
      return graph.op("MaxUnpool", [g, indices, graph.ints(shape)], {
        kernel_shape: attrs.window,
        strides: attrs.stride,
      });
    }
    const flat = (v: string) => graph.op("Reshape", [v, graph.ints([-1])]);
    const zeros = graph.op("Expand", [graph.scalar(0, dtype), graph.ints([sizeOf(shape)])]);
    const total = graph.op("ScatterElements", [zeros, flat(indices), flat(g)], { axis: 0, reduction: "add" });
    return graph.op("Reshape", [total, graph.ints(shape)]);
  },
};

/** The adjoint of the adjoint: v taken where x has its windows' maxima. Inputs x, v. */
const poolLikeOp: Op<PoolAttrs> = {
  name: "maxPoolLike",
  batch: ofPlanes,
  vmap: inFirstAxis,
  bf16: "follow",
  infer: ([x], attrs) => ({ shape: pooledShape(x, attrs), dtype: x.dtype }),
  gradient: (g, node) => [undefined, apply(unpoolOp, [node.inputs[0], g], node.attrs as PoolAttrs)],
  expand: ([x, v], attrs) => {
    if (tiles(x, attrs)) {
      const chosen = where(firstInTile(x, attrs.window), asTiles(v, attrs.window), 0);
      return sum(chosen, { axis: [chosen.rank - 3, chosen.rank - 1] });
    }
    const masks = firstMaxima(elements(x, attrs, -Infinity));
    const values = elements(v, attrs, 0);
    return masks.map((mask, k) => where(mask, values[k], 0)).reduce((a, b) => add(a, b));
  },
  reference: ({ inputs: [x], attrs }) => {
    const each = eachWindow(x, attrs);
    return (out, data, v) =>
      each(data, (place, position) => {
        out[place] = v[position];
      });
  },
  onnx: (graph, [x, v], { attrs }) => {
    const [, indices] = graph.ops("MaxPool", [x], 2, onnxAttrs(attrs));
    return graph.op("Gather", [graph.op("Reshape", [v, graph.ints([-1])]), indices], { axis: 0 });
  },
};

/** x seen as planes [N, C, H, W] whatever its leading axes, and the way back for what was made of it. */
function asImages(x: Tensor, pool: (images: Tensor) => Tensor): Tensor {
  if (x.rank === 4) return pool(x);
  const lead = x.shape.slice(0, -2);
  const y = pool(reshape(x, [sizeOf(lead.slice(0, -1)), lead[lead.length - 1] ?? 1, ...x.shape.slice(-2)]));
  return reshape(y, [...lead, ...y.shape.slice(-2)]);
}

const attrsOf = ({ window, stride = window, padding = 0 }: PoolOptions): PoolAttrs => ({
  window: pair(window),
  stride: pair(stride),
  padding: pair(padding),
});

/** The largest element of each window of the last two axes. Padding never wins. */
export function maxPool(x: Operand, options: PoolOptions): Tensor {
  const tensor = lift(x);
  // An activation keeps the order of its inputs, and there are fewer of them after the pooling.
  if (tensor.op.rises?.(tensor.attrs))
    return apply(tensor.op, [maxPool(tensor.inputs[0], options)], tensor.attrs);
  return asImages(tensor, (images) => apply(maxPoolOp, [images], attrsOf(options)));
}

/** The mean of each window of the last two axes; padding counts as zeros. */
export function avgPool(x: Operand, options: PoolOptions): Tensor {
  const { window, stride, padding } = attrsOf(options);
  return asImages(lift(x), (images) => {
    if (tiles(images, { window, stride, padding })) {
      const tiled = asTiles(images, window);
      return mean(tiled, { axis: [tiled.rank - 3, tiled.rank - 1] });
    }
    // A convolution of every channel by itself with a constant kernel.
    const [n, c, ...size] = images.shape;
    const kernel = full([1, 1, ...window], 1 / (window[0] * window[1]), images.dtype);
    const y = conv2d(reshape(images, [n * c, 1, ...size]), kernel, { stride, padding });
    return reshape(y, [n, c, ...y.shape.slice(2)]);
  });
}
