// Algorithm 2 at a client. It knows its own data, model, price λ_c and relaxation u_c, and the two averages the server
// tells it: the mean loss R̄ and the mean price λ̄. The numbers are vectors with one entry a client, so that a simulator
// moves all clients at once; a client on its own passes vectors of length one, and gets the same numbers.
//
// The Lagrangian, with prices λ = C·μ of the problem  min R̄ + (1/C) Σ h(u_c)  s.t.  R_c − R̄ − ε ≤ u_c:
//
//   L = (1/C) Σ_c [ (1 + λ_c − λ̄) R_c + h(u_c) − λ_c (u_c + ε) ],   at equilibrium ∇h(u_c) = λ_c.
import { type Cost, onNumbers } from "@pliant/core";
import type { Duals, Vector } from "./formulations/formulation.js";

/**
 * w_c = 1 + λ_c − λ̄: how much this client's update counts in the server's average. Over all clients they sum to C. Where samples
 * count alike, R̄ = (1/C) Σ s_c R_c with shares s_c = C·n_c/N, and w_c = s_c + λ_c − s_c λ̄.
 */
export const clientWeight = (price: number, meanPrice: number, share = 1): number =>
  share + price - share * meanPrice;

/**
 * λ̄ as weights take it, so that no client without a price counts less than φ: min(λ̄, 1 − φ). Whoever says a false λ̄ makes no
 * client's update vanish beside another's. Where λ̄ is truly larger, the mean loss counts λ̄ − 1 + φ more in the Lagrangian.
 */
export const meanPriceForWeights = (meanPrice: number, leastWeight = -Infinity): number =>
  Math.min(meanPrice, 1 - leastWeight);

/** g_c = R_c − R̄ − ε: by how much the client's loss exceeds what is asked for. */
export const slack = (loss: number, meanLoss: number, level: number): number => loss - meanLoss - level;

const positivePart = (x: number): number => Math.max(0, x);

/** Of the explicit step, each divided by the number of clients. */
export interface StepSizes {
  /** η_λ/C. */
  readonly dual: number;
  /** η_u/C. */
  readonly relaxation: number;
}

/**
 * The published step, u and λ both from the old values:
 *
 *   λ_c ← [λ_c + η_λ (g_c − u_c)]₊,   u_c ← [u_c + η_u (λ_c − ∇h(u_c))]₊.
 *
 * The step in u is stable only where η_u ∇²h < 2.
 */
export function explicitStep(
  cost: Cost,
  { prices, relaxations }: Duals,
  slacks: Vector,
  rates: StepSizes,
): Duals {
  const slopes = onNumbers(cost).gradient(relaxations);
  return {
    prices: prices.map((price, c) => positivePart(price + rates.dual * (slacks[c] - relaxations[c]))),
    relaxations: relaxations.map((u, c) => positivePart(u + rates.relaxation * (prices[c] - slopes[c]))),
  };
}

/**
 * The exact step: u is the minimiser of h(u) − λ⁺u for the new price, found together with it by a proximal step on the dual,
 *
 *   v = [λ_c + η_λ g_c]₊,   u_c ← argmin_{u ≥ 0} h(u) + η_λ/2 (u − v/η_λ)²,   λ_c ← v − η_λ u_c = ∇h(u_c).
 *
 * For h = (α/2)u² this is u_c = λ_c/α after every round. Stable whatever the cost, also where ∇h* jumps (`linear`). A cap on
 * prices is a cost that goes on linearly from where its slope is the cap.
 */
export function exactStep(
  cost: Cost,
  { prices }: Duals,
  slacks: Vector,
  dualRate: number,
  cap = Infinity,
): Duals {
  const { prox, projectDual } = onNumbers(cost);
  const wanted = wantedPrices(prices, slacks, dualRate);
  const relaxations = prox(
    wanted.map((v) => v / dualRate),
    1 / dualRate,
  );
  const exact = projectDual(wanted.map((v, c) => v - dualRate * relaxations[c]));
  return {
    prices: exact.map((price) => Math.min(price, cap)),
    relaxations: relaxations.map((u, c) => (exact[c] > cap ? (wanted[c] - cap) / dualRate : u)),
  };
}

/** Nothing gives way: λ_c ← [λ_c + η_λ g_c]₊, at most the cap. */
export function constrainedStep(
  { prices, relaxations }: Duals,
  slacks: Vector,
  dualRate: number,
  cap = Infinity,
): Duals {
  return { prices: wantedPrices(prices, slacks, dualRate).map((v) => Math.min(v, cap)), relaxations };
}

/** [λ_c + η_λ g_c]₊: the prices before anything gives way. */
export const wantedPrices = (prices: Vector, slacks: Vector, dualRate: number): number[] =>
  prices.map((price, c) => positivePart(price + dualRate * slacks[c]));

/**
 * The end of the exact step under the maximum norm, once the server has told the common level τ (`waterLevel`): every
 * client gives way by at most τ/η_λ, and keeps as price what is left.
 */
export function belowLevel(wanted: Vector, level: number, dualRate: number): Duals {
  return {
    prices: wanted.map((v) => positivePart(v - level)),
    relaxations: wanted.map((v) => Math.min(v, level) / dualRate),
  };
}
