// Learned ranges of six affine transforms. Read: Benton et al., "Learning invariances in neural networks from training data"
// (2020).
import { array, concat, constant, type Tensor } from "@pliant/engine";
import { matrixExponential } from "./exponential.js";

/** The six generators, as 3×3 matrices row by row. */
const generators = {
  xShift: [0, 0, 1, 0, 0, 0, 0, 0, 0],
  yShift: [0, 0, 0, 0, 0, 1, 0, 0, 0],
  rotation: [0, -1, 0, 1, 0, 0, 0, 0, 0],
  xScale: [1, 0, 0, 0, 0, 0, 0, 0, 0],
  yScale: [0, 0, 0, 0, 1, 0, 0, 0, 0],
  shear: [0, 1, 0, 1, 0, 0, 0, 0, 0],
};

/** The names of the six entries of eta, in order. */
export const augerinoGenerators = Object.keys(generators) as (keyof typeof generators)[];

/**
 * The matrices [..., N, 2, 3] of exp(Σ kᵢ ηᵢ Gᵢ) for ranges η [..., 6] and numbers k [..., N, 6] in −1 … 1. A range of rotations
 * beyond ±π is the whole circle, uniformly. With a leading stack axis on both, each model has its own ranges.
 */
export function augerinoMatrices(eta: Tensor, k: Tensor): Tensor {
  const part = (from: number, to: number): Tensor =>
    eta.slice([...eta.shape.slice(0, -1).map(() => []), [from, to]]);
  const bounded = concat([part(0, 2), part(2, 3).clip(-Math.PI, Math.PI), part(3, 6)], eta.rank - 1);
  const coefficients = k.mul(bounded.expandDims(-2));
  const all = constant(array(Object.values(generators), { dtype: k.dtype }));
  // A sum of products, element by element: matrix products may be rounded to fewer digits on a GPU.
  const sum = coefficients.expandDims(-1).mul(all).sum({ axis: -2 });
  const whole = matrixExponential(sum.reshape([...k.shape.slice(0, -1), 3, 3]));
  return whole.slice([...k.shape.slice(0, -1).map(() => []), [0, 2]]);
}
