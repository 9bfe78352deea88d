// Parameters as one list of numbers, for what is worked out on the host.
import { leaves, mapTree, NdArray } from "@pliant/engine";

export const flat = (tree: unknown): number[] =>
  leaves(tree).flatMap(({ leaf }) => Array.from((leaf as NdArray).data as ArrayLike<number>));

/** The numbers of `flat`, in the form of a tree. */
export function shaped(tree: unknown, numbers: readonly number[]): unknown {
  let from = 0;
  return mapTree(tree, ({ shape, data, dtype }: NdArray) => {
    const own = numbers.slice(from, from + data.length);
    from += data.length;
    return new NdArray(dtype === "float64" ? Float64Array.from(own) : Float32Array.from(own), shape);
  });
}

export const dot = (a: readonly number[], b: readonly number[], n = a.length): number => {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
};
