// Sums and products of whole arrays, each in a loop of its own: one loop that calls a function for each element is several times slower,
// since no engine inlines a call that differs from kernel to kernel.
import type { Data } from "../dtype.js";

/** For operands of equal length, and with a single number on the right. */
export interface Loops {
  both(out: Data, a: Data, b: Data): void;
  withNumber(out: Data, a: Data, b: number): void;
}

export const sums: Loops = {
  both(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] + b[i];
  },
  withNumber(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] + b;
  },
};

export const differences: Loops = {
  both(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] - b[i];
  },
  withNumber(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] - b;
  },
};

export const products: Loops = {
  both(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] * b[i];
  },
  withNumber(out, a, b) {
    for (let i = 0; i < out.length; i++) out[i] = a[i] * b;
  },
};

/** The sum of an array, in double precision. */
export function sumOf(x: Data, start: number): number {
  let total = start;
  for (let i = 0; i < x.length; i++) total += x[i];
  return total;
}
