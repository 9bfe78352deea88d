// Operations on the elements of two tensors, with broadcasting, and the choice between them. maximum and minimum share
// the gradient equally between equal operands.
import type { DType } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { onnxConvWithBias } from "../onnx/emission/conv.js";
import { onnxAffine, onnxFactors, onnxRowAdded, onnxScaled, onnxUpdate } from "../onnx/emission/fusion.js";
import type { OnnxGraph } from "../onnx/emission/graph.js";
import { convolveWithBias } from "../onnx/layout/blocked.js";
import { differences, type Loops, products, sums } from "../reference/arithmetic.js";
import { indexTable } from "../reference/indexing.js";
import { broadcastShapes, broadcastStrides, sameShape, sizeOf } from "../shape.js";
import {
  apply,
  type Kernel,
  lift,
  liftAll,
  type Op,
  type Operand,
  scalar,
  splatOf,
  type Tensor,
} from "../tensor.js";
import type { HloFunction, HloValue } from "../xla/hlo.js";
import { broadcastTo } from "./movement.js";
import { sumTo } from "./reduce.js";
import { log, neg, twiceIsNothing } from "./unary.js";

/** An operation on pairs of elements: names of operators stand for emissions that are just them. */
interface Binary extends Pick<Op, "simplify" | "onnxBlocked"> {
  onnx?: string | Op["onnx"];
  xla?: string | Op["xla"];
  value: (a: number, b: number) => number;
  integer?: (a: number, b: number) => number;
  /** The value of whole arrays. */
  loops?: Loops;
  gradient?: (g: Tensor, a: Tensor, b: Tensor, y: Tensor) => [Tensor, Tensor];
  accepts: readonly DType[];
  result?: DType;
}

type BinaryFunction = ((a: Operand, b: Operand) => Tensor) & { readonly op: Op };

const numbers: readonly DType[] = ["float32", "float64", "int32"];
const floats: readonly DType[] = ["float32", "float64"];

function binary(
  name: string,
  { value, integer, loops, gradient, accepts, result, onnx, xla, ...others }: Binary,
): BinaryFunction {
  const op: Op = {
    name,
    bf16: "follow",
    elementwise: true,
    broadcasts: true,
    infer: ([a, b]) => {
      sameDType(name, a, b);
      if (!accepts.includes(a.dtype)) {
        throw new ShapeError(name, `does not take ${a.dtype}, only ${accepts.join(", ")}; use cast first`);
      }
      return { shape: broadcastShapes(name, a.shape, b.shape), dtype: result ?? a.dtype };
    },
    gradient:
      gradient &&
      ((g, node) => {
        const [a, b] = node.inputs;
        const [ga, gb] = gradient(g, a, b, node);
        return [sumTo(ga, a.shape), sumTo(gb, b.shape)];
      }),
    reference: (node) =>
      node.inputs[0].dtype === "int32" && integer ? zip(node, integer) : zip(node, value, loops),
    onnx: typeof onnx === "string" ? (graph, inputs) => graph.op(onnx, inputs) : onnx,
    xla:
      typeof xla === "string"
        ? (hlo, [a, b], { shape }) => hlo.emit(xla, [hlo.broadcast(a, shape), hlo.broadcast(b, shape)], shape)
        : xla,
    ...others,
  };
  return Object.assign((a: Operand, b: Operand): Tensor => apply(op, liftAll(a, b), {}), { op });
}

/** The operand that is left when the other changes nothing, unless it would lose a broadcast. */
const unless = (kept: Tensor, node: Tensor): Tensor | undefined =>
  sameShape(kept.shape, node.shape) ? kept : undefined;

/** x + (−0) is x, but −0 + 0 is 0; integers have one 0. */
const addsNothing = (x: Tensor): boolean => Object.is(splatOf(x), x.dtype === "int32" ? 0 : -0);

