// From a spec to what is trained: examples, requirements, model and problem.
import type { Encoding } from "@pliant/data";
import { random } from "@pliant/engine";
import { fromColumns } from "../data/columns.js";
import { type Inputs, missingBin } from "../data/drift.js";
import type { Examples, Part, Prepared, Target } from "../data/examples.js";
import { groupCells } from "../data/groups.js";
import { fromImages } from "../data/images.js";
import { ownMetrics, type WithOwn } from "../data/own-metrics.js";
import { foldsOf } from "../data/split.js";
import { numberLosses } from "../data/target.js";
import type { SpecFile } from "../spec/spec-file.js";
import { checkDecision } from "./check-decision.js";
import { predictorFor } from "./model.js";
import { type Monotone, monotoneFor } from "./monotone.js";
import { type Task, taskFor } from "./problem.js";
import { aboutFew } from "./small-groups.js";
import { groupValues, type Stated, statedIn } from "./stated.js";

/** What a run records about its data, to read other rows and to detect changed files. */
export interface DataFacts {
  /** SHA-256 of each file the spec names. */
  readonly files: Readonly<Record<string, string>>;
  readonly train: number;
  readonly validation?: number;
  readonly test: number;
  readonly target: Target;
  /** The shape of one example as the model takes it. */
  readonly shape: readonly number[];
  readonly encoding?: Encoding;
  /** The features that the answer rises or falls with, by construction. */
  readonly monotone?: Monotone;
  /** For columns: the groups of the training rows, by column. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** For columns: how many examples of each part are of each class, and of each group that requirements ask about. */
  readonly counts?: Counts;
  /** For tables: the distribution of each column in the training rows. */
  readonly inputs?: Inputs;
}

/** By column and value. */
type Counts = Readonly<Record<string, Readonly<Record<string, Partial<Record<Part, number>>>>>>;

/** A spec with its data read and its problem stated. */
export interface Training {
  readonly prepared: Prepared;
  readonly task: Task;
  readonly facts: DataFacts;
}

/** Told what is being read. */
export async function prepare(specFile: SpecFile, show?: (line: string) => void): Promise<Training> {
  checkTogether(specFile);
  const ofColumns = specFile.spec.data.file !== undefined;
  const own = await ownMetrics(specFile);
  const read = await (ofColumns ? fromColumns(specFile, show) : fromImages(specFile));
  const shas = Object.entries(own).map(([use, { sha256 }]) => [use, sha256]);
  return trainingOn(specFile, { ...read, own, files: { ...read.files, ...Object.fromEntries(shas) } });
}

/** With the examples at hand. */
export function trainingOn(specFile: SpecFile, prepared: WithOwn<Prepared>): Training {
  const { spec, mistake } = specFile;
  const { target, train, validation, test, files, encoding } = prepared;
  if (target.kind === "number" && spec.objective.loss === "cross-entropy")
    throw mistake(["objective", "loss"], "objective.loss: cross-entropy is for classes, not for a number.");
  const { loss, quantile } = spec.objective;
  if (target.kind === "class" && loss !== undefined && numberLosses.includes(loss))
    throw mistake(["objective", "loss"], `objective.loss: ${loss} is for a number, not for classes.`);
  if (quantile !== undefined && loss !== "quantile")
    throw mistake(["objective", "quantile"], "objective.quantile: it is for objective.loss: quantile.");
  checkDecision(spec, prepared, mistake);
  const stated = statedIn(spec, prepared, mistake);
  if (spec.budget.batch !== undefined && stated.some((s) => s.perExample))
    throw mistake(
      ["budget", "batch"],
      "budget.batch: a requirement on every example needs all of them at every step; leave out batch.",
    );
  const shape = train.x.shape.slice(1);
  const monotone = monotoneFor(spec, stated, prepared, mistake);
  const predictor = predictorFor(spec.model, { target, shape, encoding, monotone }, mistake);
  const params = predictor.init(random.foldIn(random.key(spec.seed), 1));
  const groups = groupsAsked(stated, prepared);
  const counted = [...(target.kind === "class" ? [spec.data.target!] : []), ...Object.keys(groups)];
  const { summary } = prepared;
  return {
    prepared: summary
      ? {
          ...prepared,
          summary: { ...summary, warnings: [...summary.warnings, ...aboutFew(stated, prepared)] },
        }
      : prepared,
    task: taskFor(spec, { stated, prepared, predictor, params }),
    facts: {
      files,
      train: train.count,
      ...(validation && { validation: validation.count }),
      test: test.count,
      target,
      shape,
      ...(monotone && { monotone }),
      ...(encoding && { encoding, groups, counts: countsOf(counted, prepared), inputs: prepared.inputs }),
    },
  };
}

/** For the columns that requirements use. */
const groupsAsked = (stated: readonly Stated[], prepared: Prepared): NonNullable<DataFacts["groups"]> =>
  Object.fromEntries(
    stated.flatMap(({ group, worst = group ? [group] : [] }) =>
      worst.map(({ column }) => [column, groupValues(prepared, column)]),
    ),
  );

function countsOf(columns: readonly string[], { train, validation, test }: Prepared): Counts {
  const parts = Object.entries({ train, validation, test }) as [Part, Examples | undefined][];
  const of = (column: string) => {
    const counts: Record<string, Partial<Record<Part, number>>> = {};
    for (const [part, examples] of parts)
      for (const value of examples ? groupCells(examples, column) : []) {
        const name = value ?? missingBin;
        counts[name] ??= {};
        counts[name][part] = (counts[name][part] ?? 0) + 1;
      }
    return counts;
  };
  return Object.fromEntries(columns.map((column) => [column, of(column)]));
}

/** Checks for keys that exclude each other, which the schema cannot express. */
function checkTogether({ spec: { data, budget }, mistake }: SpecFile): void {
  if (foldsOf(data.validation))
    throw mistake(
      ["data", "validation"],
      "data.validation: folds are for testing; give a share of the rows.",
    );
  const { folds = 0, fold = 0, by, stratified } = foldsOf(data.test) ?? {};
  if (by !== undefined && stratified)
    throw mistake(
      ["data", "test", "stratified"],
      `data.test.stratified: with whole groups of "${by}" in a part its classes are what they are; leave out one of by and stratified.`,
    );
  if (fold > folds)
    throw mistake(["data", "test", "fold"], `data.test.fold is ${fold}, and there are ${folds} folds.`);
  if ((data.file === undefined) === (data.dataset === undefined))
    throw mistake(["data"], "data: give a file or a dataset, one of the two.");
  if (budget.steps !== undefined && budget.epochs !== undefined)
    throw mistake(["budget", "epochs"], "budget: give steps or epochs, not both.");
}
