// Each client's test set: images of the common test set, drawn so that its classes are balanced as in the client's
// training data. Different clients may share images.

import { InputError } from "@pliant/core";
import type { NumpyStream } from "../streams/index.js";
import { checkParts } from "./checks.js";
import { byClass, classCounts, classesIn } from "./classes.js";

/** Test sets with the class shares of each client's training set. */
export interface TestSetOptions {
  /** Training labels, and the positions in them that each client holds. */
  readonly labels: ArrayLike<number>;
  readonly parts: readonly Int32Array[];
  readonly testLabels: ArrayLike<number>;
  /** Images for each client, at most. */
  readonly size: number;
  /** Goes on from the split: clients in order, classes in order. */
  readonly stream: NumpyStream;
  /**
   * - `floor`: ⌊size·p_k⌋ of class k in float32, as published; a few images less than `size`.
   * - `balanced`: whole numbers nearest to size·p_k that add up to `size`, or to the largest size at which the test
   *   set has enough of every class.
   */
  readonly rounding?: "floor" | "balanced";
}

/** The positions in the test set that each client is tested on. */
export function clientTestSets(options: TestSetOptions): Int32Array<ArrayBuffer>[] {
  const { labels, parts, testLabels, size, stream, rounding = "balanced" } = options;
  checkParts(parts);
  const classes = Math.max(classesIn(labels), classesIn(testLabels));
  const pools = byClass(testLabels, classes);
  const available = pools.map((pool) => pool.length);
  return parts.map((part, client) => {
    const counts = classCounts(labels, { classes, part });
    const missing = counts.findIndex((count, label) => count > 0 && available[label] === 0);
    if (missing >= 0)
      throw new InputError(`The test set has no sample of class ${missing}, which clients hold.`);
    const wanted = rounding === "floor" ? floored(counts, size) : balanced(counts, size, available);
    if (wanted.every((n) => n === 0)) {
      throw new InputError(`Client ${client} is left without a test image: a size of ${size} is too small.`);
    }
    return Int32Array.from(
      pools.flatMap((pool, label) => {
        if (wanted[label] === 0) return [];
        return Array.from(stream.choice(pool.length, wanted[label]), (i) => pool[i]);
      }),
    );
  });
}

function floored(counts: Int32Array, size: number): number[] {
  const { fround } = Math;
  const samples = counts.reduce((sum, count) => sum + count, 0);
  return Array.from(counts, (count) => Math.floor(fround(size * fround(count / samples))));
}

// Largest remainders: every class gets the floor of its share, the largest fractions one more.
function balanced(counts: Int32Array, size: number, available: readonly number[]): number[] {
  const samples = counts.reduce((sum, count) => sum + count, 0);
  const enough = available.map((n, label) =>
    counts[label] > 0 ? Math.floor((n * samples) / counts[label]) : size,
  );
  const most = Math.min(size, ...enough);
  const exact = Array.from(counts, (count) => (most * count) / samples);
  const wanted = exact.map(Math.floor);
  const byRemainder = exact
    .map((_, label) => label)
    .sort((a, b) => exact[b] - wanted[b] - (exact[a] - wanted[a]));
  const spare = most - wanted.reduce((sum, n) => sum + n, 0);
  for (const label of byRemainder.slice(0, spare)) wanted[label]++;
  return wanted;
}
