// The numbers of numpy's legacy generator: `numpy.random.seed(seed)`, then `random_sample`, `standard_exponential`,
// `standard_gamma`, `dirichlet`, `randint`, `permutation` and `choice` without replacement.

import { InputError } from "@pliant/core";
import { mt19937 } from "./mt19937.js";
import { upTo } from "./up-to.js";

/** A sequence of draws; each call goes on where the last one stopped. */
export interface NumpyStream {
  /** Uniform on [0, 1) with 53 random bits. */
  double(): number;
  exponential(): number;
  /** Standard normal. */
  normal(): number;
  /** Gamma with this shape and scale 1. */
  gamma(shape: number): number;
  dirichlet(alphas: readonly number[]): Float64Array<ArrayBuffer>;
  /** Uniform on the whole numbers 0 to n − 1. */
  below(n: number): number;
  permutation(n: number): Int32Array<ArrayBuffer>;
  /** `size` different numbers out of 0 to n − 1. */
  choice(n: number, size: number): Int32Array<ArrayBuffer>;
}

/** The stream of numpy's legacy generator under this seed. */
export function numpyStream(seed: number): NumpyStream {
  const next32 = mt19937(seed);
  let spare: number | undefined;

  const double = () => {
    const high = next32() >>> 5;
    const low = next32() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  };
  const exponential = () => -Math.log(1 - double());

  // Marsaglia's polar method makes two at a time.
  const normal = () => {
    if (spare !== undefined) {
      const kept = spare;
      spare = undefined;
      return kept;
    }
    let x: number;
    let y: number;
    let square: number;
    do {
      x = 2 * double() - 1;
      y = 2 * double() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square === 0);
    const factor = Math.sqrt((-2 * Math.log(square)) / square);
    spare = factor * x;
    return factor * y;
  };

  const gamma = (shape: number) => {
    if (!(shape > 0))
      throw new InputError(`The shape of a gamma distribution must be above 0, not ${shape}.`);
    if (shape === 1) return exponential();
    return shape < 1 ? smallGamma(shape) : largeGamma(shape);
  };

  // Ahrens and Dieter's rejection for shapes below 1.
  const smallGamma = (shape: number) => {
    for (;;) {
      const u = double();
      const v = exponential();
      if (u <= 1 - shape) {
        const x = u ** (1 / shape);
        if (x <= v) return x;
      } else {
        const y = -Math.log((1 - u) / shape);
        const x = (1 - shape + shape * y) ** (1 / shape);
        if (x <= v + y) return x;
      }
    }
  };

  // Marsaglia and Tsang's squeeze for shapes above 1.
  const largeGamma = (shape: number) => {
    const b = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * b);
    for (;;) {
      let x: number;
      let v: number;
      do {
        x = normal();
        v = 1 + c * x;
      } while (v <= 0);
      v = v * v * v;
      const u = double();
      if (u < 1 - 0.0331 * (x * x) * (x * x)) return b * v;
      if (Math.log(u) < 0.5 * x * x + b * (1 - v + Math.log(v))) return b * v;
    }
  };

  const dirichlet = (alphas: readonly number[]) => {
    const draws = Float64Array.from(alphas, gamma);
    const sum = draws.reduce((total, x) => total + x, 0);
    if (sum === 0) {
      throw new InputError(
        `A Dirichlet concentration of ${alphas[0]} is too small: every share rounds to 0.`,
      );
    }
    return draws.map((x) => x * (1 / sum));
  };

  // Rejection under the smallest mask of ones that covers n − 1.
  const below = (n: number) => {
    if (n <= 1) return 0;
    const mask = 0xffffffff >>> Math.clz32(n - 1);
    for (;;) {
      const value = (next32() & mask) >>> 0;
      if (value < n) return value;
    }
  };

  const permutation = (n: number) => {
    const order = upTo(n);
    for (let i = n - 1; i > 0; i--) {
      const j = below(i + 1);
      const taken = order[i];
      order[i] = order[j];
      order[j] = taken;
    }
    return order;
  };

  const choice = (n: number, size: number) => {
    if (size > n) throw new InputError(`Cannot draw ${size} different items from ${n}.`);
    return permutation(n).slice(0, size);
  };

  return { double, exponential, normal, gamma, dirichlet, below, permutation, choice };
}
