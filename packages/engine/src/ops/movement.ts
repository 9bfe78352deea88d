// Operations that move elements without changing them.
import { aligned, axesGo, exceptAlong, inOrder } from "../batch.js";
import type { Shape } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { indexTable, take } from "../reference/indexing.js";
import {
  axesOf,
  axisOf,
  broadcastShapes,
  broadcastStrides,
  checkShape,
  range,
  sameShape,
  showShape,
  sizeOf,
  stridesOf,
} from "../shape.js";
import { oneFurther, withRank } from "../stacked.js";
import { apply, is, lift, liftAll, type Op, type Operand, type Tensor } from "../tensor.js";
import { type Axes, type Axis, axisIn, optionsOf } from "./axis.js";
import { sumTo } from "./reduce.js";
import { slice } from "./slicing.js";

export const reshapeOp: Op<{ shape: Shape }> = {
  name: "reshape",
  rearranges: true,
  batch: inOrder,
  resized: (_, shape) => ({ shape }),
  simplify: ({ op, shape, inputs: [x] }) => {
    if (sameShape(x.shape, shape)) return x;
    return (x.op as object) === op ? reshape(x.inputs[0], shape) : undefined;
  },
  // Planes that stay whole are summed as they were.
  sumOver: ({ shape, rank, inputs: [x] }, axes) => {
    const whole = [1, 2].every((k) => x.shape[x.rank - k] === shape[rank - k] && axes.includes(rank - k));
    const other = whole ? x.op.sumOver?.(x, [x.rank - 2, x.rank - 1]) : undefined;
    return other && reshape(other, [...shape.slice(0, -2), ...other.shape.slice(-2)]);
  },
  bf16: "follow",
  infer: ([x], { shape }) => ({ shape, dtype: x.dtype }),
  gradient: (g, { inputs: [x] }) => [reshape(g, x.shape)],
  stacked: ({ shape }, n) => ({ shape: [n, ...shape] }),
  reference: () => (out, x) => out.set(x),
  onnx: (graph, [x], { shape }) => graph.op("Reshape", [x, graph.ints(shape)], { allowzero: 1 }),
  xla: (hlo, [x], { shape }) => hlo.emit("stablehlo.reshape", [x], shape),
};
/** The same elements in row-major order under another shape; one size may be -1 and is worked out. */
export function reshape(x: Operand, shape: Shape): Tensor {
  const tensor = lift(x);
  const known = sizeOf(shape.filter((d) => d !== -1));
  const full = shape.map((d) => (d === -1 ? tensor.size / Math.max(known, 1) : d));
  if (
    shape.filter((d) => d === -1).length > 1 ||
    full.some((d) => !Number.isInteger(d)) ||
    sizeOf(full) !== tensor.size
  ) {
    throw new ShapeError(
      "reshape",
      `${showAval(tensor)} has ${tensor.size} elements, which do not fill ${showShape(shape)}`,
    );
  }
  checkShape("reshape", full);
  return sameShape(full, tensor.shape) ? tensor : apply(reshapeOp, [tensor], { shape: full });
}

/** The same elements with an axis of size 1 put in at `axis`. */
export const expandDims = (x: Operand, along: Axis): Tensor => {
  const tensor = lift(x);
  const axis = axisIn(along, 0);
  const at = axisOf("expandDims", axis, tensor.rank + 1);
  return reshape(tensor, [...tensor.shape.slice(0, at), 1, ...tensor.shape.slice(at)]);
};

/** Without the named axes, or without every axis, of size 1. */
export const squeeze = (x: Operand, along?: Axes): Tensor => {
  const tensor = lift(x);
  const { axis } = optionsOf<{ axis?: number | readonly number[] }>(along);
  const axes =
    axis === undefined
      ? range(tensor.rank).filter((i) => tensor.shape[i] === 1)
      : axesOf("squeeze", axis, tensor.rank);
  for (const a of axes) {
    if (tensor.shape[a] !== 1)
      throw new ShapeError("squeeze", `axis ${a} of ${showAval(tensor)} is not of size 1`);
  }
  return reshape(
    tensor,
    tensor.shape.filter((_, i) => !axes.includes(i)),
  );
};

/** One axis of all elements, or all but the first `keep` axes made one. */
export const flatten = (x: Operand, keep = 0): Tensor => {
  const tensor = lift(x);
  return reshape(tensor, [...tensor.shape.slice(0, keep), sizeOf(tensor.shape.slice(keep))]);
};

export const transposeOp: Op<{ order: readonly number[] }> = {
  name: "transpose",
  rearranges: true,
  simplify: ({ shape, inputs: [x], attrs: { order } }) => {
    if (is(x, transposeOp)) {
      const inner = x.attrs.order;
      return transpose(
        x.inputs[0],
        order.map((i) => inner[i]),
      );
    }
    // Moving axes of size 1 moves nothing.
    const moved = order.filter((i) => x.shape[i] !== 1);
    return moved.every((axis, i) => i === 0 || moved[i - 1] < axis) ? reshape(x, shape) : undefined;
  },
  batch: axesGo((_, axis, { attrs: { order } }) => order.indexOf(axis)),
  bf16: "follow",
  infer: ([x], { order }) => ({ shape: order.map((i) => x.shape[i]), dtype: x.dtype }),
  gradient: (g, node) => {
    const { order } = node.attrs as { order: readonly number[] };
    return [
      transpose(
        g,
        order.map((_, i) => order.indexOf(i)),
      ),
    ];
  },
  stacked: ({ attrs: { order } }) => ({ order: [0, ...order.map((i) => i + 1)] }),
  reference: ({ shape, inputs: [x], attrs: { order } }) => {
    const strides = stridesOf(x.shape);
    return take(
      indexTable(
        shape,
        order.map((i) => strides[i]),
      ),
    );
  },
  onnx: (graph, [x], { attrs }) => graph.op("Transpose", [x], { perm: attrs.order }),
  xla: (hlo, [x], { shape, attrs }) =>
    hlo.emit("stablehlo.transpose", [x], shape, { attrs: { permutation: hlo.i64Array(attrs.order) } }),
};
/** The axes in another order; without one, in reverse. */
export function transpose(x: Operand, order?: readonly number[]): Tensor {
  const tensor = lift(x);
  const full = (order ?? range(tensor.rank).reverse()).map((a) => axisOf("transpose", a, tensor.rank));
  if (new Set(full).size !== tensor.rank || full.length !== tensor.rank) {
    throw new ShapeError("transpose", `order [${order}] does not name each of the ${tensor.rank} axes once`);
  }
  return full.every((a, i) => a === i) ? tensor : apply(transposeOp, [tensor], { order: full });
}

