// Residuals of the resilient equilibrium: what is left of the conditions that a solution meets exactly.
import { concat, grad, leaves, type Tensor } from "@pliant/engine";
import type { Values } from "./algorithms.js";
import { fenchelGap, stationarity } from "./costs/conjugacy.js";
import type { Cost } from "./costs/cost.js";
import type { Traced } from "./problem.js";

export interface Residuals {
  /** max |u − prox_h(u + λ)|: is λ the slope of the cost at u? Where h is smooth and u > 0 it vanishes with |∇h(u) − λ|. */
  readonly equilibrium: number;
  /** max [g − u]₊: is every requirement met as relaxed? */
  readonly feasibility: number;
  /** max |λ·(g − u)|: does only what binds have a price? */
  readonly complementarity: number;
  /** max |∇θ (ℓ₀ + λ·g)|: is the model a stationary point at these prices? */
  readonly stationarity: number;
  /**
   * ℓ₀(θ) + h([g]₊) minus the dual value ℓ₀(θ) + λ·g − h*(λ): for a convex problem, and a model that minimises the
   * Lagrangian, how far the objective is from the best.
   */
  readonly gap: number;
}

export type TracedResiduals = { [K in keyof Residuals]: Tensor };

const largest = (parts: readonly Tensor[]): Tensor =>
  concat(parts.map((x) => x.abs().reshape([x.size]))).max();

export function residuals<P>(
  evaluate: (params: Traced<P>) => Values,
  costs: readonly Cost[],
  {
    params,
    relaxations,
    prices,
  }: { params: Traced<P>; relaxations: readonly Tensor[]; prices: readonly Tensor[] },
): TracedResiduals {
  const { slacks } = evaluate(params);
  const over = slacks.map((g, i) => g.sub(relaxations[i]));
  const lagrangian = (p: Traced<P>): Tensor => {
    const values = evaluate(p);
    return values.slacks.reduce((sum, g, i) => sum.add(prices[i].mul(g).sum()), values.objective);
  };
  const slopes = leaves(grad(lagrangian)(params)).map(({ leaf }) => leaf as Tensor);
  const gap = costs
    .map((cost, i) =>
      fenchelGap(cost, slacks[i].relu(), prices[i]).add(slacks[i].relu().sub(slacks[i]).mul(prices[i]).sum()),
    )
    .reduce((a, b) => a.add(b));
  return {
    equilibrium: largest(costs.map((cost, i) => stationarity(cost, relaxations[i], prices[i]))),
    feasibility: largest(over.map((x) => x.relu())),
    complementarity: largest(over.map((x, i) => x.mul(prices[i]))),
    stationarity: largest(slopes),
    gap,
  };
}

export interface Certificate extends Residuals {
  readonly tolerance: number;
  /** Whether equilibrium, feasibility, complementarity and stationarity are all within the tolerance. */
  readonly holds: boolean;
}

export function certify(found: Residuals, tolerance: number): Certificate {
  const { equilibrium, feasibility, complementarity, stationarity: slope } = found;
  return {
    ...found,
    tolerance,
    holds: Math.max(equilibrium, feasibility, complementarity, slope) <= tolerance,
  };
}
