// Small convex problems with exact answers: ½‖x − c‖² where aᵢ·x ≤ bᵢ. Pliant's solver is compared with two others that share no
// code with it: a projection by enumeration of active sets, and Newton's method for the joint problem in x and u.
import { atMost, type Cost, minimise, type Requirement, sgd, solve } from "@pliant/core";
import { array, type NdArray, random, type Tensor } from "@pliant/engine";

export interface HalfSpaces {
  readonly centre: readonly number[];
  /** aᵢ, of length 1. */
  readonly rows: readonly (readonly number[])[];
  readonly levels: readonly number[];
}

export const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i], 0);

/** Two to four dimensions and one to three half-spaces; every second problem contains their opposites, so that it is infeasible. */
export function halfSpaces(seed: number): HalfSpaces {
  const numbers = random.uniform(random.key(seed), [40], { dtype: "float64" }).data;
  let at = 0;
  const next = (low: number, high: number): number => low + (high - low) * numbers[at++];
  const n = 2 + (seed % 3);
  const rows = Array.from({ length: 1 + (Math.floor(seed / 3) % 3) }, () => {
    const row = Array.from({ length: n }, () => next(-1, 1));
    const length = Math.hypot(...row);
    return row.map((value) => value / length);
  });
  const levels = rows.map(() => next(0.1, 2));
  const centre = Array.from({ length: n }, () => next(-2, 2));
  if (seed % 2 === 0) return { centre, rows, levels };
  return {
    centre,
    rows: [...rows, ...rows.map((row) => row.map((value) => -value))],
    levels: [...levels, ...levels.map((level) => -level - 0.5)],
  };
}

export const feasible = (seeds: readonly number[]): HalfSpaces[] =>
  seeds.filter((seed) => seed % 2 === 0).map(halfSpaces);

const float64 = (values: readonly number[]): NdArray => array([...values], { dtype: "float64" });

export interface Solved {
  readonly x: readonly number[];
  readonly u: readonly number[];
  readonly prices: readonly number[];
  readonly objective: number;
  readonly certified: boolean;
}

/** By Pliant, from a start; `constant` is added to the objective. */
export async function byPliant(
  { centre, rows, levels }: HalfSpaces,
  cost: Cost,
  { start = centre.map(() => 0), constant = 0 }: { start?: readonly number[]; constant?: number } = {},
): Promise<Solved> {
  const requirements: Record<string, Requirement<Tensor, Tensor>> = {};
  for (const [i, row] of rows.entries())
    requirements[`r${i}`] = atMost(levels[i], (x) => x.mul(float64(row)).sum());
  const task = minimise({
    params: { x: float64(start) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(float64(centre)).pow(2).mul(0.5).sum().add(constant),
  }).subjectTo(requirements, { cost });
  const { report, params, certificate } = await solve(task, {
    data: float64([0]),
    optimizer: sgd(0.4),
    dualRate: 0.3,
    tolerance: 1e-8,
    steps: 20_000,
    every: 100,
  });
  const byRow = (key: "relaxation" | "price") => rows.map((_, i) => report.requirements[`r${i}`][key]);
  return {
    x: Array.from(params.x.data),
    u: byRow("relaxation"),
    prices: byRow("price"),
    objective: report.objective,
    certified: certificate.holds,
  };
}

/** Solves Mx = b by elimination; undefined where M is singular. */
function linearSolution(
  matrix: readonly (readonly number[])[],
  right: readonly number[],
): number[] | undefined {
  const n = right.length;
  const rows = matrix.map((row, i) => [...row, right[i]]);
  for (let k = 0; k < n; k++) {
    const pivot = rows.reduce(
      (best, row, i) => (i >= k && Math.abs(row[k]) > Math.abs(rows[best][k]) ? i : best),
      k,
    );
    if (Math.abs(rows[pivot][k]) < 1e-12) return undefined;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

export interface Projected {
  /** P̃(u). */
  readonly value: number;
  /** λ*(u). */
  readonly prices: readonly number[];
}

/** P̃(u) and its multipliers: the projection of c, by trying every set of active half-spaces. Undefined where infeasible. */
export function projected({ centre, rows, levels }: HalfSpaces, u: readonly number[]): Projected | undefined {
  const bounds = levels.map((level, i) => level + u[i]);
  for (let mask = 0; mask < 2 ** rows.length; mask++) {
    const active = rows.map((_, i) => i).filter((i) => mask & (1 << i));
    const found = linearSolution(
      active.map((i) => active.map((j) => dot(rows[i], rows[j]))),
      active.map((i) => dot(rows[i], centre) - bounds[i]),
    );
    if (!found || found.some((price) => price < 0)) continue;
    const prices = rows.map((_, i) => (active.includes(i) ? found[active.indexOf(i)] : 0));
    const x = centre.map((value, j) => value - rows.reduce((sum, row, i) => sum + prices[i] * row[j], 0));
    if (rows.some((row, i) => dot(row, x) > bounds[i] + 1e-9)) continue;
    return { value: x.reduce((sum, value, j) => sum + (value - centre[j]) ** 2 / 2, 0), prices };
  }
  return undefined;
}

/** min ½‖x − c‖² + α‖u‖² where aᵢ·x − bᵢ ≤ uᵢ: with u = [Ax − b]₊ a smooth problem, by Newton's method on the violated set. */
export function jointly({ centre, rows, levels }: HalfSpaces, alpha: number): { x: number[]; u: number[] } {
  let x = [...centre];
  for (let step = 0; step < 100; step++) {
    const violated = rows.map((row, i) => dot(row, x) > levels[i]);
    const own = rows.flatMap((row, i) => (violated[i] ? [{ row, level: levels[i] }] : []));
    const next = linearSolution(
      centre.map((_, j) =>
        centre.map(
          (_, k) => (j === k ? 1 : 0) + 2 * alpha * own.reduce((sum, { row }) => sum + row[j] * row[k], 0),
        ),
      ),
      centre.map(
        (value, j) => value + 2 * alpha * own.reduce((sum, { row, level }) => sum + level * row[j], 0),
      ),
    )!;
    const same = Math.hypot(...next.map((value, j) => value - x[j])) < 1e-13;
    x = next;
    if (same) break;
  }
  return { x, u: rows.map((row, i) => Math.max(0, dot(row, x) - levels[i])) };
}
