// Eigenvalues of small symmetric matrices by Jacobi's rotations: in every round of a tournament each index meets one other,
// and both are rotated so that their element off the diagonal vanishes (Brent and Luk, 1985). Rotations are of single rows
// and columns, so that no product of matrices rounds them.
import { scan } from "../control/index.js";
import { customGradient } from "../custom.js";
import { NdArray } from "../ndarray.js";
import { takeAlong } from "../ops/along.js";
import { add, div, eq, gt, mul, or, sub, where } from "../ops/binary.js";
import { gather } from "../ops/indexing.js";
import { matmul } from "../ops/linear.js";
import { broadcastTo, concat, reshape, squeeze, swapLast } from "../ops/movement.js";
import { slice } from "../ops/slicing.js";
import { argsort } from "../ops/sort.js";
import { abs, neg, sqrt } from "../ops/unary.js";
import { range } from "../shape.js";
import { constant, type Operand, scalar, type Tensor } from "../tensor.js";
import { diag, diagonal, eye } from "./construction.js";
import { column, row, square } from "./matrices.js";

/** Whom each index meets in each round: all but the last move around a circle. One without a partner meets itself. */
function tournament(n: number): Int32Array[] {
  const even = n + (n % 2);
  return range(even - 1).map((round) => {
    const met = Int32Array.from(range(n));
    const circle = (i: number): number => (i === 0 ? even - 1 : (round + i - 1) % (even - 1));
    for (let i = 0; i < even / 2; i++) {
      const [a, b] = [circle(i), circle(even - 1 - i)];
      if (a < n && b < n) [met[a], met[b]] = [b, a];
    }
    return met;
  });
}

/** Quadratic convergence: a few sweeps more for larger matrices and for more digits. */
const sweepsFor = (n: number, dtype: string): number =>
  5 + Math.ceil(Math.log2(Math.max(n, 2))) + (dtype === "float64" ? 2 : 0);

interface Rotated {
  readonly a: Tensor;
  readonly v: Tensor;
}

/** Vectors in the columns, and below them the values, from the smallest. */
function decomposed(matrix: Tensor): Tensor {
  const n = matrix.shape[matrix.rank - 1];
  const identity = broadcastTo(constant(eye(n, n, { dtype: matrix.dtype })), matrix.shape);
  const rounds = n > 1 ? tournament(n) : [];
  const all = range(rounds.length > 0 ? sweepsFor(n, matrix.dtype) : 0).flatMap(() => rounds);
  const partners = new NdArray(Int32Array.from(all.flatMap((r) => [...r])), [all.length, n]);
  const one = scalar(1, matrix.dtype);
  const nothing = scalar(0, matrix.dtype);
  const first = constant(new NdArray(Int32Array.from(range(n)), [n]));

  const step = ({ a, v }: Rotated, met: Tensor) => {
    const own = diagonal(a);
    const other = gather(own, met, -1);
    const between = squeeze(takeAlong(a, broadcastTo(column(met), [...a.shape.slice(0, -1), 1]), -1), -1);
    const still = eq(between, 0);
    const ratio = div(sub(other, own), mul(2, where(still, one, between)));
    // With equal diagonal elements, the two rotate in opposite directions too.
    const way = where(eq(ratio, 0), gt(met, first), gt(ratio, 0));
    const size = div(1, add(abs(ratio), sqrt(add(mul(ratio, ratio), 1))));
    const alone = eq(met, first);
    const t = where(or(still, alone), nothing, where(way, size, neg(size)));
    const c = div(1, sqrt(add(mul(t, t), 1)));
    const s = mul(t, c);
    const ofColumns = (x: Tensor): Tensor => sub(mul(row(c), x), mul(row(s), gather(x, met, -1)));
    const ofRows = sub(mul(column(c), a), mul(column(s), gather(a, met, -2)));
    return { state: { a: ofColumns(ofRows), v: ofColumns(v) }, record: [] };
  };
  const { a, v } =
    all.length > 0
      ? (scan(step, { a: matrix, v: identity }, constant(partners)).state as unknown as Rotated)
      : { a: matrix, v: identity };
  const values = diagonal(a);
  const order = argsort(values);
  const vectors = takeAlong(v, broadcastTo(row(order), v.shape), -1);
  return concat([vectors, row(takeAlong(values, order))], -2);
}

const apart = (packed: Tensor): { values: Tensor; vectors: Tensor } => {
  const n = packed.shape[packed.rank - 1];
  const rows = (from: number, to: number): Tensor =>
    slice(packed, [...range(packed.rank - 2).map(() => []), [from, to]]);
  return { values: squeeze(rows(n, n + 1), -2), vectors: rows(0, n) };
};

/** Ā = V·(diag(w̄) + F ∘ VᵀV̄)·Vᵀ with F = 1/(wⱼ − wᵢ), and 0 between equal values, where vectors have no derivative. */
const decompose = /* @__PURE__ */ customGradient(
  (a) => decomposed(a),
  (g, _, packed) => {
    const { values: w, vectors: v } = apart(packed);
    const { values: dw, vectors: dv } = apart(g);
    const gaps = sub(row(w), column(w));
    const none = eq(gaps, 0);
    const shares = where(none, scalar(0, w.dtype), div(1, where(none, 1, gaps)));
    const inner = add(diag(dw), mul(shares, matmul(swapLast(v), dv)));
    const whole = matmul(matmul(v, inner), swapLast(v));
    return [mul(add(whole, swapLast(whole)), 0.5)];
  },
);

/** Eigenvalues of symmetric matrices [..., n, n], from the smallest, and eigenvectors as columns in their order. */
export function eigh(a: Operand): { values: Tensor; vectors: Tensor } {
  const matrix = square("eigh", a);
  if (matrix.size === 0) return { values: reshape(matrix, matrix.shape.slice(0, -1)), vectors: matrix };
  return apart(decompose(mul(add(matrix, swapLast(matrix)), 0.5)));
}
