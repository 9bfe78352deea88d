// Minibatches: which examples a step sees is drawn on the host from the seed and the number of the step, so that a resumed run
// sees what it would have seen.
import { type Argument, gather, leaves, mapTree, NdArray, random, type Tensor } from "@pliant/engine";
import { PliantError } from "./errors.js";

export interface BatchOptions {
  /** Examples a step, along the first axis of every array of the data; all of an array that has fewer. */
  readonly size: number;
  readonly seed?: number;
}

/** For arrays of each length, the rows of a number of steps, one after another. */
export type Rows = Record<string, NdArray>;

export interface Batches {
  rows(from: number, steps: number): Rows;
  /** The rows of one step, out of all data. */
  choose<D>(data: D, rows: Record<string, Tensor>): D;
}

/** Every example once an epoch, in an order of the epoch's own; what is left over at its end is left out. */
export function batches(data: unknown, { size, seed = 0 }: BatchOptions): Batches {
  if (!(Number.isInteger(size) && size > 0))
    throw new PliantError(`batch.size must be a whole number of examples, got ${size}.`);
  const shapes = leaves(data).map(({ leaf }) => (leaf as Exclude<Argument, number | boolean>).shape ?? []);
  const lengths = new Set(shapes.filter((shape) => shape.length > 0).map(([n]) => n));
  const orders = new Map<number, { epoch: number; order: Int32Array }>();
  const orderOf = (n: number, epoch: number): Int32Array => {
    const known = orders.get(n);
    if (known?.epoch === epoch) return known.order;
    const order = random.permutation(random.foldIn(random.foldIn(random.key(seed), n), epoch), n)
      .data as Int32Array;
    orders.set(n, { epoch, order });
    return order;
  };
  const rowsOf = (n: number, from: number, steps: number): NdArray => {
    const each = Math.min(size, n);
    const perEpoch = Math.floor(n / each);
    const rows = new Int32Array(steps * each);
    for (let i = 0; i < steps; i++) {
      const start = ((from + i) % perEpoch) * each;
      const order = orderOf(n, Math.floor((from + i) / perEpoch));
      rows.set(order.subarray(start, start + each), i * each);
    }
    return new NdArray(rows, [steps, each]);
  };
  return {
    rows: (from, steps) => Object.fromEntries([...lengths].map((n) => [`of${n}`, rowsOf(n, from, steps)])),
    choose: <D>(data: D, rows: Record<string, Tensor>) =>
      mapTree(data, (x: Tensor) => (x.shape.length > 0 ? gather(x, rows[`of${x.shape[0]}`]) : x)) as D,
  };
}
