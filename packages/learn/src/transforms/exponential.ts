// The exponential of small matrices, many at once, by scaling and squaring: eᴬ = (e^(A/2ˢ))^(2ˢ), with a Taylor polynomial of
// fixed order for the inner one. Fixed, so that one compiled graph serves all; accurate to rounding while no row of A adds up
// to more than 8. Read: Moler & Van Loan, "Nineteen dubious ways to compute the exponential of a matrix" (2003).
import { array, constant, type DType, type Tensor } from "@pliant/engine";

const squarings = 5;
const order = 10;

/** eᴬ of every matrix A in the last two axes of [..., n, n]. */
export function matrixExponential(matrices: Tensor): Tensor {
  const axes = matrices.shape.map((_, i) => i);
  const n = matrices.shape[axes.length - 1];
  // The matrices' own axes in front: a product is then elementwise along all matrices.
  const a = matrices.transpose([...axes.slice(-2), ...axes.slice(0, -2)]).mul(2 ** -squarings);
  const one = identity(n, a.rank, a.dtype);
  // Horner: 1 + A(1 + A/2(1 + A/3(…))).
  let e = a.mul(1 / order).add(one);
  for (let k = order - 1; k >= 1; k--)
    e = product(a, e)
      .mul(1 / k)
      .add(one);
  for (let s = 0; s < squarings; s++) e = product(e, e);
  return e.transpose([...axes.slice(2), 0, 1]);
}

/** The product of matrices in the first two axes, by sums: a GPU may round matrix products to fewer digits. */
const product = (a: Tensor, b: Tensor): Tensor => a.expandDims(2).mul(b.expandDims(0)).sum({ axis: 1 });

function identity(n: number, rank: number, dtype: DType): Tensor {
  const ones = Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0));
  return constant(array(ones, { shape: [n, n, ...Array(rank - 2).fill(1)], dtype }));
}
