// Theorem 1 on draws, with a model that is not convex and does not contain its convex hull (ν > 0). Inputs are −1, 0 and 1; the model
// is σ(wx + b), whose answers on the three inputs are a surface; the convex class F is its hull. Losses are (φ(x) − y)², in [0, 1] and
// 2-Lipschitz, so that every value below can be computed to rounding or by a fine grid, without Pliant.
import { adam, atMost, minimise, quadratic, solve } from "@pliant/core";
import { array, random, type Tensor } from "@pliant/engine";
import { stating } from "../items/claim.js";
import type { Claim } from "../items/item.js";
import { percentile } from "../statistics.js";
import { finiteDeviation, valueBound } from "./bounds.js";

type Three = readonly [number, number, number];

/** P(y = 1) at the three inputs: the objective's valley fits no sigmoid, and the requirement asks for the opposite of it. */
const chances: Readonly<Record<"objective" | "requirement", Three>> = {
  objective: [0.9, 0.2, 0.8],
  requirement: [0.2, 0.6, 0.3],
};
const level = 0.2;
const alpha = 1;

/** Shares of (x, y = 0) and (x, y = 1), x by x. */
type Shares = readonly number[];
const truth = (of: Three): Shares => of.flatMap((p) => [(1 - p) / 3, p / 3]);

/** E(f(x) − y)². */
const loss = (f: readonly number[], shares: Shares): number =>
  f.reduce((sum, value, x) => sum + shares[2 * x] * value ** 2 + shares[2 * x + 1] * (value - 1) ** 2, 0);

const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z));

/** The model on a fine grid of its two parameters. */
const models: readonly Three[] = Array.from({ length: 121 * 121 }, (_, i) => {
  const [w, b] = [(i % 121) / 5 - 12, Math.floor(i / 121) / 5 - 12];
  return [sigmoid(b - w), sigmoid(b), sigmoid(b + w)] as const;
});

/** The corners of its hull: the monotone answers of 0 and 1. */
const corners: readonly Three[] = [
  [0, 0, 0],
  [0, 0, 1],
  [0, 1, 1],
  [1, 1, 1],
  [1, 1, 0],
  [1, 0, 0],
];

/** min over the hull of a convex quadratic in φ, by Frank and Wolfe's method with exact steps over pairs of corners. */
function overHull(weights: Shares): number {
  const part = corners.map(() => 1 / corners.length);
  const phi = (): number[] =>
    [0, 1, 2].map((x) => corners.reduce((sum, corner, k) => sum + part[k] * corner[x], 0));
  for (let step = 0; step < 400; step++) {
    const at = phi();
    const slope = at.map((value, x) => 2 * (weights[2 * x] * value + weights[2 * x + 1] * (value - 1)));
    const along = corners.map((corner) => corner.reduce((sum, value, x) => sum + value * slope[x], 0));
    const best = along.indexOf(Math.min(...along));
    const worst = along.reduce(
      (most, value, k) => (part[k] > 0 && (part[most] === 0 || value > along[most]) ? k : most),
      0,
    );
    if (along[worst] - along[best] < 1e-12) break;
    const move = corners[best].map((value, x) => value - corners[worst][x]);
    const curvature =
      2 * move.reduce((sum, value, x) => sum + (weights[2 * x] + weights[2 * x + 1]) * value ** 2, 0);
    const length =
      curvature > 0 ? Math.min(part[worst], (along[worst] - along[best]) / curvature) : part[worst];
    part[best] += length;
    part[worst] -= length;
  }
  return loss(phi(), weights);
}

const overModels = (weights: Shares): number => {
  let least = Infinity;
  for (const f of models) least = Math.min(least, loss(f, weights));
  return least;
};

/** The dual value and its λ: max over λ ≥ 0 of min over models of R₀ + λ(R₁ − level), and over u of αu² − λu. */
function dualOf(
  objective: Shares,
  requirement: Shares,
  minimum: (weights: Shares) => number,
): { value: number; price: number } {
  const at = (price: number): number =>
    minimum(objective.map((share, i) => share + price * requirement[i])) -
    price * level -
    price ** 2 / (4 * alpha);
  // Concave in λ: a golden section.
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [0, 2];
  for (let i = 0; i < 30; i++) {
    const [a, b] = [high - ratio * (high - low), low + ratio * (high - low)];
    if (at(a) < at(b)) low = a;
    else high = b;
  }
  const price = (low + high) / 2;
  return { value: at(price), price };
}

/** ν: the largest distance E|φ − f| from the hull to the model, over a grid of mixtures of corners. */
function hullDistance(): number {
  let furthest = 0;
  const steps = 4;
  const mixtures = (k: number, left: number): number[][] =>
    k === corners.length - 1
      ? [[left]]
      : Array.from({ length: left + 1 }, (_, n) =>
          mixtures(k + 1, left - n).map((rest) => [n, ...rest]),
        ).flat();
  for (const mixture of mixtures(0, steps)) {
    const phi = [0, 1, 2].map((x) =>
      corners.reduce((sum, corner, k) => sum + (mixture[k] / steps) * corner[x], 0),
    );
    let nearest = Infinity;
    for (const f of models) {
      const apart = (Math.abs(f[0] - phi[0]) + Math.abs(f[1] - phi[1]) + Math.abs(f[2] - phi[2])) / 3;
      if (apart < nearest) nearest = apart;
    }
    furthest = Math.max(furthest, nearest);
  }
  return furthest;
}

