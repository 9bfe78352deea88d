// The paper's bounds as numbers: how far the value found from samples with a parametrised model can be from the true one (Theorem 1),
// and which α brings the quadratic cost near constrained or unconstrained learning (Proposition 5).
import { type Cost, onNumbers, PliantError } from "@pliant/core";

/** The terms of the bound on |P̂* − P*|, in the paper's symbols. */
export interface ValueBoundInput {
  readonly cost: Cost;
  /** u*, of the true problem or an estimate of it. */
  readonly relaxations: readonly number[];
  /** λ* and λ̂*, or as many of them as are known: Δ is the largest ‖λ‖₁. */
  readonly prices: readonly (readonly number[])[];
  /** M: the Lipschitz constant of the losses. */
  readonly lipschitz: number;
  /** ν: how far, on average, the parametrised models are from the functions they stand for. */
  readonly parametrisation: number;
  /** ξ(N, δ): how far any loss on N samples is from its expectation, but for a share δ of draws. */
  readonly deviation: number;
  readonly delta: number;
}

/** The paper's bound on |P̂* − P*|, in its two parts. */
export interface ValueBound {
  /** h(u* + 1·Mν) − h(u*) + Mν. */
  readonly approximation: number;
  /** (1 + Δ) ξ(N, δ). */
  readonly generalisation: number;
  readonly total: number;
  /** 1 − (3m + 2)δ: the probability that it holds. */
  readonly confidence: number;
}

/** Theorem 1: |P* − D̂*| ≤ h(u* + 1·Mν) − h(u*) + Mν + (1 + Δ) ξ(N, δ). */
export function valueBound(input: ValueBoundInput): ValueBound {
  const { cost, relaxations, prices, lipschitz, parametrisation, deviation, delta } = input;
  for (const [name, value] of Object.entries({ lipschitz, parametrisation, deviation })) {
    if (!(value >= 0))
      throw new PliantError(`valueBound: ${name} must be a number of at least 0, got ${value}.`);
  }
  const confidence = 1 - (3 * relaxations.length + 2) * delta;
  if (!(delta > 0 && confidence > 0)) {
    throw new PliantError(
      `valueBound: with ${relaxations.length} requirements δ must be between 0 and 1/${3 * relaxations.length + 2}, got ${delta}.`,
    );
  }
  const h = onNumbers(cost);
  const reach = lipschitz * parametrisation;
  const dearer = reach > 0 ? h.value(relaxations.map((u) => u + reach)) - h.value(relaxations) : 0;
  const norms = prices.map((lambda) => lambda.reduce((sum, price) => sum + Math.abs(price), 0));
  const approximation = dearer + reach;
  const generalisation = (1 + Math.max(0, ...norms)) * deviation;
  return { approximation, generalisation, total: approximation + generalisation, confidence };
}

/** N samples, the share δ of draws that may fail, and the width of the losses' interval. */
export interface DeviationInput {
  /** N. */
  readonly samples: number;
  readonly delta: number;
  /** The width of the interval that contains the losses (default: 1). */
  readonly range?: number;
}

/** The part of every ξ that comes from the draw alone: range·√(ln(2/δ)/2N), two-sided. */
function hoeffding({ samples, delta, range = 1 }: DeviationInput, events = 1): number {
  if (!(samples >= 1)) throw new PliantError(`ξ(N, δ): N must be at least 1, got ${samples}.`);
  if (!(delta > 0 && delta < 1)) throw new PliantError(`ξ(N, δ): δ must be between 0 and 1, got ${delta}.`);
  return range * Math.sqrt(Math.log((2 * events) / delta) / (2 * samples));
}

/** ξ(N, δ) for finitely many models: Hoeffding's inequality for each, at once. */
export const finiteDeviation = (models: number, input: DeviationInput): number => hoeffding(input, models);

