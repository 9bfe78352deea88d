// The ways to the resilient equilibrium ∇h(u*) = λ*, as one step each. Notation of the paper: θ parameters, ℓ₀ the
// objective, g slacks (ℓᵢ minus the level), u relaxations, λ prices, h the relaxation cost.
import { concat, grad, jvp, type Tensor, valueAndGrad, where } from "@pliant/engine";
import type { Cost } from "../costs/cost.js";
import { hard } from "../costs/linear.js";
import { applyUpdates, type Optimizer } from "../optimizers/optimizer.js";
import type { Traced } from "../problem/problem.js";
import { dualStep } from "./dual-step.js";

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
  /** What the parameters follow. */
  readonly slacks: readonly Tensor[];
  /** What prices follow, where it is something else: counted rates, validation data, means over batches. */
  readonly priced?: readonly Tensor[];
  /** Where prices follow means, what one batch had of it. */
  readonly batch?: readonly Tensor[];
  /** The smallest change that what prices follow can show here, where it is not always the same. */
  readonly resolutions?: readonly (Tensor | undefined)[];
  /** 1 where an element was observed, 0 where it was not; all were where there is none. */
  readonly observed?: readonly (Tensor | undefined)[];
}

export const pricedOf = ({ priced, slacks }: Values): readonly Tensor[] => priced ?? slacks;

/** What a step of an algorithm is given: objective and slacks as functions of θ, costs h, rates, and the optimiser of θ. */
export interface Setting<P> {
  readonly evaluate: (params: Traced<P>) => Values;
  readonly costs: readonly Cost[];
  /** Dual rates η_λ, one vector a group. */
  readonly rates: readonly Tensor[];
  readonly optimizer: Optimizer;
  /** 1 where a price may have either sign: an equality. */
  readonly signed?: readonly Tensor[];
  /** 1 where nothing may give way, whatever the cost. */
  readonly insisted?: readonly Tensor[];
  /**
   * How often each slack counts in a step: where a batch has a share of a group's elements, or observes one only at times, more than
   * once, so that over many steps all count as often.
   */
  readonly counts?: readonly (number | Tensor)[];
  /** 1 where prices follow the loss itself; everywhere unless given. */
  readonly followed?: readonly Tensor[];
  /** Where prices rest; nowhere but at their levels unless given. */
  readonly resting?: Resting;
}

/** Within what of their levels counts are at them, one vector a group. */
export interface Resting {
  /** The smallest change that each can always show; 0 for what is no count. */
  readonly always: readonly Tensor[];
  /** 1 where that is so above the level too, for it may give way or is an equality. */
  readonly above: readonly Tensor[];
}

/** Σ wᵢ gᵢ. */
export const weighted = (
  weights: readonly Tensor[],
  slacks: readonly Tensor[],
  counts?: readonly (number | Tensor)[],
): Tensor | number =>
  weights.length === 0
    ? 0
    : concat(
        weights.map((w, i) => {
          const part = w.mul(slacks[i]);
          return counts === undefined || counts[i] === 1 ? part : part.mul(counts[i]);
        }),
      ).sum();

interface Stepped<P> {
  readonly params: Traced<P>;
  readonly optimizer: unknown;
  readonly values: Values;
  readonly gradient: Traced<P>;
}

/** A step of the optimiser on ℓ₀ + w·g, for weights worked out from the same evaluation, by its slope here or at another point. */
function primalStep<P>(
  { evaluate, optimizer, counts, followed }: Setting<P>,
  state: State<P>,
  weightsFor: (values: Values) => readonly Tensor[],
  at: Traced<P> = state.params,
): Stepped<P> {
  const lagrangian = (params: Traced<P>) => {
    const values = evaluate(params);
    const weights = weightsFor(values).map((w) => w.stopGradient());
    return { loss: values.objective.add(weighted(weights, values.slacks, counts)), aux: values };
  };
  const { gradient, aux } = valueAndGrad(lagrangian)(at);
  // Prices answer where the parameters go, so that what is priced bends too: by ∇g ∂w/∂g ∇gᵀ, which is all the curvature that a
  // direction has which only requirements see, as the bias of a margin. What prices follow in place of a loss stands still meanwhile.
  const slope = (params: Traced<P>): Traced<P> => {
    const there = evaluate(params);
    const priced = pricedOf(there).map((g, i) =>
      followed ? where(followed[i].gt(0), g, pricedOf(aux)[i]) : g,
    );
    const weights = weightsFor({ ...there, priced });
    return grad((p: Traced<P>) => {
      const { objective, slacks } = evaluate(p);
      return objective.add(weighted(weights, slacks, counts));
    })(params) as Traced<P>;
  };
  const done = optimizer.update(gradient, state.optimizer as never, state.params, {
    curvature: (v) => jvp(slope)(at, v as never).tangent,
    slopeAt: (params) => slope(params as Traced<P>),
  });
  return {
    params: applyUpdates(state.params, done.updates) as Traced<P>,
    optimizer: done.state,
    values: aux,
    gradient: gradient as Traced<P>,
  };
}

/** The next state, with what was seen on the way: values, and the slope of the Lagrangian that the parameters followed. */
export type Step<P> = (
  setting: Setting<P>,
  state: State<P>,
) => { state: State<P>; values: Values; gradient: Traced<P> };

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
    const { values, gradient, ...model } = primalStep(setting, state, () => state.prices);
    return {
      state: { ...model, ...paperDuals(relaxationRate, { pricesFirst })(setting, state, values) },
      values,
      gradient,
    };
  };

/** The two lines of Algorithm 1 that are not about θ. */
export const paperDuals =
  (relaxationRate: number, { pricesFirst = false }: { pricesFirst?: boolean } = {}) =>
  <P>(
    { costs, rates, insisted }: Setting<P>,
    state: Pick<State<P>, "prices" | "relaxations">,
    values: Values,
  ) => {
    const prices = state.prices.map((price, i) =>
      price.add(pricedOf(values)[i].sub(state.relaxations[i]).mul(rates[i])).relu(),
    );
    const followed = pricesFirst ? prices : state.prices;
    const relaxations = state.relaxations.map((u, i) => {
      const cost = costs[i];
      if (cost === hard) return u;
      const next = u.sub(cost.gradient(u).sub(followed[i]).mul(relaxationRate)).relu();
      return insisted ? next.mul(insisted[i].neg().add(1)) : next;
    });
    return { relaxations, prices };
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
    const { values, gradient, ...model } = primalStep(setting, state, (v) =>
      dualStep(setting, state, v).prices.map((price, i) =>
        price.add(price.sub(state.prices[i]).mul(damping)),
      ),
    );
    return { state: { ...model, ...dualStep(setting, state, values) }, values, gradient };
  };

/** Extragradient: a trial step from the old values, then the step itself by the slopes found there. Two evaluations a step. */
export const extragradientStep =
  <P>(): Step<P> =>
  (setting, state) => {
    const trial = primalStep(setting, state, () => state.prices);
    const { prices } = dualStep(setting, state, trial.values);
    const { values, gradient, ...model } = primalStep(setting, state, () => prices, trial.params);
    return { state: { ...model, ...dualStep(setting, state, values) }, values, gradient };
  };
