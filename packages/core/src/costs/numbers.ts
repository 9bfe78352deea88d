// Costs on plain numbers: the same functions, evaluated at once in float64. For small exact problems, reports and tests.
import { array, cast, evaluate, type Tensor } from "@pliant/engine";
import type { Cost } from "./cost.js";

type Vector = ArrayLike<number>;

/**
 * A cost h on plain numbers in float64: h(u), ∇h(u), argmin over u ≥ 0 of h(u) − λ·u, h*(λ), prox_{th}(v), and the nearest
 * admissible price.
 */
export interface NumericCost {
  value(u: Vector): number;
  gradient(u: Vector): number[];
  conjugateGradient(lambda: Vector): number[];
  conjugate(lambda: Vector): number;
  prox(v: Vector, t: number | Vector): number[];
  projectDual(lambda: Vector): number[];
}

/** Numbers as a float64 tensor. */
export const float64 = (values: Vector): Tensor => cast(array(Float64Array.from(values)), "float64");

export const numbersOf = (tensor: Tensor): number[] => Array.from(evaluate(tensor).data);

/** `onNumbers(quadratic(2)).gradient([1, 3])` is `[4, 12]`. */
export function onNumbers(cost: Cost): NumericCost {
  return {
    value: (u) => evaluate(cost.value(float64(u))).item(),
    gradient: (u) => numbersOf(cost.gradient(float64(u))),
    conjugateGradient: (lambda) => numbersOf(cost.conjugateGradient(float64(lambda))),
    conjugate: (lambda) => evaluate(cost.conjugate(float64(lambda))).item(),
    prox: (v, t) => numbersOf(cost.prox(float64(v), typeof t === "number" ? t : float64(t))),
    projectDual: (lambda) => numbersOf(cost.projectDual(float64(lambda))),
  };
}
