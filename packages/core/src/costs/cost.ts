// What a relaxation cost h is. The resilient equilibrium is ∇h(u*) = λ*: what one more unit of relaxation costs is the
// price of the requirement. Each function is written once, over traced tensors: it runs inside a compiled step on any back
// end, in float32 or float64, and on plain numbers through `onNumbers`.
import type { Tensor } from "@pliant/engine";

/** A step size: one for all requirements, or one for each. */
export type StepSize = number | Tensor;

/**
 * A convex, componentwise non-decreasing function of relaxations u ≥ 0 with h(0) = 0, and what a solver needs to know of
 * it. Vectors have the requirements of a group along their last axis; axes before it hold independent problems.
 *
 * Prices are admissible where h* is finite. A linear cost, for one, admits none above γ: with a higher price, relaxing
 * without end would pay. `projectDual` is how a solver stays among them; outside, `conjugateGradient` and `conjugate` are +∞.
 */
export interface Cost {
  /** For reports: `quadratic(0.5)`. */
  readonly name: string;
  /** Whether h(u) = Σ hᵢ(uᵢ), so that each requirement can be relaxed where its data lies. */
  readonly separable: boolean;
  /** h(u), one number: the sum over all that `u` holds. */
  value(u: Tensor): Tensor;
  /** ∇h(u); where h has a kink, one of its subgradients, named by the cost. */
  gradient(u: Tensor): Tensor;
  /** argmin over u ≥ 0 of h(u) − λ·u; of several minimisers the smallest, +∞ where there is none. */
  conjugateGradient(lambda: Tensor): Tensor;
  /** h*(λ) = max over u ≥ 0 of λ·u − h(u), one number. */
  conjugate(lambda: Tensor): Tensor;
  /** argmin over u ≥ 0 of h(u) + Σ (uᵢ − vᵢ)² / 2tᵢ. */
  prox(v: Tensor, t: StepSize): Tensor;
  /** The nearest admissible price: onto the closure of { λ ≥ 0 : h*(λ) < ∞ }. */
  projectDual(lambda: Tensor): Tensor;
}

const builtIn = new WeakSet<Cost>();

/** Marks a cost whose properties are tested here, so that it need not be tried before it is used. */
export function known(cost: Cost): Cost {
  builtIn.add(cost);
  return cost;
}

export const isBuiltIn = (cost: Cost): boolean => builtIn.has(cost);
