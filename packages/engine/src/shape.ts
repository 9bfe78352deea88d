// Arithmetic of shapes: sizes, strides, axes and broadcasting.
import type { Shape } from "./dtype.js";
import { ShapeError } from "./errors.js";

export const sizeOf = (shape: Shape): number => shape.reduce((n, d) => n * d, 1);
export const showShape = (shape: Shape): string => `[${shape.join(", ")}]`;
export const sameShape = (a: Shape, b: Shape): boolean =>
  a.length === b.length && a.every((d, i) => d === b[i]);
export const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Row-major strides. */
export function stridesOf(shape: Shape): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

/** Strides with which an array of shape `from` is read as if it had shape `to`: 0 along repeated axes. */
export function broadcastStrides(from: Shape, to: Shape): number[] {
  const own = stridesOf(from);
  const lead = to.length - from.length;
  return to.map((_, i) => (i < lead || from[i - lead] === 1 ? 0 : own[i - lead]));
}

/** The shape two operands share under the rule of trailing axes: equal sizes, or one of them 1 or absent. */
export function broadcastShapes(operation: string, a: Shape, b: Shape): Shape {
  if (sameShape(a, b)) return a;
  const rank = Math.max(a.length, b.length);
  const shape = new Array<number>(rank);
  for (let i = 1; i <= rank; i++) {
    const da = a[a.length - i] ?? 1;
    const db = b[b.length - i] ?? 1;
    if (da !== db && da !== 1 && db !== 1) {
      throw new ShapeError(
        operation,
        `shapes ${showShape(a)} and ${showShape(b)} do not fit: sizes ${da} and ${db} on axis -${i} differ and neither is 1`,
      );
    }
    shape[rank - i] = da === 1 ? db : da;
  }
  return shape;
}

export function checkShape(operation: string, shape: Shape): Shape {
  for (const d of shape) {
    if (!Number.isInteger(d) || d < 0) {
      throw new ShapeError(operation, `a shape needs whole numbers of at least 0, got ${showShape(shape)}`);
    }
  }
  return shape;
}

/** An axis counted from the front, from one that may count from the back (-1 is the last). */
export function axisOf(operation: string, axis: number, rank: number): number {
  const front = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(axis) || front < 0 || front >= rank) {
    throw new ShapeError(operation, `axis ${axis} does not exist in a tensor of rank ${rank}`);
  }
  return front;
}

/** Sorted axes; all of them when none is named. */
export function axesOf(
  operation: string,
  axes: number | readonly number[] | undefined,
  rank: number,
): number[] {
  if (axes === undefined) return range(rank);
  const list = (typeof axes === "number" ? [axes] : axes).map((a) => axisOf(operation, a, rank));
  const sorted = [...new Set(list)].sort((a, b) => a - b);
  if (sorted.length !== list.length) throw new ShapeError(operation, `axes [${list}] name one axis twice`);
  return sorted;
}
