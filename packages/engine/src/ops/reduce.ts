// Operations that bring an axis together: sums, extremes, products, running sums.
// max and min share the gradient equally between all that equal the extreme; argmax takes the first.
import { axesGo, exceptAlong } from "../batch.js";
import { allocate, type DType, isFloat } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { NdArray } from "../ndarray.js";
import type { OnnxGraph } from "../onnx/emission/graph.js";
import { elementTypes } from "../onnx/emission/proto.js";
import { sumOf } from "../reference/arithmetic.js";
import { indexTable } from "../reference/indexing.js";
import { axesOf, axisOf, range, sameShape, sizeOf, stridesOf } from "../shape.js";
import { apply, constant, type Kernel, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import { type Axes, type Axis, axisIn, optionsOf } from "./axis.js";
import { div, eq, ge, le, mul, ne, or, sub, where } from "./binary.js";
import { broadcastTo, concat, reshape, squeeze } from "./movement.js";
import { slice } from "./slicing.js";
import { abs, cast, floating, numeric } from "./unary.js";

/** The axes (default: all), and whether they are kept with size 1. */
export interface ReduceOptions {
  axis?: number | readonly number[];
  keepDims?: boolean;
}

interface ReduceAttrs {
  axes: readonly number[];
  keepDims: boolean;
}

const reducedShape = (x: Tensor, { axes, keepDims }: ReduceAttrs): number[] =>
  keepDims ? x.shape.map((d, i) => (axes.includes(i) ? 1 : d)) : x.shape.filter((_, i) => !axes.includes(i));

/** A reduced tensor with its axes back as size 1, so that it broadcasts against what it was reduced from. */
const withAxes = (y: Tensor, x: Tensor, axes: readonly number[]): Tensor =>
  reshape(y, reducedShape(x, { axes, keepDims: true }));

const plus = (a: number, b: number): number => a + b;

/** Accumulates in double precision whatever the dtype. */
function reduceKernel(
  node: Tensor<ReduceAttrs>,
  start: number,
  combine: (a: number, b: number) => number,
): Kernel {
  const [x] = node.inputs;
  const own = stridesOf(reducedShape(x, { axes: node.attrs.axes, keepDims: true }));
  const table = indexTable(
    x.shape,
    own.map((s, i) => (node.attrs.axes.includes(i) ? 0 : s)),
  );
  const total = new Float64Array(node.size);
  if (total.length === 1 && combine === plus)
    return (out, data) => {
      out[0] = sumOf(data, start);
    };
  return (out, data) => {
    total.fill(start);
    for (let i = 0; i < table.length; i++) total[table[i]] = combine(total[table[i]], data[i]);
    out.set(total);
  };
}

/** Where an axis is once others are gone; undefined for one that is. */
const axisAfter = (axis: number, axes: readonly number[], keepDims: boolean): number | undefined => {
  if (axes.includes(axis)) return undefined;
  return keepDims ? axis : axis - axes.filter((a) => a < axis).length;
};

interface Reduction extends Pick<Op<ReduceAttrs>, "simplify"> {
  start: (dtype: DType) => number;
  combine: (a: number, b: number) => number;
  gradient: (g: Tensor, x: Tensor, y: Tensor, axes: readonly number[]) => Tensor;
  onnx: string;
  xla: "add" | "maximum" | "minimum";
}

const reductions = new Set<object>();
/** Sums, maxima and minima over axes. */
export const isReduction = (node: Tensor): node is Tensor<ReduceAttrs> => reductions.has(node.op);

function reduction(
  name: string,
  { start, combine, gradient, onnx, xla, simplify }: Reduction,
): (x: Operand, options?: Axes<ReduceOptions>) => Tensor {
  const op: Op<ReduceAttrs> = {
    name,
    // The larger of two numbers is one of them: nothing is rounded.
    bf16: xla === "add" ? undefined : "follow",
    infer: ([x], attrs) => {
      numeric(name, x);
      const shape = reducedShape(x, attrs);
      if (xla !== "add" && x.size === 0 && sizeOf(shape) > 0)
        throw new ShapeError(name, `nothing to choose from in ${showAval(x)}`);
      return { shape, dtype: x.dtype };
    },
    gradient: (g, node) => {
      const [x] = node.inputs;
      const { axes } = node.attrs as ReduceAttrs;
      return [gradient(withAxes(g, x, axes), x, withAxes(node, x, axes), axes)];
    },
    stacked: ({ attrs: { axes, keepDims } }) => ({ axes: axes.map((a) => a + 1), keepDims }),
    reference: (node) => reduceKernel(node, start(node.dtype), combine),
    simplify,
    batch: axesGo((_, axis, { attrs: { axes, keepDims } }) => axisAfter(axis, axes, keepDims)),
    empty: (_, { shape, dtype }) => broadcastTo(cast(0, dtype), shape),
    onnx: (graph, [x], { attrs: { axes, keepDims }, dtype, inputs: [from] }) => {
      const reduce = (kind: string, v: string): string =>
        graph.op(kind, [v, graph.ints(axes)], { keepdims: keepDims ? 1 : 0 });
      if (xla === "add" && dtype === "float32" && !keepDims && isLongColumn(from, axes)) {
        // The runtime sums along the last axis many times faster, so the sum along it is kept as a column.
        const row = graph.op("Reshape", [x, graph.ints(from.shape.slice(0, -1))]);
        return graph.op(onnx, [row, graph.ints(axes)], { keepdims: 1 });
      }
      if (xla !== "add" && isFloat(dtype)) return withNaN(graph, reduce(onnx, x), reduce, x, dtype);
      // For int32, the runtime's ReduceSum saturates; here sums wrap, as everywhere.
      if (dtype === "int32" && xla === "add")
        return graph.cast(reduce(onnx, graph.op("Cast", [x], { to: elementTypes.int64 })), dtype);
      return reduce(onnx, x);
    },
    xla: (hlo, [x], { attrs: { axes }, shape, dtype }) => hlo.reduce(x, axes, xla, start(dtype), shape),
  };
  reductions.add(op);
  return (x: Operand, options?: Axes<ReduceOptions>): Tensor => {
    const { axis, keepDims = false } = optionsOf<ReduceOptions>(options);
    const tensor = lift(x);
    const axes = axesOf(name, axis, tensor.rank);
    return axes.length === 0 ? tensor : apply(op, [tensor], { axes, keepDims });
  };
}

/** Whether what is reduced is the one axis before a last of size 1, and long; whatever is stacked before it. */
const isLongColumn = ({ shape, rank }: Tensor, axes: readonly number[]): boolean =>
  axes.length === 1 && axes[0] === rank - 2 && shape[rank - 1] === 1 && shape[rank - 2] >= 1000;

/** The runtime's ReduceMax and ReduceMin pass over NaN. Clipped to 0 … 0 every number is 0, NaN stays, and sums carry it. */
const withNaN = (
  graph: OnnxGraph,
  extreme: string,
  reduce: (kind: string, v: string) => string,
  x: string,
  dtype: DType,
): string => {
  const zero = graph.scalar(0, dtype);
  return graph.op("Add", [extreme, reduce("ReduceSum", graph.op("Clip", [x, zero, zero]))]);
};

/**
 * Equally between all that equal the extreme, to within four roundings: XLA may compute a value anew in every loop that reads it,
 * rounded as that loop is compiled, so that an extreme need not be equal to the number it was taken from.
 */
const shared =
  (sign: 1 | -1) =>
  (g: Tensor, x: Tensor, y: Tensor, axes: readonly number[]): Tensor => {
    const near = mul(abs(y), sign * 4 * epsilonOf(x.dtype));
    const reached = sign > 0 ? ge(x, sub(y, near)) : le(x, sub(y, near));
    // The difference of infinities is NaN, and NaN, which is the extreme if there is one, equals nothing.
    const chosen = or(or(eq(x, y), reached), ne(x, x));
    const count = sum(cast(chosen, g.dtype), { axis: axes, keepDims: true });
    return where(chosen, div(g, count), 0);
  };
const epsilonOf = (dtype: DType): number => (dtype === "float64" ? 2 ** -52 : 2 ** -23);
const lowest = (dtype: DType): number => (isFloat(dtype) ? -Infinity : -(2 ** 31));
const highest = (dtype: DType): number => (isFloat(dtype) ? Infinity : 2 ** 31 - 1);

/** The sum along axes; of no elements 0. */
export const sum = reduction("sum", {
  start: () => 0,
  combine: plus,
  gradient: (g, x) => broadcastTo(g, x.shape),
  simplify: ({ op, attrs, inputs: [x] }) => {
    const other = x.op.sumOver?.(x, attrs.axes);
    return other && apply(op, [other], attrs);
  },
  onnx: "ReduceSum",
  xla: "add",
});
/** The largest along axes, NaN where there is one; equal ones share the gradient. */
export const max = reduction("max", {
  start: lowest,
  combine: Math.max,
  gradient: shared(1),
  onnx: "ReduceMax",
  xla: "maximum",
});
/** The smallest along axes, NaN where there is one; equal ones share the gradient. */
export const min = reduction("min", {
  start: highest,
  combine: Math.min,
  gradient: shared(-1),
  onnx: "ReduceMin",
  xla: "minimum",
});

/** The mean along axes, of floating-point numbers. */
export function mean(x: Operand, options?: Axes<ReduceOptions>): Tensor {
  const tensor = lift(x);
  floating("mean", tensor);
  const total = sum(tensor, options);
  const axes = axesOf("mean", optionsOf<ReduceOptions>(options).axis, tensor.rank);
  return div(total, sizeOf(axes.map((a) => tensor.shape[a])));
}

/** The product, by halving the axis again and again: exact gradients of every order, zeros included. */
export function prod(x: Operand, options?: Axes<ReduceOptions>): Tensor {
  const { axis, keepDims = false } = optionsOf<ReduceOptions>(options);
  let tensor = lift(x);
  numeric("prod", tensor);
  const axes = axesOf("prod", axis, tensor.rank);
  for (const a of axes) {
    for (let n = tensor.shape[a]; n !== 1; n = tensor.shape[a]) {
      const part = (from: number, to: number) =>
        slice(
          tensor,
          range(tensor.rank).map((i) => (i === a ? [from, to] : [])),
        );
      if (n === 0) {
        const ones = tensor.shape.map((d, i) => (i === a ? 1 : d));
        tensor = broadcastTo(cast(1, tensor.dtype), ones);
        continue;
      }
      const half = n >> 1;
      const paired = mul(part(0, half), part(half, 2 * half));
      tensor = n % 2 === 0 ? paired : concat([paired, part(n - 1, n)], a);
    }
  }
  return keepDims ? tensor : squeeze(tensor, axes);
}

/** Sums away what broadcasting added, so that a gradient has the shape of its operand. */
export function sumTo(g: Tensor, shape: readonly number[]): Tensor {
  if (sameShape(g.shape, shape)) return g;
  const lead = g.rank - shape.length;
  const axes = range(g.rank).filter((i) => i < lead || (shape[i - lead] === 1 && g.shape[i] !== 1));
  return reshape(sum(g, { axis: axes }), shape);
}

/** The axis they work along, behind that of the stack. */
export const nextAxis = <Attrs extends { axis: number }>({ attrs }: Tensor<Attrs>): Attrs => ({
  ...attrs,
  axis: attrs.axis + 1,
});

const argmaxOp: Op<{ axis: number }> = {
  name: "argmax",
  stacked: nextAxis,
  batch: axesGo((_, at, { attrs: { axis } }) => axisAfter(at, [axis], false)),
  infer: ([x], { axis }) => {
    numeric("argmax", x);
    const shape = x.shape.filter((_, i) => i !== axis);
    if (x.size === 0 && sizeOf(shape) > 0)
      throw new ShapeError("argmax", `nothing to choose from in ${showAval(x)}`);
    return { shape, dtype: "int32" };
  },
  expand: ([x], { axis }) => {
    const place = alongAxis(x, axis, "int32");
    const largest = eq(x, max(x, { axis, keepDims: true }));
    const best = isFloat(x.dtype) ? or(largest, ne(x, x)) : largest;
    return min(where(best, broadcastTo(place, x.shape), x.shape[axis] - 1), { axis });
  },
  onnx: (graph, [x], { inputs, attrs: { axis } }) => {
    const first = (v: string): string => graph.op("ArgMax", [v], { axis, keepdims: 0 });
    if (!isFloat(inputs[0].dtype)) return graph.cast(first(x), "int32");
    // The runtime's ArgMax passes over NaN, or sticks to it, by where it stands.
    const missing = graph.cast(graph.op("IsNaN", [x]), "int32");
    const any = graph.op("ReduceMax", [missing, graph.ints([axis])], { keepdims: 0 });
    return graph.cast(graph.op("Where", [graph.cast(any, "bool"), first(missing), first(x)]), "int32");
  },
};
/** The position of the largest element along an axis; of equal ones the first. NaN counts as the largest. */
export function argmax(x: Operand, along: Axis = -1): Tensor {
  const tensor = lift(x);
  const axis = axisIn(along, -1);
  return apply(argmaxOp, [tensor], { axis: axisOf("argmax", axis, tensor.rank) });
}

/** The largest element along an axis and where it is, without sorting. */
export function top1(x: Operand, along: Axis = -1): { value: Tensor; index: Tensor } {
  const axis = axisIn(along, -1);
  return { value: max(x, { axis }), index: argmax(x, axis) };
}

/** 0, 1, 2, … along one axis, of size 1 along the others. */
function alongAxis(x: Tensor, axis: number, dtype: DType): Tensor {
  const n = x.shape[axis];
  const data = allocate(dtype, n);
  for (let i = 0; i < n; i++) data[i] = i;
  return constant(
    new NdArray(
      data,
      x.shape.map((_, i) => (i === axis ? n : 1)),
      dtype,
    ),
  );
}

/** Which way a running sum or maximum goes. */
export interface Direction {
  /** From the back to the front. */
  reverse?: boolean;
}

/** Axis and direction; default: the last axis, from the front. */
export function running(
  along: Axis<Direction>,
  direction: Direction,
): Required<Direction> & { axis: number } {
  const { axis = -1, reverse = direction.reverse ?? false } = optionsOf<Direction & { axis?: number }>(along);
  return { axis, reverse };
}

interface CumsumAttrs {
  axis: number;
  reverse: boolean;
}
const cumsumOp: Op<CumsumAttrs> = {
  name: "cumsum",
  stacked: nextAxis,
  batch: exceptAlong(({ attrs: { axis } }) => [axis]),
  infer: ([x]) => numeric("cumsum", x),
  gradient: (g, node) => {
    const { axis, reverse } = node.attrs as CumsumAttrs;
    return [cumsum(g, axis, { reverse: !reverse })];
  },
  reference: ({ shape, attrs: { axis, reverse } }) => {
    const step = stridesOf(shape)[axis];
    const n = shape[axis];
    return (out, x) => {
      for (let start = 0; start < out.length; start += n * step) {
        for (let inner = 0; inner < step; inner++) {
          let total = 0;
          for (let k = 0; k < n; k++) {
            const at = start + inner + (reverse ? n - 1 - k : k) * step;
            total += x[at];
            out[at] = total;
          }
        }
      }
    };
  },
  onnx: (graph, [x], { attrs: { axis, reverse } }) =>
    graph.op("CumSum", [x, graph.scalar(axis, "int32")], { reverse: reverse ? 1 : 0 }),
  xla: (hlo, [x], { attrs: { axis, reverse } }) => hlo.cumulativeSum(x, axis, reverse),
};
/** Running sums along an axis, from the front or, with `reverse`, from the back. */
export function cumsum(x: Operand, along: Axis<Direction> = -1, direction: Direction = {}): Tensor {
  const tensor = lift(x);
  const { axis, reverse } = running(along, direction);
  return apply(cumsumOp, [tensor], { axis: axisOf("cumsum", axis, tensor.rank), reverse });
}

/** Rows of 0 with a 1 at each index; the new axis comes last. Indices outside 0 … n−1 give rows of 0. */
export function oneHot(index: Operand, n: number, dtype: DType = "float32"): Tensor {
  const tensor = lift(index, "int32");
  if (tensor.dtype !== "int32")
    throw new ShapeError("oneHot", `needs int32 indices, got ${showAval(tensor)}`);
  const column = reshape(tensor, [...tensor.shape, 1]);
  const classes = constant(new NdArray(Int32Array.from(range(n)), [n]));
  return cast(eq(column, classes), dtype);
}
