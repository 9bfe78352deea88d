// Reductions made of others: questions about all elements, spreads, norms, running products.
import { isFloat } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { type Axes, type Axis, axisIn, optionsOf } from "../ops/axis.js";
import { div, eq, gt, mul, ne, not, pow, sub, where } from "../ops/binary.js";
import { cummax, earlier } from "../ops/cummax.js";
import { matmul } from "../ops/linear.js";
import { broadcastTo, swapLast } from "../ops/movement.js";
import { argmax, type Direction, max, mean, min, type ReduceOptions, running, sum } from "../ops/reduce.js";
import { slice } from "../ops/slicing.js";
import { abs, cast, neg, numeric, sqrt } from "../ops/unary.js";
import { axesOf, axisOf, sizeOf } from "../shape.js";
import { quantile } from "../statistics.js";
import { lift, liftAll, type Operand, type Tensor } from "../tensor.js";

/** In the opposite order: −x, and of integers −1 − x, which never overflows. */
const opposite = (x: Tensor): Tensor => (isFloat(x.dtype) ? neg(x) : sub(-1, x));

/** The position of the smallest element along an axis; of equal ones the first. NaN counts as the smallest, as in `min`. */
export function argmin(x: Operand, along: Axis = -1): Tensor {
  const tensor = lift(x);
  numeric("argmin", tensor);
  return argmax(opposite(tensor), along);
}

/** Running minima along an axis; see cummax. */
export function cummin(x: Operand, along: Axis<Direction> = -1, direction: Direction = {}): Tensor {
  const tensor = lift(x);
  numeric("cummin", tensor);
  return opposite(cummax(opposite(tensor), along, direction));
}

/** Running products along an axis, over 2, 4, 8, … elements: gradients are exact, zeros included. */
export function cumprod(x: Operand, along: Axis<Direction> = -1, direction: Direction = {}): Tensor {
  const tensor = lift(x);
  numeric("cumprod", tensor);
  const { axis, reverse } = running(along, direction);
  const at = axisOf("cumprod", axis, tensor.rank);
  let y = tensor;
  for (let by = 1; by < tensor.shape[at]; by *= 2) y = mul(y, earlier(y, { axis: at, reverse }, by, 1));
  return y;
}

/** How many are true, or not 0, along axes. */
export const countNonzero = (x: Operand, options?: Axes<ReduceOptions>): Tensor =>
  sum(cast(cast(x, "bool"), "int32"), options);

/** Whether one is true, or not 0, along axes; of none, false. */
export const any = (x: Operand, options?: Axes<ReduceOptions>): Tensor => gt(countNonzero(x, options), 0);

/** Whether all are true, or not 0, along axes; of none, true. */
export const all = (x: Operand, options?: Axes<ReduceOptions>): Tensor =>
  eq(countNonzero(not(cast(x, "bool")), options), 0);

/** Over axes, and by how much fewer than there are elements the sum of squares is divided. */
export interface SpreadOptions extends ReduceOptions {
  /** Default: 0; 1 for a sample's unbiased variance. */
  correction?: number;
}

/** The mean of squared distances from the mean, along axes. */
export function variance(x: Operand, options?: Axes<SpreadOptions>): Tensor {
  const tensor = lift(x);
  const { axis, keepDims = false, correction = 0 } = optionsOf<SpreadOptions>(options);
  const axes = axesOf("var", axis, tensor.rank);
  const away = sub(tensor, mean(tensor, { axis: axes, keepDims: true }));
  const n = sizeOf(axes.map((a) => tensor.shape[a]));
  return div(sum(mul(away, away), { axis: axes, keepDims }), n - correction);
}

/** √x, with the gradient 0 at 0, where it has none. */
export function safeSqrt(x: Tensor): Tensor {
  const none = eq(x, 0);
  return where(none, 0, sqrt(where(none, 1, x)));
}

/** The standard deviation along axes; where all are equal its gradient is 0. */
export const std = (x: Operand, options?: Axes<SpreadOptions>): Tensor => safeSqrt(variance(x, options));

/** The axes, and the order: 2 (default), 1, Infinity, −Infinity, 0 (the number of nonzero elements) or another. */
export interface NormOptions extends ReduceOptions {
  order?: number;
}

/** (Σ|x|ᵖ)^(1/p) along axes; the gradient of order 2 at 0 is 0. */
export function norm(x: Operand, options?: Axes<NormOptions>): Tensor {
  const tensor = lift(x);
  const { order = 2, ...over } = optionsOf<NormOptions>(options);
  if (order === 2) return safeSqrt(sum(mul(tensor, tensor), over));
  const size = abs(tensor);
  if (order === Infinity) return max(size, over);
  if (order === -Infinity) return min(size, over);
  if (order === 1) return sum(size, over);
  if (order === 0) return cast(countNonzero(tensor, over), tensor.dtype);
  return pow(sum(pow(size, order), over), 1 / order);
}

/** Means in which elements count by weights of the same shape. */
export function average(x: Operand, weights: Operand, options?: Axes<ReduceOptions>): Tensor {
  const [tensor, w] = liftAll(x, weights);
  return div(sum(mul(tensor, w), options), sum(broadcastTo(w, tensor.shape), options));
}

/** The middle one along an axis, or the mean of the two in the middle. */
export const median = (x: Operand, along: Axis = -1): Tensor => quantile(x, 0.5, along);

/** The largest minus the smallest along axes. */
export const peakToPeak = (x: Operand, options?: Axes<ReduceOptions>): Tensor =>
  sub(max(x, options), min(x, options));

const known = (x: Tensor): Tensor => where(ne(x, x), 0, x);

/** The sum along axes of what is not NaN. */
export const nanSum = (x: Operand, options?: Axes<ReduceOptions>): Tensor => sum(known(lift(x)), options);

/** The mean along axes of what is not NaN; NaN of nothing. */
export function nanMean(x: Operand, options?: Axes<ReduceOptions>): Tensor {
  const tensor = lift(x);
  const count = sum(cast(eq(tensor, tensor), tensor.dtype), options);
  return div(sum(known(tensor), options), count);
}

/** Covariances of the columns of observations [n, k], divided by n − 1: a matrix [k, k]. */
export function covariance(x: Operand): Tensor {
  const tensor = lift(x);
  if (tensor.rank !== 2)
    throw new ShapeError("covariance", `needs observations [n, k], got ${showAval(tensor)}`);
  const away = sub(tensor, mean(tensor, { axis: 0, keepDims: true }));
  return div(matmul(swapLast(away), away), tensor.shape[0] - 1);
}

/** Differences of neighbours along an axis, so many times. */
export function diff(x: Operand, times = 1, along: Axis = -1): Tensor {
  const tensor = lift(x);
  const axis = axisOf("diff", axisIn(along, -1), tensor.rank);
  if (!Number.isInteger(times) || times < 0 || times > tensor.shape[axis])
    throw new ShapeError(
      "diff",
      `${times} differences of ${showAval(tensor)} cannot be taken along axis ${axis}`,
    );
  let y = tensor;
  for (let k = 0; k < times; k++) {
    const n = y.shape[axis];
    const cut = (from: number, to: number): Tensor =>
      slice(
        y,
        y.shape.map((_, i) => (i === axis ? [from, to] : [])),
      );
    y = sub(cut(1, n), cut(0, n - 1));
  }
  return y;
}
