// Arrays of lanes: an array that all lanes share is stored once; the result of a stacked program is a stack with one entry per lane. A
// stack is passed to the next call as it is, so nothing is copied between calls.
import { allocate, type Data } from "../dtype.js";
import { NdArray, type Stored } from "../ndarray.js";

/** An array that lanes put where programs read it. */
export class Put implements Stored {
  readonly shape;
  readonly dtype;

  constructor(
    private readonly value: NdArray,
    /** Where it lies. */
    readonly stored: Stored,
  ) {
    this.shape = value.shape;
    this.dtype = value.dtype;
  }

  /** Whether an array of the same kind has the same contents. */
  holds({ data }: NdArray): boolean {
    const own = this.value.data;
    if (own === data) return true;
    for (let i = 0; i < own.length; i++) if (!Object.is(own[i], data[i])) return false;
    return true;
  }

  read(): Promise<NdArray> {
    return Promise.resolve(this.value);
  }
}

/** The array of one lane in a stack. */
export class Place implements Stored {
  readonly shape;
  readonly dtype;

  constructor(
    readonly stack: Stack,
    readonly at: number,
  ) {
    this.shape = stack.stored.shape.slice(1);
    this.dtype = stack.stored.dtype;
  }

  async read(): Promise<NdArray> {
    const { data } = await this.stack.read();
    const size = data.length / this.stack.stored.shape[0];
    return new NdArray(data.slice(this.at * size, (this.at + 1) * size) as Data, this.shape, this.dtype);
  }
}

/** A result for all lanes, brought to the host once. */
export class Stack {
  private found?: Promise<NdArray>;
  constructor(readonly stored: Stored) {}
  read(): Promise<NdArray> {
    this.found ??= this.stored.read();
    return this.found;
  }
}

/** An array, and where it goes in a stack. */
export interface Entry {
  readonly at: number;
  readonly array: Stored;
}

/** Arrays as a stack of n along an axis; at places that none is for stands one that is there. */
export async function stacked(entries: readonly Entry[], n: number, axis: 0 | 1): Promise<Stored> {
  const [{ array }] = entries;
  if (axis === 0 && array instanceof Place) {
    const { stack } = array;
    const inPlace = ({ array: x, at }: Entry): boolean =>
      x instanceof Place && x.stack === stack && x.at === at;
    if (stack.stored.shape[0] === n && entries.every(inPlace)) return stack.stored;
  }
  const arrays = await Promise.all(entries.map(({ array: x }) => x.read()));
  const places = Array.from({ length: n }, (_, place) =>
    Math.max(
      0,
      entries.findIndex(({ at }) => at === place),
    ),
  );
  const [first] = arrays;
  const outer = axis === 0 ? 1 : first.shape[0];
  const size = first.size / outer;
  const data = allocate(first.dtype, n * first.size);
  for (let i = 0; i < outer; i++)
    for (const [place, entry] of places.entries())
      data.set(arrays[entry].data.subarray(i * size, (i + 1) * size), (i * n + place) * size);
  const shape = axis === 0 ? [n, ...first.shape] : [outer, n, ...first.shape.slice(1)];
  return new NdArray(data, shape, first.dtype);
}

/** What a loop recorded at one place, out of records [steps, n, …]. */
export function recordOf({ data, shape, dtype }: NdArray, at: number): NdArray {
  const [steps, n, ...each] = shape;
  const size = data.length / (steps * n || 1);
  const own = allocate(dtype, steps * size);
  for (let i = 0; i < steps; i++) {
    const from = (i * n + at) * size;
    own.set(data.subarray(from, from + size), i * size);
  }
  return new NdArray(own, [steps, ...each], dtype);
}
