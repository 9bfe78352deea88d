// Index tables: on the reference back end every movement of data (broadcast, transpose, slice, flip, …) is one table
// of source positions, computed when the program is compiled.
import type { Data, Shape } from "../dtype.js";
import { sizeOf } from "../shape.js";

/** For each position of a row-major array of `shape`, the position `offset + Σ index·stride` it refers to. */
export function indexTable(shape: Shape, strides: readonly number[], offset = 0): Int32Array {
  const table = new Int32Array(sizeOf(shape));
  if (table.length === 0) return table;
  const index = new Int32Array(shape.length);
  let position = offset;
  for (let i = 0; ; i++) {
    table[i] = position;
    if (i + 1 === table.length) return table;
    let axis = shape.length - 1;
    position += strides[axis];
    while (++index[axis] === shape[axis]) {
      index[axis] = 0;
      position -= shape[axis] * strides[axis];
      axis--;
      position += strides[axis];
    }
  }
}

/** The movement kernel: out[i] = x[table[i]], a copy where the positions follow each other. */
export const take = (table: Int32Array): ((out: Data, x: Data) => void) => {
  const [from, n] = [table[0], table.length];
  if (n > 0 && table.every((at, i) => at === from + i))
    return (out, x) => out.set(x.length === n ? x : x.subarray(from, from + n));
  return (out, x) => {
    for (let i = 0; i < n; i++) out[i] = x[table[i]];
  };
};
