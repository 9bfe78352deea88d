// Gauss's elimination with partial pivoting, in a scan, and what follows from it: systems, inverses, determinants.
import { scan } from "../control/index.js";
import { customGradient } from "../custom.js";
import { takeAlong } from "../ops/along.js";
import { and, div, eq, ge, gt, mul, ne, sub, where } from "../ops/binary.js";
import { gather } from "../ops/indexing.js";
import { matmul } from "../ops/linear.js";
import { broadcastTo, swapLast } from "../ops/movement.js";
import { argmax, prod, sum } from "../ops/reduce.js";
import { abs, log, neg, sign } from "../ops/unary.js";
import { constant, type Operand, scalar, type Tensor } from "../tensor.js";
import { substituted, withColumns } from "./cholesky.js";
import { diagonal, eye } from "./construction.js";
import { column, places, row, square } from "./matrices.js";

interface Eliminated {
  /** Both triangles in one matrix: U, and below the diagonal L, whose own diagonal is 1. */
  readonly lu: Tensor;
  /** Which row of A each row came from. */
  readonly order: Tensor;
  /** 1, or −1 after an odd number of exchanges. */
  readonly parity: Tensor;
}

function eliminated(a: Tensor): Eliminated {
  const n = a.shape[a.rank - 1];
  const lead = a.shape.slice(0, -2);
  const at = places(n);
  const nothing = scalar(0, a.dtype);
  const start = {
    lu: a,
    order: broadcastTo(at, [...lead, n]),
    parity: broadcastTo(scalar(1, a.dtype), lead),
  };
  const step = ({ lu, order, parity }: Eliminated, k: Tensor) => {
    const sizes = where(ge(at, k), abs(gather(lu, k, -1)), scalar(-1, a.dtype));
    const pivotRow = argmax(sizes);
    const chosen = column(pivotRow);
    const exchange = where(eq(at, k), chosen, where(eq(at, chosen), k, at));
    const moved = takeAlong(lu, broadcastTo(column(exchange), lu.shape), -2);
    const below = gather(moved, k, -1);
    const beside = gather(moved, k, -2);
    const pivot = column(gather(beside, k, -1));
    // Below a pivot of 0 there is nothing but zeros.
    const none = eq(pivot, 0);
    const factors = where(and(gt(at, k), ne(none, true)), div(below, where(none, 1, pivot)), nothing);
    const rest = sub(moved, mul(column(factors), row(where(gt(at, k), beside, nothing))));
    const isFactor = and(column(gt(at, k)), row(eq(at, k)));
    return {
      state: {
        lu: where(isFactor, column(factors), rest),
        order: takeAlong(order, exchange),
        parity: where(eq(pivotRow, k), parity, neg(parity)),
      },
      record: [],
    };
  };
  return scan(step, start, at).state as unknown as Eliminated;
}

function solved(a: Tensor, b: Tensor): Tensor {
  const { lu, order } = eliminated(a);
  const right = takeAlong(b, broadcastTo(column(order), b.shape), -2);
  return substituted(lu, substituted(lu, right, { unitDiagonal: true }), { upper: true });
}

/** B̄ = A⁻ᵀ·X̄ and Ā = −B̄·Xᵀ. */
const system: (...inputs: Operand[]) => Tensor = /* @__PURE__ */ customGradient(
  (a, b) => solved(a, b),
  (g, [a], x) => {
    const back = system(swapLast(a), g);
    return [neg(matmul(back, swapLast(x))), back];
  },
);

/** The x with A·x = b; A is [..., n, n], b [..., n, m] or one vector [n]. Infinite or NaN where A is singular. */
export const solve = (a: Operand, b: Operand): Tensor =>
  withColumns("solve", a, b, (matrix, right) => (right.size === 0 ? right : system(matrix, right)));

/** The inverse of matrices [..., n, n]. */
export function inverse(a: Operand): Tensor {
  const matrix = square("inverse", a);
  const n = matrix.shape[matrix.rank - 1];
  return solve(matrix, constant(eye(n, n, { dtype: matrix.dtype })));
}

const determinant = /* @__PURE__ */ customGradient(
  (a) => {
    const { lu, parity } = eliminated(a);
    return mul(prod(diagonal(lu), -1), parity);
  },
  (g, [a], y) => [mul(column(column(mul(g, y))), swapLast(inverse(a)))],
);

/** The determinant of matrices [..., n, n]. Its gradient needs the inverse, so it is NaN where there is none. */
export function det(a: Operand): Tensor {
  const matrix = square("det", a);
  const one = scalar(1, matrix.dtype);
  return matrix.shape[matrix.rank - 1] === 0
    ? broadcastTo(one, matrix.shape.slice(0, -2))
    : determinant(matrix);
}

const logSize = /* @__PURE__ */ customGradient(
  (a) => sum(log(abs(diagonal(eliminated(a).lu))), -1),
  (g, [a]) => [mul(column(column(g)), swapLast(inverse(a)))],
);

/** The sign of the determinant and the logarithm of its size, which does not overflow. */
export function slogdet(a: Operand): { sign: Tensor; logDet: Tensor } {
  const matrix = square("slogdet", a);
  const { lu, parity } = eliminated(matrix);
  return { sign: mul(prod(sign(diagonal(lu)), -1), parity), logDet: logSize(matrix) };
}

/** The matrix times itself, so many times; a negative number of times, its inverse. */
export function matrixPower(a: Operand, times: number): Tensor {
  const matrix = square("matrixPower", a);
  const n = matrix.shape[matrix.rank - 1];
  let base = times < 0 ? inverse(matrix) : matrix;
  let power: Tensor | undefined;
  for (let left = Math.abs(times); left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = power ? matmul(power, base) : base;
    if (left > 1) base = matmul(base, base);
  }
  return power ?? broadcastTo(constant(eye(n, n, { dtype: matrix.dtype })), matrix.shape);
}
