// A run's model judged on new rows: every requirement with its interval, the whole, and whether the rows are like those learnt from.

import { InputError } from "@pliant/core";
import {
  type ColumnKind,
  encodedKinds,
  numberColumn,
  readTable,
  shownAddress,
  type Table,
} from "@pliant/data";
import { openProcessor } from "@pliant/engine/device";
import { join } from "@pliant/platform";
import { examplesOf, groupsIn, numberFeatures } from "../data/columns.js";
import { type Drift, driftIn, driftOf, driftOfGroups } from "../data/drift.js";
import type { Examples, Prepared, Target } from "../data/examples.js";
import { apart, groupCells } from "../data/groups.js";
import { ownMetrics, type WithOwn } from "../data/own-metrics.js";
import { type Unseen, unseenIn } from "../data/unseen.js";
import { type Measure, type Outcome, type Performance, performance } from "../evaluate/evaluate.js";
import { figure } from "../format/figure.js";
import type { DataFacts } from "../problem/prepare.js";
import { viewOf } from "../problem/problem.js";
import { statedIn } from "../problem/stated.js";
import { askedOf } from "../questions/answers.js";
import { type Beyond, beyondBy, beyondLevel, type Verdict, verdictBy } from "../report/new-rows.js";
import type { TrainRequirement } from "../report/report.js";
import { finishedRun, specCopy } from "../run/asked.js";
import { trainedModel } from "../run/trained.js";
import { readSpec } from "../spec/spec-file.js";

/** One requirement on new rows. */
export interface Judged {
  /** In words: `at most 0.15`. */
  readonly asked: string;
  readonly hard: boolean;
  /** Its cost is free, so it was not enforced. */
  readonly watched?: true;
  readonly metric: string;
  /** Undefined where no row is one that it is about. */
  readonly outcome?: Outcome;
  /** On the rows the run was tested on, with the group where it is of the worst of several. */
  readonly before?: Measure & Pick<Outcome, "group">;
  /** How far it is from the level; positive is beyond it. */
  readonly excess?: number;
  readonly verdict: Verdict;
  /** Why it is not told, where it is not. */
  readonly why?: string;
}

/** What is predicted, on new rows. */
export interface TargetDrift extends Drift {
  /** For a number: the means of the training rows and of these. */
  readonly means?: { readonly was: number; readonly is: number };
  /** For two classes: the model is wrong on these rows more often than right, beyond chance, and was not on test rows. */
  readonly swapped?: true;
}

/** How a run's model did on new rows. */
export interface Evaluation extends Omit<Performance, "requirements"> {
  readonly run: string;
  readonly rows: string;
  readonly requirements: Readonly<Record<string, Judged>>;
  /** Columns with values that the training rows did not have. */
  readonly unseen: readonly Unseen[];
  /** The column that moved most first. */
  readonly drift: readonly Drift[];
  /** What is predicted, beside what it was in training. */
  readonly target?: TargetDrift;
  /** On the rows the run was tested on. */
  readonly before: Omit<Performance, "requirements">;
}

/** New rows without the target: nothing is counted, and the columns are compared with those of the training rows. */
export interface Unlabelled extends Pick<Evaluation, "run" | "rows" | "examples" | "unseen" | "drift"> {
  /** The target column, which the rows lack. */
  readonly lacks: string;
}

/** How rows are read. */
export interface EvaluateOptions {
  /** Called now and then with how many rows are read. */
  onRows?(rows: number): void;
}

/** Evaluates a run's model on the rows of a file, which must have its columns and its target. */
export async function evaluateRun(
  folder: string,
  file: string,
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  const found = await evaluateRows(folder, file, options);
  if (!("lacks" in found)) return found;
  throw new InputError(
    `${found.rows} has no column "${found.lacks}", the target, without which nothing can be evaluated.`,
  );
}

