// The summary of several runs of one spec: the mean and standard deviation of every number over runs, and one measure over the test rows
// of all folds. Relaxations and prices come from certified runs only.
import type { Part } from "../data/examples.js";
import { difference, type Measure, type Outcome, worstIn } from "../evaluate/evaluate.js";
import { together } from "../evaluate/together.js";
import type { Stated } from "../problem/stated.js";
import { askedOf } from "../questions/answers.js";
import { parts, type TrainReport, type TrainRequirement } from "./report.js";
import { measuredPrice, told } from "./requirement-view.js";
import { gaveBy } from "./sentences.js";

/** A mean over runs, and how far they are apart. */
export interface Spread {
  readonly mean: number;
  /** Between runs, of a sample; 0 of one run alone. */
  readonly sd: number;
  /** How many runs it is of. */
  readonly runs: number;
}

/** One requirement over several runs. */
export interface PooledRequirement {
  readonly asked: string;
  readonly hard: boolean;
  /** Its cost is free: nothing was asked, and nothing gave way. */
  readonly watched?: true;
  readonly strictly: string;
  readonly reached: Spread;
  /** Over certified runs. */
  readonly relaxation?: Spread;
  readonly price?: Spread;
  /** The cost of insisting, over certified runs in which it gave way and could be met. */
  readonly insisting?: Spread;
  /** In how many runs it is of which status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly train?: Spread;
  readonly validation?: Spread;
  readonly test?: Spread;
  /** For the worst of several groups: which it is on each part, one or several. */
  readonly groups?: Partial<Record<Part, readonly string[]>>;
  /** On the test rows of all folds together; of the worst of several groups, which it is there. */
  readonly held?: Measure & Pick<Outcome, "group">;
}

interface PooledPart {
  readonly loss: Spread;
  readonly error?: Spread;
  readonly rootMeanSquare?: Spread;
}

/** Several runs of one spec together: what differs between seeds or folds, and what all test rows say. */
export interface Pooled {
  /** How many runs are certified. */
  readonly certified: number;
  readonly objective: Spread;
  readonly steps: Spread;
  readonly requirements: Readonly<Record<string, PooledRequirement>>;
  readonly train: PooledPart;
  readonly validation?: PooledPart;
  readonly test: PooledPart;
  /** On the test rows of all folds together: those of seeds are the same rows again, and tell no more than once. */
  readonly held?: { readonly loss: Measure; readonly error?: Measure; readonly rootMeanSquare?: Measure };
}

export function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  return { mean, sd: values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1)), runs: values.length };
}

const some = (values: readonly (number | undefined)[]): Spread | undefined => {
  const there = values.filter((x): x is number => x !== undefined && Number.isFinite(x));
  return there.length > 0 ? spreadOf(there) : undefined;
};

/**
 * For gaps and the worst of several groups, each side is pooled by itself: a mean of what was worst in each fold is above the worst of
 * all. Where sides were not written down there is nothing to add up, nor is there of what is no mean over rows and does not say how it
 * adds up.
 */
export function heldIn(
  outcomes: readonly Outcome[],
  r: Pick<TrainRequirement, "sense" | "strictly" | "asWhole">,
): PooledRequirement["held"] {
  if (outcomes.length === 0) return undefined;
  const measures = outcomes.flatMap(({ strict, sides }) => (sides ? Object.values(sides) : [strict]));
  if (r.asWhole && measures.some(({ adds }) => !adds)) return undefined;
  const isGap = r.strictly.startsWith("gap in ");
  if (!isGap && outcomes.every(({ group }) => group === undefined))
    return together(outcomes.map(({ strict }) => strict));
  if (outcomes.some(({ sides }) => !sides)) return undefined;
  const names = [...new Set(outcomes.flatMap(({ sides }) => Object.keys(sides!)))];
  const sides = Object.fromEntries(
    names.map((name) => [name, together(outcomes.flatMap((one) => one.sides![name] ?? []))]),
  );
  if (isGap) return difference(sides.own, sides.rest);
  const { strict, group } = worstIn(sides, r.sense as Stated["sense"]);
  return { ...strict, group };
}