/** ξ(N, δ) from the Rademacher complexity ℜ of the losses on N samples: 2ℜ + range·√(ln(2/δ)/2N) (Mohri et al., Thm. 3.3). */
export const rademacherDeviation = (complexity: number, input: DeviationInput): number =>
  2 * complexity + hoeffding(input);

/** ℜ of x ↦ w·x with ‖w‖ ≤ norm on ‖x‖ ≤ radius, behind a loss that is `lipschitz` in it (Mohri et al., Thm. 5.10). */
export const linearComplexity = (
  samples: number,
  { norm, radius, lipschitz = 1 }: { norm: number; radius: number; lipschitz?: number },
): number => (lipschitz * norm * radius) / Math.sqrt(samples);

/**
 * ξ(N, δ) for a 0–1 loss and models of VC dimension d ≤ N: √(2d ln(eN/d)/N) + √(ln(2/δ)/2N), by Massart's and Sauer's lemmas
 * (Mohri et al., Cor. 3.19, two-sided).
 */
export function vcDeviation(dimension: number, input: DeviationInput): number {
  const { samples, range = 1 } = input;
  if (!(dimension >= 1 && dimension <= samples))
    throw new PliantError(
      `vcDeviation: the dimension must be between 1 and N = ${samples}, got ${dimension}.`,
    );
  const growth = (dimension / samples) * Math.log((Math.E * samples) / dimension);
  return range * Math.sqrt(2 * growth) + hoeffding(input);
}

/**
 * Proposition 5, the near-insisting side: an α above which the cost α‖u‖² keeps every relaxation at most ε. `prices` are those
 * of the problem with all levels relaxed by `at`.
 *
 * With c = 2α·at − λ > 0, convexity gives Σ cᵢ(uᵢ* − at) ≤ 0, so uⱼ* ≤ at·Σcᵢ/cⱼ. For one requirement at = ε and this is
 * the paper's λ/2ε. For more, the paper goes from the sum to each of its terms, which does not follow (a problem with
 * two requirements in the tests breaks its bound); with room to spare, at < ε/m, solving at·Σcᵢ ≤ ε·cⱼ for α does.
 */
export function insistingAlpha({
  epsilon,
  at,
  prices,
}: {
  epsilon: number;
  at: number;
  prices: readonly number[];
}): number {
  const m = prices.length;
  const room = epsilon - m * at;
  if (!(at > 0 && (m === 1 ? room >= 0 : room > 0))) {
    throw new PliantError(
      `insistingAlpha: with ${m} requirements the prices must be those of levels relaxed by less than ε/${m} = ${epsilon / m}, got ${at}.`,
    );
  }
  const sum = prices.reduce((a, b) => a + b, 0);
  const relaxations = prices.map((price) => (room > 0 ? (epsilon * price - at * sum) / (2 * at * room) : 0));
  return Math.max(...relaxations, ...prices.map((price) => price / (2 * at)));
}

/**
 * Proposition 5, the near-yielding side: an α below which the cost α‖u‖² relaxes each requirement to within ε of `slacks`, the
 * b ≥ 0 by which the unconstrained model exceeds it. `rises` are how much the objective rises when requirement j alone is
 * held to bⱼ − ε (Infinity where bⱼ ≤ ε: nothing to show).
 *
 * If uⱼ* ≤ bⱼ − ε then P*(u*) ≥ min P* + riseⱼ, but u = b has P*(b) + α‖b‖² = min P* + α‖b‖²: so α‖b‖² ≥ riseⱼ. The paper's
 * −pⱼ/2(bⱼ − ε) has the gap told at `insistingAlpha`.
 */
export function yieldingAlpha({
  slacks,
  rises,
}: {
  slacks: readonly number[];
  rises: readonly number[];
}): number {
  if (slacks.length !== rises.length)
    throw new PliantError(`yieldingAlpha: ${slacks.length} slacks and ${rises.length} rises; give one each.`);
  return Math.min(...rises) / slacks.reduce((sum, b) => sum + b * b, 0);
}
