// Random numbers on the host: a counter-based generator with explicit keys, the same stream on every machine.
// Read: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC11), for Threefry-2x32;
// Wichura, "Algorithm AS 241: the percentage points of the normal distribution" (1988), for normal numbers.
//
// A key is a value, not a state: the same key always gives the same numbers. Use a key for one draw, and
// `split` it, or `foldIn` the number of the step, epoch or client, to get others.
//
// Words 2 i and 2 i + 1 of a key's stream are Threefry(key, counter = [i, DRAW]). Split and folded keys use
// other counters, and Threefry is a bijection of the counter: all keys split or folded from one key differ.
//
// Prefix property: element i of a draw depends on the key and i alone, so a shorter draw is the beginning of
// a longer one, and split(key, n) is the beginning of split(key, m). Only `permutation` does not have it.
//
// Only + - * /, Math.sqrt, Math.floor and 32-bit integer operations make the numbers: ECMAScript fixes their
// results to the last bit, and does not fix those of **, Math.log, Math.cos and the like.

import type { Shape } from "./dtype.js";
import { EngineError } from "./errors.js";
import { NdArray } from "./ndarray.js";
import { checkShape, sizeOf } from "./shape.js";

/** Two 32-bit words, plain data: a checkpoint can hold it as JSON. */
export type Key = readonly [number, number];

type FloatDType = "float32" | "float64";
export type UniformOptions = { low?: number; high?: number; dtype?: FloatDType };
export type NormalOptions = { mean?: number; std?: number; dtype?: FloatDType };

const TWO_31 = 0x8000_0000;
const TWO_32 = 0x1_0000_0000;
const TWO_52 = 0x10_0000_0000_0000;
const MOST_NUMBERS = 0x4000_0000;

// The upper two bits of the counter's second word. A folded number (53 bits) uses the 21 lowest.
const DRAW = 0;
const SPLIT = 1 << 30;
const FOLD = 2 << 30;

/** The key of a seed: its upper and lower 32-bit halves. */
export function key(seed: number): Key {
  checkWhole("key: the seed", seed, Number.MAX_SAFE_INTEGER);
  return [(seed / TWO_32) >>> 0, seed >>> 0];
}

/** `n` keys whose streams are independent of each other and of the numbers drawn from `key`. */
export function split(key: Key, n = 2): Key[] {
  checkKey(key);
  checkWhole("split: the number of keys", n, MOST_NUMBERS);
  return Array.from({ length: n }, (_, i) => child(key, i, SPLIT));
}

/** The key of step, epoch or client number `data`: `foldIn(key, 7)` needs no keys for 0 to 6. */
export function foldIn(key: Key, data: number): Key {
  checkKey(key);
  checkWhole("foldIn: the number", data, Number.MAX_SAFE_INTEGER);
  return child(key, data >>> 0, FOLD | (data / TWO_32));
}

/** Keys as an array [n, 2], the form `uniformFrom` takes them in. */
export function packed(keys: readonly Key[]): NdArray {
  for (const each of keys) checkKey(each);
  return new NdArray(Int32Array.from(keys.flat()), [keys.length, 2]);
}

/** The first `n` 32-bit words of the key's stream. */
export function bits(key: Key, n: number): Uint32Array {
  checkKey(key);
  checkWhole("bits: the number of words", n, 2 * MOST_NUMBERS);
  const words = new Uint32Array(n + (n % 2));
  for (let i = 0; i < n; i += 2) threefry2x32(key, i / 2, DRAW, words, i);
  return words.subarray(0, n);
}

/**
 * Uniform numbers in [low, high): low + u (high - low), where u has 24 bits (float32) or 53 bits (float64).
 * The bounds are first rounded to `dtype`. A number that rounds up to `high` becomes `low`: rounding gives
 * either end half the share of its neighbours, so together they make a full one.
 */
export function uniform(key: Key, shape: Shape, options: UniformOptions = {}): NdArray {
  const { low = 0, high = 1, dtype = "float32" } = options;
  const Floats = floatArray("uniform", dtype);
  const [from, to] = Floats.of(low, high);
  const span = to - from;
  if (!(span > 0 && span < Infinity)) {
    throw new EngineError(`uniform: low must be below high and both in ${dtype}, got ${low} and ${high}`);
  }
  const u = fractions(key, elements("uniform", shape), dtype === "float32" ? 24 : 53);
  const data = new Floats(u.length);
  for (let i = 0; i < u.length; i++) {
    data[i] = from + u[i] * span;
    if (data[i] >= to) data[i] = from;
  }
  return new NdArray(data, [...shape], dtype);
}

/**
 * Normal numbers mean + std z, where z inverts the distribution function at (k + 1/2) / 2^b for a random k of
 * b = 32 bits (float32) or 52 bits (float64). So |z| is at most 6.4 (float32) or 8.3 (float64).
 */
