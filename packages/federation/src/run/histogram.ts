// How far sites give way, without who: each puts a 1 into one of a few bins, and the bins are summed behind the masks like all else.

/** Upper ends of the bins; the first has those that do not give way at all, a last one those beyond. */
export const relaxationBins: readonly number[] = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];

export const binCount = relaxationBins.length + 1;

/** A 1 in the bin of a relaxation. */
export function binOf(relaxation: number): number[] {
  const place = relaxationBins.findIndex((end) => relaxation <= end);
  const bin = place < 0 ? relaxationBins.length : place;
  return Array.from({ length: binCount }, (_, i) => Number(i === bin));
}

/** What rode along, apart from what was there before, and in counts. */
export function histogramIn(
  means: readonly number[],
  survivors: number,
): { readonly means: readonly number[]; readonly histogram: readonly number[] } {
  const first = means.length - binCount;
  return {
    means: means.slice(0, first),
    histogram: means.slice(first).map((mean) => Math.round(mean * survivors)),
  };
}
