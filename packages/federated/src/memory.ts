// What clients keep between rounds.
import { leaves, mapTree, NdArray, readAll } from "@pliant/engine";
import type { Arrays } from "./groups.js";

/** Arrays [C, …], handed out to groups and taken back. */
export interface Memory {
  take(group: readonly number[]): Arrays;
  put(group: readonly number[], own: Arrays): Promise<void>;
  all(): Arrays;
}

/** Where one group is all clients, their arrays stay where they are; else a copy on the host is read and written by rows. */
export async function createMemory(
  own: Arrays,
  clients: number,
  { whole, stacked }: { whole: boolean; stacked: boolean },
): Promise<Memory> {
  if (whole || leaves(own).length === 0) {
    let held = own;
    return {
      take: () => held,
      put: async (_, next) => {
        held = next;
      },
      all: () => held,
    };
  }
  const copy = mapTree(await readAll(own), ({ data, shape }: NdArray) => new NdArray(data.slice(), shape));
  const rowOf = ({ data, size }: NdArray, c: number) =>
    data.subarray((c * size) / clients, ((c + 1) * size) / clients);
  return {
    take: (group) =>
      mapTree(copy, (leaf: NdArray) => {
        const inner = leaf.shape.slice(1);
        // A copy: the rows are written while what was taken is in use.
        const data = leaf.data.slice(0, (group.length * leaf.size) / clients);
        for (const [i, c] of group.entries()) data.set(rowOf(leaf, c), (i * leaf.size) / clients);
        return new NdArray(data, stacked ? [group.length, ...inner] : inner);
      }),
    put: async (group, next) => {
      const given = leaves(await readAll(next)).map(({ leaf }) => leaf as NdArray);
      for (const [k, { leaf }] of leaves(copy).entries()) {
        const size = (leaf as NdArray).size / clients;
        for (const [i, c] of group.entries())
          rowOf(leaf as NdArray, c).set(given[k].data.subarray(i * size, (i + 1) * size) as never);
      }
    },
    all: () => copy,
  };
}
