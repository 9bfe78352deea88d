// Counting and gathering samples by class.

/** How many samples of each class there are, among all or among the given positions. */
export function classCounts(
  labels: ArrayLike<number>,
  { classes = classesIn(labels), part }: { classes?: number; part?: Int32Array } = {},
): Int32Array<ArrayBuffer> {
  const counts = new Int32Array(classes);
  if (part) for (const i of part) counts[labels[i]]++;
  else for (let i = 0; i < labels.length; i++) counts[labels[i]]++;
  return counts;
}

/** One more than the largest label. */
export function classesIn(labels: ArrayLike<number>): number {
  let largest = -1;
  for (let i = 0; i < labels.length; i++) if (labels[i] > largest) largest = labels[i];
  return largest + 1;
}

/** The positions of each class, in order. */
export function byClass(labels: ArrayLike<number>, classes = classesIn(labels)): Int32Array<ArrayBuffer>[] {
  const positions = Array.from(classCounts(labels, { classes }), (count) => new Int32Array(count));
  const filled = new Int32Array(classes);
  for (let i = 0; i < labels.length; i++) positions[labels[i]][filled[labels[i]]++] = i;
  return positions;
}

/** The share of each client's samples whose class is one of `minority`. */
export function minorityShares(
  labels: ArrayLike<number>,
  parts: readonly Int32Array[],
  minority: readonly number[],
): number[] {
  const rare = new Set(minority);
  return parts.map((part) => part.reduce((n, i) => n + Number(rare.has(labels[i])), 0) / part.length);
}
