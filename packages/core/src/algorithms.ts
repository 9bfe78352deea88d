// The ways to the resilient equilibrium ∇h(u*) = λ*, as one step each. Notation of the paper: θ parameters, ℓ₀ the
// objective, g slacks (ℓᵢ minus the level), u relaxations, λ prices, h the relaxation cost.
import { concat, type Tensor, valueAndGrad } from "@pliant/engine";
import { proxConjugate } from "./costs/conjugacy.js";
import type { Cost } from "./costs/cost.js";
import { hard } from "./costs/linear.js";
import { applyUpdates, type Optimizer } from "./optimizer.js";
import type { Traced } from "./problem.js";

/** Everything a step changes. */
export interface State<P> {
  readonly params: Traced<P>;
  readonly optimizer: unknown;
  /** One vector a group. */
  readonly relaxations: readonly Tensor[];
  readonly prices: readonly Tensor[];
}

/** Objective and slacks, the slacks of a group side by side. */
export interface Values {
  readonly objective: Tensor;
  readonly slacks: readonly Tensor[];
}

export interface Setting<P> {
  readonly evaluate: (params: Traced<P>) => Values;
  readonly costs: readonly Cost[];
  /** Dual rates η_λ, one vector a group. */
  readonly rates: readonly Tensor[];
  readonly optimizer: Optimizer;
  /** No price above this. */
  readonly priceCap?: number;
}

const weighted = (weights: readonly Tensor[], slacks: readonly Tensor[]): Tensor =>
  concat(weights.map((w, i) => w.stopGradient().mul(slacks[i]))).sum();

/** A step of the optimiser on ℓ₀ + w·g, for weights worked out from the same evaluation, by its slope here or at another point. */
function primalStep<P>(
  { evaluate, optimizer }: Setting<P>,
  state: State<P>,
  weightsFor: (values: Values) => readonly Tensor[],
  at: Traced<P> = state.params,
): { params: Traced<P>; optimizer: unknown; values: Values } {
  const { gradient, aux } = valueAndGrad((params: Traced<P>) => {
    const values = evaluate(params);
    return { loss: values.objective.add(weighted(weightsFor(values), values.slacks)), aux: values };
  })(at);
  const done = optimizer.update(gradient, state.optimizer as never, state.params);
  return {
    params: applyUpdates(state.params, done.updates) as Traced<P>,
    optimizer: done.state,
    values: aux,
  };
}

/**
 * A proximal step on the dual, which solves for u exactly on the way:
 *
 *   v = λ + η_λ g,   u⁺ = argmin_{u ≥ 0} h(u) + η_λ/2 ‖u − v/η_λ‖²,   λ⁺ = [v − η_λ u⁺]₊ = ∇h(u⁺) where u⁺ > 0.
 *
 * Under a cap, what λ⁺ may not take of v goes to u⁺: beyond it giving way costs the cap a unit.
 */
function dualStep<P>(
  { costs, rates, priceCap }: Setting<P>,
  { prices }: State<P>,
  { slacks }: Values,
): { prices: Tensor[]; relaxations: Tensor[] } {
  const next = prices.map((price, i) => {
    const found = proxConjugate(costs[i], price.add(slacks[i].mul(rates[i])), rates[i]);
    if (priceCap === undefined) return found;
    const capped = found.price.minimum(priceCap);
    return { price: capped, relaxation: found.relaxation.add(found.price.sub(capped).div(rates[i])) };
  });
  return { prices: next.map(({ price }) => price), relaxations: next.map(({ relaxation }) => relaxation) };
}

export type Step<P> = (setting: Setting<P>, state: State<P>) => { state: State<P>; values: Values };

/**
 * Algorithm 1 of the paper: simultaneous gradient steps from the old values,
 *
 *   θ ← θ − η ∇[ℓ₀ + λ·ℓ],   u ← [u − η_u (∇h(u) − λ)]₊,   λ ← [λ + η_λ (ℓ − u)]₊.
 *
 * With `pricesFirst` u follows the new λ, as in the published code of the paper's invariance experiments. What must not
 * bend has no slope to follow: its u stays 0.
 */
export const paperStep =
  <P>(relaxationRate: number, { pricesFirst = false }: { pricesFirst?: boolean } = {}): Step<P> =>
  (setting, state) => {
    const { params, optimizer, values } = primalStep(setting, state, () => state.prices);
    const prices = state.prices.map((price, i) =>
      price.add(values.slacks[i].sub(state.relaxations[i]).mul(setting.rates[i])).relu(),
    );
    const followed = pricesFirst ? prices : state.prices;
    const relaxations = state.relaxations.map((u, i) => {
      const cost = setting.costs[i];
      return cost === hard ? u : u.sub(cost.gradient(u).sub(followed[i]).mul(relaxationRate)).relu();
    });
    return { state: { params, optimizer, relaxations, prices }, values };
  };

/**
 * The default: prices and relaxations first, by the proximal step, then the parameters, on the Lagrangian at the extrapolated
 * prices λ⁺ + κ(λ⁺ − λ). The damping κ = 1 makes this the primal–dual hybrid gradient method; 0 is plain alternation. Where
 * nothing is relaxed λ⁺ − λ is η_λ g, so κ is also the proportional part of a PI controller of the prices, and the penalty
 * κη_λ of an augmented Lagrangian.
 */
export const resilientStep =
  <P>(damping: number): Step<P> =>
  (setting, state) => {
    const { params, optimizer, values } = primalStep(setting, state, (v) =>
      dualStep(setting, state, v).prices.map((price, i) =>
        price.add(price.sub(state.prices[i]).mul(damping)),
      ),
    );
    return { state: { params, optimizer, ...dualStep(setting, state, values) }, values };
  };

/** Extragradient: a trial step from the old values, then the step itself by the slopes found there. Two evaluations a step. */
export const extragradientStep =
  <P>(): Step<P> =>
  (setting, state) => {
    const trial = primalStep(setting, state, () => state.prices);
    const { prices } = dualStep(setting, state, trial.values);
    const { params, optimizer, values } = primalStep(setting, state, () => prices, trial.params);
    return { state: { params, optimizer, ...dualStep(setting, state, values) }, values };
  };
