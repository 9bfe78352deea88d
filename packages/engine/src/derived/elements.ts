// Functions of each element, made of other operations. Each has its gradient as a formula: differentiating what it is made of
// would lose digits, or give NaN where one of two branches is not defined.
import { add, div, eq, ge, gt, lt, maximum, minimum, mul, ne, or, pow, sub, where } from "../ops/binary.js";
import { abs, cos, exp, floating, log, log1p, neg, sign, sin, sqrt, tanh } from "../ops/unary.js";
import { apply, lift, liftAll, type Op, type Operand, scalar, type Tensor } from "../tensor.js";

type Slope = (g: Tensor, x: Tensor, y: Tensor) => Tensor;

/** An operation on each element that every back end takes from its expansion. */
function pointwise(name: string, expand: (x: Tensor) => Tensor, slope: Slope): (x: Operand) => Tensor {
  const op: Op = {
    name,
    elementwise: true,
    infer: ([x]) => floating(name, x),
    expand: ([x]) => expand(x),
    gradient: (g, node) => [slope(g, node.inputs[0], node)],
  };
  return (x) => apply(op, [lift(x)], {});
}

const square = (x: Tensor): Tensor => mul(x, x);

/** eˣ − 1, exact where x is small: 2t/(1 − t) with t = tanh(x/2). */
export const expm1 = /* @__PURE__ */ pointwise(
  "expm1",
  (x) => {
    const t = tanh(mul(x, 0.5));
    return where(lt(abs(x), 0.5), div(mul(t, 2), sub(1, t)), sub(exp(x), 1));
  },
  (g, _, y) => mul(g, add(y, 1)),
);
/** 2ˣ. */
export const exp2 = /* @__PURE__ */ pointwise(
  "exp2",
  (x) => pow(2, x),
  (g, _, y) => mul(g, mul(y, Math.LN2)),
);
/** The logarithm to base 2. */
export const log2 = /* @__PURE__ */ pointwise(
  "log2",
  (x) => div(log(x), Math.LN2),
  (g, x) => div(g, mul(x, Math.LN2)),
);
/** The logarithm to base 10. */
export const log10 = /* @__PURE__ */ pointwise(
  "log10",
  (x) => div(log(x), Math.LN10),
  (g, x) => div(g, mul(x, Math.LN10)),
);
/** ∛x, of negative numbers too. */
export const cbrt = /* @__PURE__ */ pointwise(
  "cbrt",
  (x) => {
    const root = mul(sign(x), pow(abs(x), 1 / 3));
    // One Newton step, because 1/3 is rounded.
    const better = sub(root, div(sub(mul(root, square(root)), x), mul(3, square(root))));
    return where(lt(abs(sub(better, root)), abs(root)), better, root);
  },
  (g, _, y) => div(g, mul(3, square(y))),
);
/** tan x, in radians. */
export const tan = /* @__PURE__ */ pointwise(
  "tan",
  (x) => div(sin(x), cos(x)),
  (g, _, y) => mul(g, add(square(y), 1)),
);
/** sinh x = (e + e/(e + 1))/2 with e = eˣ − 1. */
export const sinh = /* @__PURE__ */ pointwise(
  "sinh",
  (x) => {
    const e = expm1(abs(x));
    // Where e + 1 is infinite the quotient is 1, which no longer counts.
    const rest = where(lt(e, Infinity), div(e, add(e, 1)), 1);
    return mul(sign(x), mul(add(e, rest), 0.5));
  },
  (g, x) => mul(g, cosh(x)),
);
/** cosh x. */
export const cosh = /* @__PURE__ */ pointwise(
  "cosh",
  (x) => mul(add(exp(x), exp(neg(x))), 0.5),
  (g, x) => mul(g, sinh(x)),
);

/** Cephes' rational approximation of atan(x) = x + x³·P(x²)/Q(x²) on −0.66 … 0.66 (Moshier, 1989). */
const numerator = [
  -0.8750608600031904, -16.157537187333652, -75.00855792314705, -122.88666844901361, -64.85021904942025,
];
const denominator = [
  1, 24.858464901423062, 165.02700983169885, 432.88106049129027, 485.3903996359137, 194.5506571482614,
];
const polynomial = (z: Tensor, [first, ...rest]: readonly number[]): Tensor =>
  rest.reduce((sum, c) => add(mul(sum, z), c), scalar(first, z.dtype));

