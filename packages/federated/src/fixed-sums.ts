// What a network with secure sums adds up, on one machine: updates in fixed point, to the bit.
import { PliantError } from "@pliant/core";
import { readAll } from "@pliant/engine";
import { addWords, coarser, fractionBits, fromWords, largestCoordinate, toWords } from "./fixed-point.js";
import { flatSize, flatten, unflatten } from "./flat.js";
import type { Sums } from "./groups.js";

/** Sums of whole numbers in the place of floats. */
export interface FixedPoint {
  /** What no coordinate of a weighted update is expected to exceed; where one does, all are summed at a coarser scale. */
  readonly bound: number;
}

export interface FixedSums {
  add(sent: Sums): Promise<void>;
  sums(): Sums;
}

const unfit = (): Error =>
  new PliantError("An update has coordinates that are no finite numbers, or too large for any scale.");

/** Adds up what clients send, of the form of `like`; where it fits at no scale, `beyond` says what is wrong. */
export function fixedSums(
  { bound }: FixedPoint,
  clients: number,
  like: Sums,
  beyond: () => Error = unfit,
): FixedSums {
  const sent: Float64Array[] = [];
  return {
    add: async (sums) => {
      sent.push(flattenSums((await readAll(sums)) as unknown as Sums));
    },
    sums: () => {
      if (sent.some((values) => values.some((value) => !(Math.abs(value) <= largestCoordinate(clients)))))
        throw beyond();
      for (let tried = bound; ; tried = coarser(tried, clients)) {
        const fraction = fractionBits(clients, tried);
        const all = sent.map((values) => toWords(values, fraction, clients));
        if (all.some(({ saturated }) => saturated > 0)) continue;
        const total = new Int32Array(sent[0].length);
        for (const { words } of all) addWords(total, words);
        return unflattenSums(fromWords(total, fraction), like);
      }
    },
  };
}

/** Update and shared change, one after the other, as they travel. */
export function flattenSums({ update, shared }: Sums): Float64Array {
  const [first, second] = [flatten(update), flatten(shared)];
  const flat = new Float64Array(first.length + second.length);
  flat.set(first);
  flat.set(second, first.length);
  return flat;
}

/** The way back from `flattenSums`, into the form of these. */
export function unflattenSums(flat: Float64Array, { update, shared }: Sums): Sums {
  const size = flatSize(update);
  return {
    update: unflatten(flat.subarray(0, size), update),
    shared: unflatten(flat.subarray(size), shared),
  };
}
