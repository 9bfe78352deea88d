// Statistics for requirements beyond the mean: quantiles, the mean of the worst, and how well scores rank.
import { isFloat } from "./dtype.js";
import { ShapeError } from "./errors.js";
import { showAval } from "./graph.js";
import { takeAlong } from "./ops/along.js";
import { type Axis, axisIn } from "./ops/axis.js";
import { add, div, gt, mul, ne, sub, where } from "./ops/binary.js";
import { cummax } from "./ops/cummax.js";
import { squeeze } from "./ops/movement.js";
import { cumsum, sum } from "./ops/reduce.js";
import { pad, slice } from "./ops/slicing.js";
import { argsort, sort, topK } from "./ops/sort.js";
import { axisOf, range, sameShape } from "./shape.js";
import { lift, type Operand, type Tensor } from "./tensor.js";

/** Elements `from` to `to` along one axis. */
const part = (x: Tensor, axis: number, from: number, to: number): Tensor =>
  slice(
    x,
    range(x.rank).map((i) => (i === axis ? [from, to] : [])),
  );

function samples(name: string, x: Operand, axis: number): { tensor: Tensor; at: number; n: number } {
  const tensor = lift(x);
  const at = axisOf(name, axis, tensor.rank);
  const n = tensor.shape[at];
  if (!isFloat(tensor.dtype))
    throw new ShapeError(name, `needs a floating-point tensor, got ${showAval(tensor)}; use cast first`);
  if (n === 0) throw new ShapeError(name, `nothing to choose from in ${showAval(tensor)}`);
  return { tensor, at, n };
}

/**
 * The q-quantile along an axis, 0 ≤ q ≤ 1, linear between the two elements around place q·(n − 1) of the sorted ones. NaN
 * where there is one among them.
 */
export function quantile(x: Operand, q: number, along: Axis = -1): Tensor {
  const { tensor, at, n } = samples("quantile", x, axisIn(along, -1));
  if (!(q >= 0 && q <= 1)) throw new ShapeError("quantile", `q lies between 0 and 1, got ${q}`);
  const place = q * (n - 1);
  const low = Math.floor(place);
  const sorted = sort(tensor, { axis: at });
  const one = (i: number): Tensor => part(sorted, at, i, i + 1);
  // Not by a weight of 0, because 0·∞ is NaN.
  const between =
    place === low ? one(low) : add(mul(one(low), low + 1 - place), mul(one(low + 1), place - low));
  const last = one(n - 1);
  return squeeze(where(ne(last, last), last, between), at);
}

/**
 * Conditional value at risk: the mean of the worst, that is largest, share 1 − level of the elements along an axis, and so
 * min over t of t + mean(max(x − t, 0))/(1 − level) (Rockafellar and Uryasev, 2000). Level 0 is the mean; where less than one
 * element is asked for, it is the largest.
 */
export function cvar(x: Operand, level: number, along: Axis = -1): Tensor {
  const { tensor, at, n } = samples("cvar", x, axisIn(along, -1));
  if (!(level >= 0 && level < 1)) throw new ShapeError("cvar", `level lies in [0, 1), got ${level}`);
  const share = Math.max((1 - level) * n, 1);
  const k = Math.min(Math.ceil(share), n);
  const { values } = topK(tensor, k, { axis: at });
  // All but the last count whole.
  const whole = k > 1 ? sum(part(values, at, 0, k - 1), { axis: at }) : undefined;
  const rest = mul(squeeze(part(values, at, k - 1, k), at), Math.min(share - (k - 1), 1));
  return div(whole ? add(whole, rest) : rest, share);
}

/**
 * The share of pairs of a positive and a negative that the scores [..., n] rank rightly, equal scores by half: the area under
 * the ROC curve. Labels are 0 or 1, of the scores' shape. It counts decisions: no gradient flows. NaN where a score is, or a class is
 * absent.
 */
export function auc(scores: Operand, labels: Operand): Tensor {
  const { tensor, at: axis, n } = samples("auc", scores, -1);
  const given = lift(labels, tensor.dtype);
  if (!sameShape(tensor.shape, given.shape) || given.dtype !== tensor.dtype)
    throw new ShapeError("auc", `scores ${showAval(tensor)} need as many labels, got ${showAval(given)}`);
  const order = argsort(tensor);
  const sorted = takeAlong(tensor, order);
  const positive = takeAlong(given, order);
  const negative = sub(1, positive);
  const [before, behind] = [part(sorted, axis, 0, n - 1), part(sorted, axis, 1, n)];
  const first = pad(
    gt(behind, before),
    range(tensor.rank).map((i) => (i === axis ? [1, 0] : [0, 0])),
    1,
  );
  /** For each element, how many of `which` have a smaller score: the number before the first equal one. */
  const below = (which: Tensor): Tensor => cummax(where(first, sub(cumsum(which), which), 0));
  const rightly = sum(mul(positive, below(negative)), { axis });
  const wrongly = sum(mul(negative, below(positive)), { axis });
  const pairs = mul(sum(positive, { axis }), sum(negative, { axis }));
  const area = div(add(div(sub(rightly, wrongly), pairs), 1), 2);
  const last = squeeze(part(sorted, axis, n - 1, n), axis);
  return where(ne(last, last), last, area);
}
