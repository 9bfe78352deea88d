// Class imbalance by thinning: of the minority classes, pooled, only the first samples are kept.

import { InputError } from "@pliant/core";

/** The minority classes of the paper's experiments, by how many there are. */
export const minorityClasses: Readonly<Record<number, readonly number[]>> = {
  1: [0],
  3: [0, 2, 4],
  5: [0, 2, 4, 6, 8],
};

/**
 * The positions that stay: the first max(1, ⌊ratio·|M|⌋) of the samples M of all minority classes together, in
 * dataset order, then every other sample. The classes are not thinned one by one, so their counts come out only
 * roughly equal.
 */
export function thinned(
  labels: ArrayLike<number>,
  { minority, ratio }: { minority: readonly number[]; ratio: number },
): Int32Array<ArrayBuffer> {
  if (!(ratio > 0 && ratio <= 1)) {
    throw new InputError(
      `The share of minority samples to keep must be above 0 and at most 1, not ${ratio}.`,
    );
  }
  const rare = new Set(minority);
  const some: number[] = [];
  const others: number[] = [];
  for (let i = 0; i < labels.length; i++) (rare.has(labels[i]) ? some : others).push(i);
  if (some.length === 0) {
    throw new InputError(
      `None of the minority classes ${minority.join(", ")} has a sample in the training data.`,
    );
  }
  return Int32Array.from([...some.slice(0, Math.max(1, Math.floor(ratio * some.length))), ...others]);
}
