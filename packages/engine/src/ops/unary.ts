// Operations on each element of one tensor. Kinks: relu, leakyRelu, abs and sign take the derivative 0, `slope`, 0, 0
// at 0; clip passes the gradient inside and at its bounds.
import { inOrder } from "../batch.js";
import { type DType, isFloat } from "../dtype.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { type Aval, apply, lift, numberFor, type Op, type Operand, type Tensor } from "../tensor.js";
import { add, and, div, ge, gt, le, maximum, mul, sub, where } from "./binary.js";

/** An operation on each element: names of operators stand for emissions that are just them. */
interface Unary extends Pick<Op, "bf16" | "onnxFloat32Only" | "rises" | "simplify"> {
  onnx?: string | Op["onnx"];
  xla?: string | Op["xla"];
  value: (x: number) => number;
  gradient?: (g: Tensor, x: Tensor, y: Tensor) => Tensor;
  expand?: (x: Tensor) => Tensor;
  integers?: boolean;
}

function unary(
  name: string,
  { value, gradient, expand, integers, onnx, xla, ...others }: Unary,
): (x: Operand) => Tensor {
  const op: Op = {
    name,
    bf16: "follow",
    elementwise: true,
    infer: ([x]) => {
      if (!isFloat(x.dtype) && !(integers && x.dtype === "int32")) {
        throw new ShapeError(name, `needs a floating-point tensor, got ${showAval(x)}; use cast first`);
      }
      return x;
    },
    gradient: gradient && ((g, node) => [gradient(g, node.inputs[0], node)]),
    expand: expand && (([x]) => expand(x)),
    reference: () => (out, x) => {
      for (let i = 0; i < out.length; i++) out[i] = value(x[i]);
    },
    onnx: typeof onnx === "string" ? (graph, [x]) => graph.op(onnx, [x]) : onnx,
    xla: typeof xla === "string" ? (hlo, [x]) => hlo.emit(xla, [x], x.shape) : xla,
    ...others,
  };
  return (x: Operand): Tensor => apply(op, [lift(x)], {});
}

/** For an operation that is its own inverse. */
export function twiceIsNothing({ op, inputs: [x] }: Tensor): Tensor | undefined {
  return x.op === op ? x.inputs[0] : undefined;
}

/** −x. */
export const neg = unary("neg", {
  simplify: twiceIsNothing,
  value: (x) => -x,
  gradient: (g) => neg(g),
  integers: true,
  onnx: "Neg",
  xla: "stablehlo.negate",
});
/** eˣ. */
export const exp = unary("exp", {
  value: Math.exp,
  gradient: (g, _, y) => mul(g, y),
  onnx: "Exp",
  xla: "stablehlo.exponential",
  bf16: undefined,
});
const logarithm = unary("log", {
  value: Math.log,
  gradient: (g, x) => div(g, x),
  onnx: "Log",
  xla: "stablehlo.log",
  bf16: undefined,
});
/**
 * The natural logarithm. For a sigmoid it is −softplus(−x): σ(x) rounds to 0 at −88 or −103, as the back end has it, and its logarithm,
 * which is x there, would be −∞ and have no slope.
 */
