// The identity permutation, where every shuffle starts.

/** 0, 1, …, n − 1. */
export const upTo = (n: number): Int32Array<ArrayBuffer> => new Int32Array(n).map((_, i) => i);
