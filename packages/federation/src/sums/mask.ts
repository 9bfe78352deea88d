// Masks: words and numbers that look random to all who lack a key of 32 bytes, from AES-256 in counter mode.
import { keystream } from "../primitives.js";

/** What is summed: coordinates modulo 2³² and numbers modulo 2⁶⁴. */
export interface Summand {
  readonly words: Int32Array;
  readonly numbers: BigInt64Array;
}

/** Zeros, so many of each. */
export const emptySummand = (words: number, numbers: number): Summand => ({
  words: new Int32Array(words),
  numbers: new BigInt64Array(numbers),
});

/**
 * A summand cut into so many parts, as views: words evenly, all numbers with the first part but the last ones, of which each
 * other part has one.
 */
export function partsOf({ words, numbers }: Summand, count: number): Summand[] {
  const [shared, first] = [words.length / count, numbers.length - count + 1];
  return Array.from({ length: count }, (_, k) => ({
    words: words.subarray(Math.round(k * shared), Math.round((k + 1) * shared)),
    numbers: k === 0 ? numbers.subarray(0, first) : numbers.subarray(first + k - 1, first + k),
  }));
}

/** Adds to a sum, in place. */
export function addSummand(sum: Summand, more: Summand): void {
  for (let i = 0; i < sum.words.length; i++) sum.words[i] = (sum.words[i] + more.words[i]) | 0;
  for (let i = 0; i < sum.numbers.length; i++) sum.numbers[i] = sum.numbers[i] + more.numbers[i];
}

/** Words at a time. */
const chunk = 1 << 14;

/** Adds a key's mask, or takes it away. */
export function addMask({ words, numbers }: Summand, key: Buffer, sign: 1 | -1): void {
  const stream = keystream(key, 0);
  for (let first = 0; first < words.length; first += chunk) {
    const count = Math.min(chunk, words.length - first);
    const mask = new Int32Array(stream(4 * count));
    for (let i = 0; i < count; i++) words[first + i] = (words[first + i] + sign * mask[i]) | 0;
  }
  const mask = new BigInt64Array(keystream(key, 1)(8 * numbers.length));
  for (let i = 0; i < numbers.length; i++) numbers[i] += sign === 1 ? mask[i] : -mask[i];
}