export function normal(key: Key, shape: Shape, options: NormalOptions = {}): NdArray {
  const { mean = 0, std = 1, dtype = "float32" } = options;
  const Floats = floatArray("normal", dtype);
  if (!(std >= 0 && Floats.of(Math.abs(mean) + 9 * std)[0] < Infinity)) {
    throw new EngineError(
      `normal: needs std >= 0 and mean ± 9 std in ${dtype}, got mean ${mean} and std ${std}`,
    );
  }
  const u = fractions(key, elements("normal", shape), dtype === "float32" ? 32 : 52);
  const half = 0.5 / (dtype === "float32" ? TWO_32 : TWO_52);
  const data = new Floats(u.length);
  for (let i = 0; i < u.length; i++) data[i] = mean + std * normalQuantile(u[i] + half);
  return new NdArray(data, [...shape], dtype);
}

/** True with probability `p`, where the float64 uniform of the same key is below `p`; exact to 2^-53. */
export function bernoulli(key: Key, shape: Shape, p: number): NdArray {
  if (!(p >= 0 && p <= 1)) throw new EngineError(`bernoulli: p must lie between 0 and 1, got ${p}`);
  const u = fractions(key, elements("bernoulli", shape), 53);
  const data = new Uint8Array(u.length);
  for (let i = 0; i < u.length; i++) data[i] = u[i] < p ? 1 : 0;
  return new NdArray(data, [...shape], "bool");
}

/**
 * Integers in [low, high): low + floor(u (high - low)), where u has 53 bits. No value's probability is
 * further than 2^-52 from 1 / (high - low): at most 2^-20 of it over all of int32, 2^-42 over 1000 values.
 */
export function randint(key: Key, shape: Shape, low: number, high: number): NdArray {
  if (!(Number.isInteger(low) && Number.isInteger(high) && low >= -TWO_31 && low < high && high <= TWO_31)) {
    throw new EngineError(`randint: needs whole -2^31 <= low < high <= 2^31, got ${low} and ${high}`);
  }
  const u = fractions(key, elements("randint", shape), 53);
  const data = new Int32Array(u.length);
  for (let i = 0; i < u.length; i++) data[i] = low + Math.floor(u[i] * (high - low));
  return new NdArray(data, [...shape], "int32");
}

/** Indices into `weights`: i with probability weights[i] / (their sum), by bisection of the running sum. */
export function categorical(key: Key, weights: ArrayLike<number>, shape: Shape): NdArray {
  const running = new Float64Array(weights.length);
  let total = 0;
  let last = 0;
  for (let i = 0; i < weights.length; i++) {
    if (!(weights[i] >= 0)) throw new EngineError(`categorical: weight ${i} must be >= 0, got ${weights[i]}`);
    total += weights[i];
    running[i] = total;
    if (weights[i] > 0) last = i;
  }
  if (!(total > 0 && total < Infinity)) {
    throw new EngineError(`categorical: the weights must have a finite sum above 0, got ${total}`);
  }
  const u = fractions(key, elements("categorical", shape), 53);
  const data = new Int32Array(u.length);
  for (let i = 0; i < u.length; i++) {
    let low = 0;
    for (let high = last; low < high; ) {
      const middle = (low + high) >>> 1;
      if (running[middle] > u[i] * total) high = middle;
      else low = middle + 1;
    }
    data[i] = low;
  }
  return new NdArray(data, [...shape], "int32");
}

/** The numbers 0 to n - 1 in random order: Fisher–Yates, each exchange choosing its place with 53 bits. */
export function permutation(key: Key, n: number): NdArray {
  const u = fractions(key, elements("permutation", [n]), 53);
  const data = new Int32Array(n);
  for (let i = 0; i < n; i++) data[i] = i;
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(u[i] * (i + 1));
    const chosen = data[j];
    data[j] = data[i];
    data[i] = chosen;
  }
  return new NdArray(data, [n], "int32");
}