/** The kernel of a broadcasting operation of two operands; the common layouts need no index table. */
function zip(
  { shape, inputs: [left, right] }: Tensor,
  f: (a: number, b: number) => number,
  loops?: Loops,
): Kernel {
  // An operand with as many elements as the result repeats none.
  const size = sizeOf(shape);
  const plain = (x: Tensor) => x.size === size;
  if (plain(left) && plain(right)) {
    if (loops) return loops.both;
    return (out, a, b) => {
      for (let i = 0; i < out.length; i++) out[i] = f(a[i], b[i]);
    };
  }
  if (plain(left) && right.size === 1) {
    if (loops) return (out, a, [b]) => loops.withNumber(out, a, b);
    return (out, a, [b]) => {
      for (let i = 0; i < out.length; i++) out[i] = f(a[i], b);
    };
  }
  if (left.size === 1 && plain(right))
    return (out, [a], b) => {
      for (let i = 0; i < out.length; i++) out[i] = f(a, b[i]);
    };
  const ia = indexTable(shape, broadcastStrides(left.shape, shape));
  const ib = indexTable(shape, broadcastStrides(right.shape, shape));
  return (out, a, b) => {
    for (let i = 0; i < out.length; i++) out[i] = f(a[ia[i]], b[ib[i]]);
  };
}

/** a + b, element by element; shapes broadcast as NumPy's do. */
export const add = binary("add", {
  value: (a, b) => a + b,
  loops: sums,
  gradient: (g) => [g, g],
  accepts: numbers,
  xla: "stablehlo.add",
  simplify: (node) => {
    const [a, b] = node.inputs;
    if (addsNothing(b)) return unless(a, node);
    return addsNothing(a) ? unless(b, node) : undefined;
  },
  onnx: (graph, inputs, node) =>
    onnxAffine(graph, node) ??
    onnxRowAdded(graph, node) ??
    onnxConvWithBias(graph, node) ??
    graph.op("Add", inputs),
  onnxBlocked: convolveWithBias,
});
/** a − b, element by element. */
export const sub = binary("sub", {
  value: (a, b) => a - b,
  loops: differences,
  gradient: (g) => [g, neg(g)],
  accepts: numbers,
  xla: "stablehlo.subtract",
  simplify: (node) => {
    const [a, b] = node.inputs;
    if (Object.is(splatOf(b), 0)) return unless(a, node);
    return addsNothing(a) && sameShape(b.shape, node.shape) ? neg(b) : undefined;
  },
  onnx: (graph, inputs, node) => onnxUpdate(graph, node) ?? graph.op("Sub", inputs),
});
/** a·b, element by element; `matmul` is the product of matrices. */
export const mul = binary("mul", {
  value: (a, b) => a * b,
  loops: products,
  integer: Math.imul,
  gradient: (g, a, b) => [mul(g, b), mul(g, a)],
  accepts: numbers,
  simplify: (node) => {
    const [a, b] = node.inputs;
    if (splatOf(b) === 1) return unless(a, node);
    if (splatOf(a) === 1) return unless(b, node);
    if (splatOf(b) === -1 && sameShape(a.shape, node.shape)) return neg(a);
    return splatOf(a) === -1 && sameShape(b.shape, node.shape) ? neg(b) : undefined;
  },
  onnx: (graph, inputs, node) => graph.op("Mul", onnxFactors(graph, inputs, node)),
  xla: "stablehlo.multiply",
});
/** Whether a processor may trap on a division by this: 0, and −1, whose quotient of the minimum is no int32. */
const mayTrap = (divisor: Tensor): boolean => {
  const value = splatOf(divisor);
  return divisor.dtype === "int32" && (value === undefined || value === 0 || value === -1);
};

function onnxQuotient(graph: OnnxGraph, [a, b]: readonly string[], node: Tensor): string {
  if (!mayTrap(node.inputs[1])) return graph.op("Div", onnxFactors(graph, [a, b], node));
  const [zero, one, minusOne] = [0, 1, -1].map((v) => graph.scalar(v, "int32"));
  const none = graph.op("Equal", [b, zero]);
  const turns = graph.op("Equal", [b, minusOne]);
  const safe = graph.op("Where", [graph.op("Or", [none, turns]), one, b]);
  const quotient = graph.op("Where", [turns, graph.op("Neg", [a]), graph.op("Div", [a, safe])]);
  return graph.op("Where", [none, zero, quotient]);
}

function hloQuotient(hlo: HloFunction, operands: readonly HloValue[], { shape, inputs }: Tensor): HloValue {
  const [a, b] = operands.map((x) => hlo.broadcast(x, shape));
  const divide = (by: HloValue): HloValue => hlo.emit("stablehlo.divide", [a, by], shape);
  if (!mayTrap(inputs[1])) return divide(b);
  const [zero, one, minusOne] = [0, 1, -1].map((v) => hlo.broadcast(hlo.scalar(v, "i32"), shape));
  const select = (c: HloValue, x: HloValue, y: HloValue): HloValue =>
    hlo.emit("stablehlo.select", [c, x, y], shape, { type: "i32" });
  const none = hlo.compare(b, zero, "EQ");
  const turns = hlo.compare(b, minusOne, "EQ");
  const quotient = divide(select(none, one, select(turns, one, b)));
  return select(none, zero, select(turns, hlo.emit("stablehlo.negate", [a], shape), quotient));
}

