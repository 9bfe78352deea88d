// The paper's federated tables from rows, each number beside the paper's where the paper has one of such a run. Runs that differ
// in their seed alone are one line: mean ± standard deviation.

import { betaText } from "../choices.js";
import { deviation, mean, type Spread } from "../statistics.js";
import type { Table } from "../table.js";
import {
  publishedAlpha,
  publishedCostNorm,
  publishedLargest,
  publishedRanks,
  publishedRates,
  publishedSpread,
} from "./paper.js";
import { compareRanks } from "./ranks.js";
import type { Row } from "./row.js";

/** Everything of a row that was asked for, but its seed. */
const setting = ({ recipe }: Row): string => JSON.stringify(recipe);

/** Rows of the same setting together, in the order in which settings first appear. */
export function bySetting(rows: readonly Row[], of: (row: Row) => string = setting): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(of(row), [...(groups.get(of(row)) ?? []), row]);
  return [...groups.values()];
}

const minus = (text: string): string => text.replace("-", "−");
const fixed = (value: number | undefined, digits: number): string =>
  value === undefined ? "" : minus(value.toFixed(digits));

/** Runs that differ in their seed alone, as one line of a table. */
type Line = readonly Row[];

/** A column: its head, and the cell of a line. */
type Column<L = Line> = readonly [head: string, cell: (line: L) => string];

const tableOf = <L>(title: string, lines: readonly L[], columns: readonly Column<L>[]): Table => ({
  title,
  head: columns.map(([head]) => head),
  body: lines.map((line) => columns.map(([, cell]) => cell(line))),
});

/** A setting that all rows of a line share. */
const shared = (head: string, of: (row: Row) => string): Column => [head, ([row]) => of(row)];

/** Mean ± deviation over the seeds of a line. */
const over = (head: string, of: (row: Row) => number | undefined, digits: number): Column => [
  head,
  (line) => {
    const known = line.map(of).filter((value) => value !== undefined);
    if (known.length === 0) return "";
    const spread = known.length > 1 ? ` ± ${deviation(known).toFixed(digits)}` : "";
    return fixed(mean(known), digits) + spread;
  },
];

const dataset = shared("dataset", (row) => row.dataset);
const kept = shared("kept", (row) => String(row.ratio));
const method = shared("method", (row) => row.method);
const level = shared("ε", (row) => String(row.level));

/** The kind of run. A number is compared with the paper's only if it is known. */
const kind: readonly Column[] = [
  shared("preset", (row) => row.preset),
  shared("rounds", (row) => String(row.rounds)),
  shared("model", (row) => row.model),
  shared("clients", (row) => String(row.clients)),
];

/** α of the published code, ∇h = αu, which is also the axis of the paper's figures; `none` for runs without one. */
const alpha = (none: string): Column =>
  shared("α", (row) => (row.alpha === undefined ? none : String(row.alpha)));

const spreads: readonly Column[] = [
  over("mean", (row) => row.meanAccuracy, 1),
  over("IQR", (row) => row.iqr, 1),
  over("range", (row) => row.range, 1),
];
const publishedSpreads = (of: (row: Row) => Spread | undefined): readonly Column[] => [
  shared("paper: mean", (row) => fixed(of(row)?.mean, 1)),
  shared("IQR", (row) => fixed(of(row)?.iqr, 1)),
  shared("range", (row) => fixed(of(row)?.range, 1)),
];

/** Mean, interquartile range and range of the clients' test accuracies. */
export const spreadTable = (rows: readonly Row[]): Table =>
  tableOf("Client test accuracies (percent)", bySetting(rows), [
    ...[dataset, kept, method, ...kind],
    over("seconds", (row) => row.seconds, 0),
    ...spreads,
    over("all test", (row) => row.globalAccuracy, 1),
    ...publishedSpreads(publishedSpread),
  ]);

/** Violations, relaxations and prices. */
export const requirementTable = (rows: readonly Row[]): Table =>
  tableOf("Clients above their requirement, nominal (R̄ + ε) and relaxed (R̄ + ε + u)", bySetting(rows), [
    ...[dataset, kept, method, ...kind, level, alpha("")],
    shared("η_λ used", ({ rates }) => fixed(rates?.dual, 2)),
    shared("η_u used", ({ recipe, rates }) =>
      recipe.alpha === undefined
        ? ""
        : rates?.relaxation === undefined
          ? "exact"
          : fixed(rates.relaxation, 2),
    ),
    over("nominal: train", (row) => row.violatingNominal.train, 0),
    over("test", (row) => row.violatingNominal.test, 0),
    over("relaxed: train", (row) => row.violating.train, 0),
    over("test", (row) => row.violating.test, 0),
    over("mean loss", (row) => row.meanTrainLoss, 4),
    over("RMS u", (row) => row.relaxationRms, 4),
    over("largest λ", (row) => row.largestPrice, 2),
    over("largest gap", (row) => row.largestGap, 3),
    over("equilibrium residual", (row) => row.equilibriumResidual, 2),
    over("corr(u, minority)", (row) => row.minorityCorrelation, 2),
  ]);

