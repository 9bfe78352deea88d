// The joint problem of Prop. 4, min over (θ, u) of ½θᵀQθ + cᵀθ + h(u) with Aθ − b ≤ u and u ≥ 0, by the method of Goldfarb
// and Idnani: an independent way to u* and λ*.
import { solveQP } from "quadprog";
import type { Matrix, QuadraticProblem } from "../bench/problems.js";

/** Curvature given to a linear cost, because quadprog wants a definite matrix; moves a price by 2e-9·u. */
const almostNone = 1e-9;

/** quadprog counts from one. */
const fromOne = <T>(list: readonly T[]): T[] => [undefined as T, ...list];
const fromOneMatrix = (matrix: Matrix): Matrix => fromOne(matrix.map(fromOne));
const transposed = (matrix: Matrix): Matrix => matrix[0].map((_, j) => matrix.map((row) => row[j]));

export function jointSolution({ Q, c, A, b, cost }: QuadraticProblem) {
  const n = c.length;
  const bends = cost.kind !== "hard";
  const relaxed = bends ? b.length : 0;
  const curvature = cost.kind === "quadratic" ? 2 * cost.alpha : almostNone;
  const slope = cost.kind === "linear" ? cost.gamma : 0;
  const zeros = (length: number) => new Array<number>(length).fill(0);
  const unit = (length: number, at: number, value: number) => zeros(length).with(at, value);

  // ½xᵀDx − dᵀx with x = (θ, u), and rows·x ≥ floor.
  const D = [
    ...Q.map((row) => [...row, ...zeros(relaxed)]),
    ...b.slice(0, relaxed).map((_, i) => unit(n + relaxed, n + i, curvature)),
  ];
  const d = [...c.map((x) => -x), ...zeros(relaxed).map(() => -slope)];
  const rows = [
    ...A.map((row, i) => [...row.map((x) => -x), ...(bends ? unit(relaxed, i, 1) : [])]),
    ...b.slice(0, relaxed).map((_, i) => unit(n + relaxed, n + i, 1)),
  ];
  const floor = [...b.map((x) => -x), ...zeros(relaxed)];
  const found = solveQP(fromOneMatrix(D), fromOne(d), fromOneMatrix(transposed(rows)), fromOne(floor));
  if (found.message) throw new Error(`quadprog: ${found.message}`);
  return {
    theta: found.solution.slice(1, n + 1),
    relaxations: bends ? found.solution.slice(n + 1) : zeros(b.length),
    prices: found.Lagrangian.slice(1, b.length + 1),
  };
}
