// What a model comes to on a site's rows, and, by secure sums, on the rows of all sites and of each group.
import { PliantError } from "@pliant/core";
import { type Backend, compile, NdArray, type Tensor } from "@pliant/engine";
import { boundedLoss } from "@pliant/federated";
import type { Model, Params, Traced } from "@pliant/learn";
import { type DataSpec, isRegression, type Scale } from "../spec/data-spec.js";
import type { FederationSpec } from "../spec/spec.js";
import { rowUnit } from "./exact-sums.js";
import type { Parts, Rows } from "./site-table.js";

/** The model's outputs, [rows, outputs]. */
export type Outputs = (params: unknown, x: NdArray) => Promise<Float64Array>;

/** A model on rows, some at a time. */
export function outputsOf(model: Model<Params>, backend: Backend, chunk = 1024): Outputs {
  const apply = compile((params: Traced<Params>, x: Tensor) => model.apply(params, x), { backend });
  return async (params, x) => {
    const [rows, width] = x.shape;
    const size = Math.min(chunk, rows);
    const found: number[] = [];
    for (let first = 0; first < rows; first += size) {
      // The last call is filled up, so that all calls have one shape.
      const part = new Float32Array(size * width);
      part.set((x.data as Float32Array).subarray(first * width, Math.min(rows, first + size) * width));
      const { data, shape } = await (await apply(params as never, new NdArray(part, [size, width]))).read();
      const end = Math.min(size, rows - first) * shape[1];
      for (let i = 0; i < end; i++) found.push(data[i]);
    }
    return Float64Array.from(found);
  };
}

/** Of one row. */
interface Judged {
  readonly loss: number;
  /** Whether the class is right; of a number, its squared error. */
  readonly score: number;
  /** Of two classes: the probability of the second. */
  readonly probability: number;
}

function judged(outputs: Float64Array, { labels }: Rows, data: DataSpec): Judged[] {
  const width = outputs.length / labels.length;
  return Array.from(labels, (label, row) => {
    const own = outputs.subarray(row * width, (row + 1) * width);
    if (isRegression(data)) {
      const square = (own[0] - label) ** 2;
      return { loss: square, score: square, probability: NaN };
    }
    const top = Math.max(...own);
    const logSum = top + Math.log(own.reduce((sum, value) => sum + Math.exp(value - top), 0));
    return {
      loss: logSum - own[label],
      score: Number(own.indexOf(top) === label),
      probability: width === 2 ? Math.exp(own[1] - logSum) : NaN,
    };
  });
}

/** What a model comes to on some rows. */
export interface Measured {
  readonly rows: number;
  /** Mean over the rows, by their weights. */
  readonly loss: number;
  readonly accuracy?: number;
  /** Of a number, in its own units. */
  readonly rmse?: number;
}

/** On rows to learn from, and on those held out. */
export interface MeasuredParts<M = Measured> {
  readonly train: M;
  readonly test?: M;
}

/** A site's own numbers. */
export async function measured(
  outputs: Outputs,
  params: unknown,
  { train, test }: Parts,
  data: DataSpec,
  agreed: Scale | undefined,
): Promise<MeasuredParts> {
  const spread = spreadOf(data, agreed);
  const of = async (rows: Rows): Promise<Measured> => {
    const each = judged(await outputs(params, rows.x), rows, data);
    const weight = (i: number) => rows.weights?.[i] ?? 1;
    const mean = (value: (one: Judged) => number) =>
      each.reduce((sum, one, i) => sum + weight(i) * value(one), 0) /
      each.reduce((sum, _, i) => sum + weight(i), 0);
    const score = mean((one) => one.score);
    const named = isRegression(data) ? { rmse: spread * Math.sqrt(score) } : { accuracy: score };
    return { rows: each.length, loss: mean(({ loss }) => loss), ...named };
  };
  return { train: await of(train), ...(test && { test: await of(test) }) };
}

/** The unit of the label, where it is a number. */
function spreadOf({ label, scale }: DataSpec, agreed: Scale | undefined): number {
  const known = agreed ?? (scale === "agreed" ? undefined : scale);
  return known?.[label]?.[1] ?? 1;
}

/** The losses of rows, clipped to the bound. */
export async function lossesOf(
  outputs: Outputs,
  params: unknown,
  rows: Rows,
  { data, sites: { lossBound } }: FederationSpec,
): Promise<number[]> {
  return judged(await outputs(params, rows.x), rows, data).map(({ loss }) => boundedLoss(loss, lossBound));
}

/** Bins of the probability of the second class, by which thresholds are chosen. */
export const scoreBins = 50;

/** Of one part: rows, losses, scores; of each group these and, with two classes, rows by label and bin. */
const perPart = 3;
/** Before them, means that a site takes itself: its loss, and that of its personalised model. */
const ownMeans = ({ training: { personalise } }: FederationSpec): number => (personalise ? 2 : 1);
const perGroup = ({ classes }: DataSpec): number => perPart + (classes.length === 2 ? 2 * scoreBins : 0);

const partCount = ({ test }: DataSpec): number => (test === undefined ? 1 : 2);

