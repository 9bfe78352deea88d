// Steps on the elements of one, two or three tensors.
import type { DType, NdArray, Operand, Tensor } from "@pliant/engine";
import * as p from "@pliant/engine";
import { broadcastShapes } from "../../src/shape.js";
import { type Builder, isReal, type RandomStep } from "./builder.js";
import { apart, fromIntegers, fromZero } from "./decisions.js";

type Unary = (x: Operand) => Tensor;

const smooth = (name: string, f: Unary): RandomStep => ({
  name,
  add(b) {
    b.step(name, [b.real()], ([x]) => f(x));
    return true;
  },
});

/** Operations that need numbers well above 0 are given them: the value itself, or one made of it. */
const positive = (b: Builder): number => {
  const i = b.real();
  if (b.value(i).data.every((v: number) => v > 0.1)) return i;
  if (b.chance(2)) return b.step("sigmoid", [i], ([x]) => x.sigmoid().add(0.125));
  return b.step("mul", [i], ([x]) => x.mul(x).mul(0.125).add(0.25));
};

const ofPositive = (name: string, f: Unary): RandomStep => ({
  name,
  add(b) {
    b.step(name, [positive(b)], ([x]) => f(x));
    return true;
  },
});

/** Operations with a kink or a jump where `distance` is 0. */
const kinked = (
  name: string,
  f: Unary,
  distance: (x: NdArray) => number,
  { exact = true, whole = false } = {},
): RandomStep => ({
  name,
  add(b) {
    const i = whole ? b.number() : b.real();
    if (!b.clear([i], () => distance(b.value(i)))) return false;
    b.step(name, [i], ([x]) => f(x), { exact });
    return true;
  },
});

const arithmetic = (name: "add" | "sub" | "mul"): RandomStep => ({
  name,
  add(b) {
    const i = b.number();
    const { dtype } = b.value(i);
    if (b.chance(5)) {
      b.step(name, [i], ([x]) => x[name](dtype === "int32" ? 3 : 0.75));
    } else {
      const j = b.partner(b.shape(i), dtype);
      b.step(name, b.chance(2) ? [i, j] : [j, i], ([x, y]) => x[name](y));
    }
    return true;
  },
});

const comparing = (name: "maximum" | "minimum" | "eq" | "ne" | "lt" | "le" | "gt" | "ge"): RandomStep => ({
  name,
  add(b) {
    const i = b.number();
    const j = b.partner(b.shape(i), b.value(i).dtype);
    if (!b.clear([i, j], () => apart(b.value(i), b.value(j)))) return false;
    b.step(name, [i, j], ([x, y]) => x[name](y), { exact: true });
    return true;
  },
});

const logic = (name: "and" | "or"): RandomStep => ({
  name,
  add(b) {
    const i = b.truth();
    b.step(name, [i, b.partner(b.shape(i), "bool")], ([x, y]) => x[name](y));
    return true;
  },
});

export const elementSteps: readonly RandomStep[] = [
  smooth("exp", p.exp),
  smooth("sin", p.sin),
  smooth("cos", p.cos),
  smooth("erf", p.erf),
  smooth("tanh", p.tanh),
  smooth("sigmoid", p.sigmoid),
  smooth("softplus", p.softplus),
  // For what a sigmoid rounds to: the logarithm of the sigmoid itself is more exact than steps one by one are.
  ofPositive("log", (x) => p.log(p.mul(x, 1))),
  ofPositive("sqrt", p.sqrt),
  ofPositive("log1p", p.log1p),
  kinked("abs", p.abs, fromZero, { whole: true }),
  kinked("sign", p.sign, fromZero, { whole: true }),
  kinked("relu", p.relu, fromZero),
  kinked("leakyRelu", (x) => p.leakyRelu(x, 0.1), fromZero, { exact: false }),
  kinked("floor", p.floor, fromIntegers),
  kinked("ceil", p.ceil, fromIntegers),
  kinked("round", p.round, (x) => fromIntegers(x, (t) => t.add(0.5))),
  kinked(
    "rem",
    (x) => p.rem(x, 0.75),
    (x) => fromIntegers(x, (t) => t.div(0.75)),
    { exact: false },
  ),
  kinked("clip", (x) => p.clip(x, -1, 2), fromIntegers, { whole: true }),
  kinked("neg", p.neg, () => Infinity, { whole: true }),
  kinked("stopGradient", p.stopGradient, () => Infinity),
  arithmetic("add"),
  arithmetic("sub"),
  arithmetic("mul"),
  comparing("maximum"),
  comparing("minimum"),
  comparing("eq"),
  comparing("ne"),
  comparing("lt"),
  comparing("le"),
  comparing("gt"),
  comparing("ge"),
  logic("and"),
  logic("or"),
  {
    name: "not",
    add(b) {
      b.step("not", [b.truth()], ([x]) => x.not());
      return true;
    },
  },
  {
    name: "div",
    add(b) {
      const i = b.number();
      const { dtype, shape } = b.value(i);
      const divides = (v: NdArray) =>
        v.dtype === dtype &&
        (v.size === 1 || v.shape.join() === shape.join()) &&
        v.data.every((d: number) => Math.abs(d) > 0.3);
      const j =
        b.existing(divides) ?? (dtype === "int32" ? b.newWhole(shape, 1, 5) : b.newReal(shape, 0.5, 3));
      b.step("div", [i, j], ([x, y]) => x.div(y));
      return true;
    },
  },
  {
    name: "pow",
    add(b) {
      const exponent = b.among([2, 3, 0.5, -1.5, undefined]);
      const i = exponent === 2 || exponent === 3 ? b.real() : positive(b);
      if (exponent !== undefined) b.step("pow", [i], ([x]) => x.pow(exponent));
      else b.step("pow", [i, b.partner(b.shape(i), "float64")], ([x, y]) => x.pow(y));
      return true;
    },
  },
  {
    name: "where",
    add(b) {
      const i = b.any();
      const j = b.partner(b.shape(i), b.value(i).dtype);
      const condition = b.partner(broadcastShapes("where", b.shape(i), b.shape(j)), "bool");
      b.step("where", [condition, i, j], ([c, x, y]) => p.where(c, x, y), { exact: true });
      return true;
    },
  },
  {
    name: "cast",
    add(b) {
      const i = b.any();
      const from = b.value(i);
      const to = b.among((["float64", "int32", "bool"] as DType[]).filter((d) => d !== from.dtype));
      if (isReal(from) && !b.clear([i], () => (to === "bool" ? fromZero(from) : fromIntegers(from))))
        return false;
      b.step("cast", [i], ([x], real) => x.cast(to === "float64" ? real : to), { exact: true });
      return true;
    },
  },
];
