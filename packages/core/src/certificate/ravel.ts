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

/** A direction of length 1 that is along nothing in particular, the same at every call. */
export function scattered(n: number): number[] {
  // Numbers of the golden ratio (Weyl's sequence) are even over [0, 1), and their squares not in step with anything.
  const each = Array.from({ length: n }, (_, i) => {
    const x = ((i + 1) ** 2 * 0.6180339887498949) % 1;
    return x < 0.5 ? x - 1 : x;
  });
  const length = Math.sqrt(dot(each, each));
  return each.map((x) => x / length);
}
