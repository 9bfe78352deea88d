// Constants that depend on dynamic sizes, as operators that work them out when the model runs: sizes, arrays of one
// number, and rising rows of numbers (0, n, 2n, … as `pick` and `gridSample` need them).
import type { OnnxGraph } from "../emission/graph.js";
import type { TensorProto } from "../emission/proto.js";
import type { Size, Sizes } from "./sizes.js";

const isFixed = ({ factors }: Size): boolean => factors.length === 0;

/** A size as a list of one int64. */
function emitSize(graph: OnnxGraph, { factors, scale, offset }: Size): string {
  if (factors.length === 0) return graph.ints([offset]);
  const sizes = factors.map(({ input, position }) =>
    graph.op("Shape", [input], { start: position, end: position + 1 }),
  );
  const product = sizes.reduce((a, b) => graph.op("Mul", [a, b]));
  const scaled = scale === 1 ? product : graph.op("Mul", [product, graph.ints([scale])]);
  return offset === 0 ? scaled : graph.op("Add", [scaled, graph.ints([offset])]);
}

/** A list of int64, such as a shape. */
export function emitSizes(graph: OnnxGraph, sizes: readonly Size[]): string {
  if (sizes.every(isFixed)) return graph.ints(sizes.map(({ offset }) => offset));
  const parts = sizes.map((size) => emitSize(graph, size));
  return parts.length === 1 ? parts[0] : graph.op("Concat", parts, { axis: 0 });
}

/** `start`, `start + step`, …, `count` numbers in a shape. */
export interface Progression {
  readonly shape: readonly Size[];
  readonly start: Size;
  readonly step: Size;
  readonly count: Size;
}

/** The first number and the step from each to the next, if that is one step; it is 0 where all are equal. */
function progressionOf({ data }: TensorProto): { start: number; step: number } | undefined {
  const [start, second = start] = data as Float32Array;
  const step = Object.is(second, start) ? 0 : second - start;
  const follows = (v: number, i: number): boolean =>
    step === 0 ? Object.is(v, start) : v === start + i * step;
  return data.length > 0 && (data as Float32Array).every(follows) ? { start, step } : undefined;
}

/** How a constant whose contents differ between the runs follows from the sizes; undefined where it does not. */
export function readConstant(found: readonly TensorProto[], sizes: Sizes): Progression | undefined {
  if (found.some(({ dims }) => dims.length !== found[0].dims.length)) return undefined;
  const each = found.map(progressionOf);
  if (!each.every((p) => p !== undefined)) return undefined;
  const shape = found[0].dims.map((_, axis) => sizes.read(found.map(({ dims }) => dims[axis])));
  const start = sizes.read(each.map((p) => p.start));
  const step = sizes.read(each.map((p) => p.step));
  const count = sizes.read(found.map(({ data }) => data.length));
  if (!start || !step || !count || !shape.every((size) => size !== undefined)) return undefined;
  return { shape, start, step, count };
}

/** The operators that make it, of the type of `like`. */
export function emitConstant(graph: OnnxGraph, made: Progression, like: TensorProto): string {
  const { shape, start, step, count } = made;
  const cast = (value: string): string => graph.op("Cast", [value], { to: like.type });
  const number = (size: Size): string => {
    if (!isFixed(size)) return cast(emitSize(graph, size));
    const data = like.data.slice(0, 1) as Float32Array;
    data[0] = size.offset;
    return graph.initializer({ dims: [1], type: like.type, data });
  };
  const target = emitSizes(graph, shape);
  if (isFixed(step) && step.offset === 0) {
    return graph.op(shape.length === 0 ? "Reshape" : "Expand", [number(start), target]);
  }
  const [from, to, by] = [graph.ints([0]), emitSize(graph, count), graph.ints([1])].map((bound) =>
    graph.op("Squeeze", [bound]),
  );
  const steps = graph.op("Mul", [cast(graph.op("Range", [from, to, by])), number(step)]);
  return graph.op("Reshape", [graph.op("Add", [steps, number(start)]), target]);
}
