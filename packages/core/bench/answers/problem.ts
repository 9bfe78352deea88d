// A problem with its exact answer, and what a report may state of it.
import type { Problem, SolveOptions } from "@pliant/core";
import { array as make, type NdArray } from "@pliant/engine";

export interface Answer {
  readonly objective: number;
  /** By requirement, the sum over its elements; left out where it is not unique. */
  readonly prices?: Readonly<Record<string, number>>;
  readonly relaxations?: Readonly<Record<string, number>>;
  /** Names whose prices are determined only together. */
  readonly together?: readonly string[];
}

export interface Case {
  readonly name: string;
  readonly family: string;
  readonly task: Problem<never, never, never, string>;
  readonly data: unknown;
  /** What the user would say beside the data: a batch, kinks. */
  readonly options?: Partial<SolveOptions<never>>;
  /** The answer, or why nothing may be certified. */
  readonly answer: Answer | { readonly refuse: string };
  /** The objective's size, for those whose answer is 0. */
  readonly size?: number;
  /** To which share of its size the answer is known, where that is not to rounding. */
  readonly precision?: number;
}

export type Dtype = "float32" | "float64";

export const array = (x: number | number[] | number[][], dtype: Dtype): NdArray =>
  make(x as number[], { dtype }) as NdArray;

/** The same numbers in every run. */
export function drawing(seed: number) {
  let state = (seed * 2654435761) >>> 0 || 1;
  const uniform = (low = 0, high = 1): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return low + ((high - low) * (state + 0.5)) / 2 ** 32;
  };
  for (let i = 0; i < 8; i++) uniform();
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const normals = (n: number): number[] => Array.from({ length: n }, normal);
  const matrix = (rows: number, columns: number): number[][] =>
    Array.from({ length: rows }, () => normals(columns));
  return { uniform, normal, normals, matrix };
}

export const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + x * b[i], 0);

export const times = (A: readonly (readonly number[])[], x: readonly number[]): number[] =>
  A.map((row) => dot(row, x));

export const transposed = (A: readonly (readonly number[])[]): number[][] =>
  A[0].map((_, j) => A.map((row) => row[j]));

/** A x = b, by Gauss with pivots. */
export function solveLinear(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const M = A.map((row, i) => [...row, b[i]]);
  const n = b.length;
  for (let k = 0; k < n; k++) {
    const p = [...Array(n - k).keys()]
      .map((i) => i + k)
      .reduce((a, i) => (Math.abs(M[i][k]) > Math.abs(M[a][k]) ? i : a), k);
    [M[k], M[p]] = [M[p], M[k]];
    for (let i = k + 1; i < n; i++) {
      const f = M[i][k] / M[k][k];
      for (let j = k; j <= n; j++) M[i][j] -= f * M[k][j];
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let k = n - 1; k >= 0; k--) x[k] = (M[k][n] - dot(M[k].slice(k + 1, n), x.slice(k + 1))) / M[k][k];
  return x;
}
