// Parts of a tensor whose place is itself data, and functions given by points.
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { add, and, div, ge, le, lt, mul, sub, where } from "../ops/binary.js";
import { gather } from "../ops/indexing.js";
import { broadcastTo, reshape } from "../ops/movement.js";
import { slice } from "../ops/slicing.js";
import { clip } from "../ops/unary.js";
import { lift, liftAll, type Operand, scalar, type Tensor } from "../tensor.js";
import { places } from "./matrices.js";
import { searchSorted } from "./ordering.js";

/** The start along one axis, moved so that a part of so many fits. */
function startOf(name: string, starts: Tensor, axis: number, n: number, size: number): Tensor {
  if (size > n || size < 0)
    throw new ShapeError(name, `${size} elements do not fit along axis ${axis}, which has ${n}`);
  return clip(reshape(slice(starts, [[axis, axis + 1]]), []), 0, n - size);
}

function startsOf(name: string, x: Tensor, starts: Operand): Tensor {
  const given = lift(starts, "int32");
  if (given.dtype !== "int32" || given.rank !== 1 || given.size !== x.rank)
    throw new ShapeError(name, `${showAval(x)} needs int32[${x.rank}] for a start, got ${showAval(given)}`);
  return given;
}

/** A part of the given sizes that begins where an int32 vector says; moved inside where it would leave the tensor. */
export function dynamicSlice(x: Operand, starts: Operand, sizes: readonly number[]): Tensor {
  const tensor = lift(x);
  const from = startsOf("dynamicSlice", tensor, starts);
  if (sizes.length !== tensor.rank)
    throw new ShapeError("dynamicSlice", `${showAval(tensor)} needs ${tensor.rank} sizes, got [${sizes}]`);
  return sizes.reduce((y, size, axis) => {
    const start = startOf("dynamicSlice", from, axis, tensor.shape[axis], size);
    return gather(y, add(places(size), start), axis);
  }, tensor);
}

/** The tensor with a part written over it, which begins where an int32 vector says; moved inside as in dynamicSlice. */
export function dynamicUpdate(x: Operand, part: Operand, starts: Operand): Tensor {
  const [tensor, written] = liftAll(x, part);
  const from = startsOf("dynamicUpdate", tensor, starts);
  if (written.rank !== tensor.rank || written.dtype !== tensor.dtype)
    throw new ShapeError("dynamicUpdate", `${showAval(written)} is no part of ${showAval(tensor)}`);
  if (written.size === 0) return tensor;
  let inside = scalar(1, "bool");
  let spread = written;
  for (const [axis, n] of tensor.shape.entries()) {
    const size = written.shape[axis];
    const place = sub(places(n), startOf("dynamicUpdate", from, axis, n, size));
    const along = tensor.shape.map((_, i) => (i === axis ? n : 1));
    inside = and(inside, reshape(and(ge(place, 0), lt(place, size)), along));
    spread = gather(spread, place, axis);
  }
  return where(inside, spread, tensor);
}

/** The piecewise linear function through points (xp, fp), xp rising; beyond them as at the ends. */
export function interp(x: Operand, xp: Operand, fp: Operand): Tensor {
  const [at, points, values] = liftAll(x, xp, fp);
  const n = points.size;
  if (points.rank !== 1 || values.rank !== 1 || n !== values.size || n < 2)
    throw new ShapeError(
      "interp",
      `needs two vectors of one length, at least 2, got ${showAval(points)} and ${showAval(values)}`,
    );
  const right = clip(searchSorted(points, at, { side: "right" }), 1, n - 1);
  const [x0, x1] = [gather(points, sub(right, 1)), gather(points, right)];
  const [y0, y1] = [gather(values, sub(right, 1)), gather(values, right)];
  const none = le(x1, x0);
  const share = div(sub(at, x0), where(none, 1, sub(x1, x0)));
  const between = add(y0, mul(where(none, 0, share), sub(y1, y0)));
  const [first, last] = [gather(values, 0), gather(values, n - 1)];
  return where(lt(at, gather(points, 0)), first, where(ge(at, gather(points, n - 1)), last, between));
}

/** A polynomial with these coefficients, the highest power first, at each element. */
export function polyval(coefficients: Operand, x: Operand): Tensor {
  const [c, at] = liftAll(coefficients, x);
  if (c.rank !== 1) throw new ShapeError("polyval", `needs a vector of coefficients, got ${showAval(c)}`);
  let y = broadcastTo(scalar(0, at.dtype), at.shape);
  for (let i = 0; i < c.size; i++) y = add(mul(y, at), reshape(slice(c, [[i, i + 1]]), []));
  return y;
}
