// Masks: words and numbers that look random to all who lack a key of 32 bytes, from AES-256 in counter mode.
import { createCipheriv } from "node:crypto";

/** What is summed: coordinates modulo 2³² and numbers modulo 2⁶⁴. */
export interface Summand {
  readonly words: Int32Array;
  readonly numbers: BigInt64Array;
}

export const emptySummand = (words: number, numbers: number): Summand => ({
  words: new Int32Array(words),
  numbers: new BigInt64Array(numbers),
});

export function addSummand(sum: Summand, more: Summand): void {
  for (let i = 0; i < sum.words.length; i++) sum.words[i] = (sum.words[i] + more.words[i]) | 0;
  for (let i = 0; i < sum.numbers.length; i++) sum.numbers[i] = sum.numbers[i] + more.numbers[i];
}

const chunk = new Uint8Array(1 << 16);

/** Adds a key's mask, or takes it away. */
export function addMask({ words, numbers }: Summand, key: Buffer, sign: 1 | -1): void {
  const stream = keystream(key, 0);
  for (let first = 0; first < words.length; first += chunk.length / 4) {
    const count = Math.min(chunk.length / 4, words.length - first);
    const mask = new Int32Array(stream(4 * count));
    for (let i = 0; i < count; i++) words[first + i] = (words[first + i] + sign * mask[i]) | 0;
  }
  const mask = new BigInt64Array(keystream(key, 1)(8 * numbers.length));
  for (let i = 0; i < numbers.length; i++) numbers[i] += sign === 1 ? mask[i] : -mask[i];
}

/** Bytes under a key, as many at a time as asked for; streams of different numbers never meet. */
function keystream(key: Buffer, number: number): (bytes: number) => ArrayBuffer {
  const start = Buffer.alloc(16);
  start[0] = number;
  const cipher = createCipheriv("aes-256-ctr", key, start);
  return (bytes) => {
    const made = cipher.update(chunk.subarray(0, bytes));
    return made.buffer.slice(made.byteOffset, made.byteOffset + bytes) as ArrayBuffer;
  };
}
