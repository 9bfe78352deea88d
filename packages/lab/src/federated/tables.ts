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

/** Mean ± deviation over the seeds of a group. */
const over =
  (group: readonly Row[]) =>
  (of: (row: Row) => number | undefined, digits: number): string => {
    const known = group.map(of).filter((value) => value !== undefined);
    if (known.length === 0) return "";
    const spread = known.length > 1 ? ` ± ${deviation(known).toFixed(digits)}` : "";
    return fixed(mean(known), digits) + spread;
  };

/** What kind of run a line is of; without it no number stands beside the paper's. */
const kindHead = ["preset", "rounds", "model", "clients"] as const;
const kind = ({ preset, rounds, model, clients }: Row): string[] => [
  preset,
  String(rounds),
  model,
  String(clients),
];

/** α as everywhere here, ∇h = αu, and as the paper writes it for the quadratic cost, h = α‖u‖². */
const alphaCells = ({ alpha, cost }: Row): string[] =>
  alpha === undefined ? ["", ""] : [String(alpha), cost === "quadratic" ? String(alpha / 2) : ""];

const spreadCells = (paper: Spread | undefined): string[] => [
  fixed(paper?.mean, 1),
  fixed(paper?.iqr, 1),
  fixed(paper?.range, 1),
];

/** Mean, interquartile range and range of the clients' test accuracies. */
export function spreadTable(rows: readonly Row[]): Table {
  return {
    title: "Client test accuracies (percent)",
    head: [
      ...["dataset", "kept", "method", ...kindHead, "seconds", "mean", "IQR", "range", "all test"],
      ...["paper: mean", "IQR", "range"],
    ],
    body: bySetting(rows).map((group) => {
      const of = over(group);
      return [
        group[0].dataset,
        String(group[0].ratio),
        group[0].method,
        ...kind(group[0]),
        of((row) => row.seconds, 0),
        of((row) => row.meanAccuracy, 1),
        of((row) => row.iqr, 1),
        of((row) => row.range, 1),
        of((row) => row.globalAccuracy, 1),
        ...spreadCells(publishedSpread(group[0])),
      ];
    }),
  };
}

/** What became of the requirements. */
export function requirementTable(rows: readonly Row[]): Table {
  return {
    title: "Clients above their requirement, nominal (R̄ + ε) and relaxed (R̄ + ε + u)",
    head: [
      ...["dataset", "kept", "method", ...kindHead, "ε", "α", "paper's α", "η_λ used", "η_u used"],
      ...["nominal: train", "test", "relaxed: train", "test", "mean loss", "RMS u", "largest λ"],
      ...["largest gap", "equilibrium residual", "corr(u, minority)"],
    ],
    body: bySetting(rows).map((group) => {
      const of = over(group);
      const { rates, recipe } = group[0];
      return [
        group[0].dataset,
        String(group[0].ratio),
        group[0].method,
        ...kind(group[0]),
        String(group[0].level),
        ...alphaCells(group[0]),
        fixed(rates?.dual, 2),
        recipe.alpha === undefined
          ? ""
          : rates?.relaxation === undefined
            ? "exact"
            : fixed(rates.relaxation, 2),
        of((row) => row.violatingNominal.train, 0),
        of((row) => row.violatingNominal.test, 0),
        of((row) => row.violating.train, 0),
        of((row) => row.violating.test, 0),
        of((row) => row.meanTrainLoss, 4),
        of((row) => row.relaxationRms, 4),
        of((row) => row.largestPrice, 2),
        of((row) => row.largestGap, 3),
        of((row) => row.equilibriumResidual, 2),
        of((row) => row.minorityCorrelation, 2),
      ];
    }),
  };
}

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
  return {
    title:
      "Resilient against constrained, by rank of the clients (share of ranks in percent, points of accuracy)",
    head: [
      ...["dataset", "kept", ...kindHead, "seed", "better", "at least", "mean gain", "max gain"],
      ...["mean loss", "max loss", "paper: at least", "max gain", "max loss"],
    ],
    body: pairs(rows).map(({ resilient, constrained }) => {
      const found = compareRanks(resilient, constrained);
      const paper = publishedRanks(resilient, constrained);
      return [
        resilient.dataset,
        String(resilient.ratio),
        ...kind(resilient),
        String(resilient.seed),
        ...[found.better, found.atLeast].map((share) => fixed(share, 0)),
        ...[found.meanGain, found.maxGain, found.meanLoss, found.maxLoss].map((points) => fixed(points, 1)),
        fixed(paper?.atLeast, 0),
        fixed(paper?.maxGain, 1),
        fixed(paper?.maxLoss, 1),
      ];
    }),
  };
}

