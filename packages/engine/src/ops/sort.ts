// Sorting along an axis. NaN counts as the largest number, on every back end: last in a sort, first among the largest. Equal
// elements, 0 and −0 among them, stay in the order they came in. The order is an operation, and elements are gathered along it,
// so that gradients go back to where each element came from.
import { exceptAlong } from "../batch.js";
import { type Data, isFloat, type Shape } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import type { OnnxGraph } from "../onnx/emission/graph.js";
import { axisOf, range, stridesOf } from "../shape.js";
import { apply, lift, type Op, type Operand, type Tensor } from "../tensor.js";
import type { HloFunction, HloValue } from "../xla/hlo.js";
import { takeAlong } from "./along.js";
import { type Axis, optionsOf } from "./axis.js";
import { numeric } from "./unary.js";

interface SortAttrs {
  readonly axis: number;
  readonly descending: boolean;
  /** How many of the first in order are wanted. */
  readonly count: number;
}

const withCount = (shape: Shape, { axis, count }: SortAttrs): number[] =>
  shape.map((d, i) => (i === axis ? count : d));

/** Below 0 where a comes before b: numbers by size, NaN behind them all. */
const compare = (a: number, b: number): number => {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
};

const argsortOp: Op<SortAttrs> = {
  name: "argsort",
  suitsOnnx: true,
  batch: exceptAlong(({ attrs: { axis } }) => [axis]),
  stacked: ({ attrs }) => ({ ...attrs, axis: attrs.axis + 1 }),
  infer: ([x], attrs) => {
    numeric("argsort", x);
    return { shape: withCount(x.shape, attrs), dtype: "int32" };
  },
  reference: ({ inputs: [x], attrs: { axis, descending, count } }) => {
    const n = x.shape[axis];
    const step = stridesOf(x.shape)[axis];
    const places = new Int32Array(n);
    return (out: Data, data: Data) => {
      let block = 0;
      for (let start = 0; start < data.length; start += n * step, block += count * step) {
        for (let inner = 0; inner < step; inner++) {
          const at = (i: number): number => data[start + inner + i * step];
          for (let i = 0; i < n; i++) places[i] = i;
          places.sort((i, j) => (descending ? compare(at(j), at(i)) : compare(at(i), at(j))) || i - j);
          for (let k = 0; k < count; k++) out[block + inner + k * step] = places[k];
        }
      }
    };
  },
  onnx: (graph, [x], node) => graph.cast(onnxOrder(graph, x, node), "int32"),
  xla: (hlo, [x], { attrs }) => hloOrder(hlo, x, attrs),
};

/**
 * TopK gives equal elements in the order they came in, but is at a loss with NaN. float32 has room for it in float64, beyond
 * infinities brought nearer. In float64 NaN and infinity are made equal first, and sorted apart in a second pass.
 */
function onnxOrder(
  graph: OnnxGraph,
  x: string,
  { inputs: [{ dtype, shape }], attrs }: Tensor<SortAttrs>,
): string {
  const { axis, descending, count } = attrs;
  const order = (keys: string, k: number): string =>
    graph.ops("TopK", [keys, graph.ints([k])], 2, { axis, largest: Number(descending), sorted: 1 })[1];
  if (!isFloat(dtype)) return order(x, count);
  const missing = graph.op("IsNaN", [x]);
  const number = (v: number): string => graph.scalar(v, "float64");
  if (dtype === "float32") {
    const near = graph.op("Clip", [graph.cast(x, "float64"), number(-1e100), number(1e100)]);
    return order(graph.op("Where", [missing, number(1e200), near]), count);
  }
  const first = order(graph.op("Where", [missing, number(Infinity), x]), shape[axis]);
  const behind = graph.op("GatherElements", [graph.cast(missing, "int32"), first], { axis });
  return graph.op("GatherElements", [first, order(behind, count)], { axis });
}

/** A stable sort of the elements with their places; `before` says which of two elements comes first. */
function hloOrder(hlo: HloFunction, x: HloValue, { axis, descending, count }: SortAttrs): HloValue {
  const places = hlo.emit("stablehlo.iota", [], x.shape, {
    attrs: { iota_dimension: `${axis} : i64` },
    type: "i32",
  });
  const operands = [x, places];
  const types = operands.map((v) => `tensor<${v.type}>`);
  const [a, b, i, j] = range(4).map(() => hlo.fresh());
  const lines = before(hlo, descending ? [b, a] : [a, b], x.type);
  const sorted = hlo.region("stablehlo.sort", operands, {
    attrs: { dimension: `${axis} : i64`, is_stable: "true" },
    regions: [`^bb0(${a}: ${types[0]}, ${b}: ${types[0]}, ${i}: ${types[1]}, ${j}: ${types[1]}): ${lines}`],
    results: operands,
  });
  return count === x.shape[axis] ? sorted[1] : hlo.slice(sorted[1], axis, 0, count);
}

/** a < b, or b is NaN and a is not, as the body of a region. */
function before(hlo: HloFunction, [a, b]: readonly string[], type: HloValue["type"]): string {
  const scalar = (name: string): HloValue => ({ name, shape: [], type });
  const { lines, result } = hlo.apart(() => {
    const less = hlo.compare(scalar(a), scalar(b), "LT");
    if (type === "i32") return less;
    const missing = hlo.compare(scalar(b), scalar(b), "NE");
    const isNumber = hlo.compare(scalar(a), scalar(a), "EQ");
    return hlo.emit("stablehlo.or", [less, hlo.emit("stablehlo.and", [missing, isNumber], [])], []);
  });
  return [...lines, `"stablehlo.return"(${result.name}) : (tensor<i1>) -> ()`].join("\n");
}

/** The axis (default: the last), and the order. */
export interface SortOptions {
  axis?: number;
  /** From the largest to the smallest. */
  descending?: boolean;
}

/**
 * The positions of the elements along an axis (default: the last) in the order of their size. NaN counts as the largest;
 * equal elements stay in order.
 */
export function argsort(x: Operand, options: Axis<SortOptions> = {}): Tensor {
  const { axis = -1, descending = false } = optionsOf<SortOptions>(options);
  const tensor = lift(x);
  const at = axisOf("argsort", axis, tensor.rank);
  return apply(argsortOp, [tensor], { axis: at, descending, count: tensor.shape[at] });
}

/** The elements along an axis in the order of their size; see argsort. The gradient goes to where each came from. */
export function sort(x: Operand, options: Axis<SortOptions> = {}): Tensor {
  const tensor = lift(x);
  return takeAlong(tensor, argsort(tensor, options), optionsOf<SortOptions>(options).axis ?? -1);
}

/** The axis (default: the last), and the end. */
export interface TopKOptions {
  axis?: number;
  /** The smallest instead. */
  smallest?: boolean;
}

/** The k largest elements along an axis, the largest first, and where they are; of equal ones the first come first. */
export function topK(
  x: Operand,
  k: number,
  options: Axis<TopKOptions> = {},
): { values: Tensor; indices: Tensor } {
  const { axis = -1, smallest = false } = optionsOf<TopKOptions>(options);
  const tensor = lift(x);
  const at = axisOf("topK", axis, tensor.rank);
  if (!Number.isInteger(k) || k < 0 || k > tensor.shape[at])
    throw new ShapeError("topK", `${k} elements cannot be chosen along axis ${at} of ${showAval(tensor)}`);
  const indices = apply(argsortOp, [tensor], { axis: at, descending: !smallest, count: k });
  return { values: takeAlong(tensor, indices, at), indices };
}
