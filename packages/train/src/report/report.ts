// The report of a training run: the core's, with what each requirement came to strictly, on the training rows and on others.
import type { Report, RequirementReport } from "@pliant/core";
import type { Part } from "../data/examples.js";
import type { Outcome, Performance } from "../evaluate/evaluate.js";
import type { Importance } from "../explain/importance.js";
import type { Choices } from "../fit/choices.js";
import type { Seconds } from "../fit/clock.js";
import type { HeldOutRows } from "../fit/cross-fit.js";
import { memorisable } from "../fit/generalisation-gap.js";
import { showRelative } from "../grammar/level.js";
import { isShare } from "../metrics/metric.js";
import { isCounted, type Stated } from "../problem/stated.js";
import type { Answers } from "../questions/measure.js";
import type { Metric } from "../spec/spec.js";
import type { DecidedParts, DecisionReport } from "./decided.js";
import { overfittedIn } from "./overfitting.js";
import { measuredPrice } from "./requirement-view.js";

/** One requirement of a run's report. */
export interface TrainRequirement extends RequirementReport, Answers {
  /** The requirement of the spec that it is of. */
  readonly of: string;
  readonly metric: Metric;
  /** The name of the strict metric. */
  readonly strictly: string;
  /** Whether what is counted is a share, told in percentage points; taken for one where a report of an earlier version does not say. */
  readonly isShare?: boolean;
  /** Strict numbers are of rows as a whole, as a precision or a largest slope is, and no mean over rows that others could be added to. */
  readonly asWhole?: true;
  /** A relative level as the spec has it; `level`, `reached` and `strict` are then about the difference. */
  readonly relative?: string;
  readonly perExample?: boolean;
  /** In a run that is not certified: relaxation and price are where the solver stood, not those of an equilibrium. */
  readonly unsettled?: true;
  /** The model is built to meet it: there is no price that holds it, and its 0 says nothing of what it costs. */
  readonly byConstruction?: true;
  /** For a count: the mean cost of a unit of the level by its `neighbours`; `price` is the weight of its surrogate. */
  readonly measuredPrice?: number;
  /** Validation rows that were too few to go by; it was counted on the training rows. */
  readonly few?: number;
  /** For the worst of several groups: the one that they were too few of. */
  readonly fewIn?: string;
  /** For what decisions decide: the rows that it is held to, where a threshold was chosen by them. */
  readonly decidedOn?: HeldOutRows;
  readonly train?: Outcome;
  /** For requirements on decisions, over training rows scored by a model that was not fitted to them. */
  readonly folds?: Outcome;
  readonly validation?: Outcome;
  readonly test?: Outcome;
}

type Overall = Omit<Performance, "requirements">;

/** A run's report.json: the solver's report, with every requirement counted strictly on training, validation and test rows. */
export interface TrainReport extends Omit<Report<string>, "text" | "requirements">, Choices {
  readonly requirements: Readonly<Record<string, TrainRequirement>>;
  /** The rows on which what is counted was counted while solving. */
  readonly judgedOn: "train" | "validation";
  /** For a table: how much the loss on held-out rows rises where a column's cells are dealt out anew, the most first. */
  readonly importance?: readonly Importance[];
  /** How decisions are made, if requirements on them exist and the threshold was learnt. */
  readonly decision?: DecisionReport;
  /** For what must hold and was not had together: whether each was met without the others, where that was tried. */
  readonly alone?: Readonly<Record<string, boolean>>;
  /** What parts between the training rows and others; not certified then. */
  readonly overfitted?: readonly string[];
  readonly train: Overall;
  /** The training rows, each judged by a model that was not fitted to it. */
  readonly folds?: Overall;
  readonly validation?: Overall;
  readonly test: Overall;
  /** On the wall; none in a report of an earlier version. */
  readonly seconds?: Seconds;
}

/** The parts that a report tells of: those of the rows, and the folds of the ones learnt from. */
export type ReportPart = Part | "folds";
export const parts: readonly ReportPart[] = ["train", "folds", "validation", "test"];
const ofRows: readonly Part[] = ["train", "validation", "test"];

export function trainReport(
  { text: _, ...report }: Report<string>,
  stated: readonly Stated[],
  on: { train: Performance; validation?: Performance; test: Performance },
  choices: Choices,
  decided?: DecidedParts,
): TrainReport {
  const overall = ({ requirements: _, ...rest }: Performance): Overall => rest;
  const outcomes = (name: string): Partial<Record<Part, Outcome>> =>
    Object.fromEntries(
      ofRows.flatMap((part) => {
        const outcome = on[part]?.requirements[name];
        return outcome ? [[part, outcome]] : [];
      }),
    );
  const requirements = Object.fromEntries(
    stated.map((s): [string, TrainRequirement] => [
      s.name,
      {
        ...report.requirements[s.name],
        // As it was written, not as the solver rounded it.
        level: s.level,
        of: s.of,
        metric: s.spec.metric,
        strictly: strictlyOf(s),
        isShare: isShare(s.metric),
        ...(s.metric.kind === "statistic" && { asWhole: true }),
        ...(s.relative && { relative: showRelative(s.relative) }),
        ...(s.perExample && { perExample: true }),
        ...(s.few !== undefined && { few: s.few }),
        ...(s.fewIn !== undefined && { fewIn: s.fewIn }),
        ...(choices.byConstruction?.includes(s.name) && { byConstruction: true }),
        ...outcomes(s.name),
        ...decidedIn(s.name, decided),
      },
    ]),
  );
  const found = distrusting(stated, {
    ...report,
    ...choices,
    requirements,
    judgedOn:
      on.validation && stated.some((s) => isCounted(s) && s.few === undefined) ? "validation" : "train",
    ...(decided && { decision: decided.decision }),
    train: overall(on.train),
    ...(decided?.decision.rows === "folds" && { folds: decided.overall }),
    ...(on.validation && { validation: overall(on.validation) }),
    test: overall(on.test),
  });
  return found.certificate.holds ? found : unsettled(found);
}