/** arctan x, in radians. */
export const atan = /* @__PURE__ */ pointwise(
  "atan",
  (x) => {
    const a = abs(x);
    const steep = gt(a, Math.tan((3 * Math.PI) / 8));
    const half = gt(a, 0.66);
    const t = where(steep, div(-1, a), where(half, div(sub(a, 1), add(a, 1)), a));
    const z = square(t);
    const arc = add(t, mul(t, mul(z, div(polynomial(z, numerator), polynomial(z, denominator)))));
    return mul(sign(x), add(arc, where(steep, Math.PI / 2, where(half, Math.PI / 4, scalar(0, x.dtype)))));
  },
  (g, x) => div(g, add(square(x), 1)),
);
/** √(1 − x²), without rounding 1 − x² near ±1. */
const leg = (x: Tensor): Tensor => sqrt(mul(sub(1, x), add(1, x)));
/** arcsin x, in radians. */
export const asin = /* @__PURE__ */ pointwise(
  "asin",
  (x) => atan(div(x, leg(x))),
  (g, x) => div(g, leg(x)),
);
/** arccos x, in radians. */
export const acos = /* @__PURE__ */ pointwise(
  "acos",
  (x) => mul(2, atan(sqrt(div(sub(1, x), add(1, x))))),
  (g, x) => neg(div(g, leg(x))),
);
/** The inverse of sinh: log(1 + |x| + x²/(1 + √(1 + x²))) with the sign of x. */
export const asinh = /* @__PURE__ */ pointwise(
  "asinh",
  (x) => {
    const a = abs(x);
    const far = gt(a, 1e4);
    const near = minimum(a, 1e4);
    const small = log1p(add(near, div(square(near), add(1, sqrt(add(square(near), 1))))));
    return mul(sign(x), where(far, add(log(a), Math.LN2), where(ne(a, a), a, small)));
  },
  (g, x) => div(g, hypotenuse(x)),
);
/** √(1 + x²), of large x too. */
const hypotenuse = (x: Tensor): Tensor => {
  const a = maximum(abs(x), 1);
  const small = div(minimum(abs(x), 1), a);
  return mul(a, sqrt(add(1, square(small))));
};
/** The inverse of cosh, at least 0. */
export const acosh = /* @__PURE__ */ pointwise(
  "acosh",
  (x) => {
    const far = gt(x, 1e4);
    const t = sub(minimum(x, 1e4), 1);
    return where(far, add(log(x), Math.LN2), log1p(add(t, sqrt(mul(t, add(t, 2))))));
  },
  (g, x) => div(g, mul(sqrt(sub(x, 1)), sqrt(add(x, 1)))),
);
/** The inverse of tanh. */
export const atanh = /* @__PURE__ */ pointwise(
  "atanh",
  (x) => mul(0.5, sub(log1p(x), log1p(neg(x)))),
  (g, x) => div(g, mul(sub(1, x), add(1, x))),
);

/** The angle of the point (x, y), in radians, from −π to π. */
export function atan2(y: Operand, x: Operand): Tensor {
  const [up, right] = liftAll(y, x);
  const [a, b] = [abs(up), abs(right)];
  const [low, high] = [minimum(a, b), maximum(a, b)];
  // ∞/∞ is the diagonal, 0/0 is taken as 0.
  const endless = ge(low, Infinity);
  const arc = atan(div(where(endless, 1, low), where(or(endless, eq(high, 0)), 1, high)));
  const steep = where(gt(a, b), sub(Math.PI / 2, arc), arc);
  const turned = where(lt(right, 0), sub(Math.PI, steep), steep);
  return where(lt(up, 0), neg(turned), turned);
}

/** x·log y, which is 0 where x is 0. */
export function xlogy(x: Operand, y: Operand): Tensor {
  const [a, b] = liftAll(x, y);
  const counts = ne(a, 0);
  return where(counts, mul(a, log(where(counts, b, 1))), 0);
}
