// Scores of rows that the model was not fitted to: the validation rows, or else folds. Each of five parts of the rows is scored by a
// model fitted to the others in the same way, so choices made by these scores hold on new rows. Of very many rows one part says enough.
import { createSolver, solveWith } from "@pliant/core";
import { type Backend, compile, full, NdArray, random, type Tensor } from "@pliant/engine";
import type { Params, Traced } from "@pliant/learn";
import type { Examples, Prepared } from "../data/examples.js";
import { groupCells } from "../data/groups.js";
import type { Scored } from "../decision/cut.js";
import type { Training } from "../problem/prepare.js";
import type { Batch, View } from "../problem/problem.js";
import type { Stated } from "../problem/stated.js";
import type { Spec } from "../spec/spec.js";
import { everyFor } from "./budget.js";
import { solverOptions } from "./solving.js";

/** A model, the training rows that it was fitted to, and the rows it scores. */
export interface Fitted {
  readonly params: Params;
  /** 1 for each row learnt from that it was fitted to. */
  readonly fittedTo: Uint8Array;
  /** Places among the rows that are judged by. */
  readonly scores: readonly number[];
}

export type HeldOutRows = "validation" | "folds" | "train";

/** The rows that decisions are chosen by, and the models that score them; the last model is the one that is kept. */
export interface HeldOut {
  readonly rows: HeldOutRows;
  readonly examples: Examples;
  readonly models: readonly Fitted[];
}

export const folds = 5;
/** With fewer rows of a class, folds say nothing. */
const fewestOfClass = 10;
/** With this many rows, one fifth is enough. */
const many = 30_000;

/** The fold of each row: of each class, and of each group that is asked about, alike in all. */
export function foldOf(
  examples: Examples,
  stated: readonly Pick<Stated, "group" | "worst">[],
  seed: number,
): Uint8Array {
  const columns = [
    ...new Set(stated.flatMap(({ group, worst = group ? [group] : [] }) => worst.map((g) => g.column))),
  ];
  const cells = columns.map((column) => groupCells(examples, column));
  const order = random.permutation(random.foldIn(random.key(seed), 23), examples.count).data;
  const strata = new Map<string, number>();
  const found = new Uint8Array(examples.count);
  for (const i of order) {
    const key = [examples.y.data[i], ...cells.map((of) => of[i])].join("\n");
    const at = strata.get(key) ?? strata.size;
    found[i] = at % folds;
    strata.set(key, at + 1);
  }
  return found;
}

/** Whether every class has enough rows for folds. */
export function canFold({ y }: Examples): boolean {
  const counts = new Map<number, number>();
  for (const k of y.data) counts.set(k, (counts.get(k) ?? 0) + 1);
  return Math.min(...counts.values()) >= fewestOfClass;
}

/** A part of what is learnt from: the other rows count for nothing. */
export function seenOnly(seen: Batch<NdArray>, fittedTo: Uint8Array): Batch<NdArray> {
  const n = fittedTo.length;
  const kept = fittedTo.reduce((sum, one) => sum + one, 0);
  const own = seen.weights?.data;
  const weights = Float32Array.from(fittedTo, (one, i) => (own?.[i] ?? 1) * one);
  const sum = weights.reduce((a, b) => a + b, 0);
  const masked = (marks: NdArray): NdArray =>
    new NdArray(
      Float32Array.from(marks.data, (mark, i) => mark * fittedTo[i]),
      marks.shape,
    );
  return {
    ...seen,
    weights: new NdArray(
      weights.map((w) => (w * n) / (kept > 0 ? sum : 1)),
      [n],
    ),
    members: Object.fromEntries(
      Object.entries(seen.members).map(([key, { own: marks, base, worst }]) => [
        key,
        {
          own: masked(marks),
          ...(base && { base: masked(base) }),
          ...(worst && { worst: worst.map(masked) }),
        },
      ]),
    ),
  };
}

interface Fitting {
  readonly spec: Spec;
  readonly training: Training;
  readonly backend: Backend;
  readonly decay: number;
  /** As many steps as the model itself took, or may take; a certified one takes fewer. */
  readonly steps: number;
  show(line: string): void;
}

