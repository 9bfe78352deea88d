// A case's value, its gradient and the gradient of a function of the gradient, as one function of its inputs.
import { grad, NdArray, random, type Tensor } from "@pliant/engine";
import type { Case } from "./operations.js";

const isReal = (x: { dtype: string }): boolean => x.dtype.startsWith("float");

/** Fixed weights that make a scalar of a tensor in which no element counts like another. */
const weights = (shape: readonly number[], dtype: string): NdArray => {
  const { data } = random.uniform(random.key(77), shape, { low: 0.5, high: 1.5, dtype: "float64" });
  return new NdArray(dtype === "float64" ? data : Float32Array.from(data), shape);
};

const weighted = (y: Tensor): Tensor => y.mul(weights(y.shape, y.dtype)).sum();

export interface Derivatives {
  value: Tensor;
  /** Σ w·f and its gradient; Σ w·gradient and its gradient. Absent where the result is not real. */
  loss?: Tensor;
  first?: Tensor[];
  slope?: Tensor;
  second?: Tensor[];
}

/** Positions of the inputs in which there are gradients. */
export const realInputs = ({ inputs }: Case): number[] => inputs.flatMap((x, i) => (isReal(x) ? [i] : []));

export function derivatives(operation: Case) {
  const at = realInputs(operation);
  return (...inputs: Tensor[]): Derivatives => {
    const value = operation.fn(...inputs);
    const reals = at.map((i) => inputs[i]);
    if (!isReal(value) || reals.length === 0) return { value };
    const loss = (xs: Tensor[]) => {
      const all = inputs.map((x, i) => (at.includes(i) ? xs[at.indexOf(i)] : x));
      return weighted(operation.fn(...all));
    };
    const slope = (xs: Tensor[]) =>
      grad(loss)(xs)
        .map(weighted)
        .reduce((a, b) => a.add(b));
    return {
      value,
      loss: loss(reals),
      first: grad(loss)(reals),
      slope: slope(reals),
      second: grad(slope)(reals),
    };
  };
}
