// Operations that are made of others: no back end knows them, each differentiates and runs what they are made of.
import { asMethods, type Method } from "../methods.js";
import * as methods from "./methods.js";

type Methods = { [K in keyof typeof methods]: Method<(typeof methods)[K]> };

declare module "../tensor.js" {
  interface Tensor extends Methods {}
}
asMethods(methods);

export {
  elu,
  erfc,
  gelu,
  glu,
  hardSigmoid,
  hardSwish,
  hardTanh,
  logSigmoid,
  mish,
  relu6,
  selu,
  silu,
  softSign,
} from "./activations.js";
export {
  copySign,
  floorDivide,
  heaviside,
  hypot,
  isClose,
  logAddExp,
  nanToNum,
  rsqrt,
  xor,
} from "./arithmetic.js";
export { type PadMode, padWith, rot90 } from "./arrangement.js";
export { cholesky, type TriangularOptions, triangularSolve } from "./cholesky.js";
export {
  arange,
  diag,
  eye,
  fullLike,
  linspace,
  logspace,
  meshgrid,
  ones,
  onesLike,
  zeros,
  zerosLike,
} from "./construction.js";
export {
  avgPool1d,
  type Conv1dOptions,
  type Conv3dOptions,
  type ConvTransposeOptions,
  conv1d,
  conv3d,
  convTranspose2d,
  maxPool1d,
  type Pool1dOptions,
} from "./convolutions.js";
export { eigh } from "./eigen.js";
export {
  acos,
  acosh,
  asin,
  asinh,
  atan,
  atan2,
  atanh,
  cbrt,
  cosh,
  exp2,
  expm1,
  log2,
  log10,
  sinh,
  tan,
  xlogy,
} from "./elements.js";
export {
  type AttentionOptions,
  attention,
  type BatchNormOptions,
  batchNorm,
  batchStatistics,
  dropout,
  embedding,
  groupNorm,
  layerNorm,
  type NormalizeOptions,
  rmsNorm,
} from "./layers.js";
export { det, inverse, matrixPower, slogdet, solve } from "./lu.js";
export * from "./methods.js";
export { bincount, histogram, type SearchOptions, searchSorted, uniqueCounts } from "./ordering.js";
export { cross, dot, inner, kron, outer, tensordot, vdot } from "./products.js";
export { gru, lstm, type RecurrentOptions, type RecurrentWeights, rnn } from "./recurrence.js";
export {
  average,
  covariance,
  diff,
  type NormOptions,
  nanMean,
  nanSum,
  peakToPeak,
  type SpreadOptions,
} from "./reductions.js";
export { dynamicSlice, dynamicUpdate, interp, polyval } from "./windows.js";
