// Every federated figure and table of the paper by name: the runs it needs and how they are shown.

import type { Figure } from "../figure.js";
import type { Claim, Comparison } from "../items/item.js";
import type { Table } from "../table.js";
import {
  alphaClaims,
  costNormClaims,
  largestClaims,
  minorityClaims,
  rankClaims,
  rateClaims,
  spreadClaims,
  violationClaims,
} from "./claims.js";
import {
  alphaComparisons,
  costNormComparisons,
  largestComparisons,
  rankComparisons,
  rateComparisons,
  type Setting,
  spreadComparisons,
} from "./comparisons.js";
import {
  alphaFigures,
  dualsFigure,
  gapFigure,
  minorityFigure,
  orderedFigures,
  violationFigure,
  violationsAlong,
} from "./figures.js";
import type { Method, Request } from "./recipe.js";
import type { Row } from "./row.js";
import {
  alphaTable,
  costNormTable,
  largestTable,
  rankTable,
  ratesTable,
  requirementTable,
  spreadTable,
} from "./tables.js";

export interface Experiment {
  readonly name: string;
  /** The paper's labels of it. */
  readonly labels: readonly string[];
  readonly summary: string;
  /** The runs it needs, as differences from the preset; options of the command override both. */
  readonly requests: readonly Omit<Request, "preset">[];
  readonly tables: (rows: readonly Row[]) => readonly Table[];
  readonly figures: (rows: readonly Row[]) => readonly Figure[];
  /** The paper's numbers, each beside ours; settings without a finished run included. */
  readonly comparisons: (settings: readonly Setting[]) => readonly Comparison[];
  /** The paper's claims, counted. */
  readonly claims: (rows: readonly Row[]) => readonly Claim[];
}

type Base = Omit<Request, "preset" | "method">;
const both: readonly Method[] = ["resilient", "constrained"];
const requestsFor = (methods: readonly Method[], base: Base) =>
  methods.map((method) => ({ ...base, method }));

// Everything else is the preset's. In the scripts CIFAR-10 has α = 1 in the study of ρ and 2 elsewhere.
const cifar: Base = { dataset: "cifar-10", ratio: 0.1 };
const fashion: Base = { dataset: "fashion-mnist", ratio: 0.1 };
const four: readonly Base[] = [fashion, { ...fashion, ratio: 0.05 }, cifar, { ...cifar, ratio: 0.05 }];

export const experiments: readonly Experiment[] = [
  {
    name: "minority",
    labels: ["fig:perturb"],
    summary: "relaxation of each client against its share of minority data",
    requests: requestsFor(["resilient"], cifar),
    tables: (rows) => [requirementTable(rows)],
    figures: (rows) => [minorityFigure(rows)],
    comparisons: () => [],
    claims: minorityClaims,
  },
  {
    name: "alpha",
    labels: ["fig:perturb", "fig:a:cost_vs_performance"],
    summary: "relaxations, worst loss and mean loss of clients for several α, and for the constrained method",
    requests: [
      ...[2, 4, 10, 20, 40, 100, 1000].map((alpha) => ({ ...cifar, alpha, method: "resilient" as const })),
      ...requestsFor(["constrained"], cifar),
    ],
    tables: (rows) => [alphaTable(rows)],
    figures: alphaFigures,
    comparisons: alphaComparisons,
    claims: alphaClaims,
  },
  {
    name: "violations",
    labels: ["fig:perturb"],
    summary: "violations on training and test data, of the resilient and the constrained method",
    requests: requestsFor(both, cifar),
    tables: (rows) => [requirementTable(rows)],
    figures: (rows) => [violationFigure(rows)],
    comparisons: () => [],
    claims: violationClaims,
  },
  {
    name: "levels",
    labels: ["fig:constraint_sat", "a:fig:constraint_sat", "fig:a:generalization"],
    summary: "prices, test violations and largest generalisation gaps for several levels ε",
    requests: [0.002, 0.02, 0.2].flatMap((level) => requestsFor(both, { ...cifar, level })),
    tables: (rows) => [largestTable(rows), requirementTable(rows)],
    figures: (rows) => [dualsFigure(rows, "level"), violationsAlong(rows, "level"), gapFigure(rows)],
    comparisons: largestComparisons("level"),
    claims: largestClaims("level"),
  },
  {
    name: "imbalance",
    labels: ["fig:a:dual_vs_imbalance", "a:fig:constraint_sat"],
    summary: "prices and test violations for several shares ρ of minority data",
    requests: [0.05, 0.1, 0.2, 0.3].flatMap((ratio) => requestsFor(both, { ...cifar, ratio, alpha: 1 })),
    tables: (rows) => [largestTable(rows), requirementTable(rows)],
    figures: (rows) => [dualsFigure(rows, "ratio"), violationsAlong(rows, "ratio")],
    comparisons: largestComparisons("ratio"),
    claims: largestClaims("ratio"),
  },
  {
    name: "ranks",
    labels: ["table:imp:fl", "a:fig:acc_ordered_cifar", "a:fig:acc_ordered_fmnist"],
    summary: "accuracies of clients by rank, with the resilient and the constrained method",
    requests: four.flatMap((base) => requestsFor(both, base)),
    tables: (rows) => [rankTable(rows)],
    figures: orderedFigures,
    comparisons: rankComparisons,
    claims: rankClaims,
  },
  {
    name: "spread",
    labels: ["table:res:spread-acc"],
    summary: "mean, interquartile range and range of client accuracies: ratio loss, constrained, resilient",
    requests: four.flatMap((base) => requestsFor(["ratio-loss", "constrained", "resilient"], base)),
    tables: (rows) => [spreadTable(rows)],
    figures: orderedFigures,
    comparisons: spreadComparisons,
    claims: spreadClaims,
  },
  {
    name: "cost-norms",
    labels: ["table:res:cost-abl"],
    summary: "relaxation costs ‖u‖_β for β = 1, 2, 4, ∞",
    requests: (["linear", "quadratic", "power4", "maximum"] as const).map((cost) => ({
      ...fashion,
      cost,
      method: "resilient",
    })),
    tables: (rows) => [costNormTable(rows)],
    figures: () => [],
    comparisons: costNormComparisons,
    claims: costNormClaims,
  },
  {
    name: "learning-rates",
    labels: ["table:res:lr-abl"],
    summary: "mean accuracy for a grid of step sizes of prices and relaxations",
    requests: [0.1, 0.5, 1].flatMap((relaxationRate) =>
      [0.1, 0.5, 1, 2].map((dualRate) => ({
        ...cifar,
        relaxationRate,
        dualRate,
        method: "resilient" as const,
      })),
    ),
    tables: (rows) => [ratesTable(rows)],
    figures: () => [],
    comparisons: rateComparisons,
    claims: rateClaims,
  },
];

/** How runs that belong to no experiment of the paper are shown. */
export const comparison: Pick<Experiment, "tables" | "figures"> = {
  tables: (rows) => [
    spreadTable(rows),
    requirementTable(rows),
    ...(both.every((method) => rows.some((row) => row.method === method)) ? [rankTable(rows)] : []),
  ],
  figures: (rows) => [
    ...(rows.some((row) => row.method === "resilient") ? [minorityFigure(rows)] : []),
    violationFigure(rows),
    ...orderedFigures(rows),
  ],
};
