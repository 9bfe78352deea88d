// Where the rows of a batch lie in a tensor, followed from operation to operation. The output for one row must not depend on other rows,
// so each operation says where the rows of its operands are in its result, or that it mixes them.
import type { Shape } from "./dtype.js";
import { ShapeError } from "./errors.js";
import { topological } from "./graph.js";
import { sameShape, stridesOf } from "./shape.js";
import { Tensor } from "./tensor.js";

/**
 * The distance from a row to the next, in elements: element p belongs to row ⌊p / stride⌋ modulo their number. A reshape
 * keeps it, whatever becomes of the axes. Undefined where a tensor does not depend on the rows.
 */
export type RowStride = number | undefined;

/** An operation that brings rows together, and on which axis of which operand. */
export class Mixed {
  constructor(
    readonly operand: Tensor,
    readonly axis: number | undefined,
  ) {}
}

export interface Rows {
  readonly strides: readonly RowStride[];
  /** How many there are. */
  readonly count: number;
}

/** The rows' stride in the result. */
export type BatchRule<Attrs extends object = object> = (node: Tensor<Attrs>, rows: Rows) => RowStride | Mixed;

/** The axis that holds the rows, and their distance along it; undefined where they lie across axes. */
export function located(
  shape: Shape,
  stride: number,
  count: number,
): { axis: number; inner: number } | undefined {
  const steps = stridesOf(shape);
  const axis = shape.findIndex(
    (size, i) => stride % steps[i] === 0 && (steps[i] * size) % (stride * count) === 0,
  );
  return axis < 0 ? undefined : { axis, inner: stride / steps[axis] };
}

/**
 * A rule from where each axis of each operand goes: `to(operand, axis)` is the axis of the result that its entries keep,
 * undefined where they are brought together.
 */
export const axesGo =
  <Attrs extends object>(
    to: (operand: number, axis: number, node: Tensor<Attrs>) => number | undefined,
  ): BatchRule<Attrs> =>
  (node, { strides, count }) => {
    const steps = stridesOf(node.shape);
    let found: RowStride;
    for (const [i, operand] of node.inputs.entries()) {
      const own = strides[i];
      if (own === undefined) continue;
      const place = located(operand.shape, own, count);
      const axis = place && to(i, place.axis, node);
      const stride = axis === undefined ? undefined : steps[axis] * place!.inner;
      if (stride === undefined || (found !== undefined && found !== stride))
        return new Mixed(operand, place?.axis);
      found = stride;
    }
    return found;
  };

/** Each axis keeps its place from the back, as operands broadcast. */
const broadcast = axesGo((i, axis, { rank, inputs }) => axis + rank - inputs[i].rank);

/** Elements keep their places, or are broadcast. */
export const aligned: BatchRule = (node, rows) => {
  const strides = rows.strides.filter((s) => s !== undefined);
  const plain = node.inputs.every((x, i) => rows.strides[i] === undefined || x.size === node.size);
  if (plain && strides.every((s) => s === strides[0])) return strides[0];
  return broadcast(node, rows);
};

/** Axes keep their places, but along some the operation works. */
export const exceptAlong = <Attrs extends object>(
  axes: (node: Tensor<Attrs>) => readonly number[],
): BatchRule<Attrs> => axesGo((_, axis, node) => (axes(node).includes(axis) ? undefined : axis));

/** As many elements in the same order. */
export const inOrder: BatchRule = (_, { strides }) => strides[0];

/** Without a rule of its own an operation does to rows what it is made of does. */
function throughExpansion({ op, inputs, attrs }: Tensor, { strides, count }: Rows): RowStride | Mixed {
  const result = op.expand!(inputs, attrs);
  const known = new Map<Tensor, RowStride>(inputs.map((x, i) => [x, strides[i]]));
  for (const node of topological([result])) {
    if (known.has(node)) continue;
    const found = follow(node, { strides: node.inputs.map((x) => known.get(x)), count });
    if (found instanceof Mixed) return found;
    known.set(node, found);
  }
  return known.get(result);
}

/** The rows' stride in the result of a node, by its operation's rule. */
export function follow(node: Tensor, rows: Rows): RowStride | Mixed {
  const i = rows.strides.findIndex((s) => s !== undefined);
  if (i < 0) return undefined;
  const rule = node.op.batch ?? (node.op.elementwise ? aligned : undefined);
  if (!rule && node.op.expand) return throughExpansion(node, rows);
  return rule
    ? rule(node, rows)
    : new Mixed(node.inputs[i], located(node.inputs[i].shape, rows.strides[i]!, rows.count)?.axis);
}

/** The first operation on the way to some results that brings rows together, from where the rows of its operands lie. */
export function firstMixed(
  results: readonly Tensor[],
  strides: Map<Tensor, RowStride>,
  count: number,
): { node: Tensor; found: Mixed } | undefined {
  for (const node of topological(results)) {
    if (strides.has(node)) continue;
    const found = follow(node, { strides: node.inputs.map((x) => strides.get(x)), count });
    if (found instanceof Mixed) return { node, found };
    strides.set(node, found);
  }
  return undefined;
}

/** The node on other numbers of rows, with a result of this shape; undefined where these operands do not give it. */
export function resized(node: Tensor, inputs: readonly Tensor[], shape: Shape): Tensor | undefined {
  const attrs = node.op.resized ? node.op.resized(node, shape) : node.attrs;
  if (!attrs) return undefined;
  try {
    const made = node.op.infer(inputs, attrs);
    return sameShape(made.shape, shape) ? new Tensor(node.op, inputs, attrs, made) : undefined;
  } catch (reason) {
    if (reason instanceof ShapeError) return undefined;
    throw reason;
  }
}