/** Threefry-2x32 with 20 rounds: encrypts the counter [c0, c1] under the key into out[at] and out[at + 1]. */
export function threefry2x32(key: Key, c0: number, c1: number, out: Uint32Array, at: number): void {
  let now = key[0] | 0;
  let next = key[1] | 0;
  let later = 0x1bd11bda ^ now ^ next;
  let x = (c0 + now) | 0;
  let y = (c1 + next) | 0;
  for (let group = 1; group <= 5; group++) {
    const odd = group % 2 === 1;
    x = (x + y) | 0;
    y = rotate(y, odd ? 13 : 17) ^ x;
    x = (x + y) | 0;
    y = rotate(y, odd ? 15 : 29) ^ x;
    x = (x + y) | 0;
    y = rotate(y, odd ? 26 : 16) ^ x;
    x = (x + y) | 0;
    y = rotate(y, odd ? 6 : 24) ^ x;
    const first = now;
    now = next;
    next = later;
    later = first;
    x = (x + now) | 0;
    y = (y + next + group) | 0;
  }
  out[at] = x;
  out[at + 1] = y;
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function child(key: Key, c0: number, c1: number): Key {
  const words = new Uint32Array(2);
  threefry2x32(key, c0, c1, words, 0);
  return [words[0], words[1]];
}

/**
 * `n` multiples u of 2^-b in [0, 1): the first b bits of one word each (b <= 32) or of two. With b <= 53 they
 * are so far from 1 that u m, rounded, is below m for every m > 1e-300.
 */
function fractions(key: Key, n: number, b: number): Float64Array {
  const u = new Float64Array(n);
  const words = bits(key, b > 32 ? 2 * n : n);
  const mask = -1 << ((64 - b) % 32);
  if (b > 32) {
    for (let i = 0; i < n; i++) u[i] = (words[2 * i] + ((words[2 * i + 1] & mask) >>> 0) / TWO_32) / TWO_32;
  } else {
    for (let i = 0; i < n; i++) u[i] = ((words[i] & mask) >>> 0) / TWO_32;
  }
  return u;
}

// Numerators and denominators of AS 241's rational approximations (PPND16), as doubles, constant term first:
// the centre |p - 1/2| <= 0.425, the tail up to r = 5, and the far tail, where r = sqrt(-log(min(p, 1 - p))).
// biome-ignore format: a table
const CENTRE = [[3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946,
  45921.95393154987, 67265.7709270087, 33430.57558358813, 2509.0809287301227],
 [1, 42.31333070160091, 687.1870074920579, 5394.196021424751,
  21213.794301586597, 39307.89580009271, 28729.085735721943, 5226.495278852854]];
// biome-ignore format: a table
const TAIL = [[1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045,
  1.2704582524523684, 0.2417807251774506, 0.022723844989269184, 7.745450142783414e-4],
 [1, 2.053191626637759, 1.6763848301838038, 0.6897673349851,
  0.14810397642748008, 0.015198666563616457, 5.475938084995345e-4, 1.0507500716444169e-9]];
// biome-ignore format: a table
const FAR_TAIL = [[6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487,
  0.026532189526576124, 0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7],
 [1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615,
  7.868691311456133e-4, 1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899397e-15]];

/** The z with P(Z < z) = p for a standard normal Z and 0 < p < 1, to a relative error of about 1e-15. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new EngineError(`normalQuantile: p must lie between 0 and 1, got ${p}`);
  const q = p - 0.5;
  if (q >= -0.425 && q <= 0.425) return q * ratio(CENTRE, 0.180625 - q * q);
  const r = Math.sqrt(-log(q < 0 ? p : 1 - p));
  const z = r <= 5 ? ratio(TAIL, r - 1.6) : ratio(FAR_TAIL, r - 5);
  return q < 0 ? -z : z;
}

function ratio(polynomials: number[][], x: number): number {
  let above = 0;
  let below = 0;
  for (let i = 7; i >= 0; i--) {
    above = above * x + polynomials[0][i];
    below = below * x + polynomials[1][i];
  }
  return above / below;
}

/** e log 2 + 2 (s + s^3 / 3 + s^5 / 5 + ...), where x = m 2^e < 1, m is near 1 and s = (m - 1) / (m + 1). */
function log(x: number): number {
  let m = x;
  let e = 0;
  for (; m < Math.SQRT1_2; e--) m *= 2;
  const s = (m - 1) / (m + 1);
  let series = 0;
  for (let n = 23; n >= 1; n -= 2) series = series * s * s + 2 / n;
  return e * Math.LN2 + s * series;
}

function floatArray(operation: string, dtype: string) {
  if (dtype === "float32") return Float32Array;
  if (dtype === "float64") return Float64Array;
  throw new EngineError(`${operation}: dtype must be float32 or float64, got ${dtype}`);
}

function elements(operation: string, shape: Shape): number {
  const n = sizeOf(checkShape(operation, shape));
  checkWhole(`${operation}: the number of elements`, n, MOST_NUMBERS);
  return n;
}

function checkKey(key: Key): void {
  if (!(Array.isArray(key) && key.length === 2 && key.every((word) => word >>> 0 === word))) {
    throw new EngineError(`a random key is a pair of 32-bit whole numbers, got ${JSON.stringify(key)}`);
  }
}

function checkWhole(what: string, n: number, most: number): void {
  if (!(Number.isInteger(n) && n >= 0 && n <= most)) {
    throw new EngineError(`${what} must be a whole number from 0 to ${most}, got ${n}`);
  }
}
