// Algorithm 2 at the server. It sees averages over the participants: of their losses, prices and weighted updates, and
// for the maximum norm of two more numbers; never a number of one client.
import { type Replace, type Tensor, zipTrees } from "@pliant/engine";
import { type Asking, type Average, answered, type Vector } from "./formulations/formulation.js";

/** The average of what participants send. In a network, what secure aggregation would reveal. */
export const average: Average = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;

/**
 * θ ← θ + factor · Σ_c update_c. Of FedAvg the updates are w_c (θ_c − θ) and the factor is η_g/|S|.
 */
export const serverStep = <P>(params: P, sum: unknown, factor: Tensor): Replace<P, Tensor> =>
  zipTrees((p, s) => p.add(s.mul(factor)), params, sum);

/** A loss of 0 has no power below 0; the method's authors add this much. */
export const aboveZero = (loss: number): number => loss + 1e-10;

/**
 * The factor of q-FedAvg, 1/Σ h_c on updates L F_c^q (θ_c − θ), with L = 1/local rate and
 *
 *   h_c = q F_c^(q−1) ‖L (θ_c − θ)‖² + L F_c^q,
 *
 * here for updates F_c^q (θ_c − θ), so L/Σ h_c. Li, Sanjabi, Beirami, Smith, "Fair resource allocation in federated learning" (2020).
 */
export function fairFactor(
  q: number,
  losses: Vector,
  squaredNorms: Vector,
  localRate: number,
  average: Average,
): number {
  const terms = fairTerms(q, losses, squaredNorms, localRate);
  return 1 / localRate / (average(terms) * losses.length);
}

/** h_c, which each client finds from numbers of its own. */
export function fairTerms(q: number, losses: Vector, squaredNorms: Vector, localRate: number): Vector {
  const l = 1 / localRate;
  return losses.map(aboveZero).map((f, c) => q * f ** (q - 1) * l * l * squaredNorms[c] + l * f ** q);
}

/** Enough for Newton's method, which needs one round for each set of clients it passes. */
const levelRounds = 200;

/**
 * The extra exchange of the maximum norm: the smallest level τ ≥ 0 at which the average of [v_c − τ]₊ keeps to the budget.
 * The server names a level and the participants answer with two numbers that it averages: their excess over it, and
 * whether there is any. Newton's method on this convex, falling function comes up to the level from below.
 */
export function* waterLevels(wanted: Vector, budget: number): Asking<number> {
  let level = 0;
  for (let round = 0; round < levelRounds; round++) {
    const excess = (yield wanted.map((v) => Math.max(0, v - level))) - budget;
    if (!(excess > 1e-14 * Math.max(1, level))) break;
    level += excess / (yield wanted.map((v) => Number(v > level)));
  }
  return level;
}

/** The level, where all clients are at hand. */
export const waterLevel = (wanted: Vector, budget: number, average: Average): number =>
  answered(waterLevels(wanted, budget), average);
