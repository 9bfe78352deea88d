// Trees of arrays as flat float64 vectors, and the few operations on vectors that Krylov methods need.
import { leaves, mapTree, NdArray } from "@pliant/engine";

/** Float64Array<ArrayBuffer>, spelt so that TypeScript before 5.7 can read the declarations. */
export type Vector = ReturnType<Float64ArrayConstructor["from"]>;

/** All numbers of a tree of host arrays, one after another. */
export function ravel(tree: unknown): Vector {
  const arrays = leaves(tree).map(({ leaf }) => leaf as NdArray);
  const flat = new Float64Array(arrays.reduce((sum, { data }) => sum + data.length, 0));
  let from = 0;
  for (const { data } of arrays) {
    flat.set(data as ArrayLike<number>, from);
    from += data.length;
  }
  return flat;
}

/** The numbers of `ravel` in the form and the dtype of a tree. */
export function unravel<T>(like: T, flat: Vector): T {
  let from = 0;
  return mapTree(like, ({ shape, data, dtype }: NdArray) => {
    const part = flat.subarray(from, from + data.length);
    from += data.length;
    return new NdArray(dtype === "float64" ? part.slice() : new Float32Array(part), shape);
  }) as T;
}

export const vector = (n: number, of: (i: number) => number): Vector => {
  const x = new Float64Array(n);
  for (let i = 0; i < n; i++) x[i] = of(i);
  return x;
};

export function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export const norm = (a: Vector): number => Math.sqrt(dot(a, a));

/** Σ aᵢ² wᵢ. */
export function square(a: Vector, weights: Vector): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * a[i] * weights[i];
  return sum;
}

/** a + s·b. */
export function plus(a: Vector, b: Vector, s = 1): Vector {
  const c = a.slice();
  add(c, b, s);
  return c;
}

/** a ← a + s·b. */
export function add(a: Vector, b: Vector, s: number): void {
  for (let i = 0; i < a.length; i++) a[i] += s * b[i];
}

/** a/b, of as many elements as b has. */
export const quotient = (a: Vector, b: Vector): Vector => vector(b.length, (i) => a[i] / b[i]);

/** √a. */
export const roots = (a: Vector): Vector => a.map(Math.sqrt);

/** NaN counts as larger than any number. */
export const larger = (a: number, b: number): number => (Number.isNaN(b) || b > a ? b : a);

/** A small generator of random numbers from 0 to 1, signs and normal numbers, the same in every run. */
export function randomNumbers(seed = 1) {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
  const uniform = (): number => (next() + 0.5) / 2 ** 32;
  return {
    uniform,
    sign: () => (next() < 2 ** 31 ? -1 : 1),
    normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}
