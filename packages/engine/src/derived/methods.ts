// Those made of others that read best behind the tensor they are about: functions here, methods of tensors (index.ts).
export { isFinite, isInf, isNaN, mod, reciprocal, square, trunc } from "./arithmetic.js";
export { moveAxis, repeat, roll, split, swapAxes, tile } from "./arrangement.js";
export { diagonal, trace, tril, triu } from "./construction.js";
export {
  all,
  any,
  argmin,
  countNonzero,
  cummin,
  cumprod,
  median,
  norm,
  std,
  variance,
  variance as var,
} from "./reductions.js";
