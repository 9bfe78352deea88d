// The paper's propositions as computations on small convex problems: each check says what it found and whether the claim holds.
import { atMost, hard, minimise, onNumbers, quadratic, sgd, solve } from "@pliant/core";
import { array, random, type Tensor } from "@pliant/engine";
import { stating } from "../items/claim.js";
import type { Claim } from "../items/item.js";
import { largest } from "../statistics.js";
import { insistingAlpha, yieldingAlpha } from "./bounds.js";
import { byPliant, dot, feasible, type HalfSpaces, halfSpaces, jointly, projected } from "./half-spaces.js";

const seeds = Array.from({ length: 24 }, (_, i) => i);
const tight = 1e-5;

const furthest = (a: readonly number[], b: readonly number[]): number =>
  largest(a.map((value, i) => Math.abs(value - b[i])));
const small = (value: number): string => value.toExponential(1);

/** α between 0.1 and 5, by the problem's number. */
const alphaOf = (seed: number): number => 0.1 + ((seed * 7) % 50) / 10;

/** Propositions 1, 3 and 4, and that a constant in the objective changes nothing. */
export async function equilibriumChecks(): Promise<Claim[]> {
  const gaps = {
    returns: 0,
    unique: 0,
    shifted: 0,
    multiplier: 0,
    duality: 0,
    converse: 0,
    joint: 0,
    subgradient: 0,
  };
  let [certified, regular] = [0, 0];
  for (const seed of seeds) {
    const [sides, alpha] = [halfSpaces(seed), alphaOf(seed)];
    const cost = quadratic(alpha);
    const found = await byPliant(sides, cost);
    const again = await byPliant(sides, cost, {
      start: sides.centre.map((_, i) => 9 * (-1) ** i),
      constant: 0,
    });
    const shifted = await byPliant(sides, cost, { constant: 5 });
    if (found.certified && again.certified) certified++;
    gaps.unique = Math.max(gaps.unique, furthest(found.u, again.u));
    gaps.shifted = Math.max(gaps.shifted, furthest(found.u, shifted.u));
    const slopes = onNumbers(cost).gradient(found.u);
    gaps.multiplier = Math.max(gaps.multiplier, furthest(slopes, found.prices));
    // min over x of the Lagrangian at λ* is at x = c − Aᵀλ*.
    const { centre, rows, levels } = sides;
    const pull = centre.map((_, j) => rows.reduce((sum, row, i) => sum + found.prices[i] * row[j], 0));
    const dual =
      -dot(pull, pull) / 2 +
      rows.reduce((sum, row, i) => sum + found.prices[i] * (dot(row, centre) - levels[i] - found.u[i]), 0);
    gaps.duality = Math.max(gaps.duality, Math.abs(dual - found.objective));
    const joint = jointly(sides, alpha);
    gaps.joint = Math.max(gaps.joint, furthest(found.u, joint.u));
    gaps.subgradient = Math.max(gaps.subgradient, subgradientGap(sides, joint.u, alpha, seed));
    gaps.returns = Math.max(gaps.returns, returnsGap(sides, joint.u, alpha));
    // Multipliers are unique, and P̃ is differentiable, where the relaxed half-spaces are independent.
    if (seed % 2 === 0 && rows.length <= centre.length) {
      const relaxed = projected(sides, joint.u)!;
      gaps.converse = Math.max(gaps.converse, furthest(relaxed.prices, onNumbers(cost).gradient(joint.u)));
      regular++;
    }
  }
  const n = seeds.length;
  const close = (id: string, gap: number, what: string): Claim =>
    stating(id, gap < tight, `${what} ${small(gap)} over ${n} problems, half of them infeasible`);
  return [
    stating("exists", certified === n, `certified in ${certified} of ${n} problems, half of them infeasible`),
    close("unique", gaps.unique, "largest difference in u between two starts"),
    close("translation-invariant", gaps.shifted, "largest change in u from a constant in the objective"),
    stating(
      "multipliers",
      gaps.multiplier < tight && gaps.duality < tight,
      `|∇h(u*) − λ*| ≤ ${small(gaps.multiplier)}, |P̃(u*) − D̃(u*)| ≤ ${small(gaps.duality)} over ${n} problems`,
    ),
    stating(
      "multipliers-converse",
      gaps.converse < tight,
      `multipliers by active sets at the joint problem's u: |∇h(u) − λ*(u)| ≤ ${small(gaps.converse)} over ${regular} problems with independent half-spaces`,
    ),
    close("diminishing-returns", gaps.returns, "either side falls short of ∇h(u*)·ε by at most"),
    close("joint", gaps.joint, "largest difference in u from Newton's method on the joint problem"),
    close(
      "joint-converse",
      gaps.subgradient,
      "its u breaks the subgradient inequality P̃(v) ≥ P̃(u) − ∇h(u)·(v − u) by at most",
    ),
  ];
}