export function costNormTable(rows: readonly Row[]): Table {
  return {
    title: "Cost norms ‖u‖_β: client test accuracies (percent)",
    head: ["dataset", "β", ...kindHead, "mean", "IQR", "range", "RMS u", "paper: mean", "IQR", "range"],
    body: bySetting(rows.filter((row) => row.cost !== undefined)).map((group) => {
      const of = over(group);
      return [
        group[0].dataset,
        betaText(group[0].cost!),
        ...kind(group[0]),
        of((row) => row.meanAccuracy, 1),
        of((row) => row.iqr, 1),
        of((row) => row.range, 1),
        of((row) => row.relaxationRms, 4),
        ...spreadCells(publishedCostNorm(group[0])),
      ];
    }),
  };
}

export function ratesTable(rows: readonly Row[]): Table {
  const rated = rows.filter((row) => row.relaxationRate !== undefined);
  return {
    title: "Dual and relaxation rates: mean client test accuracy (percent)",
    head: ["dataset", "η_u", "η_λ", "η_u used", "η_λ used", ...kindHead, "mean", "paper"],
    body: bySetting(rated).map((group) => [
      group[0].dataset,
      String(group[0].relaxationRate),
      String(group[0].dualRate),
      fixed(group[0].rates?.relaxation, 2),
      fixed(group[0].rates?.dual, 2),
      ...kind(group[0]),
      over(group)((row) => row.meanAccuracy, 1),
      fixed(publishedRates(group[0]), 1),
    ]),
  };
}

/** By α; the constrained run is α = ∞. */
export function alphaTable(rows: readonly Row[]): Table {
  return {
    title: "The cost of relaxing against performance",
    head: [
      ...[
        "dataset",
        "α",
        "paper's α",
        "step in u",
        ...kindHead,
        "mean loss",
        "max − mean",
        "RMS u",
        "RMS u·α",
      ],
      ...["equilibrium residual", "paper: mean loss", "max − mean", "RMS u"],
    ],
    body: bySetting(rows).map((group) => {
      const { alpha, rates } = group[0];
      const of = over(group);
      const paper = publishedAlpha(group[0]);
      const step = rates?.relaxation === undefined ? "exact" : "explicit";
      return [
        group[0].dataset,
        ...(alpha === undefined ? ["∞", "∞", ""] : [...alphaCells(group[0]), step]),
        ...kind(group[0]),
        of((row) => row.meanTrainLoss, 4),
        of((row) => row.worstExcess, 3),
        of((row) => row.relaxationRms, 4),
        of((row) => row.alpha && row.alpha * row.relaxationRms, 3),
        of((row) => row.equilibriumResidual, 2),
        fixed(paper?.meanTrainLoss, 4),
        fixed(paper?.worstExcess, 3),
        fixed(paper?.relaxationRms, 4),
      ];
    }),
  };
}

/** The largest price, generalisation gap and test violation, by ε and by how much of the minority is kept. */
export function largestTable(rows: readonly Row[]): Table {
  return {
    title: "Largest price λ, generalisation gap and test violation of a client",
    head: [
      ...["dataset", "kept", "ε", "α", "method", ...kindHead, "λ", "gap", "violation"],
      ...["paper: λ", "gap", "violation"],
    ],
    body: bySetting(rows).map((group) => {
      const of = over(group);
      const paper = publishedLargest(group[0]);
      return [
        group[0].dataset,
        String(group[0].ratio),
        String(group[0].level),
        String(group[0].alpha ?? ""),
        group[0].method,
        ...kind(group[0]),
        of((row) => row.largestPrice, 2),
        of((row) => row.largestGap, 3),
        of((row) => row.largestViolation, 2),
        fixed(paper.price, 2),
        fixed(paper.gap, 3),
        fixed(paper.violation, 2),
      ];
    }),
  };
}
