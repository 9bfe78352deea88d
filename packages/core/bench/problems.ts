// Random convex quadratic problems, ½θᵀQθ + cᵀθ asked to meet Aθ ≤ b. Every second one asks for what cannot be had. Q, c, A
// and b are data, so problems of one shape share one compiled step.

import { atMost, type Cost, hard, linear, minimise, quadratic } from "@pliant/core";
import { full, NdArray, random, type Tensor } from "@pliant/engine";

/** Rows of numbers. */
export type Matrix = number[][];

export interface QuadraticProblem {
  readonly seed: number;
  readonly Q: Matrix;
  readonly c: number[];
  readonly A: Matrix;
  readonly b: number[];
  /** Whether some θ meets all of Aθ ≤ b. */
  readonly feasible: boolean;
  /** h(u) = α‖u‖², γ·Σu, or no relaxation at all. */
  readonly cost:
    | { readonly kind: "quadratic"; readonly alpha: number }
    | { readonly kind: "linear"; readonly gamma: number }
    | { readonly kind: "hard" };
}

const dot = (x: readonly number[], y: readonly number[]): number =>
  x.reduce((sum, v, i) => sum + v * y[i], 0);

function drawing(seed: number) {
  let at = random.key(seed);
  const next = () => {
    const [now, later] = random.split(at);
    at = later;
    return now;
  };
  const numbers = (array: NdArray): number[] => Array.from(array.data, Number);
  const uniform = (low: number, high: number, n = 1) =>
    numbers(random.uniform(next(), [n], { low, high, dtype: "float64" }));
  const normal = (n: number) => numbers(random.normal(next(), [n], { dtype: "float64" }));
  const matrix = (rows: number, columns: number): Matrix =>
    Array.from({ length: rows }, () => normal(columns));
  return { uniform, normal, matrix };
}

/**
 * 10 to 50 variables, 5 to 60 requirements. Q = BBᵀ/n + I/10 has a condition number near 40; the requirements hold at a
 * drawn point with up to ½ to spare, and in odd seeds a quarter of them are then contradicted by ½ to 1½. One seed in ten
 * has another cost: hard where the requirements can be met, linear where they cannot.
 */
export function quadraticProblem(seed: number): QuadraticProblem {
  const { uniform, normal, matrix } = drawing(seed);
  const n = 10 + Math.floor(uniform(0, 41)[0]);
  const m = 5 + Math.floor(uniform(0, 56)[0]);
  const B = matrix(n, n);
  const Q = B.map((x, i) => B.map((y, j) => dot(x, y) / n + (i === j ? 0.1 : 0)));
  const A = matrix(m, n).map((row) => row.map((x) => x / Math.sqrt(n)));
  const met = normal(n);
  const spare = uniform(0, 0.5, m);
  const b = A.map((row, i) => dot(row, met) + spare[i]);
  const feasible = seed % 2 === 0;
  const contradicted = feasible ? 0 : Math.max(1, Math.floor(m / 4));
  for (const [i, by] of uniform(0.5, 1.5, contradicted).entries()) {
    A[m - 1 - i] = A[i].map((x) => -x);
    b[m - 1 - i] = -b[i] - by;
  }
  const alpha = 0.5 * 4 ** uniform(-1, 1)[0];
  const other = feasible ? ({ kind: "hard" } as const) : ({ kind: "linear", gamma: alpha } as const);
  const cost = seed % 20 < 2 ? other : ({ kind: "quadratic", alpha } as const);
  return { seed, Q, c: normal(n), A, b, feasible, cost };
}

const costOf = ({ cost }: QuadraticProblem): Cost => {
  if (cost.kind === "hard") return hard;
  return cost.kind === "linear" ? linear(cost.gamma) : quadratic(cost.alpha);
};

const vector = (x: readonly number[]) => new NdArray(Float64Array.from(x), [x.length]);
const rows = (x: Matrix) => new NdArray(Float64Array.from(x.flat()), [x.length, x[0].length]);

interface Data {
  Q: Tensor;
  c: Tensor;
  A: Tensor;
  b: Tensor;
}

/** The problem stated in Pliant, and its data. */
export function stated(problem: QuadraticProblem) {
  const { Q, c, A, b } = problem;
  const task = minimise({
    params: { theta: full([c.length], 0, "float64") },
    forward: ({ theta }: { theta: Tensor }, _: Data) => theta,
    objective: (theta, { Q, c }) => Q.matmul(theta).mul(0.5).add(c).mul(theta).sum(),
  }).subjectTo({ rows: atMost(0, (theta, { A, b }) => A.matmul(theta).sub(b)) }, { cost: costOf(problem) });
  return { task, data: { Q: rows(Q), c: vector(c), A: rows(A), b: vector(b) } };
}
