// Several models as one: their parameters side by side along a leading axis. Summing their losses gives each its own gradient.

import { InputError } from "@pliant/core";
import { array, leaves, mapTree, NdArray } from "@pliant/engine";

/** Trees of arrays of one form and equal shapes, as one tree with a leading stack axis on every leaf. */
export function stackParams<P>(list: readonly P[]): P {
  if (list.length === 0) throw new InputError("stackParams: there is nothing to stack.");
  const columns = list.map((tree) => leaves(tree) as { path: string; leaf: NdArray }[]);
  let next = 0;
  return mapTree(list[0], (first: NdArray, path) => {
    const entries = columns.map((column) => column[next]);
    next++;
    const data = first.data.constructor as Float32ArrayConstructor;
    const all = new data(first.size * list.length);
    for (const [i, entry] of entries.entries()) {
      const fits = entry?.path === path && `${entry.leaf.shape}` === `${first.shape}`;
      if (!fits || entry.leaf.dtype !== first.dtype)
        throw new InputError(
          `stackParams: entry ${i} differs from the first at ${path || "its only array"}.`,
        );
      all.set(entry.leaf.data, i * first.size);
    }
    return array(all, { shape: [list.length, ...first.shape], dtype: first.dtype });
  }) as P;
}

/** The way back: one tree for each entry of the stack axis. */
export function unstackParams<P>(stacked: P): P[] {
  const [{ leaf }] = leaves(stacked) as { leaf: NdArray }[];
  return Array.from({ length: leaf.shape[0] }, (_, i) =>
    mapTree(stacked, ({ data, shape, dtype, size }: NdArray) => {
      const modelSize = size / shape[0];
      return new NdArray(data.slice(i * modelSize, (i + 1) * modelSize), shape.slice(1), dtype);
    }),
  ) as P[];
}