/** Division; of integers, rounded toward zero, with x/0 = 0 and, as all of int32 wraps, minimum/−1 = minimum. */
export const div = binary("div", {
  value: (a, b) => a / b,
  integer: (a, b) => (b === 0 ? 0 : Math.trunc(a / b)),
  gradient: (g, _, b, y) => [div(g, b), neg(div(mul(g, y), b))],
  accepts: numbers,
  simplify: (node) => (splatOf(node.inputs[1]) === 1 ? unless(node.inputs[0], node) : undefined),
  onnx: onnxQuotient,
  xla: hloQuotient,
});
const remainder = binary("rem", {
  value: (a, b) => a % b,
  gradient: (g, a, b, y) => [g, neg(mul(g, div(sub(a, y), b)))],
  accepts: floats,
  onnx: (graph, inputs) => graph.op("Mod", inputs, { fmod: 1 }),
  xla: "stablehlo.remainder",
});
/** The remainder of division rounded toward 0, with the sign of a: a − b·trunc(a/b). For integers, a rem 0 is a. */
export function rem(a: Operand, b: Operand): Tensor {
  const [x, y] = liftAll(a, b);
  return x.dtype === "int32" && y.dtype === "int32" ? sub(x, mul(y, div(x, y))) : remainder(x, y);
}
/** IEEE 754's power, which JavaScript's is but for 1 to the power of NaN and ±1 to that of an infinity: those are 1. */
function powerOf(a: number, b: number): number {
  return a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b;
}

/** g·b·a^(b−1), which is 0 where b is 0, whatever a is: there no power of a is taken, as 0·a⁻¹ is NaN at 0. */
function powSlope(g: Tensor, a: Tensor, b: Tensor): Tensor {
  const exponent = splatOf(b);
  if (exponent === 0) return broadcastTo(scalar(0, g.dtype), g.shape);
  if (exponent === 1) return g;
  if (exponent !== undefined) return mul(g, mul(b, pow(a, sub(b, 1))));
  const none = eq(b, 0);
  return mul(g, where(none, 0, mul(b, pow(a, where(none, 1, sub(b, 1))))));
}

/** a to the power b, for floats. The gradient in b is taken as 0 where a ≤ 0. */
export const pow = binary("pow", {
  value: powerOf,
  gradient: (g, a, b) => {
    const base = where(gt(a, 0), a, 1);
    return [powSlope(g, a, b), mul(g, mul(pow(base, b), log(base)))];
  },
  accepts: floats,
  simplify: (node) => {
    const [a, b] = node.inputs;
    if (b.size !== 1 || !sameShape(a.shape, node.shape)) return undefined;
    if (splatOf(b) === 0) return broadcastTo(scalar(1, a.dtype), node.shape);
    if (splatOf(b) === 1) return a;
    return splatOf(b) === 2 ? mul(a, a) : undefined;
  },
  onnx: "Pow",
  xla: "stablehlo.power",
});
const preference = (a: Tensor, b: Tensor): Tensor =>
  where(gt(a, b), 1, where(eq(a, b), 0.5, scalar(0, a.dtype)));
/** The larger of a and b, element by element; NaN where either is. Where they are equal each has half of the gradient. */
export const maximum = binary("maximum", {
  value: Math.max,
  gradient: (g, a, b) => [mul(g, preference(a, b)), mul(g, preference(b, a))],
  accepts: numbers,
  onnx: "Max",
  xla: "stablehlo.maximum",
});
/** The smaller of a and b, element by element; NaN where either is. Where they are equal each has half of the gradient. */
export const minimum = binary("minimum", {
  value: Math.min,
  gradient: (g, a, b) => [mul(g, preference(b, a)), mul(g, preference(a, b))],
  accepts: numbers,
  onnx: "Min",
  xla: "stablehlo.minimum",
});

const comparison = (
  name: string,
  holds: (a: number, b: number) => boolean,
  onnx: string,
  direction: string,
  accepts: readonly DType[] = numbers,
): BinaryFunction =>
  binary(name, {
    value: (a, b) => Number(holds(a, b)),
    accepts,
    result: "bool",
    onnx,
    xla: (hlo, [a, b], { shape }) => hlo.compare(hlo.broadcast(a, shape), hlo.broadcast(b, shape), direction),
  });
