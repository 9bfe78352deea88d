// Layers of networks that have no operation of their own: normalisation, embedding, attention, dropout.
import { isFloat } from "../dtype.js";
import { EngineError, ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { add, div, ge, mul, sub, where } from "../ops/binary.js";
import { uniformFrom } from "../ops/draw.js";
import { gather } from "../ops/indexing.js";
import { matmul } from "../ops/linear.js";
import { reshape, swapLast } from "../ops/movement.js";
import { mean } from "../ops/reduce.js";
import { softmax } from "../ops/softmax.js";
import { cast, floating, sqrt } from "../ops/unary.js";
import { range } from "../shape.js";
import { lift, liftAll, type Operand, scalar, type Tensor } from "../tensor.js";
import { ones, tril } from "./construction.js";

/** What follows a normalisation: a factor and a summand of the shape that is normalised over. */
export interface NormalizeOptions {
  scale?: Operand;
  shift?: Operand;
  /** Added to the variance; default: 1e-5. */
  epsilon?: number;
}

/** Mean 0 and variance 1 over axes, then scale and shift as they broadcast. */
function normalized(x: Tensor, axis: readonly number[], epsilon: number): Tensor {
  floating("normalisation", x);
  const away = sub(x, mean(x, { axis, keepDims: true }));
  const variance = mean(mul(away, away), { axis, keepDims: true });
  return div(away, sqrt(add(variance, epsilon)));
}

function scaled(x: Tensor, { scale, shift }: NormalizeOptions, shape?: readonly number[]): Tensor {
  const as = (v: Operand): Tensor => {
    const tensor = lift(v, x.dtype);
    return shape && tensor.rank > 0 ? reshape(tensor, shape) : tensor;
  };
  const larger = scale === undefined ? x : mul(x, as(scale));
  return shift === undefined ? larger : add(larger, as(shift));
}

/** Each row, or the last `axes` axes together, with mean 0 and variance 1. */
export function layerNorm(
  x: Operand,
  { axes = 1, epsilon = 1e-5, ...rest }: NormalizeOptions & { axes?: number } = {},
): Tensor {
  const tensor = lift(x);
  if (axes > tensor.rank) throw new ShapeError("layerNorm", `${showAval(tensor)} has no ${axes} axes`);
  const over = range(axes).map((i) => tensor.rank - axes + i);
  return scaled(normalized(tensor, over, epsilon), rest);
}

/** Each row divided by the root of its mean square. */
export function rmsNorm(x: Operand, { epsilon = 1e-5, ...rest }: NormalizeOptions = {}): Tensor {
  const tensor = lift(x);
  const power = mean(mul(tensor, tensor), { axis: -1, keepDims: true });
  return scaled(div(tensor, sqrt(add(power, epsilon))), rest);
}

/** Per channel of [N, C, …]: each channel's shape, to broadcast against the whole. */
const perChannel = (x: Tensor): number[] => x.shape.map((d, i) => (i === 1 ? d : 1));

/** The channels of [N, C, …] in so many groups, each sample's group with mean 0 and variance 1. */
export function groupNorm(
  x: Operand,
  groups: number,
  { epsilon = 1e-5, ...rest }: NormalizeOptions = {},
): Tensor {
  const tensor = lift(x);
  const [n, c, ...size] = tensor.shape;
  if (tensor.rank < 2 || !Number.isInteger(groups) || groups < 1 || c % groups !== 0)
    throw new ShapeError("groupNorm", `the channels of ${showAval(tensor)} have no ${groups} equal groups`);
  const grouped = reshape(tensor, [n, groups, c / groups, ...size]);
  const over = range(grouped.rank).slice(2);
  return scaled(reshape(normalized(grouped, over, epsilon), tensor.shape), rest, perChannel(tensor));
}

/** The running mean and variance of each channel, in place of those of the batch. */
export interface BatchNormOptions extends NormalizeOptions {
  mean?: Operand;
  variance?: Operand;
}

/**
 * Each channel of [N, C, …], or column of [N, C], with mean 0 and variance 1 over the batch, or by the mean and variance given
 * when a model is used. `batchStatistics` are those of a batch, to be averaged while training.
 */
export function batchNorm(x: Operand, options: BatchNormOptions = {}): Tensor {
  const tensor = lift(x);
  const { epsilon = 1e-5, mean: centre, variance } = options;
  if (tensor.rank < 2) throw new ShapeError("batchNorm", `needs [N, C, …], got ${showAval(tensor)}`);
  if ((centre === undefined) !== (variance === undefined))
    throw new EngineError("batchNorm: mean and variance are given together, or neither.");
  const over = range(tensor.rank).filter((i) => i !== 1);
  const shape = perChannel(tensor);
  if (centre === undefined || variance === undefined)
    return scaled(normalized(tensor, over, epsilon), options, shape);
  const as = (v: Operand): Tensor => reshape(lift(v, tensor.dtype), shape);
  const unit = div(sub(tensor, as(centre)), sqrt(add(as(variance), epsilon)));
  return scaled(unit, options, shape);
}

/** Mean and variance of each channel over a batch [N, C, …]. */
export function batchStatistics(x: Operand): { mean: Tensor; variance: Tensor } {
  const tensor = lift(x);
  const axis = range(tensor.rank).filter((i) => i !== 1);
  const centre = mean(tensor, { axis, keepDims: true });
  const away = sub(tensor, centre);
  return { mean: reshape(centre, [tensor.shape[1]]), variance: mean(mul(away, away), { axis }) };
}

/** The rows of a table [words, d] at indices of any shape. */
export const embedding = (table: Operand, index: Operand): Tensor => gather(table, index);

/** Who may attend to whom. */
export interface AttentionOptions {
  /** Only to the same and earlier places. */
  causal?: boolean;
  /** True where a query [..., n, 1 or m] may attend to a key. */
  mask?: Operand;
  /** Default: 1/√d. */
  scale?: number;
}

/** softmax(Q·Kᵀ·scale)·V of queries [..., n, d], keys [..., m, d] and values [..., m, e]. */
export function attention(
  queries: Operand,
  keys: Operand,
  values: Operand,
  { causal = false, mask, scale }: AttentionOptions = {},
): Tensor {
  const [q, k, v] = liftAll(queries, keys, values);
  if (q.rank < 2 || k.rank < 2 || !isFloat(q.dtype))
    throw new ShapeError(
      "attention",
      `needs queries [..., n, d] and keys [..., m, d], got ${showAval(q)} and ${showAval(k)}`,
    );
  const scores = mul(matmul(q, swapLast(k)), scale ?? 1 / Math.sqrt(q.shape[q.rank - 1]));
  const never = scalar(-Infinity, q.dtype);
  const allowed = mask === undefined ? scores : where(mask, scores, never);
  return matmul(softmax(causal ? where(before(scores), allowed, never) : allowed), v);
}

/** True on and below the diagonal of the last two axes. */
function before(x: Tensor): Tensor {
  const [n, m] = x.shape.slice(-2);
  return cast(tril(ones([n, m], "int32")), "bool");
}

/**
 * With probability `rate` 0, else x/(1 − rate), so that means stay. The key is two int32 (`random.packed([key])` has one such
 * row), an argument of the compiled step, so that each step draws anew.
 */
export function dropout(x: Operand, rate: number, key: Operand): Tensor {
  const tensor = lift(x);
  floating("dropout", tensor);
  if (!(rate >= 0 && rate < 1)) throw new EngineError(`dropout: rate lies in [0, 1), got ${rate}.`);
  const bits = lift(key, "int32");
  if (bits.size !== 2)
    throw new ShapeError(
      "dropout",
      `needs one key of two int32, as random.packed makes them, got ${showAval(bits)}`,
    );
  const kept = ge(uniformFrom(reshape(bits, [2]), tensor.shape), rate);
  return where(kept, mul(tensor, 1 / (1 - rate)), 0);
}
