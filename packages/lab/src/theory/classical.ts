// Classical learning as resilient learning: fixed penalties and the soft-margin SVM are linear relaxation costs, and so is the
// clipping of dual variables that relaxations replace.
import { atLeast, linear, minimise, sgd, solve } from "@pliant/core";
import { array, random, type Tensor } from "@pliant/engine";
import { stating } from "../items/claim.js";
import type { Claim } from "../items/item.js";
import { byPliant, dot, type HalfSpaces, halfSpaces } from "./half-spaces.js";

const furthest = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, i) => Math.abs(value - b[i])));

/** With every requirement above its level, min ½‖x − c‖² + γ Σ aᵢ·x is at c − γ Σ aᵢ. */
export async function penaltyCheck(): Promise<Claim> {
  const gamma = 0.05;
  let [gap, cases] = [0, 0];
  for (let seed = 0; seed < 40; seed += 2) {
    const sides = halfSpaces(seed);
    const x = sides.centre.map(
      (value, j) => value - gamma * sides.rows.reduce((sum, row) => sum + row[j], 0),
    );
    // Shifted so that the penalised model is above every level, which is the paper's condition.
    const levels = sides.rows.map((row) => dot(row, x) - 0.1);
    const found = await byPliant({ ...sides, levels }, linear(gamma));
    gap = Math.max(gap, furthest(found.x, x));
    cases++;
  }
  return stating(
    "penalty",
    gap < 1e-5,
    `largest difference in x ${gap.toExponential(1)} over ${cases} problems`,
  );
}

/** Projected dual ascent in plain numbers, every price clipped at a cap. */
function clippedAscent({ centre, rows, levels }: HalfSpaces, cap: number): { x: number[]; prices: number[] } {
  const prices = rows.map(() => 0);
  let x = [...centre];
  for (let step = 0; step < 20_000; step++) {
    x = centre.map((value, j) => value - rows.reduce((sum, row, i) => sum + prices[i] * row[j], 0));
    for (const [i, row] of rows.entries())
      prices[i] = Math.min(cap, Math.max(0, prices[i] + 0.1 * (dot(row, x) - levels[i])));
  }
  return { x, prices };
}

/** Dual variables clipped at γ solve the resilient problem with h = γ Σ uᵢ. */
export async function clippingCheck(): Promise<Claim> {
  const cap = 0.4;
  let [gap, clipped] = [0, 0];
  const seeds = Array.from({ length: 12 }, (_, i) => 2 * i + 1);
  for (const seed of seeds) {
    const sides = halfSpaces(seed);
    const ascent = clippedAscent(sides, cap);
    const found = await byPliant(sides, linear(cap));
    gap = Math.max(gap, furthest(found.x, ascent.x));
    if (ascent.prices.some((price) => price === cap)) clipped++;
  }
  return stating(
    "dual-clipping",
    gap < 1e-4,
    `dual variables clipped at ${cap} give the model of the linear cost ${cap}‖u‖₁ to ${gap.toExponential(1)} over ${seeds.length} infeasible problems, ${clipped} of them with clipped ones`,
  );
}

interface Examples {
  readonly x: readonly (readonly number[])[];
  readonly y: readonly number[];
}

/** Two Gaussian clouds that overlap. */
function clouds(seed: number, n: number, d: number): Examples {
  const noise = random.normal(random.key(seed), [n, d], { dtype: "float64" }).data;
  const y = Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1));
  const x = y.map((side, i) =>
    Array.from({ length: d }, (_, j) => noise[i * d + j] + (0.8 * side) / (1 + j)),
  );
  return { x, y };
}

/** ½‖w‖² + γ Σ [1 − yᵢw·xᵢ]₊. */
const hingeValue = ({ x, y }: Examples, gamma: number, w: readonly number[]): number =>
  dot(w, w) / 2 + gamma * x.reduce((sum, row, i) => sum + Math.max(0, 1 - y[i] * dot(w, row)), 0);

/** The SVM's dual, one coordinate after another (Hsieh et al., 2008, as in liblinear). */
function coordinateDescent(examples: Examples, gamma: number): number {
  const { x, y } = examples;
  const alpha = y.map(() => 0);
  const w = x[0].map(() => 0);
  for (let epoch = 0; epoch < 5000; epoch++)
    for (const [i, row] of x.entries()) {
      const next = Math.min(gamma, Math.max(0, alpha[i] + (1 - y[i] * dot(w, row)) / dot(row, row)));
      for (const [j, value] of row.entries()) w[j] += (next - alpha[i]) * y[i] * value;
      alpha[i] = next;
    }
  return hingeValue(examples, gamma, w);
}

export async function svmCheck(): Promise<Claim> {
  let gap = 0;
  const cases = [
    [60, 2, 1],
    [120, 4, 0.5],
    [200, 5, 0.1],
  ] as const;
  for (const [n, d, gamma] of cases) {
    const examples = clouds(n + d, n, d);
    const float64 = (values: number[] | number[][]) => array(values, { dtype: "float64" });
    const task = minimise({
      params: { w: float64(new Array<number>(d).fill(0)) },
      forward: ({ w }: { w: Tensor }, { x }: { x: Tensor; y: Tensor }) => ({
        w,
        score: x.matmul(w.reshape([d, 1])).reshape([n]),
      }),
      objective: ({ w }) => w.pow(2).mul(0.5).sum(),
    }).subjectTo({ margin: atLeast(1, ({ score }, { y }) => score.mul(y)) }, { cost: linear(gamma) });
    const { params } = await solve(task, {
      data: { x: float64(examples.x.map((row) => [...row])), y: float64([...examples.y]) },
      optimizer: sgd(0.05),
      dualRate: 0.05,
      tolerance: 1e-4,
      steps: 40_000,
      every: 500,
    });
    const best = coordinateDescent(examples, gamma);
    gap = Math.max(gap, hingeValue(examples, gamma, Array.from(params.w.data)) / best - 1);
  }
  return stating(
    "svm",
    gap < 1e-3,
    `primal value within ${(100 * gap).toFixed(3)}% of liblinear's coordinate descent, ${cases.length} problems of 60 to 200 examples`,
  );
}