const everything: readonly DType[] = [...numbers, "bool"];
/** Whether a = b, element by element, as bool; NaN equals nothing. */
export const eq = comparison("eq", (a, b) => a === b, "Equal", "EQ", everything);
/** Whether a < b, element by element, as bool. */
export const lt = comparison("lt", (a, b) => a < b, "Less", "LT");
/** Whether a ≤ b, element by element, as bool. */
export const le = comparison("le", (a, b) => a <= b, "LessOrEqual", "LE");
/** Whether a > b, element by element, as bool. */
export const gt = comparison("gt", (a, b) => a > b, "Greater", "GT");
/** Whether a ≥ b, element by element, as bool. */
export const ge = comparison("ge", (a, b) => a >= b, "GreaterOrEqual", "GE");
/** Whether both are true, element by element. */
export const and = binary("and", {
  value: (a, b) => a & b,
  accepts: ["bool"],
  onnx: "And",
  xla: "stablehlo.and",
});
/** Whether one of them is true, element by element. */
export const or = binary("or", {
  value: (a, b) => a | b,
  accepts: ["bool"],
  onnx: "Or",
  xla: "stablehlo.or",
});

const notOp: Op = {
  name: "not",
  elementwise: true,
  simplify: twiceIsNothing,
  infer: ([x]) => {
    if (x.dtype !== "bool") throw new ShapeError("not", `needs a bool tensor, got ${showAval(x)}`);
    return x;
  },
  reference: () => (out, x) => {
    for (let i = 0; i < out.length; i++) out[i] = 1 - x[i];
  },
  onnx: (graph, [x]) => graph.op("Not", [x]),
  xla: (hlo, [x]) => hlo.emit("stablehlo.not", [x], x.shape),
};
/** Whether it is false, element by element. */
export const not = (x: Operand): Tensor => apply(notOp, [lift(x)], {});
/** Whether a ≠ b, element by element, as bool. */
export const ne = (a: Operand, b: Operand): Tensor => not(eq(a, b));

const whereOp: Op = {
  name: "where",
  bf16: "follow",
  elementwise: true,
  broadcasts: true,
  infer: ([c, a, b]) => {
    if (c.dtype !== "bool") throw new ShapeError("where", `the condition must be bool, got ${showAval(c)}`);
    sameDType("where", a, b);
    const shape = broadcastShapes("where", c.shape, broadcastShapes("where", a.shape, b.shape));
    return { shape, dtype: a.dtype };
  },
  simplify: (node) => {
    const [c, a, b] = node.inputs;
    const holds = splatOf(c);
    return holds === undefined ? undefined : broadcastTo(holds ? a : b, node.shape);
  },
  gradient: (g, { inputs: [c, a, b] }) => [
    undefined,
    sumTo(where(c, g, 0), a.shape),
    sumTo(where(c, 0, g), b.shape),
  ],
  reference: ({ shape, inputs }) => {
    const [ic, ia, ib] = inputs.map((x) => indexTable(shape, broadcastStrides(x.shape, shape)));
    return (out, c, a, b) => {
      for (let i = 0; i < out.length; i++) out[i] = c[ic[i]] ? a[ia[i]] : b[ib[i]];
    };
  },
  onnx: (graph, [c, a, b], node) => {
    if (node.dtype !== "bool") return onnxScaled(graph, [c, a], node) ?? graph.op("Where", [c, a, b]);
    return graph.op("Or", [graph.op("And", [c, a]), graph.op("And", [graph.op("Not", [c]), b])]);
  },
  xla: (hlo, inputs, { shape }) => {
    const [c, a, b] = inputs.map((x) => hlo.broadcast(x, shape));
    return hlo.emit("stablehlo.select", [c, a, b], shape, { type: a.type });
  },
};
/**
 * `a` where the condition holds, `b` elsewhere. The gradient of the result not taken is exactly 0. Operations before it may still turn
 * this into NaN, as log at 0 does, so give such a branch a safe argument.
 */
export const where = (condition: Operand, a: Operand, b: Operand): Tensor =>
  apply(whereOp, [lift(condition), ...liftAll(a, b)], {});

function sameDType(name: string, a: Tensor, b: Tensor): void {
  if (a.dtype !== b.dtype) {
    throw new ShapeError(name, `${showAval(a)} and ${showAval(b)} do not mix; cast one of them`);
  }
}
