// The truth about requirements on losses, from a solver that has nothing in common with Pliant's: float64, BFGS on an augmented
// Lagrangian. Prices are central differences of the optimal value P(ε) between re-solved neighbours, so not even a multiplier
// is taken on trust. A requirement with cost α u² is the term α [g]₊², since the best u is [g]₊.
import { minimum, type Smooth } from "./descent.js";
import { type Examples, type Layers, network } from "./network.js";

/** A weighted sum of the examples' losses, at most a level; without alpha it must hold. */
export interface LossRequirement {
  readonly weights: Float64Array;
  readonly level: number;
  readonly alpha?: number;
}

export interface LossProblem {
  readonly examples: Examples;
  readonly decay: number;
  readonly requirements: readonly LossRequirement[];
}

/** A problem and where to look for its solution: the model and the prices that a run ended with. */
export interface Stated {
  readonly problem: LossProblem;
  readonly layers: Layers;
  readonly start: Float64Array;
  readonly said: readonly number[];
}

export interface Optimum {
  readonly at: Float64Array;
  /** The objective alone, and with the cost of giving way. */
  readonly objective: number;
  readonly value: number;
  readonly multipliers: readonly number[];
  /** The largest miss of a requirement that must hold. */
  readonly missed: number;
}

const sum = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0);
const over = (g: number): number => Math.max(0, g);

export function optimum(
  problem: LossProblem,
  layers: Layers,
  start: Float64Array,
  prices?: readonly number[],
): Optimum {
  const { examples, decay, requirements } = problem;
  const model = network(layers, examples);
  const excesses = (losses: Float64Array): number[] =>
    requirements.map(({ weights, level }) => weights.reduce((total, w, i) => total + w * losses[i], -level));
  let lambda = requirements.map((r, k) => (r.alpha === undefined ? (prices?.[k] ?? 0) : 0));
  let rho = 10;
  /** φ(g) and φ′(g): α[g]₊², or of one that must hold ([λ + ρg]₊² − λ²)/2ρ. */
  const term = (k: number, g: number): [number, number] => {
    const { alpha } = requirements[k];
    if (alpha !== undefined) return [alpha * over(g) ** 2, 2 * alpha * over(g)];
    const shifted = over(lambda[k] + rho * g);
    return [(shifted ** 2 - lambda[k] ** 2) / (2 * rho), shifted];
  };
  const merit: Smooth = (at) => {
    const { losses, slope } = model.at(at);
    const terms = excesses(losses).map((g, k) => term(k, g));
    const n = losses.length;
    const total = new Float64Array(n).fill(1 / n);
    for (const [k, [, rise]] of terms.entries())
      if (rise !== 0) for (let i = 0; i < n; i++) total[i] += rise * requirements[k].weights[i];
    const { squares, add } = model.squares(at);
    const found = slope(total);
    add(found, decay);
    return {
      value: sum(Array.from(losses)) / n + decay * squares + sum(terms.map(([v]) => v)),
      slope: found,
    };
  };
  let at = start;
  let g: number[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 60; round++) {
    ({ at } = minimum(merit, at, { tolerance: 1e-9 }));
    g = excesses(model.at(at).losses);
    const next = lambda.map((v, k) => (requirements[k].alpha === undefined ? over(v + rho * g[k]) : v));
    const change = Math.max(0, ...next.map((v, k) => Math.abs(v - lambda[k]) / rho));
    lambda = next;
    if (change < 1e-8) break;
    if (change > before / 4) rho = Math.min(1e4, 4 * rho);
    before = change;
  }
  const { losses } = model.at(at);
  const objective = sum(Array.from(losses)) / losses.length + decay * model.squares(at).squares;
  return {
    at,
    objective,
    // λ·g: what is left of the miss, to first order.
    value:
      objective +
      sum(requirements.map((r, k) => (r.alpha === undefined ? lambda[k] * g[k] : term(k, g[k])[0]))),
    multipliers: requirements.map((r, k) => (r.alpha === undefined ? lambda[k] : term(k, g[k])[1])),
    missed: Math.max(0, ...g.filter((_, k) => requirements[k].alpha === undefined)),
  };
}

/**
 * −dP/dε of each requirement, by re-solving at levels a little below and above; none where what must hold cannot, or where a
 * neighbour lies in another valley however near it is: then the difference is not the multiplier.
 */
export function prices({ problem, layers, start, said }: Stated): (number | null)[] {
  const middle = optimum(problem, layers, start, said);
  if (middle.missed > 1e-6) return problem.requirements.map(() => null);
  return problem.requirements.map((requirement, k) => {
    for (const by of [1e-3, 1e-4, 1e-5]) {
      const step = by * Math.max(0.01, Math.abs(requirement.level));
      const [below, above] = [-step, step].map((d) => {
        const requirements = problem.requirements.with(k, { ...requirement, level: requirement.level + d });
        return optimum({ ...problem, requirements }, layers, middle.at, middle.multipliers).value;
      });
      const slope = (below - above) / (2 * step);
      if (Math.abs(slope - middle.multipliers[k]) <= Math.max(0.01 * slope, 1e-4)) return slope;
    }
    return null;
  });
}

/** How much the objective rises if one requirement is made hard and the others stay as they are; null if it is infeasible. */
export function insisting({ problem, layers, start, said }: Stated, k: number): number | null {
  const before = optimum(problem, layers, start, said);
  const { alpha: _, ...hard } = problem.requirements[k];
  const after = optimum({ ...problem, requirements: problem.requirements.with(k, hard) }, layers, before.at);
  return after.missed > 1e-4 ? null : after.objective - before.objective;
}
