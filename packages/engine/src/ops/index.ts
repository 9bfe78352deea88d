// Every operation, and the same ones as methods of tensors.
import { Tensor } from "../tensor.js";
import * as binary from "./binary.js";
import { conv2d } from "./conv.js";
import { gridSample } from "./grid.js";
import { gather, pick, scatterAdd } from "./indexing.js";
import { matmul } from "./linear.js";
import { broadcastTo, expandDims, flatten, reshape, squeeze, transpose } from "./movement.js";
import { avgPool, maxPool } from "./pool.js";
import * as reduce from "./reduce.js";
import * as unary from "./unary.js";
import { unfold } from "./unfold.js";
import { flip, pad, slice } from "./window.js";

const { neg, exp, log, log1p, sqrt, abs, sign, floor, ceil, sin, cos, erf, tanh, sigmoid, softplus } = unary;
const { relu, leakyRelu, clip, cast, stopGradient } = unary;
const { add, sub, mul, div, pow, maximum, minimum, eq, ne, lt, le, gt, ge, and, or, not } = binary;
const { sum, max, min, mean, prod, argmax, top1, cumsum, softmax, logSoftmax, logSumExp, oneHot } = reduce;

/** The operations whose first operand is the tensor they are a method of. */
const methods = {
  neg,
  exp,
  log,
  log1p,
  sqrt,
  abs,
  sign,
  floor,
  ceil,
  sin,
  cos,
  erf,
  tanh,
  sigmoid,
  softplus,
  relu,
  leakyRelu,
  clip,
  cast,
  stopGradient,
  add,
  sub,
  mul,
  div,
  pow,
  maximum,
  minimum,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  and,
  or,
  not,
  sum,
  max,
  min,
  mean,
  prod,
  argmax,
  top1,
  cumsum,
  softmax,
  logSoftmax,
  logSumExp,
  oneHot,
  reshape,
  transpose,
  broadcastTo,
  expandDims,
  squeeze,
  flatten,
  slice,
  pad,
  flip,
  matmul,
  conv2d,
  maxPool,
  avgPool,
  unfold,
  gather,
  scatterAdd,
  pick,
  gridSample,
};

// biome-ignore lint/suspicious/noExplicitAny: naming the operand's type here would make the type of Tensor circular
type Method<F> = F extends (x: any, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;
type Methods = { [K in keyof typeof methods]: Method<(typeof methods)[K]> };

declare module "../tensor.js" {
  interface Tensor extends Methods {}
}

for (const [name, operation] of Object.entries(methods)) {
  Object.defineProperty(Tensor.prototype, name, {
    value(this: Tensor, ...rest: never[]) {
      return (operation as (x: Tensor, ...rest: never[]) => unknown)(this, ...rest);
    },
  });
}

export type { ConvOptions } from "./conv.js";
export { uniformFrom } from "./draw.js";
export type { GridOptions } from "./grid.js";
export { einsum } from "./linear.js";
export { concat, stack } from "./movement.js";
export type { PoolOptions } from "./pool.js";
export type { ReduceOptions } from "./reduce.js";
export type { UnfoldOptions } from "./unfold.js";
export const { where } = binary;
export {
  abs,
  add,
  and,
  argmax,
  avgPool,
  broadcastTo,
  cast,
  ceil,
  clip,
  conv2d,
  cos,
  cumsum,
  div,
  eq,
  erf,
  exp,
  expandDims,
  flatten,
  flip,
  floor,
  gather,
  ge,
  gridSample,
  gt,
  le,
  leakyRelu,
  log,
  log1p,
  logSoftmax,
  logSumExp,
  lt,
  matmul,
  max,
  maximum,
  maxPool,
  mean,
  min,
  minimum,
  mul,
  ne,
  neg,
  not,
  oneHot,
  or,
  pad,
  pick,
  pow,
  prod,
  relu,
  reshape,
  scatterAdd,
  sigmoid,
  sign,
  sin,
  slice,
  softmax,
  softplus,
  sqrt,
  squeeze,
  stopGradient,
  sub,
  sum,
  tanh,
  top1,
  transpose,
  unfold,
};