const unsettled = (report: TrainReport): TrainReport => ({
  ...report,
  requirements: Object.fromEntries(
    Object.entries(report.requirements).map(([name, r]) => [
      name,
      r.decidedOn ? r : { ...r, unsettled: true as const },
    ]),
  ),
});

/** What the threshold left of it. */
function decidedIn(name: string, decided: DecidedParts | undefined): Partial<TrainRequirement> {
  const found = decided?.requirements[name];
  if (!decided || !found) return {};
  const { requirement, outcome, ...answers } = found;
  const { rows } = decided.decision;
  const measuredAt = answers.neighbours && measuredPrice({ ...requirement, ...answers, pricedBy: "strict" });
  return {
    ...requirement,
    ...answers,
    ...(measuredAt !== undefined && { measuredPrice: measuredAt }),
    decidedOn: rows,
    ...(outcome && rows === "folds" && { folds: outcome }),
  };
}

/** Prices on overfitted rows are no equilibrium on new rows. */
function distrusting(stated: readonly Stated[], report: TrainReport): TrainReport {
  const { requirements, certificate, validation, ranAway = [] } = report;
  const separated = isSeparated(report);
  const all = Object.entries(requirements);
  // For a statistic, the number of rows that move it is unknown.
  const means = stated.flatMap(({ name, metric }) => (metric.kind === "statistic" ? [] : [name]));
  const found = all.flatMap(([name, r]) => {
    // What is chosen on held-out rows does not rest on those learnt from.
    if (r.decidedOn !== undefined && r.decidedOn !== "train") return [];
    const rows = means.includes(name) ? memorisable(report.parameters) : undefined;
    return overfittedIn(name, r, { among: all.length, rows }) ?? [];
  });
  const overfitted = [
    ...(separated ? [withoutMinimum(report)] : []),
    ...(found.length > 0 ? [`the model overfits: ${found.join("; ")}`] : []),
    ...(ranAway.length > 0
      ? [`further steps overfitted the training rows, and prices rose without effect: ${ranAway.join(", ")}`]
      : []),
  ];
  if (overfitted.length === 0) return report;
  return {
    ...report,
    ...(found.length > 0 && { overfitted: found }),
    certificate: {
      ...certificate,
      holds: false,
      short: [...overfitted, ...(separated ? [] : [remedy(validation), ...certificate.short])],
    },
    requirements: Object.fromEntries(
      Object.entries(requirements).map(([name, r]) => [
        name,
        r.status === "gave way" && !r.decidedOn ? { ...r, status: "unknown" as const } : r,
      ]),
    ),
  };
}

/** Every row is answered right, and nothing holds the weights: larger ones lower the loss of each, without end. */
const isSeparated = ({ certificate, train }: TrainReport): boolean =>
  certificate.withoutMinimum === true && train.error?.value === 0;

const withoutMinimum = ({ train, validation }: TrainReport): string =>
  `the model classifies all ${train.examples} training rows correctly, so larger weights always lower the loss and it has no minimum: set objective.decay=0.01 or so${validation ? "" : ", or let data.validation=0.2 choose a decay"}`;

const remedy = (validation: object | undefined): string =>
  `a larger objective.decay${validation ? " or a smaller model" : ", a smaller model or rows for validation"} may help`;

/** Where rows are overfitted at the best of several decays, more decay is no advice any more. */
export function withDecaysTried(report: TrainReport, decays: readonly number[]): TrainReport {
  const { certificate, validation } = report;
  if (decays.length < 2) return report;
  const instead = `a larger objective.decay was tried (${decays.slice(1).join(", ")}) and did not mend it; a smaller model or more rows may`;
  return {
    ...report,
    decays,
    certificate: {
      ...certificate,
      short: certificate.short.map((words) => (words === remedy(validation) ? instead : words)),
    },
  };
}

/** With what was measured afterwards. */
export const withAnswers = (
  report: TrainReport,
  answers: Readonly<Record<string, Answers>>,
): TrainReport => ({
  ...report,
  requirements: Object.fromEntries(
    Object.entries(report.requirements).map(([name, r]) => {
      const known = { ...r, ...answers[name] };
      const price = known.neighbours && measuredPrice(known);
      return [name, { ...known, ...(price !== undefined && { measuredPrice: price }) }];
    }),
  ),
});

function strictlyOf({ metric: { strictly }, perExample, base, worst }: Stated): string {
  if (worst) return `${strictly} of the worst group`;
  if (perExample) return "share that misses the level";
  return base?.of === "rest" ? `gap in ${strictly}` : strictly;
}

/** Whether something that must hold does not. */
export const isViolated = ({ requirements }: Pick<TrainReport, "requirements">): boolean =>
  Object.values(requirements).some(({ status }) => status === "violated");
