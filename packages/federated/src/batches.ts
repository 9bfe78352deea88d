// Which samples a client sees in which local step. A group of clients takes its steps together: one that has fewer does
// nothing in the rest, at a rate of 0, and places beyond the end of a batch weigh nothing.
import { NdArray, random } from "@pliant/engine";
import type { LocalOptions } from "./local.js";

/** The order in which a client goes through its samples in an epoch, which counts from 0 over the whole run. */
export type Order = (client: number, epoch: number, samples: number) => ArrayLike<number>;

/** A random order from the engine's generator: it depends on seed, client and epoch alone. */
export function shuffled(seed: number): Order {
  const key = random.foldIn(random.key(seed), 1);
  return (client, epoch, samples) =>
    random.permutation(random.foldIn(random.foldIn(key, client), epoch), samples).data;
}

/** The sizes of a client's batches in an epoch. */
export function batchSizes(samples: number, { batch, remainder = "keep" }: LocalOptions): number[] {
  const wanted = typeof batch === "object" ? Math.floor(samples / batch.stepsPerEpoch) : (batch ?? samples);
  const size = Math.min(samples, Math.max(1, wanted));
  const sizes: number[] = Array(Math.floor(samples / size)).fill(size);
  const rest = samples % size;
  return rest > 0 && remainder === "keep" ? [...sizes, rest] : sizes;
}

/** Steps in a row whose arrays have one shape. */
export interface Segment {
  readonly steps: number;
  /** Places of each client in a step. */
  readonly width: number;
  /** Slices of the training loop, with a leading axis of steps and, for a stack, one of clients. */
  readonly slices: {
    readonly rows: NdArray;
    readonly weights: NdArray;
    readonly rate: NdArray;
    /** Random numbers of each sample, where it is augmented. */
    readonly draws: { readonly numbers?: NdArray };
  };
}

/** What the local steps of a group of clients depend on. */
export interface GroupOptions {
  readonly clients: readonly number[];
  /** The rows of the pool that each client holds. */
  readonly rowsOf: (client: number) => ArrayLike<number>;
  readonly local: LocalOptions;
  readonly order: Order;
  /** After how many steps a client stops, if before its last. */
  readonly stopsAfter?: (client: number) => number;
  /** The number of the first epoch. */
  readonly epoch: number;
  /** Without a stack a group is one client, and its arrays have no axis for it. */
  readonly stacked: boolean;
  /** The width to give a step of which the largest batch has this size. */
  readonly widthFor: (size: number) => number;
  /** Random numbers for the samples of a client in an epoch, by their place in its order. */
  readonly draws?: {
    readonly count: number;
    of(client: number, epoch: number, samples: number): ArrayLike<number>;
  };
  readonly dtype: "float32" | "float64";
}

/** A communication round of local steps for a group of clients. */
export function segmentsOf(options: GroupOptions): Segment[] {
  const { clients, rowsOf, local, order, epoch, widthFor, draws } = options;
  const sizes = clients.map((client) => batchSizes(rowsOf(client).length, local));
  const steps = Math.max(...sizes.map((s) => s.length));
  const widths = Array.from({ length: steps }, (_, k) => widthFor(Math.max(...sizes.map((s) => s[k] ?? 0))));
  const epochs = local.epochs ?? 1;
  const all = Array.from({ length: epochs }, () => widths).flat();
  const segments: Segment[] = [];
  for (let first = 0; first < all.length; ) {
    let last = first;
    while (last < all.length && all[last] === all[first]) last++;
    segments.push(emptySegment(last - first, all[first], options));
    first = last;
  }
  // Where each step lies.
  const places = segments.flatMap((segment) =>
    Array.from({ length: segment.steps }, (_, k) => ({ segment, k })),
  );
  for (const [c, client] of clients.entries()) {
    const held = rowsOf(client);
    const last = options.stopsAfter?.(client) ?? Infinity;
    let taken = 0;
    for (let e = 0; e < epochs; e++) {
      const shuffled = order(client, epoch + e, held.length);
      const numbers = draws?.of(client, epoch + e, held.length);
      let next = 0;
      for (const [k, size] of sizes[c].entries()) {
        if (taken++ >= last) break;
        const { segment, k: at } = places[e * steps + k];
        const place = at * clients.length + c;
        segment.slices.rate.data[place] = local.rate;
        for (let i = 0; i < size; i++, next++) {
          const to = place * segment.width + i;
          segment.slices.rows.data[to] = held[shuffled[next]];
          segment.slices.weights.data[to] = 1 / size;
          if (!draws || !numbers) continue;
          for (let k = 0; k < draws.count; k++)
            segment.slices.draws.numbers!.data[to * draws.count + k] = numbers[next * draws.count + k];
        }
      }
    }
  }
  return segments;
}

function emptySegment(
  steps: number,
  width: number,
  { clients, stacked, dtype, draws }: GroupOptions,
): Segment {
  const lead = stacked ? [steps, clients.length] : [steps];
  const count = steps * clients.length;
  const Floats = dtype === "float64" ? Float64Array : Float32Array;
  return {
    steps,
    width,
    slices: {
      rows: new NdArray(new Int32Array(count * width), [...lead, width]),
      weights: new NdArray(new Floats(count * width), [...lead, width]),
      rate: new NdArray(new Floats(count), lead),
      draws: draws
        ? { numbers: new NdArray(new Floats(count * width * draws.count), [...lead, width, draws.count]) }
        : {},
    },
  };
}

/** At most so many different widths: each is compiled by itself. */
const mostWidths = 4;

/** The width of a step from the size of its largest batch: that size itself, or the next of a few. */
export function widthsFor(sizes: Iterable<number>): (size: number) => number {
  const distinct = new Set(sizes);
  if (distinct.size <= mostWidths) return (size) => size;
  const unit = Math.ceil(Math.max(...distinct) / (2 * mostWidths));
  return (size) => Math.ceil(size / unit) * unit;
}