export function log(x: Operand): Tensor {
  const of = lift(x);
  return of.op.name === "sigmoid" ? neg(softplus(neg(of.inputs[0]))) : logarithm(of);
}
/** log(1 + x), exact where x is small. */
export const log1p = unary("log1p", {
  value: Math.log1p,
  gradient: (g, x) => div(g, add(x, 1)),
  xla: "stablehlo.log_plus_one",
  bf16: undefined,
  // log(u)·(x/(u−1)) with u = 1 + x is accurate where log(1 + x) is not.
  onnx: (graph, [x], { dtype }) => {
    const one = graph.scalar(1, dtype);
    const u = graph.op("Add", [x, one]);
    const exact = graph.op("Mul", [graph.op("Log", [u]), graph.op("Div", [x, graph.op("Sub", [u, one])])]);
    const far = graph.op("Equal", [u, graph.scalar(Infinity, dtype)]);
    const near = graph.op("Where", [graph.op("Equal", [u, one]), x, exact]);
    return graph.op("Where", [far, u, near]);
  },
});
/** √x. */
export const sqrt = unary("sqrt", {
  value: Math.sqrt,
  gradient: (g, _, y) => div(mul(g, 0.5), y),
  onnx: "Sqrt",
  xla: "stablehlo.sqrt",
});
/** |x|; its derivative at 0 is 0. */
export const abs = unary("abs", {
  value: Math.abs,
  gradient: (g, x) => mul(g, sign(x)),
  integers: true,
  onnx: "Abs",
  xla: "stablehlo.abs",
});
/** −1, 0 or 1; its derivative is 0. */
export const sign = unary("sign", { value: Math.sign, integers: true, onnx: "Sign", xla: "stablehlo.sign" });
/** The largest whole number up to x; its derivative is 0. */
export const floor = unary("floor", { value: Math.floor, onnx: "Floor", xla: "stablehlo.floor" });
/** The smallest whole number from x; its derivative is 0. */
export const ceil = unary("ceil", { value: Math.ceil, onnx: "Ceil", xla: "stablehlo.ceil" });
/** The nearest whole number, of two equally near the even one; its derivative is 0. */
export const round = unary("round", { value: toEven, onnx: "Round", xla: "stablehlo.round_nearest_even" });
/** sin x, in radians. */
export const sin = unary("sin", {
  value: Math.sin,
  gradient: (g, x) => mul(g, cos(x)),
  onnx: "Sin",
  xla: "stablehlo.sine",
});
/** cos x, in radians. */
export const cos = unary("cos", {
  value: Math.cos,
  gradient: (g, x) => neg(mul(g, sin(x))),
  onnx: "Cos",
  xla: "stablehlo.cosine",
});
/** The error function 2/√π ∫₀ˣ exp(−t²) dt. */
export const erf = unary("erf", {
  value: erfOf,
  gradient: (g, x) => mul(g, mul(exp(neg(mul(x, x))), 2 / Math.sqrt(Math.PI))),
  onnx: "Erf",
  xla: "chlo.erf",
  onnxFloat32Only: true,
});
/** tanh x. */
export const tanh = unary("tanh", {
  rises: () => true,
  value: Math.tanh,
  gradient: (g, _, y) => mul(g, sub(1, mul(y, y))),
  onnx: "Tanh",
  xla: "stablehlo.tanh",
});
/** 1/(1 + e⁻ˣ). */
export const sigmoid = unary("sigmoid", {
  rises: () => true,
  value: (x) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x))),
  gradient: (g, _, y) => mul(g, mul(y, sub(1, y))),
  xla: "stablehlo.logistic",
  // The runtime's own Sigmoid stops falling at −18 and has lost most digits before.
  onnx: (graph, [x], { dtype }) => {
    const e = graph.op("Exp", [graph.op("Neg", [x])]);
    return graph.op("Reciprocal", [graph.op("Add", [e, graph.scalar(1, dtype)])]);
  },
});
/** log(1 + eˣ), without overflow. */
export const softplus = unary("softplus", {
  value: (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
  gradient: (g, x) => mul(g, sigmoid(x)),
  expand: (x) => add(relu(x), log1p(exp(neg(abs(x))))),
  // The runtime's own Softplus is 0 below −17. Here log(1 + e), e = exp(−|x|), is log u with u = 1 + e rounded, plus
  // what the rounding lost: e − (u − 1), which as e ≤ 1 is all of log(1 + e) that log u lacks.
  onnx: (graph, [x], { dtype }) => {
    const one = graph.scalar(1, dtype);
    const e = graph.op("Exp", [graph.op("Neg", [graph.op("Abs", [x])])]);
    const u = graph.op("Add", [e, one]);
    const lost = graph.op("Sub", [e, graph.op("Sub", [u, one])]);
    const tail = graph.op("Add", [graph.op("Log", [u]), lost]);
    return graph.op("Add", [graph.op("Relu", [x]), tail]);
  },
});
/** max(x, 0); its derivative at 0 is 0. */
export const relu = unary("relu", {
  rises: () => true,
  value: (x) => Math.max(x, 0),
  gradient: (g, x) => where(gt(x, 0), g, 0),
  expand: (x) => maximum(x, 0),
  onnx: "Relu",
});
/** The tensor itself, as a node of its own: marks what a gradient is taken with respect to. */
export const alias = unary("alias", {
  simplify: ({ inputs: [x] }) => x,
  value: (x) => x,
  gradient: (g) => g,
  integers: true,
  expand: (x) => x,
});
/** The same values, through which no gradient flows. */
export const stopGradient = unary("stopGradient", {
  simplify: ({ inputs: [x] }) => x,
  value: (x) => x,
  integers: true,
  expand: (x) => x,
});

function toEven(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}

/** erf(x) = 2x/√π · e^(−x²) · Σ (2x²)ⁿ / (1·3·…·(2n+1)): every term positive, so nothing cancels. */
function erfOf(x: number): number {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = 1;
  let sum = 1;
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return Number.isNaN(x) ? x : ((2 * x) / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

const leakyReluOp: Op<{ slope: number }> = {
  name: "leakyRelu",
  rises: ({ slope }) => slope > 0,
  bf16: "follow",
  elementwise: true,
  onnxFloat32Only: true,
  infer: ([x]) => floating("leakyRelu", x),
  gradient: (g, node) => {
    const { slope } = node.attrs as { slope: number };
    return [where(gt(node.inputs[0], 0), g, mul(g, slope))];
  },
  expand: ([x], { slope }) => where(gt(x, 0), x, mul(x, slope)),
  reference:
    ({ attrs: { slope } }) =>
    (out, x) => {
      for (let i = 0; i < out.length; i++) out[i] = x[i] > 0 ? x[i] : slope * x[i];
    },
  onnx: (graph, [x], { attrs }) => graph.op("LeakyRelu", [x], { alpha: { float: attrs.slope } }),
};
/** x above 0, slope·x below (default slope: 0.01). */
export const leakyRelu = (x: Operand, slope = 0.01): Tensor => apply(leakyReluOp, [lift(x)], { slope });

const clipOp: Op<{ low: number; high: number }> = {
  name: "clip",
  bf16: "follow",
  elementwise: true,
  infer: ([x]) => numeric("clip", x),
  gradient: (g, node) => {
    const [x] = node.inputs;
    const { low, high } = node.attrs as { low: number; high: number };
    return [where(and(ge(x, low), le(x, high)), g, 0)];
  },
  reference:
    ({ attrs: { low, high } }) =>
    (out, x) => {
      for (let i = 0; i < out.length; i++) out[i] = Math.min(Math.max(x[i], low), high);
    },
  onnx: (graph, [x], { attrs: { low, high }, dtype }) =>
    graph.op("Clip", [x, graph.scalar(low, dtype), graph.scalar(high, dtype)]),
  xla: (hlo, [x], { attrs: { low, high } }) =>
    hlo.emit("stablehlo.clamp", [hlo.scalar(low, x.type), x, hlo.scalar(high, x.type)], x.shape),
};
/** Values below `low` become `low`, above `high` become `high`; either may be infinite. */
export const clip = (x: Operand, low: number, high: number): Tensor => {
  const tensor = lift(x);
  if (!(low <= high))
    throw new ShapeError("clip", `the bounds ${low} and ${high} leave no number between them`);
  const bound = (v: number): number =>
    tensor.dtype === "int32" ? numberFor("int32", Math.min(Math.max(v, -(2 ** 31)), 2 ** 31 - 1)) : v;
  return apply(clipOp, [tensor], { low: bound(low), high: bound(high) });
};

export const castOp: Op<{ dtype: DType }> = {
  name: "cast",
  batch: inOrder,
  // A bool is 0 or 1 after any cast.
  simplify: ({ op, dtype, inputs: [x] }) =>
    (x.op as object) === op && x.inputs[0].dtype === "bool" ? cast(x.inputs[0], dtype) : undefined,
  infer: ([x], { dtype }) => ({ shape: x.shape, dtype }),
  gradient: (g, node) => [
    isFloat(node.dtype) && isFloat(node.inputs[0].dtype) ? cast(g, node.inputs[0].dtype) : undefined,
  ],
  stacked: ({ attrs }) => attrs,
  // Storing into the typed array rounds to float32; the others need a rule of their own.
  reference:
    ({ dtype }) =>
    (out, x) => {
      if (dtype === "bool") for (let i = 0; i < out.length; i++) out[i] = Number(x[i] !== 0);
      else if (dtype === "int32") for (let i = 0; i < out.length; i++) out[i] = toInt32(x[i]);
      else out.set(x);
    },
  onnx: (graph, [x], { dtype, inputs }) => {
    if (dtype !== "int32" || !isFloat(inputs[0].dtype)) return graph.cast(x, dtype);
    // In float64 both bounds are exact; the runtime's own Cast gives the minimum for all it cannot hold.
    const bounds = [-(2 ** 31), 2 ** 31 - 1].map((v) => graph.scalar(v, "float64"));
    const inside = graph.op("Clip", [graph.cast(x, "float64"), ...bounds]);
    return graph.op("Where", [graph.op("IsNaN", [x]), graph.scalar(0, "int32"), graph.cast(inside, "int32")]);
  },
  xla: (hlo, [x], { dtype }) => hlo.convert(x, dtype),
};
const toInt32 = (x: number): number =>
  Number.isNaN(x) ? 0 : Math.min(Math.max(Math.trunc(x), -(2 ** 31)), 2 ** 31 - 1);
/**
 * The same values as another dtype. In int32 floats lose their fraction, become its bounds beyond them, and 0 if NaN; in
 * bool anything but 0 is true.
 */
export const cast = (x: Operand, dtype: DType): Tensor => {
  const tensor = lift(x);
  return tensor.dtype === dtype ? tensor : apply(castOp, [tensor], { dtype });
};

export function floating(name: string, x: Tensor): Aval {
  if (!isFloat(x.dtype))
    throw new ShapeError(name, `needs a floating-point tensor, got ${showAval(x)}; use cast first`);
  return x;
}

export function numeric(name: string, x: Tensor): Aval {
  if (x.dtype === "bool") throw new ShapeError(name, `needs numbers, got ${showAval(x)}; use cast first`);
  return x;
}
