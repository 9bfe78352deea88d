// The soft-max family, each shifted by the maximum so that nothing overflows.
import { exceptAlong } from "../batch.js";
import { axesOf, axisOf, sizeOf, stridesOf } from "../shape.js";
import { apply, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import { type Axes, type Axis, axisIn, optionsOf } from "./axis.js";
import { add, div, eq, mul, sub, where } from "./binary.js";
import { broadcastTo, squeeze } from "./movement.js";
import { max, nextAxis, type ReduceOptions, sum } from "./reduce.js";
import { cast, exp, floating, log, stopGradient } from "./unary.js";

const logSoftmaxOp: Op<{ axis: number }> = {
  name: "logSoftmax",
  stacked: nextAxis,
  batch: exceptAlong(({ attrs: { axis } }) => [axis]),
  infer: ([x]) => floating("logSoftmax", x),
  gradient: (g, node) => {
    const { axis } = node.attrs as { axis: number };
    return [sub(g, mul(exp(node), sum(g, { axis, keepDims: true })))];
  },
  expand: ([x], { axis }) => {
    const shifted = sub(x, max(x, { axis, keepDims: true }));
    return sub(shifted, log(sum(exp(shifted), { axis, keepDims: true })));
  },
  // In double precision, rounded once.
  reference: ({ shape, attrs: { axis } }) => {
    const step = stridesOf(shape)[axis];
    const n = shape[axis];
    return (out, x) => {
      for (let start = 0; start < out.length; start += n * step) {
        for (let first = start; first < start + step; first++) {
          let top = -Infinity;
          for (let k = 0; k < n; k++) top = Math.max(top, x[first + k * step]);
          let total = 0;
          for (let k = 0; k < n; k++) total += Math.exp(x[first + k * step] - top);
          for (let k = 0; k < n; k++) out[first + k * step] = x[first + k * step] - top - Math.log(total);
        }
      }
    };
  },
  // The runtime's LogSoftmax of float64 gives numbers in rows with NaN and infinities.
  onnxFloat32Only: true,
  onnx: (graph, [x], { attrs: { axis } }) => graph.op("LogSoftmax", [x], { axis }),
};
/** x − log Σ exp x along an axis (default: the last), without overflow. */
export function logSoftmax(x: Operand, along: Axis = -1): Tensor {
  const axis = axisIn(along, -1);
  const tensor = lift(x);
  return apply(logSoftmaxOp, [tensor], { axis: axisOf("logSoftmax", axis, tensor.rank) });
}

const softmaxOp: Op<{ axis: number }> = {
  name: "softmax",
  stacked: nextAxis,
  batch: exceptAlong(({ attrs: { axis } }) => [axis]),
  infer: ([x]) => floating("softmax", x),
  gradient: (g, node) => {
    const { axis } = node.attrs as { axis: number };
    return [mul(node, sub(g, sum(mul(g, node), { axis, keepDims: true })))];
  },
  expand: ([x], { axis }) => {
    const e = exp(sub(x, max(x, { axis, keepDims: true })));
    return div(e, sum(e, { axis, keepDims: true }));
  },
  onnx: (graph, [x], { attrs: { axis } }) => graph.op("Softmax", [x], { axis }),
};
/** exp x / Σ exp x along an axis (default: the last), without overflow. */
export function softmax(x: Operand, along: Axis = -1): Tensor {
  const axis = axisIn(along, -1);
  const tensor = lift(x);
  return apply(softmaxOp, [tensor], { axis: axisOf("softmax", axis, tensor.rank) });
}

/** log Σ eˣ. */
export function logSumExp(x: Operand, options?: Axes<ReduceOptions>): Tensor {
  const { axis, keepDims = false } = optionsOf<ReduceOptions>(options);
  const tensor = lift(x);
  const axes = axesOf("logSumExp", axis, tensor.rank);
  const kept = tensor.shape.map((d, i) => (axes.includes(i) ? 1 : d));
  if (tensor.size === 0 && sizeOf(kept) > 0) {
    const none = broadcastTo(cast(-Infinity, tensor.dtype), kept);
    return keepDims ? none : squeeze(none, axes);
  }
  const top = max(tensor, { axis: axes, keepDims: true });
  const shift = stopGradient(where(eq(sub(top, top), 0), top, 0));
  const y = add(log(sum(exp(sub(tensor, shift)), { axis: axes, keepDims: true })), shift);
  return keepDims ? y : squeeze(y, axes);
}
