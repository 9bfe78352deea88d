// Minibatches: which examples a step sees is drawn on the host from the seed and the number of the step, so that a resumed run
// sees what it would have seen. A requirement on every example has a price for each: a step reads and moves those of its rows.
import {
  type Argument,
  concat,
  constant,
  full,
  gather,
  leaves,
  mapTree,
  NdArray,
  random,
  scatterAdd,
  type Tensor,
} from "@pliant/engine";
import { PliantError, wholeNumber } from "../errors.js";
import { onlyNames } from "../problem/validate.js";

/** Steps on minibatches: how many examples each sees, drawn from the seed and the number of the step. */
export interface BatchOptions {
  /** Examples a step, along the first axis of every array of the data. An array that has no more is passed whole, in its order. */
  readonly size: number;
  readonly seed?: number;
  /** Parts of the data that are passed whole however long they are, by their path: `["weights", "validation"]`. */
  readonly whole?: readonly string[];
}

/** For arrays of each length, the rows of a number of steps, one after another. */
export type Rows = Record<string, NdArray>;

/** The elements of a group's vectors that a step is about. */
export interface Elements {
  take(vector: Tensor): Tensor;
  put(vector: Tensor, taken: Tensor): Tensor;
  /** How many times larger a sum over all elements is. */
  readonly share: number;
}

export interface Batches {
  rows(from: number, steps: number): Rows;
  /** The rows of one step, out of all data. */
  choose<D>(data: D, rows: Record<string, Tensor>): D;
  /** Of each group, the elements of the step's rows; undefined where a group's vectors are used whole. */
  elements(rows: Record<string, Tensor>): (Elements | undefined)[];
}

/** Groups of requirements, with the number of elements of each and of how many sides they are. */
export interface Sized {
  readonly groups: readonly { readonly names: readonly string[] }[];
  readonly sizes: Readonly<Record<string, number>>;
  sidesOf(name: string): number;
}

/** Every example once an epoch, in an order of the epoch's own; what is left over at its end is left out. */
export function batches(data: unknown, options: BatchOptions, sized: Sized): Batches {
  onlyNames("batch: ", "an option", options, { size: true, seed: true, whole: true });
  const { size, seed = 0, whole = [] } = options;
  wholeNumber("batch.size", size);
  const places = leaves(data).map(({ path, leaf }) => ({
    path: written(path),
    shape: (leaf as Exclude<Argument, number | boolean>).shape ?? [],
  }));
  const isWhole = (path: string): boolean => whole.some((name) => isWithin(path, name));
  const unknown = whole.find((name) => !places.some(({ path }) => isWithin(path, name)));
  if (unknown !== undefined)
    throw new PliantError(
      `batch.whole: the data has no "${unknown}"; it has ${places.map(({ path }) => path).join(", ")}.`,
    );
  const lengthOf = (path: string, shape: readonly number[]): number | undefined =>
    shape[0] > size && !isWhole(path) ? shape[0] : undefined;
  const lengths = new Set(places.flatMap(({ path, shape }) => lengthOf(path, shape) ?? []));
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
    const perEpoch = Math.floor(n / size);
    const rows = new Int32Array(steps * size);
    for (let i = 0; i < steps; i++) {
      const start = ((from + i) % perEpoch) * size;
      const order = orderOf(n, Math.floor((from + i) / perEpoch));
      rows.set(order.subarray(start, start + size), i * size);
    }
    return new NdArray(rows, [steps, size]);
  };
  const key = (n: number): string => `of${n}`;
  return {
    rows: (from, steps) => Object.fromEntries([...lengths].map((n) => [key(n), rowsOf(n, from, steps)])),
    choose: <D>(all: D, rows: Record<string, Tensor>) =>
      mapTree(all, (x: Tensor, path) => {
        const n = lengthOf(written(path), x.shape);
        return n === undefined ? x : gather(x, rows[key(n)]);
      }) as D,
    elements: (rows) =>
      sized.groups.map(({ names }) => elementsOf(names, sized, lengths, (n) => rows[key(n)])),
  };
}

/** A leaf's path as one writes it: `weights`, `parts[0].x`, and `[0]` of data that is a list. */
const written = (path: string): string => path.replace(/^\./, "");

const isWithin = (path: string, name: string): boolean =>
  path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);

/** A requirement with an element for each example of a length has a step's rows of them, on each of its sides. */
function elementsOf(
  names: readonly string[],
  { sizes, sidesOf }: Sized,
  lengths: ReadonlySet<number>,
  rowsOf: (length: number) => Tensor,
): Elements | undefined {
  const examplesOf = (name: string): number => sizes[name] / sidesOf(name);
  if (!names.some((name) => lengths.has(examplesOf(name)))) return undefined;
  if (names.length > 1)
    throw new PliantError(
      `In minibatches a requirement on every example needs a cost of its own; ${names.join(", ")} share one.`,
    );
  const n = examplesOf(names[0]);
  const rows = rowsOf(n);
  const sides = Array.from({ length: sidesOf(names[0]) }, (_, side) => rows.add(side * n));
  const index = sides.length === 1 ? sides[0] : concat(sides);
  return {
    take: (vector) => gather(vector, index),
    put: (vector, taken) => {
      const zeros = constant(full(vector.shape, 0, vector.dtype));
      const touched = scatterAdd(zeros, index, constant(full(taken.shape, 1, taken.dtype)));
      return vector.mul(touched.neg().add(1)).add(scatterAdd(zeros, index, taken));
    },
    share: n / rows.size,
  };
}