/** Pairs of a resilient and a constrained run that share data and seed. */
export function pairs(rows: readonly Row[]): { resilient: Row; constrained: Row }[] {
  const shared = ({ recipe, seed }: Row) => {
    const { method: _, dualRate, relaxationRate, alpha, cost, cap, ...rest } = recipe;
    return JSON.stringify([rest, seed]);
  };
  return bySetting(rows, shared).flatMap((group) => {
    const constrained = group.find((row) => row.method === "constrained");
    if (!constrained) return [];
    return group.filter((row) => row.method === "resilient").map((resilient) => ({ resilient, constrained }));
  });
}

/** Resilient against constrained, client by client in the order of their accuracies. */
export function rankTable(rows: readonly Row[]): Table {
  const lines = pairs(rows).map(({ resilient, constrained }) => ({
    resilient,
    found: compareRanks(resilient, constrained),
    paper: publishedRanks(resilient, constrained),
  }));
  type Pair = (typeof lines)[number];
  const ofRun = ([head, cell]: Column): Column<Pair> => [head, ({ resilient }) => cell([resilient])];
  return tableOf<Pair>(
    "Resilient against constrained, by rank of the clients (share of ranks in percent, points of accuracy)",
    lines,
    [
      ...[dataset, kept, ...kind, shared("seed", (row) => String(row.seed))].map(ofRun),
      ["better", ({ found }) => fixed(found.better, 0)],
      ["at least", ({ found }) => fixed(found.atLeast, 0)],
      ["mean gain", ({ found }) => fixed(found.meanGain, 1)],
      ["max gain", ({ found }) => fixed(found.maxGain, 1)],
      ["mean loss", ({ found }) => fixed(found.meanLoss, 1)],
      ["max loss", ({ found }) => fixed(found.maxLoss, 1)],
      ["paper: at least", ({ paper }) => fixed(paper?.atLeast, 0)],
      ["max gain", ({ paper }) => fixed(paper?.maxGain, 1)],
      ["max loss", ({ paper }) => fixed(paper?.maxLoss, 1)],
    ],
  );
}

export function costNormTable(rows: readonly Row[]): Table {
  const priced = rows.filter((row) => row.cost !== undefined);
  return tableOf("Cost norms ‖u‖_β: client test accuracies (percent)", bySetting(priced), [
    dataset,
    shared("β", (row) => betaText(row.cost!)),
    ...kind,
    ...spreads,
    over("RMS u", (row) => row.relaxationRms, 4),
    ...publishedSpreads(publishedCostNorm),
  ]);
}

export function ratesTable(rows: readonly Row[]): Table {
  const rated = rows.filter((row) => row.relaxationRate !== undefined);
  return tableOf("Dual and relaxation rates: mean client test accuracy (percent)", bySetting(rated), [
    dataset,
    shared("η_u", (row) => String(row.relaxationRate)),
    shared("η_λ", (row) => String(row.dualRate)),
    shared("η_u used", (row) => fixed(row.rates?.relaxation, 2)),
    shared("η_λ used", (row) => fixed(row.rates?.dual, 2)),
    ...kind,
    over("mean", (row) => row.meanAccuracy, 1),
    shared("paper", (row) => fixed(publishedRates(row), 1)),
  ]);
}

/** By α; the constrained run is α = ∞. */
export const alphaTable = (rows: readonly Row[]): Table =>
  tableOf("The cost of relaxing against performance", bySetting(rows), [
    ...[dataset, alpha("∞")],
    shared("step in u", ({ alpha, rates }) =>
      alpha === undefined ? "" : rates?.relaxation === undefined ? "exact" : "explicit",
    ),
    ...kind,
    over("mean loss", (row) => row.meanTrainLoss, 4),
    over("max − mean", (row) => row.worstExcess, 3),
    over("RMS u", (row) => row.relaxationRms, 4),
    over("RMS u·α", (row) => row.alpha && row.alpha * row.relaxationRms, 3),
    over("equilibrium residual", (row) => row.equilibriumResidual, 2),
    shared("paper: mean loss", (row) => fixed(publishedAlpha(row)?.meanTrainLoss, 4)),
    shared("max − mean", (row) => fixed(publishedAlpha(row)?.worstExcess, 3)),
    shared("RMS u", (row) => fixed(publishedAlpha(row)?.relaxationRms, 4)),
  ]);

/** The largest price, generalisation gap and test violation, by ε and by how much of the minority is kept. */
export const largestTable = (rows: readonly Row[]): Table =>
  tableOf("Largest price λ, generalisation gap and test violation of a client", bySetting(rows), [
    ...[dataset, kept, level, shared("α", (row) => String(row.alpha ?? "")), method, ...kind],
    over("λ", (row) => row.largestPrice, 2),
    over("gap", (row) => row.largestGap, 3),
    over("violation", (row) => row.largestViolation, 2),
    shared("paper: λ", (row) => fixed(publishedLargest(row).price, 2)),
    shared("gap", (row) => fixed(publishedLargest(row).gap, 3)),
    shared("violation", (row) => fixed(publishedLargest(row).violation, 2)),
  ]);
