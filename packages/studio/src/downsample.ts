// Fewer points that draw the same line: of each bucket of neighbours the first, the last, the least and the greatest (the
// M4 aggregation of Jugel et al., VLDB 2014). What is left out lies between points that are kept.
import type { Curve } from "./api.js";

/** Six digits are more than a screen shows. Without a text between, which takes ten times as long. */
function short(x: number): number {
  if (x === 0) return 0;
  const places = 5 - Math.floor(Math.log10(Math.abs(x)));
  // Powers of ten are whole numbers up to here, so that one division gives the number nearest to six digits.
  if (Math.abs(places) > 22) return Number(x.toPrecision(6));
  return places >= 0
    ? Math.round(x * 10 ** places) / 10 ** places
    : Math.round(x / 10 ** -places) * 10 ** -places;
}

/** At most `points` of the rows, in order; rows without a number are no points. */
export function downsample(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  { points = 1000 }: { points?: number } = {},
): Curve {
  const rows: number[] = [];
  for (let row = 0; row < y.length; row++)
    if (Number.isFinite(y[row]) && Number.isFinite(x[row])) rows.push(row);
  const kept = rows.length <= points ? rows : extremes(rows, y, Math.max(1, Math.floor(points / 4)));
  return { x: kept.map((row) => x[row]), y: kept.map((row) => short(y[row])) };
}

function extremes(rows: readonly number[], y: ArrayLike<number>, buckets: number): number[] {
  const kept: number[] = [];
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = Math.floor((bucket * rows.length) / buckets);
    const to = Math.floor(((bucket + 1) * rows.length) / buckets) - 1;
    let [low, high] = [from, from];
    for (let i = from; i <= to; i++) {
      if (y[rows[i]] < y[rows[low]]) low = i;
      if (y[rows[i]] > y[rows[high]]) high = i;
    }
    const inOrder = [from, Math.min(low, high), Math.max(low, high), to];
    kept.push(...inOrder.filter((i, k) => k === 0 || i !== inOrder[k - 1]).map((i) => rows[i]));
  }
  return kept;
}

/** At most `points` pairs along a path in the plane, evenly spaced in time, its ends kept. */
export function thinPath(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  { points = 300 }: { points?: number } = {},
): Curve {
  const rows: number[] = [];
  for (let row = 0; row < Math.min(x.length, y.length); row++)
    if (Number.isFinite(x[row]) && Number.isFinite(y[row])) rows.push(row);
  const kept = evenly(rows, points);
  return { x: kept.map((row) => short(x[row])), y: kept.map((row) => short(y[row])) };
}

/** At most `count` of a list, evenly spaced, the first and the last among them. */
export function evenly<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, i) => list[Math.round((i * (list.length - 1)) / (count - 1))]);
}