/** How many numbers a site gives. */
export const evaluationSize = (spec: FederationSpec): number => {
  const { data } = spec;
  return partCount(data) * (ownMeans(spec) + perPart + (data.groups?.values.length ?? 0) * perGroup(data));
};

/**
 * What a site gives: its mean loss, that of its personalised model, and sums over its rows, which count alike here, whatever
 * their weights.
 */
export async function evaluationOf(
  outputs: Outputs,
  params: unknown,
  parts: Parts,
  { data, sites: { lossBound } }: FederationSpec,
  personal: MeasuredParts | undefined,
): Promise<number[]> {
  const of = async (rows: Rows, own: Measured | undefined): Promise<number[]> => {
    const each = judged(await outputs(params, rows.x), rows, data).map((one) => ({
      score: Number.isNaN(one.score) ? 0 : one.score,
      probability: one.probability || 0,
      loss: boundedLoss(one.loss, lossBound),
    }));
    const sums = (some: readonly Judged[]) =>
      [some.length, total(some, "loss"), total(some, "score")].map((sum) => sum / rowUnit);
    const groups = (data.groups?.values ?? []).flatMap((_, g) => {
      const places = each.flatMap((_, i) => (rows.groups![i] === g ? [i] : []));
      const own = places.map((i) => each[i]);
      return [...sums(own), ...(data.classes.length === 2 ? binned(places, each, rows) : [])];
    });
    const personalised = own ? [boundedLoss(own.loss, lossBound)] : [];
    return [total(each, "loss") / each.length, ...personalised, ...sums(each), ...groups];
  };
  return [
    ...(await of(parts.train, personal?.train)),
    ...(parts.test ? await of(parts.test, personal?.test) : []),
  ];
}

const total = (rows: readonly Judged[], what: "loss" | "score"): number =>
  rows.reduce((sum, row) => sum + row[what], 0);

/** How many rows of each label have a probability in each bin. */
function binned(places: readonly number[], each: readonly Judged[], { labels }: Rows): number[] {
  const counts = new Array<number>(2 * scoreBins).fill(0);
  for (const i of places) {
    const bin = Math.min(scoreBins - 1, Math.floor(each[i].probability * scoreBins));
    counts[labels[i] * scoreBins + bin] += 1 / rowUnit;
  }
  return counts;
}

/** Over the rows of all sites in the sum. */
export interface Overall extends Measured {
  /** The mean over sites, which requirements of sites compare with. */
  readonly meanLoss: number;
  /** The same of the models that sites have personalised. */
  readonly personalisedLoss?: number;
}

/** Of a group, with rows by label and bin of the score where there are two classes. */
export interface GroupMeasured extends Measured {
  readonly bins?: readonly (readonly number[])[];
}

/** What the evaluation found: numbers over the rows of all sites. */
export interface Evaluation {
  readonly sites: number;
  readonly overall: MeasuredParts<Overall>;
  readonly groups?: Readonly<Record<string, MeasuredParts<GroupMeasured>>>;
}

/** From the means over so many sites. */
export function evaluationIn(
  means: readonly number[],
  sites: number,
  spec: FederationSpec,
  agreed: Scale | undefined,
): Evaluation {
  const { data } = spec;
  const [spread, first] = [spreadOf(data, agreed), ownMeans(spec)];
  const each = means.length / partCount(data);
  const measure = (sums: readonly number[]): Measured => {
    const [rows, loss, score] = sums.map((sum) => sum * sites * rowUnit);
    const count = Math.round(rows);
    const slack = 1e-3;
    const most = isRegression(data) ? Infinity : count;
    if (!(count >= 0 && loss >= -slack && score >= -slack && score <= most + slack))
      throw new PliantError("The evaluation counts fewer rows than it has, or a negative loss: a site lied.");
    const share = count === 0 ? NaN : Math.max(0, score) / count;
    const named = isRegression(data) ? { rmse: spread * Math.sqrt(share) } : { accuracy: share };
    return { rows: count, loss: loss / count, ...named };
  };
  const parts = (["train", "test"] as const).slice(0, partCount(data));
  const of = <M>(read: (numbers: readonly number[]) => M): MeasuredParts<M> =>
    Object.fromEntries(
      parts.map((part, p) => [part, read(means.slice(p * each, (p + 1) * each))]),
    ) as unknown as MeasuredParts<M>;
  const size = perGroup(data);
  const groups = data.groups?.values.map((name, g): [string, MeasuredParts<GroupMeasured>] => [
    name,
    of((numbers) => {
      const own = numbers.slice(first + perPart + g * size, first + perPart + (g + 1) * size);
      const counts = own.slice(perPart).map((count) => Math.round(count * sites * rowUnit));
      const bins = [counts.slice(0, scoreBins), counts.slice(scoreBins)];
      return { ...measure(own.slice(0, perPart)), ...(counts.length > 0 && { bins }) };
    }),
  ]);
  return {
    sites,
    overall: of((numbers) => ({
      meanLoss: numbers[0],
      ...(first > 1 && { personalisedLoss: numbers[1] }),
      ...measure(numbers.slice(first, first + perPart)),
    })),
    ...(groups && { groups: Object.fromEntries(groups) }),
  };
}
