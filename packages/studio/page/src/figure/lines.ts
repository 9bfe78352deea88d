// What is done to lines before they are drawn: over time instead of steps, smoothed, cut to what is looked at; and as a table.

export interface Line {
  readonly name: string;
  /** A CSS colour. */
  readonly colour: string;
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** What it came to after the last point, by a step that the line does not show: a ring at its end. */
  readonly outcome?: number;
}

/** What lies between two quantities, such as the least and the greatest of several seeds. */
export interface Band {
  readonly colour: string;
  readonly x: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

export type Range = readonly [from: number, to: number];

type Points = { readonly x: readonly number[]; readonly y: readonly number[] };

/** The last place at or before a number in a list that rises; -1 where all are beyond it. */
export function placeOf(x: readonly number[], at: number): number {
  let [low, high] = [0, x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value at any x, on the straight line between neighbours; that of an end beyond it. */
export function valueAt({ x, y }: Points, at: number): number {
  const i = placeOf(x, at);
  if (i < 0) return y[0];
  if (i >= x.length - 1 || x[i] === at) return y[i];
  return y[i] + ((at - x[i]) / (x[i + 1] - x[i])) * (y[i + 1] - y[i]);
}

/** Over time instead of steps: `time` has the seconds at some of the steps. */
export const overTime = <P extends Points>(points: P, time: Points): P => ({
  ...points,
  x: points.x.map((step) => valueAt(time, step)),
});

/** Seconds, minutes or hours, and how many seconds that is: what has few digits. */
export const timeUnitOf = (times: readonly Points[]): [name: string, seconds: number] => {
  const longest = Math.max(0, ...times.map(({ y }) => y.at(-1) ?? 0));
  return longest > 7200 ? ["hours", 3600] : longest > 180 ? ["minutes", 60] : ["seconds", 1];
};

/** A clock in another unit. */
export const scaledTime = ({ x, y }: Points, seconds: number): Points => ({
  x,
  y: y.map((time) => time / seconds),
});

/**
 * Exponential smoothing, free of the bias towards 0 at the beginning: s_t = w s_{t−1} + (1 − w) y_t, over 1 − w^t. A weight of 0 changes
 * nothing.
 */
export function smoothed(y: readonly number[], weight: number): readonly number[] {
  if (!(weight > 0)) return y;
  let [sum, share] = [0, 0];
  return y.map((value) => {
    sum = weight * sum + (1 - weight) * value;
    share = weight * share + (1 - weight);
    return sum / share;
  });
}

/** The part of a line inside a range, with the points at which it enters and leaves. */
export function within<P extends Points>(points: P, range: Range | undefined): P {
  const { x } = points;
  if (!range || x.length === 0) return points;
  const [from, to] = range;
  const inside = x.flatMap((at, i) => (at >= from && at <= to ? [i] : []));
  const cut = (at: number): [number, number][] =>
    at > x[0] && at < x[x.length - 1] ? [[at, valueAt(points, at)]] : [];
  const kept = inside.map((i): [number, number] => [x[i], points.y[i]]);
  const pairs = [
    ...(kept[0]?.[0] === from ? [] : cut(from)),
    ...kept,
    ...(kept.at(-1)?.[0] === to ? [] : cut(to)),
  ];
  return { ...points, x: pairs.map(([at]) => at), y: pairs.map(([, value]) => value) };
}

export interface Rows {
  readonly columns: readonly string[];
  /** Of lines one row an x, its own first; null where there is no number. */
  readonly rows: readonly (readonly (number | string | null)[])[];
}

/** Lines as a table: every x that one of them has. */
export function tableOf(xLabel: string, lines: readonly (Points & { readonly name: string })[]): Rows {
  const all = [...new Set(lines.flatMap(({ x }) => x))].sort((a, b) => a - b);
  const columns = lines.map(({ x, y }) => new Map(x.map((at, i) => [at, y[i]])));
  return {
    columns: [xLabel, ...lines.map(({ name }) => name)],
    rows: all.map((at) => [at, ...columns.map((column) => column.get(at) ?? null)]),
  };
}

const cell = (value: string | number | null): string => {
  // A spreadsheet works out a text that begins like this.
  const isFormula = typeof value === "string" && /^[=+\-@\t\r]/.test(value);
  const text = value === null ? "" : isFormula ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Comma-separated, as RFC 4180 has it. */
export const csvOf = ({ columns, rows }: Rows): string =>
  [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
