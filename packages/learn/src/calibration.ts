// Whether probabilities mean what they say. Read: Guo et al., "On calibration of modern neural networks" (2017).
import { InputError } from "@pliant/core";

/**
 * The expected calibration error: samples in bins of equal width by the probability given to an event, the mean gap between
 * that probability and how often the event happened, weighted by the bins' shares. On the host.
 */
export function calibrationError(
  probabilities: ArrayLike<number>,
  happened: ArrayLike<number | boolean>,
  { bins = 15 }: { bins?: number } = {},
): number {
  const n = probabilities.length;
  if (n === 0 || happened.length !== n)
    throw new InputError(
      `calibrationError: needs as many outcomes as probabilities, at least one; got ${happened.length} and ${n}.`,
    );
  const gaps = new Float64Array(bins);
  for (let i = 0; i < n; i++) {
    const p = probabilities[i];
    if (!(p >= 0 && p <= 1))
      throw new InputError(`calibrationError: probability ${i} must lie between 0 and 1, got ${p}.`);
    gaps[Math.min(Math.floor(p * bins), bins - 1)] += p - Number(happened[i]);
  }
  return gaps.reduce((total, gap) => total + Math.abs(gap), 0) / n;
}
