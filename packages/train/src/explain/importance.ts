// What a model goes by, on rows that it was not fitted to. Importance of a column: how much the loss rises where its cells are dealt
// out anew among the rows. Its partial effect: the mean answer were the cell of every row this one. Intervals are over rows, 95%.
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

/** Of each row: its loss, and the answer that effects are of. */
export interface Answers {
  readonly loss: Float64Array;
  readonly answer: Float64Array;
}

type Answering = (examples: Examples) => Promise<Answers>;

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

const everything = (n: number): Uint8Array => new Uint8Array(n).fill(1);

/** The most important first. */
export async function importanceOf(
  examples: Examples,
  encoding: Encoding,
  answering: Answering,
  seed: number,
): Promise<Importance[]> {
  const before = (await answering(examples)).loss;
  const { x, count } = examples;
  const all = x.shape[1];
  const found: Importance[] = [];
  for (const [at, place] of placesOf(encoding).entries()) {
    const rise = new Float64Array(count);
    for (let deal = 0; deal < deals; deal++) {
      const key = random.foldIn(random.foldIn(random.key(seed), 41 + at), deal);
      const order = random.permutation(key, count).data;
      const start = (i: number): number => order[i] * all + place.from;
      const dealt = withFeatures(examples, place, (i) => x.data.subarray(start(i), start(i) + place.width));
      const { loss } = await answering(dealt);
      for (let i = 0; i < count; i++) rise[i] += (loss[i] - before[i]) / deals;
    }
    // No loss is negative, but a rise may be.
    const { value, interval } = meanOver({ data: rise as never }, everything(count));
    const [low, high] = interval ?? [value, value];
    found.push({ feature: place.column.name, mean: value, low, high });
  }
  return found.sort((a, b) => b.mean - a.mean);
}

/** Of the most important columns. */
export async function effectsOf(
  examples: Examples,
  encoding: Encoding,
  answering: Answering,
  importance: readonly Importance[],
): Promise<Effect[]> {
  const before = (await answering(examples)).answer;
  const mean = before.reduce((a, b) => a + b, 0) / before.length;
  const named = new Map(placesOf(encoding).map((place) => [place.column.name, place]));
  const found: Effect[] = [];
  for (const { feature } of importance.slice(0, mostEffects)) {
    const place = named.get(feature)!;
    const points = pointsOf(place, examples);
    const measured: { y: number; low: number; high: number }[] = [];
    for (const { features } of points) {
      const { answer } = await answering(withFeatures(examples, place, () => features));
      const moved = answer.map((a, i) => a - before[i]);
      const { value, interval = [value, value] } = meanOver(
        { data: moved as never },
        everything(moved.length),
      );
      measured.push({ y: mean + value, low: mean + interval[0], high: mean + interval[1] });
    }
    found.push({
      feature,
      x: points.map(({ x }) => x),
      y: measured.map(({ y }) => y),
      low: measured.map(({ low }) => low),
      high: measured.map(({ high }) => high),
    });
  }
  return found;
}

/** Quantiles of a number that are told apart, or the categories. */
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
