// The report of a training run: the core's, with what each requirement came to strictly, on the training and on the test examples.
import type { Report, RequirementReport } from "pliant";
import { sentences, type Told } from "../sentences.js";
import type { Measure, Outcome, Performance } from "./evaluate.js";
import { showRelative } from "./level.js";
import type { Metric } from "./spec.js";
import type { Stated } from "./stated.js";
import { columns, short } from "./table.js";

export interface TrainRequirement extends RequirementReport {
  /** The requirement of the spec that it is of. */
  readonly of: string;
  readonly metric: Metric;
  /** What the strict numbers are of. */
  readonly strictly: string;
  /** A relative level as the spec has it; `level`, `reached` and `strict` are then about the difference. */
  readonly relative?: string;
  readonly perExample?: boolean;
  readonly train?: Outcome;
  readonly test?: Outcome;
}

type Overall = Omit<Performance, "requirements">;

export interface TrainReport extends Omit<Report<string>, "text" | "requirements"> {
  readonly requirements: Readonly<Record<string, TrainRequirement>>;
  readonly train: Overall;
  readonly test: Overall;
}

export function trainReport(
  { text: _, requirements, ...report }: Report<string>,
  stated: readonly Stated[],
  { train, test }: { train: Performance; test: Performance },
): TrainReport {
  const overall = ({ requirements: _, ...rest }: Performance): Overall => rest;
  return {
    ...report,
    requirements: Object.fromEntries(
      stated.map((s) => [
        s.name,
        {
          ...requirements[s.name],
          of: s.of,
          metric: s.spec.metric,
          strictly: s.perExample ? "share that misses the level" : s.metric.strictly,
          ...(s.relative && { relative: showRelative(s.relative) }),
          ...(s.perExample && { perExample: true }),
          ...(train.requirements[s.name] && { train: train.requirements[s.name] }),
          ...(test.requirements[s.name] && { test: test.requirements[s.name] }),
        },
      ]),
    ),
    train: overall(train),
    test: overall(test),
  };
}

/** A requirement in the units of its metric, where the solver saw a difference from the overall one. */
function told(r: TrainRequirement): Told {
  const { train, relative, perExample } = r;
  if (perExample && train) {
    const { value, examples } = train.strict;
    return { ...r, examples: { all: examples, gave: Math.round(value * examples) } };
  }
  if (relative === undefined || !train?.asked) return r;
  const level = train.asked.surrogate;
  return { ...r, level, reached: train.surrogate, asked: `${relative} (${level.toFixed(3)})` };
}

export const askedOf = ({ sense, level, relative }: TrainRequirement): string =>
  `${sense} ${relative ?? [level].flat().join(" and ")}`;

const withInterval = ({ value, interval }: Measure): string =>
  interval
    ? `${value.toFixed(3)} (${interval[0].toFixed(3)} to ${interval[1].toFixed(3)})`
    : value.toFixed(3);

/** The table, the sentences and the strict numbers, as `pliant train` and `pliant report` print them. */
export function reportText(report: TrainReport): string {
  const { requirements, certificate, objective, steps } = report;
  const byPrice = Object.entries(requirements).sort(([, a], [, b]) => b.price - a.price);
  const table = columns(
    [
      ["requirement", "asked", "reached", "gave", "price"],
      ...byPrice.map(([name, r]) => [
        name,
        askedOf(r),
        short(told(r).reached),
        short(r.relaxation),
        short(r.price),
      ]),
    ],
    { left: 2 },
  );
  const state = certificate.holds
    ? `certified to ${certificate.tolerance}`
    : `not certified: stopped before the residuals reached ${certificate.tolerance}`;
  const strict = columns(
    [
      ["strictly, 95% intervals", "metric", "train", "test"],
      ...byPrice.map(([name, r]) => [
        name,
        r.strictly,
        r.train ? withInterval(r.train.strict) : "–",
        r.test ? withInterval(r.test.strict) : "no such example",
      ]),
      ["all examples", "loss", withInterval(report.train.loss), withInterval(report.test.loss)],
      ...overallError(report),
    ],
    { left: 2 },
  );
  const words = sentences({
    certificate,
    requirements: Object.fromEntries(Object.entries(requirements).map(([name, r]) => [name, told(r)])),
  });
  return [
    table,
    "",
    `objective ${short(objective)} after ${steps} steps, ${state}`,
    "",
    ...words,
    "",
    strict,
  ].join("\n");
}

function overallError({ train, test }: TrainReport): string[][] {
  if (train.error && test.error)
    return [["all examples", "error", withInterval(train.error), withInterval(test.error)]];
  const own = ({ rootMeanSquare = Number.NaN }: Overall): string => short(rootMeanSquare);
  return [["all examples", "root mean square error", own(train), own(test)]];
}

/** What to do next with a run. */
export const nextSteps = (folder: string): string =>
  `The run is in ${folder}. See it again with: npx pliant report ${folder}`;
