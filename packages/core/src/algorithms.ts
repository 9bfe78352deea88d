// The two ways to the resilient equilibrium ∇h(u*) = λ*, as one step each. Notation of the paper: θ parameters, ℓ₀ the
// objective, g slacks (ℓᵢ minus the level), u relaxations, λ prices, h the relaxation cost.
import { concat, type Tensor, valueAndGrad } from "@pliant/engine";
import { proxConjugate } from "./costs/conjugacy.js";
import type { Cost } from "./costs/cost.js";
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
}

const weighted = (weights: readonly Tensor[], slacks: readonly Tensor[]): Tensor =>
  concat(weights.map((w, i) => w.stopGradient().mul(slacks[i]))).sum();

/** A step of the optimiser on ℓ₀ + w·g, for weights worked out from the same evaluation. */
function primalStep<P>(
  { evaluate, optimizer }: Setting<P>,
  state: State<P>,
  weightsFor: (values: Values) => readonly Tensor[],
): { params: Traced<P>; optimizer: unknown; values: Values } {
  const { gradient, aux } = valueAndGrad((params: Traced<P>) => {
    const values = evaluate(params);
    return { loss: values.objective.add(weighted(weightsFor(values), values.slacks)), aux: values };
  })(state.params);
  const done = optimizer.update(gradient, state.optimizer as never, state.params);
  return {
    params: applyUpdates(state.params, done.updates) as Traced<P>,
    optimizer: done.state,
    values: aux,
  };
}

export type Step<P> = (setting: Setting<P>, state: State<P>) => { state: State<P>; values: Values };

/**
 * Algorithm 1 of the paper: simultaneous gradient steps from the old values,
 *
 *   θ ← θ − η ∇[ℓ₀ + λ·ℓ],   u ← [u − η_u (∇h(u) − λ)]₊,   λ ← [λ + η_λ (ℓ − u)]₊.
 */
export const paperStep =
  <P>(relaxationRate: number): Step<P> =>
  (setting, state) => {
    const { params, optimizer, values } = primalStep(setting, state, () => state.prices);
    const relaxations = state.relaxations.map((u, i) =>
      u.sub(setting.costs[i].gradient(u).sub(state.prices[i]).mul(relaxationRate)).relu(),
    );
    const prices = state.prices.map((price, i) =>
      price.add(values.slacks[i].sub(state.relaxations[i]).mul(setting.rates[i])).relu(),
    );
    return { state: { params, optimizer, relaxations, prices }, values };
  };

/**
 * The default: prices first, by a proximal step on the dual, which solves for u exactly on the way,
 *
 *   v = λ + η_λ g,   u⁺ = argmin_{u ≥ 0} h(u) + η_λ/2 ‖u − v/η_λ‖²,   λ⁺ = [v − η_λ u⁺]₊ = ∇h(u⁺) where u⁺ > 0,
 *
 * then the parameters, on the Lagrangian at the extrapolated prices λ⁺ + κ(λ⁺ − λ). The damping κ = 1 makes this the
 * primal–dual hybrid gradient method; 0 is plain alternation.
 */
export const resilientStep =
  <P>(damping: number): Step<P> =>
  (setting, state) => {
    const dual = ({ slacks }: Values) =>
      state.prices.map((price, i) => {
        const rate = setting.rates[i];
        return proxConjugate(setting.costs[i], price.add(slacks[i].mul(rate)), rate);
      });
    const { params, optimizer, values } = primalStep(setting, state, (v) =>
      dual(v).map(({ price }, i) => price.add(price.sub(state.prices[i]).mul(damping))),
    );
    const next = dual(values);
    return {
      state: {
        params,
        optimizer,
        relaxations: next.map(({ relaxation }) => relaxation),
        prices: next.map(({ price }) => price),
      },
      values,
    };
  };
