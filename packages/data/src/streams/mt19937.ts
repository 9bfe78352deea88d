// The Mersenne Twister MT19937 with the single-integer seeding that both torch (CPU) and numpy's legacy generator use.
// Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
// generator", 1998.

import { InputError } from "@pliant/core";

const words = 624;
const lag = 397;

/** A function that gives the next 32 random bits as an unsigned integer. */
export function mt19937(seed: number): () => number {
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
    throw new InputError(`A seed must be a whole number from 0 to 4294967295, not ${seed}.`);
  }
  const state = new Uint32Array(words);
  state[0] = seed;
  for (let i = 1; i < words; i++) {
    const last = state[i - 1] ^ (state[i - 1] >>> 30);
    state[i] = Math.imul(last, 1812433253) + i;
  }
  let next = words;
  return () => {
    if (next === words) {
      twist(state);
      next = 0;
    }
    let y = state[next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
}

// Each word from its successor and the word `lag` further on, both counted around the end.
function twist(state: Uint32Array): void {
  for (let i = 0; i < words; i++) {
    const y = (state[i] & 0x80000000) | (state[i + 1 < words ? i + 1 : 0] & 0x7fffffff);
    const far = i + lag < words ? i + lag : i + lag - words;
    state[i] = state[far] ^ (y >>> 1) ^ (-(y & 1) & 0x9908b0df);
  }
}
