// held-out.json of a run: the scores of rows that the model was not fitted to, with their truth and groups, for curves and counts by
// group; and what the model goes by there.

import type { Backend } from "@pliant/engine";
import type { Params } from "@pliant/learn";
import { join } from "@pliant/platform";
import type { Examples, Target } from "../data/examples.js";
import { groupCells } from "../data/groups.js";
import { type HeldOut, heldOutRows, scoredBy, scorer, takeExamples } from "../fit/cross-fit.js";
import type { Decided } from "../fit/decide.js";
import { lossesOf } from "../fit/press.js";
import { type Decision, isPair, signOf } from "../problem/decision.js";
import type { Training } from "../problem/prepare.js";
import { groupValues } from "../problem/stated.js";
import type { Spec } from "../spec/spec.js";
import { readJson, writeWhole } from "../store/files.js";
import { type Effect, type Explained, explain, groupParts, type Importance } from "./importance.js";

export const heldOutFile = "held-out.json";

/** Columns of equal length, one entry a row. */
export interface HeldOutScores {
  /** How many rows, and which: of validation, of folds of those learnt from, or of testing. */
  readonly rows: number;
  readonly of: "validation" | "folds" | "test" | "train";
  /** For two classes the log odds of the positive one; for several those of the likeliest; for regression the prediction. */
  readonly score: readonly number[];
  /** The probability of the positive class, or of the likeliest; none for regression. */
  readonly probability: readonly number[];
  /** 1 where the row is of that class, else 0; of a number itself. */
  readonly target: readonly number[];
  /** By column, the place of each row's group among `values`, −1 where it is missing. */
  readonly groups: Readonly<Record<string, readonly number[]>>;
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** For two classes: the score above which the positive one is given, or that of each group. */
  readonly threshold?: number | Readonly<Record<string, number>>;
  readonly importance: readonly Importance[];
  readonly effects: readonly Effect[];
  /** By column, then by group: the same within the group's rows. Groups with too few rows for an interval are left out. */
  readonly byGroup: Readonly<Record<string, Readonly<Record<string, Explained>>>>;
}

interface Explaining {
  readonly training: Training;
  readonly backend: Backend;
  readonly params: Params;
  readonly decided?: Decided;
  readonly spec: Spec;
}

/** Importance and effects are measured on a sample of at most this many rows. */
const mostRows = 2000;

/** For a table. */
export async function explained({
  training,
  backend,
  params,
  decided,
  spec,
}: Explaining): Promise<HeldOutScores | undefined> {
  const { prepared, task, facts } = training;
  const { target, encoding } = prepared;
  if (!encoding) return undefined;
  const heldOut: HeldOut = decided?.chosen.heldOut ?? heldOutRows(prepared, params);
  const classes = target.kind === "class" ? target.classes.length : 1;
  const score = scorer(task, prepared, backend);
  const scoring = async (examples: Examples, models: HeldOut["models"]): Promise<Answers> => {
    const scored = await scoredBy({ ...heldOut, examples, models }, score, classes);
    return answersOf(scored.scores, examples, target);
  };
  const whole = await scoring(heldOut.examples, heldOut.models);
  const shown = sampled(heldOut);
  const answering = (examples: Examples) => scoring(examples, shown.models);
  const declared = Object.keys(spec.data.columns).filter((column) => spec.data.columns[column] === "group");
  const columns = [...new Set([...declared, ...Object.keys(facts.groups ?? {})])];
  const groups = Object.fromEntries(
    columns.map((column) => {
      const cells = groupCells(heldOut.examples, column);
      return [column, { cells, values: groupValues(prepared, column) }];
    }),
  );
  const parts = columns.flatMap((column) =>
    groupParts(column, groupCells(shown.examples, column), groups[column].values),
  );
  const found = await explain(shown.examples, encoding, answering, parts, spec.seed);
  const byGroup: Record<string, Record<string, Explained>> = {};
  for (const [p, { column, value }] of parts.entries())
    byGroup[column] = { ...byGroup[column], [value]: found.parts[p] };
  return {
    rows: heldOut.examples.count,
    of: decided ? decided.heldOut.rows : prepared.validation ? "validation" : "test",
    score: rounded(whole.score),
    probability: rounded(whole.probability),
    target: Array.from(whole.truth),
    groups: Object.fromEntries(
      Object.entries(groups).map(([column, { cells, values }]) => [
        column,
        cells.map((cell) => (cell === null ? -1 : values.indexOf(cell))),
      ]),
    ),
    values: Object.fromEntries(Object.entries(groups).map(([column, { values }]) => [column, values])),
    ...(isPair(target) && { threshold: thresholdsOf(decided?.decision ?? {}, signOf(target)) }),
    importance: found.whole.importance,
    effects: found.whole.effects,
    byGroup,
  };
}

