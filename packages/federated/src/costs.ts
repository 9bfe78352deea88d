// Relaxation costs of a federation, by the published code's α: ∇h(u) = α u^(β−1), so that λ = αu at equilibrium for β = 2.
// The core's quadratic(α) is α‖u‖², of gradient 2αu. This is the one place that converts.
import { type Cost, InputError, power } from "@pliant/core";

/** α·max_c u_c, beside the mean loss as it is, not divided by C: admissible prices have a mean of at most α. */
export interface MaximumNorm {
  readonly maximum: number;
}

/** The cost of one client, or the maximum norm over all. */
export type RelaxationCost = Cost | MaximumNorm;

/** How dear it is to give way, α, and in which power, β. */
export interface RelaxationCostOptions {
  readonly alpha: number;
  /** Default: 2; 1 caps prices at α, Infinity is the maximum norm. */
  readonly beta?: number;
}

/** h(u_c) = (α/β) u_c^β; `beta: Infinity` is `maximumNorm(alpha)`. */
export function relaxationCost({ alpha, beta = 2 }: RelaxationCostOptions): RelaxationCost {
  checkAlpha(alpha);
  if (!(beta >= 1)) throw new InputError(`β must be a number of at least 1, got ${beta}.`);
  return beta === Infinity ? maximumNorm(alpha) : power(beta, alpha / beta);
}

/** All clients give way alike, once the mean price would exceed α. Needs an exchange of its own; see `waterLevel`. */
export function maximumNorm(alpha: number): MaximumNorm {
  checkAlpha(alpha);
  return { maximum: alpha };
}

function checkAlpha(alpha: number): void {
  if (!(alpha > 0 && Number.isFinite(alpha)))
    throw new InputError(
      `α must be a positive number, got ${alpha}; requirements that must not give way are \`constrained\`.`,
    );
}
