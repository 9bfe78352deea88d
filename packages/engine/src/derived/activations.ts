// Activations of networks, as PyTorch and JAX define them.
import { type Axis, axisIn } from "../ops/axis.js";
import { add, div, gt, minimum, mul, sub, where } from "../ops/binary.js";
import { abs, clip, erf, neg, relu, sigmoid, softplus, tanh } from "../ops/unary.js";
import { lift, type Operand, type Tensor } from "../tensor.js";
import { split } from "./arrangement.js";
import { expm1 } from "./elements.js";

/** x·σ(x), also called swish. */
export function silu(x: Operand): Tensor {
  const tensor = lift(x);
  return mul(tensor, sigmoid(tensor));
}

/** x·Φ(x) with Φ the normal distribution; `approximate` by tanh, which float64 needs on `onnx`. */
export function gelu(x: Operand, { approximate = false }: { approximate?: boolean } = {}): Tensor {
  const tensor = lift(x);
  const inner = approximate
    ? tanh(mul(add(tensor, mul(mul(tensor, mul(tensor, tensor)), 0.044715)), Math.sqrt(2 / Math.PI)))
    : erf(mul(tensor, Math.SQRT1_2));
  return mul(tensor, mul(add(inner, 1), 0.5));
}

/** x above 0, α(eˣ − 1) below. */
export function elu(x: Operand, alpha = 1): Tensor {
  const tensor = lift(x);
  return where(gt(tensor, 0), tensor, mul(expm1(minimum(tensor, 0)), alpha));
}

/** elu with the scales that keep mean and variance (Klambauer et al., 2017). */
export const selu = (x: Operand): Tensor => mul(elu(x, 1.6732632423543772), 1.0507009873554805);

/** x·tanh(softplus x). */
export function mish(x: Operand): Tensor {
  const tensor = lift(x);
  return mul(tensor, tanh(softplus(tensor)));
}

/** log σ(x). */
export const logSigmoid = (x: Operand): Tensor => neg(softplus(neg(x)));

/** x/(1 + |x|). */
export function softSign(x: Operand): Tensor {
  const tensor = lift(x);
  return div(tensor, add(abs(tensor), 1));
}

/** max(x, 0), at most 6. */
export const relu6 = (x: Operand): Tensor => minimum(relu(x), 6);
/** x between −1 and 1. */
export const hardTanh = (x: Operand): Tensor => clip(x, -1, 1);
/** relu6(x + 3)/6. */
export const hardSigmoid = (x: Operand): Tensor => div(relu6(add(x, 3)), 6);
/** x·hardSigmoid(x). */
export const hardSwish = (x: Operand): Tensor => mul(x, hardSigmoid(x));

/** Half of an axis (default: the last) times the sigmoid of the other half. */
export function glu(x: Operand, along: Axis = -1): Tensor {
  const [values, gates] = split(x, 2, axisIn(along, -1));
  return mul(values, sigmoid(gates));
}

/** 1 − erf x. */
export const erfc = (x: Operand): Tensor => sub(1, erf(x));