/** Shares of N samples. */
function drawn(of: Three, samples: number, key: random.Key): Shares {
  const numbers = random.uniform(key, [2 * samples], { dtype: "float64" }).data;
  const counts = new Array<number>(6).fill(0);
  for (let i = 0; i < samples; i++) {
    const x = Math.floor(3 * numbers[2 * i]);
    counts[2 * x + (numbers[2 * i + 1] < of[x] ? 1 : 0)] += 1 / samples;
  }
  return counts;
}

export function theoremChecks({ draws = 100, samples = 400 } = {}): Claim[] {
  const [objective, requirement] = [truth(chances.objective), truth(chances.requirement)];
  const [lipschitz, delta] = [2, 0.02];
  const nu = hullDistance();
  const convex = dualOf(objective, requirement, overHull);
  const parametrised = dualOf(objective, requirement, overModels);
  const relaxation = convex.price / (2 * alpha);
  // Losses in [0, 1] of six outcomes: no model deviates by more than the total variation, at most so much for 2⁶ events.
  const deviation = finiteDeviation(2 ** 5, { samples, delta });
  const bounds = (price: number) =>
    valueBound({
      cost: quadratic(alpha),
      relaxations: [relaxation],
      prices: [[convex.price], [parametrised.price], [price]],
      lipschitz,
      parametrisation: nu,
      deviation,
      delta,
    });
  let [held, general] = [0, 0];
  const shares: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const [first, second] = random.split(random.foldIn(random.key(3), draw));
    const empirical = dualOf(
      drawn(chances.objective, samples, first),
      drawn(chances.requirement, samples, second),
      overModels,
    );
    const { total, generalisation } = bounds(empirical.price);
    const apart = Math.abs(convex.value - empirical.value);
    if (apart <= total) held++;
    if (Math.abs(parametrised.value - empirical.value) <= generalisation) general++;
    shares.push(apart / total);
  }
  const { approximation, confidence } = bounds(0);
  const above = parametrised.value - convex.value;
  return [
    stating(
      "theorem",
      held / draws >= confidence,
      `σ(wx + b), ν = ${nu.toFixed(3)}, N = ${samples}: within the bound in ${held} of ${draws} draws, promised ${(100 * confidence).toFixed(0)}%; the median difference is ${(100 * percentile(shares, 50)).toFixed(0)}% of it`,
    ),
    stating(
      "theorem-approximation",
      above >= -1e-6 && above <= approximation,
      `the parametrised value is ${above.toFixed(4)} above, the bound ${approximation.toFixed(3)}`,
    ),
    stating(
      "theorem-generalisation",
      general / draws >= 1 - 4 * delta,
      `in ${general} of ${draws} draws, promised ${(100 * (1 - 4 * delta)).toFixed(0)}%`,
    ),
  ];
}

/** Pliant's solver on the same model and the true shares, from several starts, beside the best of the grid. */
export async function algorithmCheck(): Promise<Claim> {
  const [objective, requirement] = [truth(chances.objective), truth(chances.requirement)];
  const resilient = (f: readonly number[]): number =>
    loss(f, objective) + alpha * Math.max(0, loss(f, requirement) - level) ** 2;
  let best = Infinity;
  for (const f of models) best = Math.min(best, resilient(f));
  const float64 = (values: readonly number[]) => array([...values], { dtype: "float64" });
  const inputs = float64([-1, 0, 1]);
  const measured = (f: Tensor, shares: Shares): Tensor => {
    const of = (y: number) => float64([0, 1, 2].map((x) => shares[2 * x + y]));
    return f
      .pow(2)
      .mul(of(0))
      .add(f.sub(1).pow(2).mul(of(1)))
      .sum();
  };
  const starts = [
    [0, 0],
    [1, 1],
    [-1, 0.5],
    [2, -1],
    [-2, -1],
  ];
  let [reached, worst] = [0, 0];
  for (const start of starts) {
    const task = minimise({
      params: { theta: float64(start) },
      forward: ({ theta }: { theta: Tensor }, _: Tensor) =>
        theta
          .slice([[0, 1]])
          .mul(inputs)
          .add(theta.slice([[1, 2]]))
          .sigmoid(),
      objective: (f) => measured(f, objective),
    }).subjectTo({ group: atMost(level, (f) => measured(f, requirement)) }, { cost: quadratic(alpha) });
    const { params } = await solve(task, {
      data: float64([0]),
      optimizer: adam(0.02),
      dualRate: 0.1,
      steps: 4000,
      every: 200,
    });
    const [w, b] = params.theta.data;
    const above = resilient([sigmoid(b - w), sigmoid(b), sigmoid(b + w)]) - best;
    if (above < 1e-3) reached++;
    worst = Math.max(worst, above);
  }
  return stating(
    "algorithm-converges",
    reached === starts.length,
    `the same model, not convex: the best value of a grid is reached to 10⁻³ from ${reached} of ${starts.length} starts (at worst ${worst.toExponential(1)} above ${best.toFixed(4)})`,
  );
}
