// The statistics that the tables and figures use, over plain lists of numbers.
import { studentReach } from "@pliant/learn";

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const mean = (values: readonly number[]): number => sum(values) / values.length;
export const rms = (values: readonly number[]): number => Math.sqrt(mean(values.map((value) => value ** 2)));
export const largest = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.max(a, b), -Infinity);
export const smallest = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.min(a, b), Infinity);

/** Standard deviation of a sample, with n − 1; 0 for one value. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1));
}

/** Repeated runs as a table gives them: their mean, their standard deviation and how many there are. */
export interface Sample {
  readonly mean: number;
  readonly deviation: number;
  readonly count: number;
}

export const sampleOf = (values: readonly number[]): Sample => ({
  mean: mean(values),
  deviation: deviation(values),
  count: values.length,
});

/**
 * The half-width of the 95% interval for the difference of two means. Welch's interval where both sides have several runs; where
 * one side is a single run, the interval in which the other side predicts one more of its own. Undefined for two single runs.
 */
export function differenceReach(a: Sample, b: Sample): number | undefined {
  const [few, many] = a.count < b.count ? [a, b] : [b, a];
  if (few.count === 0 || many.count < 2) return undefined;
  if (few.count === 1) return studentReach(many.count - 1) * many.deviation * Math.sqrt(1 + 1 / many.count);
  const [va, vb] = [a, b].map(({ deviation, count }) => deviation ** 2 / count);
  if (va + vb === 0) return 0;
  const freedom = (va + vb) ** 2 / (va ** 2 / (a.count - 1) + vb ** 2 / (b.count - 1));
  return studentReach(freedom) * Math.sqrt(va + vb);
}

/** The value below which `percent` of the sorted values lie, between neighbours in proportion (numpy's default). */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  return below + (place - Math.floor(place)) * (sorted[Math.ceil(place)] - below);
}

/** Mean, interquartile range, and largest minus smallest. */
export interface Spread {
  readonly mean: number;
  readonly iqr: number;
  readonly range: number;
}

export const spread = (values: readonly number[]): Spread => ({
  mean: mean(values),
  iqr: percentile(values, 75) - percentile(values, 25),
  range: largest(values) - smallest(values),
});

/** Ranks from 1; equal values share the mean of theirs. */
export function ranks(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
}

/** Spearman's rank correlation; undefined where one side does not vary. */
export function spearman(a: readonly number[], b: readonly number[]): number | undefined {
  const [x, y] = [ranks(a), ranks(b)];
  const [xMean, yMean] = [mean(x), mean(y)];
  const together = sum(x.map((value, i) => (value - xMean) * (y[i] - yMean)));
  const apart = Math.sqrt(sum(x.map((v) => (v - xMean) ** 2)) * sum(y.map((v) => (v - yMean) ** 2)));
  return apart > 0 ? together / apart : undefined;
}
