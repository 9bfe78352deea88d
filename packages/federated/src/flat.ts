// Trees of arrays as one list of numbers, leaf after leaf, as they travel.
import { leaves, mapTree, NdArray, type Stored } from "@pliant/engine";
import type { Arrays } from "./groups.js";

const sizeOf = ({ shape }: Stored): number => shape.reduce((n, d) => n * d, 1);

/** Numbers in a tree, wherever it lies. */
export const flatSize = (tree: Arrays): number =>
  leaves(tree).reduce((sum, { leaf }) => sum + sizeOf(leaf as Stored), 0);

/** Of a tree on the host. */
export function flatten(tree: Arrays): Float64Array {
  const flat = new Float64Array(flatSize(tree));
  let next = 0;
  for (const { leaf } of leaves(tree)) {
    flat.set((leaf as NdArray).data, next);
    next += (leaf as NdArray).size;
  }
  return flat;
}

/** A tree of the form and types of another. */
export function unflatten(flat: ArrayLike<number>, like: Arrays): Arrays {
  let next = 0;
  return mapTree(like, (leaf: Stored) => {
    const size = sizeOf(leaf);
    const data = leaf.dtype === "float64" ? new Float64Array(size) : new Float32Array(size);
    for (let i = 0; i < size; i++) data[i] = flat[next++];
    return new NdArray(data, leaf.shape);
  });
}
