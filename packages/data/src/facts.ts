// What can be measured of a set of images, to compare with what is known of it.
import type { Facts } from "./catalogue.js";
import type { ImageSet } from "./dataset.js";

/** The facts of a set of images, as they are: first labels, means and deviations by channel, counts by class. */
export function measure({
  pixels,
  shape: [images, channels, height, width],
  labels,
  classes,
}: ImageSet): Facts {
  const size = height * width;
  const histograms = Array.from({ length: channels }, () => new Float64Array(256));
  for (let plane = 0; plane < images * channels; plane++) {
    const histogram = histograms[plane % channels];
    for (let i = plane * size; i < (plane + 1) * size; i++) histogram[pixels[i]]++;
  }
  const moments = histograms.map((histogram) => momentsOf(histogram, images * size));
  const counts = classes.map(() => 0);
  for (const label of labels) counts[label]++;
  return {
    firstLabels: Array.from(labels.subarray(0, 10)),
    mean: moments.map(({ mean }) => mean),
    std: moments.map(({ std }) => std),
    counts,
  };
}

/** Computed from the histogram of the bytes, divided by 255. */
function momentsOf(histogram: Float64Array, total: number): { mean: number; std: number } {
  const mean = histogram.reduce((sum, count, byte) => sum + (count * byte) / 255, 0) / total;
  const variance = histogram.reduce((sum, count, byte) => sum + count * (byte / 255 - mean) ** 2, 0) / total;
  return { mean, std: Math.sqrt(variance) };
}