/** The same for rows that may lack the target: then only the columns are compared. */
export async function evaluateRows(
  folder: string,
  file: string,
  { onRows }: EvaluateOptions = {},
): Promise<Evaluation | Unlabelled> {
  const { asked, report } = finishedRun(folder);
  const { params, predictor, decision } = trainedModel(folder);
  // Files of one's own are beside the spec that the run keeps.
  const hasOwn = Object.values(asked.spec.requirements).some(({ metric }) => metric === "own");
  const copy = hasOwn ? readSpec(join(folder, specCopy)) : undefined;
  const own = copy && (await ownMetrics(copy));
  const { spec } = copy ?? asked;
  const { encoding, target, groups, inputs } = asked.data;
  if (!encoding)
    throw new InputError(
      `the run is about images (${spec.data.dataset}), and evaluate reads rows of columns.`,
    );
  if (!groups || !inputs)
    throw new InputError(
      `the run in ${folder} is of an earlier pliant, which kept less of its data; train it again.`,
    );
  const groupColumns = [
    ...new Set([...Object.keys(groups), ...(decision.by ? [decision.by.column] : [])].flatMap(apart)),
  ];
  const name = spec.data.target!;
  const kinds = {
    ...encodedKinds(encoding),
    ...Object.fromEntries(groupColumns.map((column) => [column, "category" as const])),
    [name]: target.kind === "class" ? ("category" as const) : ("number" as const),
  };
  const read = (columns: Record<string, ColumnKind>): Promise<Table> =>
    readTable(file, {
      ...{ columns, target: name, mayLack: [name], missing: spec.data.missing, onRows },
      dropWithoutTarget: spec.data.withoutTarget === "drop",
    });
  // Groups that no requirement goes by: rows may do without them, and where they have them they are texts, as in training.
  const unasked = Object.keys(inputs.groups ?? {}).filter((column) => !Object.hasOwn(kinds, column));
  const first = await read(kinds);
  const there = unasked.filter((column) => Object.hasOwn(first.columns, column));
  const table = there.every((column) => first.columns[column].kind === "category")
    ? first
    : await read({ ...kinds, ...Object.fromEntries(there.map((column) => [column, "category" as const])) });
  const moved = (cells: Pick<Examples, "groups" | "count">): Drift[] =>
    [
      ...driftOf(table, inputs, encoding),
      ...groupDrift(asked.data, cells),
      ...there.map((column) => driftIn(table, column, inputs.groups![column], inputs.rows)),
    ].sort((a, b) => b.index - a.index);
  const unseen = unseenIn(table, encoding, groups);
  if (!Object.hasOwn(table.columns, name)) {
    const cells = { groups: groupsIn(table, groupColumns), count: table.rows };
    const { rows: count } = table;
    return {
      run: folder,
      rows: shownAddress(file),
      lacks: name,
      examples: count,
      unseen,
      drift: moved(cells),
    };
  }
  const examples = examplesOf(table, name, target, encoding, groupColumns);
  const prepared: WithOwn<Prepared> = {
    target,
    encoding,
    train: examples,
    test: examples,
    groupValues: groups,
    numeric: numberFeatures(encoding),
    images: false,
    files: {},
    own,
  };
  const stated = statedIn(spec, prepared, (_, sentence) => new InputError(sentence));
  const backend = await openProcessor();
  try {
    const view = viewOf(spec, { stated, prepared, predictor });
    const { requirements, ...overall } = await performance(view, params, {
      ...{ prepared, part: "test", backend, decision },
    });
    return {
      run: folder,
      rows: shownAddress(file),
      ...overall,
      requirements: Object.fromEntries(
        Object.entries(report.requirements).map(([one, r]) => [one, judged(r, requirements[one])]),
      ),
      drift: moved(examples),
      ...(inputs.target && {
        target: {
          ...driftIn(table, name, inputs.target, inputs.rows),
          ...(target.kind === "number" && { means: { was: target.mean, is: meanOf(table, name) } }),
          ...(isSwapped(target, overall, report.test) && { swapped: true as const }),
        },
      }),
      unseen,
      before: report.test,
    };
  } finally {
    await backend.close();
  }
}

/** For the columns that requirements use and the model does not see. */
const groupDrift = (
  { groups = {}, counts = {}, inputs }: DataFacts,
  examples: Pick<Examples, "groups" | "count">,
): Drift[] =>
  Object.keys(groups).flatMap((name) => {
    if (!counts[name] || inputs?.columns[name]) return [];
    const learnt = Object.entries(counts[name]).flatMap(([value, { train }]) =>
      train === undefined ? [] : [[value, train] as const],
    );
    return [driftOfGroups(name, groupCells(examples, name), Object.fromEntries(learnt))];
  });

function meanOf(table: Table, name: string): number {
  const { values } = numberColumn(table, name);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

type Errors = Pick<Performance, "error">;

const isSwapped = (target: Target, now: Errors, before: Errors): boolean =>
  target.kind === "class" &&
  target.classes.length === 2 &&
  (now.error?.interval?.[0] ?? 0) > 0.5 &&
  (before.error?.value ?? 1) < 0.5;

function judged(r: TrainRequirement, outcome: Outcome | undefined): Judged {
  const common = {
    asked: askedOf(r),
    hard: r.hard,
    ...(r.cost === "free" && { watched: true as const }),
    metric: r.strictly,
    ...(r.test && {
      before: { ...r.test.strict, ...(r.test.group !== undefined && { group: r.test.group }) },
    }),
  };
  if (!outcome) return { ...common, verdict: "not told", why: "no row here is one that it is about" };
  const beyond = beyondLevel(r, outcome) ?? ofTheModel(r, outcome) ?? ofWhatIsTrained(r, outcome);
  if (!beyond) return { ...common, outcome, verdict: "not told", why: unreported(r, outcome) };
  return { ...common, outcome, excess: beyond.value, verdict: verdictBy(beyond) };
}

/**
 * Metrics without sampling variation: the size is the model's, and a slope at one of these rows is exact. A level that is reached to
 * within a tolerance counts as reached.
 */
function ofTheModel(r: TrainRequirement, { strict, asked }: Outcome): Beyond | undefined {
  if (r.metric !== "size" && r.metric !== "slope") return undefined;
  const { value } = strict;
  const found = beyondBy(r, asked?.strict ?? r.level, { value, interval: [value, value] });
  return found.value > r.allowance ? found : { ...found, value: Math.min(0, found.value) };
}

const ofWhatIsTrained = (r: TrainRequirement, { trained, asked }: Outcome): Beyond | undefined =>
  trained?.interval &&
  beyondBy(r, asked?.surrogate ?? r.level, { value: trained.value, interval: trained.interval });

function unreported(r: TrainRequirement, { strict, trained }: Outcome): string {
  if (r.perExample)
    return "it applies to each example, and only the share of examples that miss it is counted";
  const { value, examples } = trained ?? strict;
  if (examples < 2) return "one example does not show how much it varies by chance";
  return `the sampling variation of the ${r.strictly} is unknown; it is asked to be ${askedOf(r)}, and is ${figure(value, 0)} here`;
}

/** Whether something that must hold does not, beyond chance. */
export const isMissed = ({ requirements }: Evaluation): boolean =>
  Object.values(requirements).some(({ hard, verdict }) => hard && verdict === "missed");
