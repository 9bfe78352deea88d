// What a network with secure sums adds up, on one machine: updates in fixed point, to the bit.
import { PliantError } from "@pliant/core";
import { readAll } from "@pliant/engine";
import { addWords, fitted, fractionBits, fromWords, toWords } from "./fixed-point.js";
import { flatSize, flatten, unflatten } from "./flat.js";
import type { Sums } from "./groups.js";

/** Sums of whole numbers in the place of floats. */
export interface FixedPoint {
  /** No coordinate of a weighted update exceeds it: an update with one that would is scaled down as a whole. */
  readonly bound: number;
}

export interface FixedSums {
  add(sent: Sums): Promise<void>;
  sums(): Sums;
  /** Updates that were scaled down so far. */
  readonly scaled: number;
}

const unfit = (): Error => new PliantError("An update has coordinates that are not finite.");

/** Adds up what clients send, of the form of `like`; where it is not finite, `beyond` says what is wrong. */
export function fixedSums(
  { bound }: FixedPoint,
  clients: number,
  like: Sums,
  beyond: () => Error = unfit,
): FixedSums {
  const fraction = fractionBits(clients, bound);
  const total = new Int32Array(flatSize(like.update) + flatSize(like.shared));
  let scaled = 0;
  return {
    add: async (sums) => {
      const given = flattenSums((await readAll(sums)) as unknown as Sums);
      if (!given.every(Number.isFinite)) throw beyond();
      const fit = fitted(given, bound);
      scaled += Number(fit.scaled);
      addWords(total, toWords(fit.values, fraction, clients).words);
    },
    sums: () => unflattenSums(fromWords(total, fraction), like),
    get scaled() {
      return scaled;
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
