// Products of vectors and of whole axes, as matmul and einsum.
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { type Axis, axisIn } from "../ops/axis.js";
import { mul, sub } from "../ops/binary.js";
import { matmul } from "../ops/linear.js";
import { reshape, transpose } from "../ops/movement.js";
import { axisOf, range, sizeOf } from "../shape.js";
import { liftAll, type Operand, type Tensor } from "../tensor.js";
import { roll } from "./arrangement.js";

/** NumPy's name for the product of two vectors, or of matrices. */
export const dot = (a: Operand, b: Operand): Tensor => matmul(a, b);

/** The sum of products of all elements. */
export function vdot(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b);
  return matmul(reshape(x, [x.size]), reshape(y, [y.size]));
}

/** Sums of products along the last axes of both. */
export function inner(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b);
  if (x.rank === 0 || y.rank === 0) return mul(x, y);
  return tensordot(x, y, [[x.rank - 1], [y.rank - 1]]);
}

/** Every product of an element of a and one of b. */
export function outer(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b);
  return mul(reshape(x, [x.size, 1]), reshape(y, [1, y.size]));
}

/** Sums of products over the last so many axes of a and the first of b, or over the axes named of each. */
export function tensordot(
  a: Operand,
  b: Operand,
  axes: number | readonly [readonly number[], readonly number[]] = 2,
): Tensor {
  const [x, y] = liftAll(a, b);
  const over = typeof axes === "number" ? [range(axes).map((i) => x.rank - axes + i), range(axes)] : axes;
  const [from, to] = over.map((list, k) => list.map((i) => axisOf("tensordot", i, [x, y][k].rank)));
  if (from.length !== to.length || from.some((i, k) => x.shape[i] !== y.shape[to[k]]))
    throw new ShapeError(
      "tensordot",
      `axes [${from}] of ${showAval(x)} and [${to}] of ${showAval(y)} do not fit`,
    );
  const [rows, columns] = [x, y].map((t, k) => range(t.rank).filter((i) => ![from, to][k].includes(i)));
  const sizes = (t: Tensor, list: readonly number[]): number[] => list.map((i) => t.shape[i]);
  const n = sizeOf(sizes(x, from));
  const left = reshape(transpose(x, [...rows, ...from]), [sizeOf(sizes(x, rows)), n]);
  const right = reshape(transpose(y, [...to, ...columns]), [n, sizeOf(sizes(y, columns))]);
  return reshape(matmul(left, right), [...sizes(x, rows), ...sizes(y, columns)]);
}

/** Kronecker's product of two matrices: each element of a times all of b. */
export function kron(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b);
  if (x.rank !== 2 || y.rank !== 2)
    throw new ShapeError("kron", `needs two matrices, got ${showAval(x)} and ${showAval(y)}`);
  const [[m, n], [p, q]] = [x.shape, y.shape];
  const all = mul(reshape(x, [m, 1, n, 1]), reshape(y, [1, p, 1, q]));
  return reshape(all, [m * p, n * q]);
}

/** The cross product of vectors of three along an axis; default: the last. */
export function cross(a: Operand, b: Operand, along: Axis = -1): Tensor {
  const [x, y] = liftAll(a, b);
  const axis = axisOf("cross", axisIn(along, -1), x.rank);
  if (x.shape[axis] !== 3 || y.shape[y.rank - x.rank + axis] !== 3)
    throw new ShapeError("cross", `needs 3 elements along the axis, got ${showAval(x)} and ${showAval(y)}`);
  const turned = (t: Tensor, by: number): Tensor => roll(t, by, axis - x.rank);
  return sub(mul(turned(x, -1), turned(y, 1)), mul(turned(x, 1), turned(y, -1)));
}
