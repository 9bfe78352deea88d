// Sums of whole numbers, which come out the same in whatever order they are taken, also behind masks: coordinates are signed
// words modulo 2³², numbers that drive prices modulo 2⁶⁴. Weights 1 + λ_c − λ̄ may be negative; here they are just signed.
import { InputError } from "@pliant/core";
import type { Average } from "./formulations/formulation.js";

/**
 * Bits behind the point of words that n clients may add up, none of them beyond ±bound: 30 − ⌈log₂(n·bound)⌉. One bit is spare,
 * so at least half of all words are no sum of such clients, and noise is noticed.
 */
export function fractionBits(clients: number, bound: number): number {
  const bits = 30 - Math.ceil(Math.log2(clients * bound));
  if (!(bound > 0 && bits >= 0))
    throw new InputError(
      `${clients} clients with coordinates up to ${bound} do not fit words of 32 bits; the bound must be positive and smaller.`,
    );
  return bits;
}

/** Coordinates in fixed point. */
export interface Words {
  readonly words: Int32Array;
  /** How many coordinates were too large, and are the largest there is instead. Never to be added in silence. */
  readonly saturated: number;
}

/** To the nearest word; a share of 1/n of all words each, so that no sum of n overflows. */
export function toWords(values: ArrayLike<number>, fraction: number, clients: number): Words {
  const scale = 2 ** fraction;
  const most = largestCoordinate(clients);
  const words = new Int32Array(values.length);
  let saturated = 0;
  for (let i = 0; i < values.length; i++) {
    const word = Math.round(values[i] * scale);
    // Not <=: NaN is no word either.
    if (word >= -most && word <= most) words[i] = word;
    else {
      saturated++;
      words[i] = word < 0 ? -most : most;
    }
  }
  return { words, saturated };
}

/** Adds words to a sum, in place, modulo 2³². */
export const addWords = (sum: Int32Array, more: Int32Array): void => {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] + more[i]) | 0;
};

/** The numbers that words, or sums of them, stand for. */
export const fromWords = (words: Int32Array, fraction: number): Float64Array =>
  Float64Array.from(words, (word) => word / 2 ** fraction);

/** The largest word that so many clients may each add to a sum. */
export const largestCoordinate = (clients: number): number => Math.floor((2 ** 31 - 1) / clients);

/** An update within ±bound, and whether it had to be scaled down: as a whole, which keeps its direction. */
export function fitted(
  values: Float64Array,
  bound: number,
): { readonly values: Float64Array; readonly scaled: boolean } {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]));
  // Not >: NaN is within no bound, and is left for the caller to refuse.
  if (!(largest > bound)) return { values, scaled: false };
  return { values: values.map((value) => value * (bound / largest)), scaled: true };
}

/** Bits behind the point of a single number. */
const numberFraction = 40;

/** The largest magnitude that so many clients may add up. */
export const largestNumber = (clients: number): number => 2 ** (62 - numberFraction) / clients;

/** A number as a whole one; a sum of so many clients' stays below 2⁶³. */
export function toWhole(value: number, clients: number): bigint {
  if (!(Math.abs(value) <= largestNumber(clients)))
    throw new InputError(
      `${value} cannot be summed over ${clients} clients: a number of at most ${largestNumber(clients)} was expected.`,
    );
  return BigInt(Math.round(value * 2 ** numberFraction));
}

/** The number that a sum of `toWhole` stands for. */
export const fromWhole = (sum: bigint): number => Number(BigInt.asIntN(64, sum)) / 2 ** numberFraction;

/** The average of whole numbers. */
export const fixedAverage: Average = (values) =>
  fromWhole(values.reduce((sum, value) => sum + toWhole(value, values.length), 0n)) / values.length;
