// Arithmetic and questions about numbers, element by element, in one operation or a few.
import { isFloat } from "../dtype.js";
import {
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
  rem,
  sub,
  where,
} from "../ops/binary.js";
import { broadcastTo } from "../ops/movement.js";
import { abs, ceil, exp, floor, log1p, neg, sqrt, stopGradient } from "../ops/unary.js";
import { lift, liftAll, type Operand, scalar, type Tensor } from "../tensor.js";

/** x². */
export function square(x: Operand): Tensor {
  const tensor = lift(x);
  return mul(tensor, tensor);
}

/** 1/x. */
export const reciprocal = (x: Operand): Tensor => div(1, x);

/** 1/√x. */
export const rsqrt = (x: Operand): Tensor => div(1, sqrt(x));

/** The whole part, rounded toward 0; its derivative is 0. */
export function trunc(x: Operand): Tensor {
  const tensor = lift(x);
  return where(lt(tensor, 0), ceil(tensor), floor(tensor));
}

/** The remainder of division rounded down, with the sign of b, like Python's %. For integers, a mod 0 is a. */
export function mod(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b);
  const left = rem(x, y);
  const crosses = and(ne(left, 0), ne(lt(left, 0), lt(y, 0)));
  // Not past an infinite divisor only: ∞ + a number is ∞, which is what Python gives.
  return where(crosses, add(left, y), left);
}

/** a/b rounded down. */
export function floorDivide(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b);
  if (isFloat(x.dtype)) return floor(div(x, y));
  const quotient = div(x, y);
  const crosses = and(ne(rem(x, y), 0), ne(lt(x, 0), lt(y, 0)));
  return where(and(crosses, ne(y, 0)), sub(quotient, 1), quotient);
}

const nowhere = (x: Tensor): Tensor => broadcastTo(scalar(0, "bool"), x.shape);

/** Whether it is NaN, element by element. */
function missing(x: Operand): Tensor {
  const tensor = lift(x);
  return isFloat(tensor.dtype) ? ne(tensor, tensor) : nowhere(tensor);
}

/** Whether it is infinite, element by element. */
function infinite(x: Operand): Tensor {
  const tensor = lift(x);
  return isFloat(tensor.dtype) ? eq(abs(tensor), Infinity) : nowhere(tensor);
}

/** Whether it is a number, and finite, element by element. */
function finite(x: Operand): Tensor {
  const tensor = lift(x);
  return isFloat(tensor.dtype) ? lt(abs(tensor), Infinity) : not(nowhere(tensor));
}

/** With 0 in place of NaN and the dtype's largest numbers in place of infinities, unless others are given. */
export function nanToNum(x: Operand, replacement: { nan?: number; most?: number } = {}): Tensor {
  const tensor = lift(x);
  if (!isFloat(tensor.dtype)) return tensor;
  const largest = tensor.dtype === "float64" ? Number.MAX_VALUE : 3.4028234663852886e38;
  const { nan = 0, most = largest } = replacement;
  const known = where(missing(tensor), nan, tensor);
  return where(infinite(known), where(gt(known, 0), most, scalar(-most, tensor.dtype)), known);
}

/** Whether exactly one is true, element by element. */
export const xor = (a: Operand, b: Operand): Tensor => ne(a, b);

/** √(a² + b²), without overflow on the way; at 0 its gradient is 0. */
export function hypot(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b).map(abs);
  const [low, high] = [minimum(x, y), maximum(x, y)];
  const none = eq(high, 0);
  const endless = eq(high, Infinity);
  const scale = where(none, 1, where(endless, 1, high));
  const ratio = div(where(endless, 0, low), scale);
  return where(endless, high, mul(high, sqrt(add(mul(ratio, ratio), 1))));
}

/** log(eᵃ + eᵇ), without overflow. */
export function logAddExp(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b);
  const high = maximum(x, y);
  const apart = neg(abs(sub(x, y)));
  // Equal infinities have no difference.
  return where(eq(x, y), add(x, Math.LN2), add(high, log1p(exp(where(eq(x, y), 0, apart)))));
}

/** Whether |a − b| ≤ absolute + relative·|b|; equal infinities are close, NaN is close to nothing. */
export function isClose(
  a: Operand,
  b: Operand,
  { relative = 1e-5, absolute = 1e-8 }: { relative?: number; absolute?: number } = {},
): Tensor {
  const [x, y] = liftAll(a, b);
  const near = le(abs(sub(x, y)), add(mul(abs(y), relative), absolute));
  return where(and(finite(x), finite(y)), near, eq(x, y));
}

/** 0 below 0, 1 above, `atZero` at 0; its derivative is 0. */
export function heaviside(x: Operand, atZero: Operand = 0.5): Tensor {
  const [tensor, middle] = liftAll(x, atZero);
  const step = where(gt(tensor, 0), 1, scalar(0, tensor.dtype));
  return stopGradient(where(ne(tensor, tensor), tensor, where(eq(tensor, 0), middle, step)));
}

/** |a| with the sign of b; a 0 counts as positive. */
export function copySign(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b);
  return where(ge(y, 0), abs(x), neg(abs(x)));
}

export { finite as isFinite, infinite as isInf, missing as isNaN };
