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
