// The report of a training run: the core's, with what each requirement came to strictly, on the training and on the test examples.
import type { Report, RequirementReport } from "pliant";
import { sentences, type Told } from "../sentences.js";
import type { Measure, Outcome, Performance } from "./evaluate.js";
import type { Part } from "./examples.js";
import { word } from "./files.js";
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
  readonly validation?: Outcome;
  readonly test?: Outcome;
}

type Overall = Omit<Performance, "requirements">;

export interface TrainReport extends Omit<Report<string>, "text" | "requirements"> {
  readonly requirements: Readonly<Record<string, TrainRequirement>>;
  readonly train: Overall;
  readonly validation?: Overall;
  readonly test: Overall;
}

const parts: readonly Part[] = ["train", "validation", "test"];

export function trainReport(
  { text: _, requirements, ...report }: Report<string>,
  stated: readonly Stated[],
  on: { train: Performance; validation?: Performance; test: Performance },
): TrainReport {
  const overall = ({ requirements: _, ...rest }: Performance): Overall => rest;
  const outcomes = (name: string): Partial<Record<Part, Outcome>> =>
    Object.fromEntries(
      parts.flatMap((part) => {
        const outcome = on[part]?.requirements[name];
        return outcome ? [[part, outcome]] : [];
      }),
    );
  return {
    ...report,
    requirements: Object.fromEntries(
      stated.map((s) => [
        s.name,
        {
          ...requirements[s.name],
          of: s.of,
          metric: s.spec.metric,
          strictly: strictlyOf(s),
          ...(s.relative && { relative: showRelative(s.relative) }),
          ...(s.perExample && { perExample: true }),
          ...outcomes(s.name),
        },
      ]),
    ),
    train: overall(on.train),
    ...(on.validation && { validation: overall(on.validation) }),
    test: overall(on.test),
  };
}

function strictlyOf({ metric: { strictly }, perExample, base }: Stated): string {
  if (perExample) return "share that misses the level";
  return base?.of === "rest" ? `gap in ${strictly}` : strictly;
}

/** A requirement in the units of its metric: the solver saw a difference from the overall one, or of two sides the worse. */
export function told(r: TrainRequirement): Told {
  const { train, relative, perExample } = r;
  if (perExample && train) {
    const { value, examples } = train.strict;
    return { ...r, examples: { all: examples, gave: Math.round(value * examples) } };
  }
  if (r.sense === "between" && train)
    return { ...r, ...nearerSide(r.level as readonly [number, number], train.surrogate) };
  if (relative === undefined || !train?.asked) return r;
  const level = train.asked.surrogate;
  return { ...r, level, reached: train.surrogate, asked: `${relative} (${level.toFixed(3)})` };
}

/** The side of the two that a value misses, or else is nearer to. */
function nearerSide([low, high]: readonly [number, number], reached: number): Partial<Told> {
  return low - reached > reached - high
    ? { reached, sense: "at least", level: low, asked: `${low} and at most ${high}` }
    : { reached, sense: "at most", level: high, asked: `${high} and at least ${low}` };
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
  const there = parts.filter((part) => report[part]);
  const strict = columns(
    [
      ["strictly, 95% intervals", "metric", ...there],
      ...byPrice.map(([name, r]) => [
        name,
        r.strictly,
        ...there.map((part) => (r[part] ? withInterval(r[part].strict) : "no such example")),
      ]),
      ["all examples", "loss", ...there.map((part) => withInterval(report[part]!.loss))],
      ["all examples", ...overallError(report, there)],
    ],
    { left: 2 },
  );
  const asked = Object.entries(requirements).filter(([, { cost }]) => cost !== "free");
  const words = [
    ...sentences({
      certificate,
      requirements: Object.fromEntries(asked.map(([name, r]) => [name, told(r)])),
    }),
    ...Object.entries(requirements).flatMap(([name, r]) => (r.cost === "free" ? watched(name, r) : [])),
    ...asked.flatMap(([name, r]) => missedStrictly(name, r, certificate.tolerance)),
  ];
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

/** What costs nothing to give is not asked, and its price says nothing about insisting. */
const watched = (name: string, r: TrainRequirement): string =>
  `${name}: reached ${short(told(r).reached)}, ${askedOf(r)} would be asked; its cost is free, so it is only watched.`;

/** The surrogate holds and what it stands for does not, in the same units, on the same examples. */
function missedStrictly(name: string, r: TrainRequirement, tolerance: number): string[] {
  const { train, sense, metric, perExample, strictly } = r;
  if (!train || perExample || metric === "margin" || metric === "monotonicity") return [];
  const misses = (side: "surrogate" | "strict", value: number): boolean => {
    const level = train.asked?.[side] ?? r.level;
    const [low, high] = typeof level === "number" ? [level, level] : level;
    return (
      (sense !== "at most" && low - value > tolerance) || (sense !== "at least" && value - high > tolerance)
    );
  };
  const { surrogate, strict } = train;
  if (misses("surrogate", surrogate) || !misses("strict", strict.value)) return [];
  return [`${name}: strictly it misses its level all the same: ${strictly} ${strict.value.toFixed(3)}.`];
}

function overallError(report: TrainReport, there: readonly Part[]): string[] {
  if (report.train.error) return ["error", ...there.map((part) => withInterval(report[part]!.error!))];
  return ["root mean square error", ...there.map((part) => short(report[part]!.rootMeanSquare!))];
}

/** What to do next with a run. */
export const nextSteps = (folder: string): string =>
  `The run is in ${folder}. See it again with: npx pliant report ${word(folder)}`;
