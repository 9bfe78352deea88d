// Triangular systems and Cholesky's decomposition, column by column in a scan. For small matrices: a step of the scan is a
// few operations on a whole matrix.
import { scan } from "../control/index.js";
import { customGradient } from "../custom.js";
import { ShapeError } from "../errors.js";
import { showAval } from "../graph.js";
import { add, div, eq, gt, lt, mul, sub, where } from "../ops/binary.js";
import { gather } from "../ops/indexing.js";
import { matmul } from "../ops/linear.js";
import { broadcastTo, expandDims, squeeze, swapLast } from "../ops/movement.js";
import { sum } from "../ops/reduce.js";
import { neg, sqrt } from "../ops/unary.js";
import { broadcastShapes } from "../shape.js";
import * as stacked from "../stacked.js";
import { liftAll, type Operand, scalar, type Tensor } from "../tensor.js";
import { tril, triu } from "./construction.js";
import { column, places, row, square } from "./matrices.js";

/** Which triangle of the matrix counts, and whether its diagonal is taken as ones. */
export interface TriangularOptions {
  /** Default: the lower one. */
  upper?: boolean;
  unitDiagonal?: boolean;
}

/** Both with the same leading axes. */
function aligned(name: string, a: Tensor, b: Tensor): [Tensor, Tensor] {
  const n = a.shape[a.rank - 1];
  if (b.rank < 2 || b.shape[b.rank - 2] !== n)
    throw new ShapeError(name, `${showAval(a)} takes right sides [..., ${n}, m], got ${showAval(b)}`);
  const lead = broadcastShapes(name, a.shape.slice(0, -2), b.shape.slice(0, -2));
  const wide = (x: Tensor): Tensor => broadcastTo(x, [...lead, ...x.shape.slice(-2)]);
  return [wide(a), wide(b)];
}

/** Right sides as columns: a vector is one. */
export function withColumns(
  name: string,
  a: Operand,
  b: Operand,
  solve: (a: Tensor, b: Tensor) => Tensor,
): Tensor {
  const [matrix, right] = liftAll(a, b);
  square(name, matrix);
  if (matrix.dtype !== right.dtype)
    throw new ShapeError(name, `${showAval(matrix)} and ${showAval(right)} do not mix; cast one of them`);
  const columns = right.rank === 1 ? expandDims(right, 1) : right;
  const x = solve(...aligned(name, matrix, columns));
  return right.rank === 1 ? squeeze(x, -1) : x;
}

/** One row after another, each from those before it. */
export function substituted(
  t: Tensor,
  b: Tensor,
  { upper = false, unitDiagonal = false }: TriangularOptions,
): Tensor {
  const n = t.shape[t.rank - 1];
  const at = places(n);
  const nothing = scalar(0, t.dtype);
  const step = (x: Tensor, k: Tensor) => {
    const all = gather(t, k, -2);
    const known = where(upper ? gt(at, k) : lt(at, k), all, nothing);
    const rest = sub(gather(b, k, -2), sum(mul(column(known), x), -2));
    const value = unitDiagonal ? rest : div(rest, column(gather(all, k, -1)));
    return { state: where(column(eq(at, k)), row(value), x), record: [] };
  };
  return scan(step, broadcastTo(nothing, b.shape), at, { reverse: upper }).state;
}

const solvers = /* @__PURE__ */ [false, true].map((upper) =>
  [false, true].map((unitDiagonal) => {
    const options = { upper, unitDiagonal };
    const solve: (...inputs: Operand[]) => Tensor = customGradient(
      (t, b) => substituted(t, b, options),
      (g, [t], x) => {
        const back = solvers[Number(!upper)][Number(unitDiagonal)](swapLast(t), g);
        const outer = neg(matmul(back, swapLast(x)));
        const inside = Number(unitDiagonal);
        return [upper ? triu(outer, inside) : tril(outer, -inside), back];
      },
    );
    return solve;
  }),
);

/** The x with T·x = b, where of T [..., n, n] one triangle counts; b is [..., n, m], or one vector [n]. */
export const triangularSolve = (t: Operand, b: Operand, options: TriangularOptions = {}): Tensor =>
  withColumns("triangularSolve", t, b, (matrix, right) =>
    solvers[Number(options.upper ?? false)][Number(options.unitDiagonal ?? false)](matrix, right),
  );

/** The columns of L one after another; what is left of A loses each one's outer product. */
function columns(a: Tensor): Tensor {
  const n = a.shape[a.rank - 1];
  const at = places(n);
  const nothing = scalar(0, a.dtype);
  const step = (left: Tensor, k: Tensor) => {
    const all = gather(left, k, -1);
    const pivot = sqrt(expandDims(gather(all, k, -1), -1));
    const below = where(gt(at, k), div(all, pivot), nothing);
    return {
      state: sub(left, mul(column(below), row(below))),
      record: where(eq(at, k), broadcastTo(pivot, all.shape), below),
    };
  };
  return stacked.moveAxis(scan(step, a, at).record, 0, a.rank - 1);
}

/** Half of the diagonal and all below it. */
const half = (x: Tensor): Tensor => mul(add(tril(x), tril(x, -1)), 0.5);

/** Ā = sym(L⁻ᵀ·Φ(Lᵀ·L̄)·L⁻¹), with Φ the lower triangle and half of the diagonal (Murray, 2016). */
const factor = /* @__PURE__ */ customGradient(
  (a) => columns(a),
  (g, _, l) => {
    const inner = half(matmul(swapLast(l), g));
    const t = swapLast(l);
    const left = triangularSolve(t, inner, { upper: true });
    const both = swapLast(triangularSolve(t, swapLast(left), { upper: true }));
    return [mul(add(both, swapLast(both)), 0.5)];
  },
);

/** The lower triangle L with L·Lᵀ = A, of symmetric positive definite [..., n, n]; NaN where A is not. */
export function cholesky(a: Operand): Tensor {
  const matrix = square("cholesky", a);
  if (matrix.size === 0) return matrix;
  return factor(mul(add(matrix, swapLast(matrix)), 0.5));
}
