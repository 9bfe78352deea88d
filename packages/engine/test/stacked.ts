// A function of stacks by vmap, and one entry after another, to be compared.
import {
  array,
  type Backend,
  compile,
  grad,
  NdArray,
  readAll,
  stack,
  type Tensor,
  vmap,
} from "@pliant/engine";
import { allocate } from "../src/dtype.js";
import { difference } from "./edges/units.js";
import type { Case } from "./operations.js";

/** Entries of the same numbers, each in another order. */
function stackOf({ data, shape, dtype, size }: NdArray, n: number): NdArray {
  const all = allocate(dtype, n * size);
  for (let k = 0; k < n; k++) for (let i = 0; i < size; i++) all[k * size + i] = data[(i + k) % size];
  return new NdArray(all, [n, ...shape], dtype);
}

export type Fn = (...inputs: Tensor[]) => Tensor;

/** The function of inputs of which some are stacks, by vmap. */
export const mapped =
  (fn: Fn, has: readonly boolean[]): Fn =>
  (...inputs) =>
    vmap((...entries: Tensor[]) => {
      let next = 0;
      return fn(...inputs.map((x, i) => (has[i] ? entries[next++] : x)));
    })(...inputs.filter((_, i) => has[i]));

/** The same, one entry after another. */
export const inTurn =
  (fn: Fn, has: readonly boolean[], n: number): Fn =>
  (...inputs) => {
    const entry = (x: Tensor, k: number) => x.slice([[k, k + 1]]).reshape(x.shape.slice(1));
    return stack(
      Array.from({ length: n }, (_, k) => fn(...inputs.map((x, i) => (has[i] ? entry(x, k) : x)))),
    );
  };

export const isReal = ({ dtype }: { dtype: string }): boolean => dtype.startsWith("float");

/** The result and, if it is smooth, the gradient of a sum in which each element has a different weight. */
export const withGradient =
  (fn: Fn) =>
  (...inputs: Tensor[]) => {
    const value = fn(...inputs);
    const at = inputs.flatMap((x, i) => (isReal(x) ? [i] : []));
    if (!isReal(value) || at.length === 0) return { value, gradient: [] };
    const loss = (reals: Tensor[]): Tensor => {
      const y = fn(...inputs.map((x, i) => (at.includes(i) ? reals[at.indexOf(i)] : x)));
      const weights = Float64Array.from({ length: y.size }, (_, i) => 1 + Math.sin(i));
      return y.mul(array(weights, { shape: y.shape, dtype: y.dtype })).sum();
    };
    return { value, gradient: grad(loss)(at.map((i) => inputs[i])) };
  };

/** All operands; each alone; all but the first. */
export const patterns = ({ inputs }: Case): boolean[][] => {
  const all = inputs.map(() => true);
  const alone = inputs.map((_, k) => inputs.map((_, i) => i === k));
  return inputs.length === 1 ? [all] : [all, ...alone, inputs.map((_, i) => i > 0)];
};

export const n = 3;
export const given = (inputs: readonly NdArray[], has: readonly boolean[], many = n): NdArray[] =>
  inputs.map((x, i) => (has[i] ? stackOf(x, many) : x));

export const run = async (fn: Fn, inputs: readonly NdArray[], backend?: Backend) => {
  const { value, gradient } = await readAll(
    await compile(withGradient(fn), { backend })(...(inputs as never[])),
  );
  return [value, ...gradient] as NdArray[];
};

/** In units of the last place, or of that of 1 where sums cancel: in double precision hardly anything is rounded otherwise. */
export const apart = (wanted: NdArray, got: NdArray): string | undefined =>
  difference(wanted, got, {
    units: 256,
    scale: new Float64Array(wanted.size).fill(1),
    accepts: (a, b) => a === b,
  });
