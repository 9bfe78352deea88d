// h(u) = Σ a u² up to u = δ and a δ (2u − δ) beyond: the first relaxation is cheap, and no price rises above 2aδ.
// ∇h(u) = 2a·min(u, δ).
import { type Tensor, where } from "@pliant/engine";
import { type Cost, known } from "./cost.js";
import { beside, checkWeight, showWeight, type Weight } from "./weight.js";

/**
 * Quadratic up to δ, linear beyond. Admissible prices are 0 ≤ λ ≤ 2aδ; at 2aδ any u ≥ δ is optimal and
 * `conjugateGradient` takes δ. As δ → ∞ it is `quadratic(a)`; as δ → 0 with γ = 2aδ held it is `linear(γ)`.
 */
export function huber(a: Weight, delta: Weight): Cost {
  checkWeight("huber", "a", a);
  checkWeight("huber", "δ", delta, "; without an upper end it is `quadratic(a)`");
  const cap = (like: Tensor) => beside(like, a).mul(beside(like, delta)).mul(2);
  const admissible = (lambda: Tensor, inside: Tensor) =>
    where(lambda.gt(cap(lambda)), beside(lambda, Infinity), inside);
  return known({
    name: `huber(${showWeight(a)}, ${showWeight(delta)})`,
    separable: true,
    // With m = min(u, δ): a m (2u − m)
    value: (u) => {
      const m = u.minimum(beside(u, delta));
      return u.mul(2).sub(m).mul(m).mul(beside(u, a)).sum();
    },
    gradient: (u) => u.minimum(beside(u, delta)).mul(beside(u, a)).mul(2),
    conjugateGradient: (lambda) => admissible(lambda, lambda.relu().div(beside(lambda, a)).div(2)),
    conjugate: (lambda) => admissible(lambda, lambda.relu().pow(2).div(beside(lambda, a)).div(4)).sum(),
    // u + 2at·min(u, δ) = v: the larger of the solutions of the two pieces
    prox: (v, t) => {
      const step = beside(v, t);
      const quadratic = v.div(beside(v, a).mul(step).mul(2).add(1));
      return quadratic.maximum(v.sub(cap(v).mul(step))).relu();
    },
    projectDual: (lambda) => lambda.relu().minimum(cap(lambda)),
  });
}