/** @param apart Whether no two were tested on the same row: folds. */
export function pooled(reports: readonly TrainReport[], apart: boolean): Pooled {
  const over = (of: (report: TrainReport) => number): Spread => spreadOf(reports.map(of));
  const names = [...new Set(reports.flatMap(({ requirements }) => Object.keys(requirements)))];
  const partOf = (part: (typeof parts)[number]): PooledPart | undefined => {
    const there = reports.flatMap((report) => report[part] ?? []);
    if (there.length === 0) return undefined;
    const [error, rootMeanSquare] = [
      some(there.map((one) => one.error?.value)),
      some(there.map((one) => one.rootMeanSquare)),
    ];
    return {
      loss: spreadOf(there.map(({ loss }) => loss.value)),
      ...(error && { error }),
      ...(rootMeanSquare && { rootMeanSquare }),
    };
  };
  const validation = partOf("validation");
  const errors = reports.flatMap(({ test }) => test.error ?? []);
  const roots = reports.flatMap(({ test: { rootMeanSquare: value, examples } }) =>
    value === undefined ? [] : [{ value, examples, adds: { by: "square", of: examples } } as const],
  );
  return {
    certified: reports.filter(({ certificate }) => certificate.holds).length,
    objective: over(({ objective }) => objective),
    steps: over(({ steps }) => steps),
    requirements: Object.fromEntries(names.map((name) => [name, requirementOf(name, reports, apart)])),
    train: partOf("train")!,
    ...(validation && { validation }),
    test: partOf("test")!,
    ...(apart && {
      held: {
        loss: together(reports.map(({ test }) => test.loss)),
        ...(errors.length > 0 && { error: together(errors) }),
        ...(roots.length > 0 && { rootMeanSquare: together(roots) }),
      },
    }),
  };
}

function requirementOf(name: string, all: readonly TrainReport[], apart: boolean): PooledRequirement {
  const reports = all.filter(({ requirements }) => name in requirements);
  const certified = reports.filter(({ certificate }) => certificate.holds);
  const own = ({ requirements }: TrainReport): TrainRequirement => requirements[name];
  const [first] = reports.map(own);
  const watched = first.cost === "free";
  const statuses: Record<string, number> = {};
  for (const { status } of reports.map(own)) statuses[status] = (statuses[status] ?? 0) + 1;
  const optional = {
    relaxation: watched
      ? undefined
      : some(certified.map((report) => gaveBy(told(own(report), report.judgedOn)))),
    price: some(certified.map((report) => measuredPrice(own(report)))),
    insisting: some(
      certified.map((report) => {
        const { insisting } = own(report);
        return insisting?.had ? insisting.costs : undefined;
      }),
    ),
    ...Object.fromEntries(
      parts.map((part) => [part, some(reports.map((report) => own(report)[part]?.strict.value))]),
    ),
  };
  const groups = parts.flatMap((part) => {
    const found = [...new Set(reports.flatMap((report) => own(report)[part]?.group ?? []))].sort();
    return found.length > 0 ? [[part, found]] : [];
  });
  const held =
    apart &&
    heldIn(
      reports.flatMap((report) => own(report).test ?? []),
      first,
    );
  return {
    asked: askedOf(first),
    hard: first.hard,
    ...(watched && { watched }),
    strictly: first.strictly,
    reached: spreadOf(reports.map((report) => told(own(report), report.judgedOn).reached)),
    ...Object.fromEntries(Object.entries(optional).filter(([, spread]) => spread !== undefined)),
    statuses,
    ...(groups.length > 0 && { groups: Object.fromEntries(groups) }),
    ...(held && { held }),
  };
}
