// The paper's federated tables from rows, each number beside the paper's where it has one. Runs that differ in their
// seed alone are one line: mean ± standard deviation.

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
const setting = ({ dataset, method, model, preset, clients, rounds, ratio, level, ...rest }: Row): string =>
  [
    ...[dataset, method, model, preset, clients, rounds, ratio, level],
    ...[rest.alpha, rest.cost, rest.dualRate, rest.relaxationRate],
  ].join(" ");

/** Rows of the same setting together, in the order in which settings first appear. */
export function bySetting(rows: readonly Row[], of: (row: Row) => string = setting): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(of(row), [...(groups.get(of(row)) ?? []), row]);
  return [...groups.values()];
}

const minus = (text: string): string => text.replace("-", "−");
const fixed = (value: number | undefined, digits: number): string =>
  value === undefined || Number.isNaN(value) ? "" : minus(value.toFixed(digits));

/** Mean ± deviation over seeds. */
function over(values: readonly (number | undefined)[], digits: number): string {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return "";
  const spread = known.length > 1 ? ` ± ${deviation(known).toFixed(digits)}` : "";
  return fixed(mean(known), digits) + spread;
}

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
    head: ["dataset", "kept", "method", "mean", "IQR", "range", "all test", "paper: mean", "IQR", "range"],
    body: bySetting(rows).map((group) => [
      group[0].dataset,
      String(group[0].ratio),
      group[0].method,
      over(
        group.map((row) => row.meanAccuracy),
        1,
      ),
      over(
        group.map((row) => row.iqr),
        1,
      ),
      over(
        group.map((row) => row.range),
        1,
      ),
      over(
        group.map((row) => row.globalAccuracy),
        1,
      ),
      ...spreadCells(publishedSpread(group[0])),
    ]),
  };
}

/** What became of the requirements. */
export function requirementTable(rows: readonly Row[]): Table {
  return {
    title: "Clients above their requirement, nominal (R̄ + ε) and relaxed (R̄ + ε + u)",
    head: [
      ...["dataset", "method", "ε", "α", "paper's α", "nominal: train", "test", "relaxed: train", "test"],
      ...["mean loss", "RMS u", "largest λ", "largest gap", "corr(u, minority)"],
    ],
    body: bySetting(rows).map((group) => [
      group[0].dataset,
      group[0].method,
      String(group[0].level),
      ...alphaCells(group[0]),
      over(
        group.map((row) => row.violatingNominal.train),
        0,
      ),
      over(
        group.map((row) => row.violatingNominal.test),
        0,
      ),
      over(
        group.map((row) => row.violating.train),
        0,
      ),
      over(
        group.map((row) => row.violating.test),
        0,
      ),
      over(
        group.map((row) => row.meanTrainLoss),
        4,
      ),
      over(
        group.map((row) => row.relaxationRms),
        4,
      ),
      over(
        group.map((row) => row.largestPrice),
        2,
      ),
      over(
        group.map((row) => row.largestGap),
        3,
      ),
      over(
        group.map((row) => row.minorityCorrelation),
        2,
      ),
    ]),
  };
}

/** Pairs of a resilient and a constrained run that share data and seed. */
function pairs(rows: readonly Row[]): { resilient: Row; constrained: Row }[] {
  const data = ({ dataset, model, preset, clients, rounds, ratio, seed }: Row) =>
    [dataset, model, preset, clients, rounds, ratio, seed].join(" ");
  return bySetting(rows, (row) => `${data(row)} ${row.level}`).flatMap((group) => {
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
      ...["dataset", "kept", "seed", "better", "at least", "mean gain", "max gain", "mean loss", "max loss"],
      ...["paper: at least", "max gain", "max loss"],
    ],
    body: pairs(rows).map(({ resilient, constrained }) => {
      const found = compareRanks(resilient, constrained);
      const paper = publishedRanks(resilient);
      return [
        resilient.dataset,
        String(resilient.ratio),
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

const betas: Record<string, string> = { linear: "1", quadratic: "2", power4: "4", maximum: "∞" };

export function costNormTable(rows: readonly Row[]): Table {
  return {
    title: "Cost norms ‖u‖_β: client test accuracies (percent)",
    head: ["dataset", "β", "mean", "IQR", "range", "RMS u", "paper: mean", "IQR", "range"],
    body: bySetting(rows.filter((row) => row.cost !== undefined)).map((group) => [
      group[0].dataset,
      betas[group[0].cost ?? ""],
      over(
        group.map((row) => row.meanAccuracy),
        1,
      ),
      over(
        group.map((row) => row.iqr),
        1,
      ),
      over(
        group.map((row) => row.range),
        1,
      ),
      over(
        group.map((row) => row.relaxationRms),
        4,
      ),
      ...spreadCells(publishedCostNorm(group[0])),
    ]),
  };
}

export function ratesTable(rows: readonly Row[]): Table {
  const rated = rows.filter((row) => row.relaxationRate !== undefined);
  return {
    title: "Dual and relaxation rates: mean client test accuracy (percent)",
    head: ["dataset", "η_u", "η_λ", "mean", "paper"],
    body: bySetting(rated).map((group) => [
      group[0].dataset,
      String(group[0].relaxationRate),
      String(group[0].dualRate),
      over(
        group.map((row) => row.meanAccuracy),
        1,
      ),
      group[0].dataset === "cifar-10"
        ? fixed(publishedRates(group[0].relaxationRate ?? 0, group[0].dualRate), 1)
        : "",
    ]),
  };
}

/** By α; the constrained run is α = ∞. */
export function alphaTable(rows: readonly Row[]): Table {
  return {
    title: "The cost of relaxing against performance",
    head: [
      ...["dataset", "α", "paper's α", "mean loss", "max − mean", "RMS u", "RMS u·α"],
      ...["paper: mean loss", "max − mean", "RMS u"],
    ],
    body: bySetting(rows).map((group) => {
      const alpha = group[0].alpha ?? Infinity;
      const paper = group[0].dataset === "cifar-10" ? publishedAlpha(alpha) : undefined;
      return [
        group[0].dataset,
        ...(Number.isFinite(alpha) ? alphaCells(group[0]) : ["∞", "∞"]),
        over(
          group.map((row) => row.meanTrainLoss),
          4,
        ),
        over(
          group.map((row) => row.worstExcess),
          3,
        ),
        over(
          group.map((row) => row.relaxationRms),
          4,
        ),
        Number.isFinite(alpha)
          ? over(
              group.map((row) => alpha * row.relaxationRms),
              3,
            )
          : "",
        fixed(paper?.meanTrainLoss, 4),
        fixed(paper?.worstExcess, 3),
        fixed(paper?.relaxationRms, 4),
      ];
    }),
  };
}

/** The largest price and the largest generalisation gap, by ε and by how much of the minority is kept. */
export function largestTable(rows: readonly Row[]): Table {
  return {
    title: "Largest price λ and largest generalisation gap",
    head: ["dataset", "kept", "ε", "method", "largest λ", "largest gap", "paper: λ", "gap"],
    body: bySetting(rows).map((group) => {
      const paper = publishedLargest(group[0]);
      return [
        group[0].dataset,
        String(group[0].ratio),
        String(group[0].level),
        group[0].method,
        over(
          group.map((row) => row.largestPrice),
          2,
        ),
        over(
          group.map((row) => row.largestGap),
          3,
        ),
        fixed(paper.price, 2),
        fixed(paper.gap, 3),
      ];
    }),
  };
}
