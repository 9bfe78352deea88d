// What a model relies on, on rows it was not fitted to. Importance of a column: how much the loss rises when its cells are shuffled
// among the rows. Partial effect: the mean prediction with the cell of every row set to one value. Intervals are over rows, 95%.
// Within a group, cells are shuffled among its own rows: a column that only tells the groups apart has no importance there.
import { type ColumnEncoding, type Encoding, featureNames } from "@pliant/data";
import { NdArray, random } from "@pliant/engine";
import type { Examples } from "../data/examples.js";
import { meanOver } from "../evaluate/evaluate.js";

export interface Importance {
  readonly feature: string;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Effect {
  readonly feature: string;
  /** Numbers, or the names of categories. */
  readonly x: readonly (number | string)[];
  readonly y: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

/** The loss and the prediction of each row. */
export interface Answers {
  readonly loss: Float64Array;
  readonly answer: Float64Array;
}

type Answering = (examples: Examples) => Promise<Answers>;

/** Rows that are explained together: a group of a column, or all. */
export interface Part {
  readonly column: string;
  readonly value: string;
  readonly marks: Uint8Array;
}

export interface Explained {
  readonly rows: number;
  /** The most important first. */
  readonly importance: readonly Importance[];
  /** For the columns that are most important over all rows, in that order. */
  readonly effects: readonly Effect[];
}

interface Place {
  readonly column: ColumnEncoding;
  readonly from: number;
  readonly width: number;
}

function placesOf({ columns }: Encoding): Place[] {
  let from = 0;
  return columns.map((column) => {
    const width = featureNames({ columns: [column] }).length;
    from += width;
    return { column, from: from - width, width };
  });
}

const deals = 3;
const fewestRows = 30;
const mostEffects = 12;
const gridPoints = 9;
const mostCategories = 12;

/** The rows with the features of one column changed. */
function withFeatures(
  examples: Examples,
  { from, width }: Place,
  features: (row: number) => ArrayLike<number>,
): Examples {
  const { x, count } = examples;
  const all = x.shape[1];
  const data = (x.data as Float32Array).slice();
  for (let i = 0; i < count; i++) {
    const own = features(i);
    for (let k = 0; k < width; k++) data[i * all + from + k] = own[k];
  }
  return { ...examples, x: new NdArray(data, x.shape) };
}

/** The groups of a column that have enough rows for an interval. */
export const groupParts = (
  column: string,
  cells: readonly (string | null)[],
  values: readonly string[],
): Part[] =>
  values
    .map((value) => ({ column, value, marks: Uint8Array.from(cells, (cell) => Number(cell === value)) }))
    .filter(({ marks }) => marks.reduce((sum, mark) => sum + mark, 0) >= fewestRows);

/** The mean of a value over the marked rows, with its interval. */
function meanOf(values: Float64Array, marks: Uint8Array): Omit<Importance, "feature"> {
  const { value, interval = [value, value] } = meanOver({ data: values as never }, marks);
  return { mean: value, low: interval[0], high: interval[1] };
}

/** All rows together, then each of `groups`, in their order. */
export async function explain(
  examples: Examples,
  encoding: Encoding,
  answering: Answering,
  groups: readonly Part[],
  seed: number,
): Promise<{ readonly whole: Explained; readonly parts: readonly Explained[] }> {
  const all: Part = { column: "", value: "", marks: new Uint8Array(examples.count).fill(1) };
  const parts = [all, ...groups];
  const before = await answering(examples);
  const places = placesOf(encoding);
  const byPart = parts.map(() => [] as Importance[]);
  for (const [at, place] of places.entries())
    for (const column of new Set(parts.map((part) => part.column))) {
      const own = parts.filter((part) => part.column === column);
      const key = random.foldIn(random.key(seed), 41 + at);
      const rise = await riseWithout(examples, place, answering, { before: before.loss, own, key });
      for (const part of own)
        byPart[parts.indexOf(part)].push({ feature: place.column.name, ...meanOf(rise, part.marks) });
    }
  for (const list of byPart) list.sort((a, b) => b.mean - a.mean);
  const named = new Map(places.map((place) => [place.column.name, place]));
  const shown = byPart[0].slice(0, mostEffects).map(({ feature }) => named.get(feature)!);
  const effects = await effectsOf(examples, shown, answering, { before: before.answer, parts });
  const found = parts.map(({ marks }, p) => ({
    ...{ rows: marks.reduce((sum, mark) => sum + mark, 0), importance: byPart[p], effects: effects[p] },
  }));
  return { whole: found[0], parts: found.slice(1) };
}

/** By row, how much its loss rises when the column's cells are shuffled within each part. */
async function riseWithout(
  examples: Examples,
  place: Place,
  answering: Answering,
  { before, own, key }: { before: Float64Array; own: readonly Part[]; key: random.Key },
): Promise<Float64Array> {
  const { x, count } = examples;
  const all = x.shape[1];
  const rise = new Float64Array(count);
  for (let deal = 0; deal < deals; deal++) {
    // The rows of each part, in a random order, take the place of the same rows in theirs.
    const from = Int32Array.from({ length: count }, (_, i) => i);
    const order = random.permutation(random.foldIn(key, deal), count).data;
    for (const { marks } of own) {
      const rows = from.filter((i) => marks[i] === 1);
      const shuffled = Array.from(order, Number).filter((i) => marks[i] === 1);
      for (const [k, i] of rows.entries()) from[i] = shuffled[k];
    }
    const start = (i: number): number => from[i] * all + place.from;
    const dealt = withFeatures(examples, place, (i) => x.data.subarray(start(i), start(i) + place.width));
    const { loss } = await answering(dealt);
    for (let i = 0; i < count; i++) rise[i] += (loss[i] - before[i]) / deals;
  }
  return rise;
}

/** By part, the effects of these columns. */
async function effectsOf(
  examples: Examples,
  places: readonly Place[],
  answering: Answering,
  { before, parts }: { before: Float64Array; parts: readonly Part[] },
): Promise<Effect[][]> {
  const means = parts.map(({ marks }) => meanOf(before, marks).mean);
  const found = parts.map(() => [] as Effect[]);
  for (const place of places) {
    const points = pointsOf(place, examples);
    const measured = parts.map(() => [] as Omit<Importance, "feature">[]);
    for (const { features } of points) {
      const { answer } = await answering(withFeatures(examples, place, () => features));
      // The interval is of the change: what differs between rows anyway cancels.
      const moved = answer.map((a, i) => a - before[i]);
      for (const [p, { marks }] of parts.entries()) measured[p].push(meanOf(moved, marks));
    }
    for (const [p, mean] of means.entries())
      found[p].push({
        feature: place.column.name,
        x: points.map(({ x }) => x),
        y: measured[p].map((of) => mean + of.mean),
        low: measured[p].map((of) => mean + of.low),
        high: measured[p].map((of) => mean + of.high),
      });
  }
  return found;
}

/** Distinct quantiles of a number, or the categories. */
function pointsOf(
  { column, from, width }: Place,
  { x, count }: Examples,
): { x: number | string; features: number[] }[] {
  if (column.kind === "category")
    return column.categories.slice(0, mostCategories).map((name, k) => ({
      x: name,
      features:
        column.embedded === undefined ? Array.from({ length: width }, (_, j) => Number(j === k)) : [k],
    }));
  const values = Float64Array.from({ length: count }, (_, i) => x.data[i * x.shape[1] + from]).sort();
  const grid = Array.from(
    { length: gridPoints },
    (_, g) => values[Math.min(count - 1, Math.round(((g + 0.5) / gridPoints) * (count - 1)))],
  );
  const { mean, std } = column;
  return [...new Set(grid)].map((value) => ({
    x: mean + std * value,
    features: [value, ...new Array<number>(width - 1).fill(0)],
  }));
}
