// Small statistics over clients.

export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** Standard deviation of a sample; 0 of one value. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (values.length - 1));
}

/** Of Student's distribution, 97.5%, for 1 to 30 degrees of freedom. */
const student = [
  ...[12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228],
  ...[2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086],
  ...[2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042],
];

/** The 95% confidence interval of the mean of independent values; undefined of fewer than two. */
export function meanInterval(values: readonly number[]): readonly [number, number] | undefined {
  if (values.length < 2) return undefined;
  const freedom = values.length - 1;
  // Beyond the table the distribution is nearly normal.
  const times = student[freedom - 1] ?? 1.96 + 2.5 / freedom;
  const half = (times * deviation(values)) / Math.sqrt(values.length);
  return [mean(values) - half, mean(values) + half];
}

/** The value a share of the way up a list, between neighbours. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (at - Math.floor(at)) * (above - below);
}

/** Places in order, equals sharing the mean of theirs. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b]);
  const found = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to + 1 < order.length && values[order[to + 1]] === values[order[from]]) to++;
    for (let i = from; i <= to; i++) found[order[i]] = (from + to) / 2;
    from = to + 1;
  }
  return found;
}

/** Pearson's correlation: 1 where one is a rising line of the other; no number where one of them never changes. */
export function pearson(x: readonly number[], y: readonly number[]): number {
  const [mx, my] = [mean(x), mean(y)];
  const dot = (p: readonly number[], mp: number, q: readonly number[], mq: number) =>
    p.reduce((sum, value, i) => sum + (value - mp) * (q[i] - mq), 0);
  return dot(x, mx, y, my) / Math.sqrt(dot(x, mx, x, mx) * dot(y, my, y, my));
}

/** Spearman's rank correlation: 1 where one rises with the other. */
export const spearman = (x: readonly number[], y: readonly number[]): number => pearson(ranks(x), ranks(y));

/** Whether a quantity only counts the steps, such as epochs: a straight line that shows nothing. */
export function countsSteps({ x, y }: { x: readonly number[]; y: readonly number[] }): boolean {
  const perStep = (y[y.length - 1] - y[0]) / (x[x.length - 1] - x[0]);
  const isLine = y.every((value, i) => Math.abs(value - y[0] - perStep * (x[i] - x[0])) < 1e-6);
  return perStep > 0 && y.length > 2 && isLine && y.every(Number.isInteger);
}