/** By how much relaxing by ε costs less than ∇h(u)·ε, or tightening by it raises P̃ by less; ε is 1% to 10% of u. */
function returnsGap(sides: HalfSpaces, u: readonly number[], alpha: number): number {
  const h = onNumbers(quadratic(alpha));
  const here = projected(
    sides,
    u.map((value) => value + 1e-9),
  );
  if (!here) return Infinity;
  const gaps = [0.01, 0.03, 0.1].flatMap((part) => {
    const by = u.map((value) => part * value);
    const least = h.gradient(u).reduce((sum, slope, i) => sum + slope * by[i], 0);
    const dearer = h.value(u.map((value, i) => value + by[i])) - h.value(u);
    const tighter = projected(
      sides,
      u.map((value, i) => value - by[i]),
    );
    // Where no model meets the tighter requirements the optimum is infinite.
    return [least - dearer, least - ((tighter?.value ?? Infinity) - here.value)];
  });
  return Math.max(0, ...gaps);
}

/** By how much −∇h(u) fails to be a subgradient of P̃ at u, over random relaxations. */
function subgradientGap(sides: HalfSpaces, u: readonly number[], alpha: number, seed: number): number {
  const here = projected(
    sides,
    u.map((value) => value + 1e-9),
  );
  if (!here) return Infinity;
  const slopes = onNumbers(quadratic(alpha)).gradient(u);
  const m = u.length;
  const numbers = random.uniform(random.key(1000 + seed), [20 * m], { dtype: "float64" }).data;
  let gap = 0;
  for (let i = 0; i < 20; i++) {
    const v = u.map((_, j) => 3 * numbers[i * m + j]);
    const there = projected(sides, v);
    const line = here.value - slopes.reduce((sum, slope, j) => sum + slope * (v[j] - u[j]), 0);
    if (there) gap = Math.max(gap, line - there.value);
  }
  return gap;
}

/** Proposition 2, and that P̃ does not increase: along a grid of one requirement's relaxation, by active sets. */
export function perturbationChecks(): Claim[] {
  const grid = Array.from({ length: 16 }, (_, k) => k / 5);
  const rises = { value: 0, price: 0, slope: 0 };
  const problems = feasible(Array.from({ length: 60 }, (_, i) => i));
  for (const sides of problems) {
    const at = grid.map(
      (u) =>
        projected(
          sides,
          sides.rows.map((_, i) => (i === 0 ? u : 0)),
        )!,
    );
    const slopes = grid.map((u) => onNumbers(quadratic(0.5)).gradient([u])[0]);
    for (let k = 1; k < grid.length; k++) {
      rises.value = Math.max(rises.value, at[k].value - at[k - 1].value);
      rises.price = Math.max(rises.price, at[k].prices[0] - at[k - 1].prices[0]);
      rises.slope = Math.max(rises.slope, slopes[k - 1] - slopes[k]);
    }
  }
  const cases = `${problems.length} problems of ${grid.length} relaxations`;
  return [
    stating(
      "perturbation-decreases",
      rises.value < 1e-9,
      `P̃ rises by at most ${small(rises.value)} over ${cases}`,
    ),
    stating(
      "sensitivity-falls",
      rises.price < 1e-9,
      `λ* rises by at most ${small(rises.price)} over ${cases}`,
    ),
    stating("cost-slope-grows", rises.slope <= 0, `h′ falls by at most ${small(rises.slope)} over ${cases}`),
  ];
}

