// The operations whose first operand is a tensor: functions here, and methods of tensors under the same names (index.ts).
export { takeAlong } from "./along.js";
export {
  add,
  and,
  div,
  eq,
  ge,
  gt,
  le,
  lt,
  maximum,
  minimum,
  mul,
  ne,
  not,
  or,
  pow,
  rem,
  sub,
} from "./binary.js";
export { conv2d } from "./conv.js";
export { cummax } from "./cummax.js";
export { gridSample } from "./grid.js";
export { gather, pick, scatterAdd } from "./indexing.js";
export { matmul } from "./linear.js";
export { broadcastTo, expandDims, flatten, reshape, squeeze, transpose } from "./movement.js";
export { avgPool, maxPool } from "./pool.js";
export {
  argmax,
  cumsum,
  max,
  mean,
  min,
  oneHot,
  prod,
  sum,
  top1,
} from "./reduce.js";
export { flip, pad, slice } from "./slicing.js";
export { logSoftmax, logSumExp, softmax } from "./softmax.js";
export { argsort, sort, topK } from "./sort.js";
export {
  abs,
  cast,
  ceil,
  clip,
  cos,
  erf,
  exp,
  floor,
  leakyRelu,
  log,
  log1p,
  neg,
  relu,
  round,
  sigmoid,
  sign,
  sin,
  softplus,
  sqrt,
  stopGradient,
  tanh,
} from "./unary.js";
export { unfold } from "./unfold.js";