/** The last two axes exchanged. */
export const swapLast = (x: Tensor): Tensor => transpose(x, [...range(x.rank - 2), x.rank - 1, x.rank - 2]);

export const broadcastToOp: Op<{ shape: Shape }> = {
  name: "broadcastTo",
  repeats: true,
  vmap: ({ shape, rank }, [x], { n }) => broadcastTo(withRank(x, rank), [n, ...shape]),
  simplify: ({ op, shape, inputs: [x] }) => {
    if (sameShape(x.shape, shape)) return x;
    return (x.op as object) === op ? broadcastTo(x.inputs[0], shape) : undefined;
  },
  batch: aligned,
  resized: (_, shape) => ({ shape }),
  bf16: "follow",
  infer: ([x], { shape }) => ({ shape, dtype: x.dtype }),
  gradient: (g, { inputs: [x] }) => [sumTo(g, x.shape)],
  reference: ({ shape, inputs: [x] }) => take(indexTable(shape, broadcastStrides(x.shape, shape))),
  onnx: (graph, [x], { shape }) => graph.op("Expand", [x, graph.ints(shape)]),
  xla: (hlo, [x], { shape }) => hlo.broadcast(x, shape),
};
/** Repeated along new leading axes and along axes of size 1. */
export function broadcastTo(x: Operand, shape: Shape): Tensor {
  const tensor = lift(x);
  if (!sameShape(broadcastShapes("broadcastTo", tensor.shape, checkShape("broadcastTo", shape)), shape)) {
    throw new ShapeError("broadcastTo", `${showAval(tensor)} does not fit into ${showShape(shape)}`);
  }
  return sameShape(tensor.shape, shape) ? tensor : apply(broadcastToOp, [tensor], { shape });
}

const concatOp: Op<{ axis: number }> = {
  name: "concat",
  vmap: oneFurther(({ attrs: { axis } }) => ({ axis: axis + 1 })),
  batch: exceptAlong(({ attrs: { axis } }) => [axis]),
  bf16: "follow",
  infer: (inputs, { axis }) => {
    const [first] = inputs;
    for (const x of inputs) {
      const fits = x.rank === first.rank && x.shape.every((d, i) => i === axis || d === first.shape[i]);
      if (!fits || x.dtype !== first.dtype) {
        throw new ShapeError("concat", `${showAval(first)} and ${showAval(x)} do not fit along axis ${axis}`);
      }
    }
    const total = inputs.reduce((n, x) => n + x.shape[axis], 0);
    return { shape: first.shape.map((d, i) => (i === axis ? total : d)), dtype: first.dtype };
  },
  empty: (inputs, { attrs: { axis } }) => {
    const parts = inputs.filter((x) => x.size > 0);
    return concat(parts, axis);
  },
  gradient: (g, node) => {
    const { axis } = node.attrs as { axis: number };
    let from = 0;
    return node.inputs.map((x) => {
      const start = from;
      from += x.shape[axis];
      return slice(
        g,
        range(g.rank).map((i) => (i === axis ? [start, start + x.shape[axis]] : [])),
      );
    });
  },
  reference: ({ shape, inputs, attrs: { axis } }) => {
    const inner = sizeOf(shape.slice(axis + 1));
    const outer = sizeOf(shape.slice(0, axis));
    const row = shape[axis] * inner;
    return (out, ...parts) => {
      let at = 0;
      for (const [k, part] of parts.entries()) {
        const width = inputs[k].shape[axis] * inner;
        for (let o = 0; o < outer; o++) out.set(part.subarray(o * width, (o + 1) * width), o * row + at);
        at += width;
      }
    };
  },
  onnx: (graph, inputs, { attrs: { axis } }) => graph.op("Concat", inputs, { axis }),
  xla: (hlo, inputs, { shape, attrs: { axis } }) =>
    hlo.emit("stablehlo.concatenate", inputs, shape, { attrs: { dimension: `${axis} : i64` } }),
};
/** Tensors one after another along an axis. */
export function concat(parts: readonly Operand[], along: Axis = 0): Tensor {
  const axis = axisIn(along, 0);
  if (parts.length === 0) throw new ShapeError("concat", "needs at least one tensor");
  const tensors = liftAll(...parts);
  const at = axisOf("concat", axis, tensors[0].rank);
  return tensors.length === 1 ? tensors[0] : apply(concatOp, tensors, { axis: at });
}

/** Tensors of one shape side by side along a new axis. */
export function stack(parts: readonly Operand[], along: Axis = 0): Tensor {
  const axis = axisIn(along, 0);
  return concat(
    liftAll(...parts).map((x) => expandDims(x, axis)),
    axis,
  );
}
