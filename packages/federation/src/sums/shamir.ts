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
  return places.map((x) => {
    const place = BigInt(x);
    // Places are small: one remainder at the end costs less than one a coefficient.
    return { x, y: mod(coefficients.reduceRight((value, coefficient) => value * place + coefficient, 0n)) };
  });
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
  const factors = factorsAt(used.map(({ x }) => x));
  const secret = mod(used.reduce((sum, { y }, i) => sum + y * factors[i], 0n));
  if (secret >= 2n ** 256n) throw new InputError("The shares do not belong together.");
  return bytesOf(secret.toString(16).padStart(64, "0"));
}

// A coordinator combines the shares of many sites, mostly from the same places.
let latest = { places: "", factors: [] as readonly bigint[] };

/** Lagrange's factors at 0: the product of x′ / (x′ − x) over the other places, for each. */
function factorsAt(places: readonly number[]): readonly bigint[] {
  const key = places.join();
  if (latest.places === key) return latest.factors;
  const factors = places.map((x) => {
    let [above, below] = [1n, 1n];
    for (const other of places) {
      if (other === x) continue;
      above *= BigInt(other);
      below *= BigInt(other - x);
    }
    return mod(mod(above) * inverse(below));
  });
  latest = { places: key, factors };
  return factors;
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