/** The rows to choose decisions by, with the models that score them. */
export async function heldOutFor(params: Params, fitting: Fitting): Promise<HeldOut> {
  const { spec, training, backend, decay, steps, show } = fitting;
  const { prepared, task } = training;
  const { train, validation } = prepared;
  const everything = new Uint8Array(train.count).fill(1);
  const all = (examples: Examples): number[] => Array.from({ length: examples.count }, (_, i) => i);
  const whole: Fitted = { params, fittedTo: everything, scores: [] };
  if (validation)
    return { rows: "validation", examples: validation, models: [{ ...whole, scores: all(validation) }] };
  if (!canFold(train)) return { rows: "train", examples: train, models: [{ ...whole, scores: all(train) }] };
  const fold = foldOf(train, task.stated, spec.seed);
  const count = train.count > many ? 1 : folds;
  const seen = { ...(await task.solvedOn(decay)), decay: full([], decay) };
  const models: Fitted[] = [];
  for (let k = 0; k < count; k++) {
    show(`scoring held-out rows, fold ${k + 1} of ${count}`);
    const fittedTo = fold.map((own) => Number(own !== k));
    const solver = await createSolver(task.problem, solverOptions(spec, seenOnly(seen, fittedTo), backend));
    const found = await solveWith(solver, { steps, every: Math.max(everyFor(spec), Math.ceil(steps / 8)) });
    solver.release();
    models.push({ params: found.params, fittedTo, scores: all(train).filter((i) => fold[i] === k) });
  }
  const rows = count === folds ? all(train) : models[0].scores;
  const examples = count === folds ? train : takeExamples(train, rows);
  const places = new Map(rows.map((row, at) => [row, at]));
  return {
    rows: "folds",
    examples,
    models: [...models.map((one) => ({ ...one, scores: one.scores.map((row) => places.get(row)!) })), whole],
  };
}

/** Rows for validation, else those for testing, as the model itself scores them. */
export function heldOutRows({ train, validation, test }: Prepared, params: Params): HeldOut {
  const examples = validation ?? test;
  const scores = Array.from({ length: examples.count }, (_, i) => i);
  const fittedTo = new Uint8Array(train.count).fill(1);
  return { rows: "validation", examples, models: [{ params, fittedTo, scores }] };
}

/** Some of the examples. */
export function takeExamples(examples: Examples, rows: readonly number[]): Examples {
  const { x, y, groups, weights } = examples;
  const size = x.size / examples.count;
  const taken = new Float32Array(rows.length * size);
  for (const [at, i] of rows.entries()) taken.set(x.data.subarray(i * size, (i + 1) * size), at * size);
  const truth = y.data.constructor as unknown as { from(of: number[]): typeof y.data };
  return {
    count: rows.length,
    x: new NdArray(taken, [rows.length, ...x.shape.slice(1)]),
    y: new NdArray(truth.from(rows.map((i) => y.data[i])), [rows.length]),
    ...(weights && { weights: Float32Array.from(rows, (i) => weights[i]) }),
    groups: Object.fromEntries(
      Object.entries(groups).map(([column, cells]) => [column, rows.map((i) => cells[i])]),
    ),
    missing: (feature, i) => examples.missing(feature, rows[i]),
  };
}

/** Compiled once: the score of each row, or its logits. */
export function scorer(task: View, { target }: Prepared, backend: Backend) {
  const pair = target.kind === "class" && target.classes.length === 2;
  const model = compile(
    (weights: Traced<Params>, x: Tensor, y: Tensor) => {
      const { clean } = task.looks(weights, { x, y, disturbed: {}, members: {} });
      return pair ? (clean.score ?? clean.logits) : clean.logits;
    },
    { backend },
  );
  return async (params: Params, { x, y }: Pick<Examples, "x" | "y">): Promise<Float64Array> =>
    Float64Array.from((await (await model(params as never, x as never, y as never)).read()).data);
}

/** Each row as the model scores it that was not fitted to it. */
export async function scoredBy(
  { examples, models }: HeldOut,
  score: ReturnType<typeof scorer>,
  classes: number,
): Promise<Scored> {
  const width = classes === 2 ? 1 : classes;
  const scores = new Float64Array(examples.count * width);
  for (const { params, scores: rows } of models) {
    if (rows.length === 0) continue;
    const found = await score(params, examples);
    for (const i of rows) scores.set(found.subarray(i * width, (i + 1) * width), i * width);
  }
  return { scores, examples, classes };
}
