// The identity permutation, where every shuffle starts.

/** 0, 1, …, n − 1. */
export function upTo(n: number): Int32Array<ArrayBuffer> {
  const order = new Int32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  return order;
}
