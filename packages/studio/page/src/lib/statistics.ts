// Small statistics over clients.

export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

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