interface Answers {
  readonly score: Float64Array;
  readonly probability: Float64Array;
  readonly truth: Float64Array;
  readonly loss: Float64Array;
  readonly answer: Float64Array;
}

function answersOf(scores: Float64Array, examples: Examples, target: Target): Answers {
  const y = examples.y.data;
  const n = examples.count;
  const of = (f: (i: number) => number): Float64Array => Float64Array.from({ length: n }, (_, i) => f(i));
  if (target.kind === "number") {
    const own = (x: number): number => x * target.deviation + target.mean;
    const score = of((i) => own(scores[i]));
    const loss = of((i) => (scores[i] - y[i]) ** 2);
    return { score, probability: new Float64Array(), truth: of((i) => own(y[i])), loss, answer: score };
  }
  const classes = target.classes.length;
  const loss = lossesOf({ scores, examples, classes });
  if (isPair(target)) {
    const { positive = 1 } = target;
    const score = of((i) => signOf(target) * scores[i]);
    const probability = score.map((s) => 1 / (1 + Math.exp(-s)));
    return { score, probability, truth: of((i) => Number(y[i] === positive)), loss, answer: probability };
  }
  const own = (i: number): Float64Array => scores.subarray(i * classes, (i + 1) * classes);
  const top = (i: number): number => own(i).indexOf(Math.max(...own(i)));
  const chance = (i: number, k: number): number =>
    1 / own(i).reduce((sum, z) => sum + Math.exp(z - own(i)[k]), 0);
  const probability = of((i) => chance(i, top(i)));
  return {
    score: probability.map((p) => Math.log(p / (1 - p))),
    probability,
    truth: of((i) => Number(top(i) === y[i])),
    loss,
    // With several classes, the effect is on the probability of the last.
    answer: of((i) => chance(i, classes - 1)),
  };
}

/** Evenly over the rows, so that every fold has its part. */
function sampled({ rows, examples, models }: HeldOut): HeldOut {
  if (examples.count <= mostRows) return { rows, examples, models };
  const step = examples.count / mostRows;
  const taken = Array.from({ length: mostRows }, (_, i) => Math.floor(i * step));
  const places = new Map(taken.map((row, at) => [row, at]));
  return {
    rows,
    examples: takeExamples(examples, taken),
    models: models.map((one) => ({
      ...one,
      scores: one.scores.flatMap((row) => (places.has(row) ? [places.get(row)!] : [])),
    })),
  };
}

const rounded = (list: Float64Array): number[] => Array.from(list, (x) => Number(x.toPrecision(7)));

function thresholdsOf({ threshold = 0, by }: Decision, sign: 1 | -1): HeldOutScores["threshold"] {
  if (!by) return sign * threshold;
  return Object.fromEntries(Object.entries(by.thresholds).map(([group, x]) => [group, sign * x]));
}

export const writeHeldOut = (folder: string, scores: HeldOutScores): void =>
  writeWhole(join(folder, heldOutFile), `${JSON.stringify(scores)}\n`);

export const readHeldOut = (folder: string): HeldOutScores =>
  readJson(join(folder, heldOutFile)) as HeldOutScores;
