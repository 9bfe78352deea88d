// A secret of 32 bytes in shares, any t of which give it back while t − 1 say nothing about it: values of a random polynomial
// of degree t − 1 over the field of the first prime above 2²⁵⁶. Shamir, "How to share a secret" (1979).
import { InputError } from "@pliant/core";
import { bytesOf, hex, type Random } from "./keys.js";

/** 2²⁵⁶ + 297. */
export const prime = 2n ** 256n + 297n;

/** The value of the polynomial at one place. */
export interface Share {
  /** The holder's place, from 1. */
  readonly x: number;
  readonly y: bigint;
}

const mod = (a: bigint): bigint => ((a % prime) + prime) % prime;

/** One share a place; places are different and not 0, where the secret is. */
export function split(secret: Buffer, threshold: number, places: readonly number[], random: Random): Share[] {
  if (!(threshold >= 1 && threshold <= places.length))
    throw new InputError(`${places.length} shares cannot have a threshold of ${threshold}.`);
  // 48 bytes: the remainder is uniform to within 2⁻¹²⁸.
  const drawn = Array.from({ length: threshold - 1 }, () => mod(BigInt(`0x${hex(random(48))}`)));
  const coefficients = [BigInt(`0x${hex(secret)}`), ...drawn];
  return places.map((x) => ({
    x,
    y: coefficients.reduceRight((value, coefficient) => mod(value * BigInt(x) + coefficient), 0n),
  }));
}

/** The secret, by Lagrange's interpolation at 0 through the first t shares. */
export function combine(shares: readonly Share[], threshold: number): Buffer {
  if (shares.length < threshold)
    throw new InputError(
      `${threshold} shares are needed to give a secret back, and there are ${shares.length}.`,
    );
  const used = shares.slice(0, threshold);
  if (new Set(used.map(({ x }) => x)).size < threshold)
    throw new InputError("Two shares have the same place; each holder has one.");
  let secret = 0n;
  for (const { x, y } of used) {
    let [above, below] = [1n, 1n];
    for (const other of used) {
      if (other.x === x) continue;
      above = mod(above * BigInt(other.x));
      below = mod(below * BigInt(other.x - x));
    }
    secret = mod(secret + y * above * inverse(below));
  }
  if (secret >= 2n ** 256n) throw new InputError("The shares do not belong together.");
  return bytesOf(secret.toString(16).padStart(64, "0"));
}

/** By Euclid's algorithm. */
function inverse(a: bigint): bigint {
  let [r, next] = [prime, mod(a)];
  let [t, following] = [0n, 1n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [t, following] = [following, t - quotient * following];
  }
  return mod(t);
}
