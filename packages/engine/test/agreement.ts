// How close two back ends must be: rounding, relative to the size of the whole result.
import type { NdArray } from "@pliant/engine";

/** The largest difference, in units of the largest magnitude (at least 1). Infinite where one is not a number. */
export function distance(a: NdArray, b: NdArray): number {
  if (a.dtype !== b.dtype || a.shape.join() !== b.shape.join()) return Infinity;
  let worst = 0;
  let scale = 1;
  for (let i = 0; i < a.size; i++) {
    const [x, y] = [a.data[i], b.data[i]];
    if (x === y || (Number.isNaN(x) && Number.isNaN(y))) continue;
    const gap = Math.abs(x - y);
    worst = Number.isNaN(gap) ? Infinity : Math.max(worst, gap);
    scale = Math.max(scale, Math.abs(x));
  }
  return worst / scale;
}

/** Sums over everything cancel, so their rounding says nothing; they are there for finite differences. */
export const isCompared = (path: string): boolean => path !== ".loss" && path !== ".slope";
