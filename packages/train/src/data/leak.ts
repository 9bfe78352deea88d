// Columns that tell the target by themselves: copies of it in other words, or what is known only once it is. A value, a threshold or
// the gaps of the column say which class a row is of, or a straight line which number.
import type { CategoryColumn, Column, NumberColumn } from "@pliant/data";

/** How well a column alone tells the target. */
export interface Tells {
  /** For classes the share of correct rows; for regression R². */
  readonly share: number;
  /** How many rows were looked at. */
  readonly rows: number;
}

/** More rows say no more. */
const mostRows = 10_000;
/** With fewer mistakes of the most common class, a match could be chance. */
const fewestWrong = 10;
/** The share of the mistakes of the most common class, or of the variance, that may remain. */
const left = { classes: 0.02, number: 0.001 };
/** Rows to a value, on average; else a value is rather the name of a row. */
const rowsToValue = 10;

/** Undefined where it does not, or only as well as others could by chance. */
export function tellsOf(column: Column, target: Column): Tells | undefined {
  const length = target.kind === "number" ? target.values.length : target.codes.length;
  const every = Math.ceil(length / mostRows);
  const rows = Array.from({ length: Math.ceil(length / every) }, (_, i) => i * every);
  return target.kind === "category" ? tellsClass(column, target, rows) : tellsNumber(column, target, rows);
}

/** The place of each row among the values of a column, gaps being one; undefined where there are too many values. */
function valuesOf(column: Column, rows: readonly number[]): number[] | undefined {
  const found = new Map<number, number>();
  const cells = column.kind === "number" ? column.values : column.codes;
  const places = rows.map((row) => {
    const known = found.get(cells[row]);
    if (known !== undefined) return known;
    found.set(cells[row], found.size);
    return found.size - 1;
  });
  return found.size * rowsToValue <= rows.length ? places : undefined;
}

const largest = (counts: readonly number[]): number => counts.reduce((a, b) => Math.max(a, b), 0);

function tellsClass(
  column: Column,
  { codes, categories }: CategoryColumn,
  rows: readonly number[],
): Tells | undefined {
  const none = (): number[] => new Array(categories.length).fill(0);
  const all = none();
  for (const row of rows) all[codes[row]]++;
  const wrong = rows.length - largest(all);
  if (wrong < fewestWrong) return undefined;
  const places = valuesOf(column, rows);
  const right = places
    ? rightByValue(
        places,
        rows.map((row) => codes[row]),
        none,
      )
    : column.kind === "number"
      ? rightByThreshold(column, codes, rows, none)
      : 0;
  return rows.length - right <= left.classes * wrong
    ? { share: right / rows.length, rows: rows.length }
    : undefined;
}

/** Rows of the commonest class of their value. */
function rightByValue(places: readonly number[], classes: readonly number[], none: () => number[]): number {
  const counts: number[][] = [];
  for (const [i, place] of places.entries()) {
    counts[place] ??= none();
    counts[place][classes[i]]++;
  }
  return counts.reduce((sum, own) => sum + largest(own), 0);
}

/** Rows of the commonest class of their side of the best threshold, or among the gaps. */
function rightByThreshold(
  { values }: NumberColumn,
  codes: Int32Array,
  rows: readonly number[],
  none: () => number[],
): number {
  const [below, above, gaps] = [none(), none(), none()];
  const known: number[] = [];
  for (const row of rows) {
    if (Number.isNaN(values[row])) gaps[codes[row]]++;
    else {
      above[codes[row]]++;
      known.push(row);
    }
  }
  known.sort((a, b) => values[a] - values[b]);
  let best = largest(above);
  for (const [i, row] of known.entries()) {
    above[codes[row]]--;
    below[codes[row]]++;
    if (values[known[i + 1]] !== values[row]) best = Math.max(best, largest(below) + largest(above));
  }
  return best + largest(gaps);
}

function tellsNumber(column: Column, target: NumberColumn, rows: readonly number[]): Tells | undefined {
  if (rows.length < 2 * fewestWrong) return undefined;
  const y = rows.map((row) => target.values[row]);
  const places = valuesOf(column, rows);
  const share = places
    ? explainedByValue(places, y)
    : column.kind === "number" && column.missing === 0
      ? explainedByLine(
          rows.map((row) => column.values[row]),
          y,
        )
      : 0;
  return 1 - share <= left.number ? { share, rows: rows.length } : undefined;
}

const meanOf = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;

/** The share of the variance that is between values. */
function explainedByValue(places: readonly number[], y: readonly number[]): number {
  const [sums, counts]: number[][] = [[], []];
  for (const [i, place] of places.entries()) {
    sums[place] = (sums[place] ?? 0) + y[i];
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const mean = meanOf(y);
  const total = y.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const within = y.reduce((sum, value, i) => sum + (value - sums[places[i]] / counts[places[i]]) ** 2, 0);
  return total > 0 ? 1 - within / total : 0;
}

/** The square of the correlation. */
function explainedByLine(x: readonly number[], y: readonly number[]): number {
  const [atX, atY] = [meanOf(x), meanOf(y)];
  let [xx, yy, xy] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [x[i] - atX, y[i] - atY];
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return xx > 0 && yy > 0 ? xy ** 2 / (xx * yy) : 0;
}
