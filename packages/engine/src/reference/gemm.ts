// The reference back end's matrix product. Rows of B are streamed four at a time into a row of C held in double
// precision: good cache behaviour without tiles, and sums that are more exact than float32 accumulation.
import type { Data } from "../dtype.js";

/** C[m×n] = A[m×k] · B[k×n], or C += with `accumulate`; each matrix starts at its offset and is row-major. */
export function gemm(
  c: Data,
  a: Data,
  b: Data,
  [m, k, n]: readonly [number, number, number],
  [co, ao, bo]: readonly [number, number, number] = [0, 0, 0],
  accumulate = false,
): void {
  if (c instanceof Int32Array) {
    wholeGemm(c, a, b, [m, k, n], [co, ao, bo]);
    return;
  }
  if (n === 1) {
    timesVector(c, a, b, [m, k], [co, ao, bo], accumulate);
    return;
  }
  const row = new Float64Array(n);
  for (let i = 0; i < m; i++) {
    if (accumulate) for (let j = 0; j < n; j++) row[j] = c[co + i * n + j];
    else row.fill(0);
    const ai = ao + i * k;
    let p = 0;
    for (; p + 4 <= k; p += 4) {
      const a0 = a[ai + p];
      const a1 = a[ai + p + 1];
      const a2 = a[ai + p + 2];
      const a3 = a[ai + p + 3];
      const b0 = bo + p * n;
      const b1 = b0 + n;
      const b2 = b1 + n;
      const b3 = b2 + n;
      for (let j = 0; j < n; j++) row[j] += a0 * b[b0 + j] + a1 * b[b1 + j] + a2 * b[b2 + j] + a3 * b[b3 + j];
    }
    for (; p < k; p++) {
      const a0 = a[ai + p];
      const b0 = bo + p * n;
      for (let j = 0; j < n; j++) row[j] += a0 * b[b0 + j];
    }
    for (let j = 0; j < n; j++) c[co + i * n + j] = row[j];
  }
}

/** The same of one column, in the same order. */
function timesVector(
  c: Data,
  a: Data,
  b: Data,
  [m, k]: readonly [number, number],
  [co, ao, bo]: readonly [number, number, number],
  accumulate: boolean,
): void {
  for (let i = 0; i < m; i++) {
    const ai = ao + i * k;
    let sum = accumulate ? c[co + i] : 0;
    let p = 0;
    for (; p + 4 <= k; p += 4)
      sum +=
        a[ai + p] * b[bo + p] +
        a[ai + p + 1] * b[bo + p + 1] +
        a[ai + p + 2] * b[bo + p + 2] +
        a[ai + p + 3] * b[bo + p + 3];
    for (; p < k; p++) sum += a[ai + p] * b[bo + p];
    c[co + i] = sum;
  }
}

/** The same of int32, which wraps: in double precision products and sums beyond 2⁵³ would lose their last digits. */
function wholeGemm(
  c: Int32Array,
  a: Data,
  b: Data,
  [m, k, n]: readonly [number, number, number],
  [co, ao, bo]: readonly [number, number, number],
): void {
  c.fill(0, co, co + m * n);
  for (let i = 0; i < m; i++)
    for (let p = 0; p < k; p++)
      for (let j = 0; j < n; j++) c[co + i * n + j] += Math.imul(a[ao + i * k + p], b[bo + p * n + j]);
}

/** B[n×m] = A[m×n] transposed. */
export function transposeInto(b: Data, a: Data, m: number, n: number, ao = 0): void {
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) b[j * m + i] = a[ao + i * n + j];
}