/** Proposition 5: costs between constrained and unconstrained learning. */
export async function limitChecks(): Promise<Claim[]> {
  const [epsilon, problems] = [0.1, feasible(seeds)];
  let [most, least, proved] = [0, Infinity, 0];
  for (const sides of problems) {
    const m = sides.rows.length;
    const at = m === 1 ? epsilon : epsilon / (2 * m);
    const { prices } = projected(
      sides,
      sides.rows.map(() => at),
    )!;
    const kept = jointly(sides, Math.max(insistingAlpha({ epsilon, at, prices }), 0.1));
    most = Math.max(most, ...kept.u);
    const slacks = sides.rows.map((row, i) => Math.max(0, dot(row, sides.centre) - sides.levels[i]));
    if (!slacks.some((slack) => slack > epsilon)) continue;
    const rises = slacks.map((slack) => (slack > epsilon ? epsilon ** 2 / 2 : Infinity));
    const given = jointly(sides, yieldingAlpha({ slacks, rises }));
    least = Math.min(least, ...given.u.map((u, i) => u - slacks[i]));
    proved++;
  }
  const { alpha, broken } = await brokenBound();
  return [
    stating(
      "limit-constrained",
      most <= epsilon + 1e-9,
      `at ε = ${epsilon} and our α the largest u is ${most.toFixed(4)} over ${problems.length} problems`,
    ),
    stating(
      "limit-constrained-alpha",
      broken <= 1,
      `two requirements that substitute each other: at α = ${alpha}, above the proof's bound, u is ${broken.toFixed(2)} ε`,
    ),
    stating(
      "limit-unconstrained",
      least >= -epsilon,
      `u is at most ${(-least).toFixed(4)} below the unconstrained loss, ε = ${epsilon}, over ${proved} problems`,
    ),
  ];
}

/** ½x·Qx − b·x with Q near [1 1; 1 1] and xᵢ ≤ level: the proof's α is too small here. The largest u over ε. */
async function brokenBound(): Promise<{ alpha: number; broken: number }> {
  const float64 = (values: readonly number[]) => array([...values], { dtype: "float64" });
  const [epsilon, alpha] = [1, 0.25];
  const problemAt = (level: number, cost = hard) =>
    minimise({
      params: { x: float64([0, 0]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => {
        const bowl = x.sum().pow(2).add(x.pow(2).sum().mul(0.01));
        return bowl.mul(0.5).sub(x.mul(float64([2.46, 2.02])).sum());
      },
    }).subjectTo({ each: atMost(level, (x) => x) }, { cost });
  const options = {
    data: float64([0]),
    optimizer: sgd(0.4),
    dualRate: 0.3,
    tolerance: 1e-8,
    steps: 20_000,
    every: 100,
  };
  const { state: relaxed } = await solve(problemAt(epsilon), options);
  const bound = Math.max(...relaxed.prices[0].data) / (2 * epsilon);
  const { state } = await solve(problemAt(0, quadratic(alpha)), options);
  return { alpha, broken: alpha > bound ? Math.max(...state.relaxations[0].data) / epsilon : Number.NaN };
}

/**
 * Assumption 2. min ½(x − 1)² where x² ≤ u has no strictly feasible point at u = 0: P̃(u) = ½(1 − √u)² has slope −∞ there, and no
 * multiplier exists. The resilient problem has margin at any larger u, and its equilibrium is where 2αu = (1 − √u)/2√u.
 */
export async function qualificationCheck(): Promise<Claim> {
  const alpha = 0.5;
  const float64 = (value: number) => array(value, { dtype: "float64" });
  const task = minimise({
    params: { x: float64(0.5) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(1).pow(2).mul(0.5),
  }).subjectTo({ square: atMost(0, (x) => x.pow(2)) }, { cost: quadratic(alpha) });
  const { report, certificate } = await solve(task, {
    data: float64(0),
    optimizer: sgd(0.2),
    dualRate: 0.2,
    tolerance: 1e-9,
    steps: 40_000,
  });
  const sensitivity = (u: number): number => (1 - Math.sqrt(u)) / (2 * Math.sqrt(u));
  let [low, high] = [1e-9, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (2 * alpha * middle < sensitivity(middle)) low = middle;
    else high = middle;
  }
  const { relaxation, price } = report.requirements.square;
  return stating(
    "qualification-mild",
    certificate.holds && Math.abs(relaxation - low) < tight,
    `x² ≤ 0, met by one point only: multipliers ${[1e-2, 1e-4, 1e-6].map((u) => sensitivity(u).toFixed(1)).join(", ")} at u = 10⁻², 10⁻⁴, 10⁻⁶ diverge, while u* = ${relaxation.toFixed(4)} and λ* = ${price.toFixed(4)} exist (by bisection ${low.toFixed(4)})`,
  );
}
