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
  /** Where the paper has it. */
  readonly place: string;
  readonly summary: string;
  /** What it varies; the rest is the preset's, and whatever a person asks for comes on top. */
  readonly requests: readonly Omit<Request, "preset">[];
  readonly tables: (rows: readonly Row[]) => readonly Table[];
  readonly figures: (rows: readonly Row[]) => readonly Figure[];
  /** Number by number beside the paper's. */
  readonly comparisons: (rows: readonly Row[]) => readonly Comparison[];
  /** What the paper says in words. */
  readonly claims: (rows: readonly Row[]) => readonly Claim[];
  /** Why its numbers may be other than the paper's, beside what the runs tell themselves. */
  readonly reasons?: readonly string[];
}

type Base = Omit<Request, "preset" | "method">;
const both: readonly Method[] = ["resilient", "constrained"];
const each = (methods: readonly Method[], base: Base) => methods.map((method) => ({ ...base, method }));

// What an item does not vary is its preset's, α of CIFAR-10 included: by the scripts 1 in the study of ρ and 2 elsewhere.
const cifar: Base = { dataset: "cifar-10", ratio: 0.1 };
const fashion: Base = { dataset: "fashion-mnist", ratio: 0.1 };
const four: readonly Base[] = [fashion, { ...fashion, ratio: 0.05 }, cifar, { ...cifar, ratio: 0.05 }];

export const experiments: readonly Experiment[] = [
  {
    name: "minority",
    place: 'figure "FL", left',
    summary: "relaxation of each client against its share of minority data",
    requests: each(["resilient"], cifar),
    tables: (rows) => [requirementTable(rows)],
    figures: (rows) => [minorityFigure(rows)],
    comparisons: () => [],
    claims: minorityClaims,
  },
  {
    name: "alpha",
    place: 'figure "FL", middle, and appendix, cost against performance',
    summary:
      "what relaxing costs: relaxations, worst client and mean loss along α, and constrained as its limit",
    requests: [
      ...[2, 4, 10, 20, 40, 100, 1000].map((alpha) => ({ ...cifar, alpha, method: "resilient" as const })),
      ...each(["constrained"], cifar),
    ],
    tables: (rows) => [alphaTable(rows)],
    figures: alphaFigures,
    comparisons: alphaComparisons,
    claims: alphaClaims,
  },
  {
    name: "violations",
    place: 'figure "FL", right',
    summary: "losses above the requirement on training and test data, resilient and constrained",
    requests: each(both, cifar),
    tables: (rows) => [requirementTable(rows)],
    figures: (rows) => [violationFigure(rows)],
    comparisons: () => [],
    claims: violationClaims,
  },
  {
    name: "levels",
    place: "appendix: dual variables, constraint violation and largest generalisation error along ε",
    summary: "prices, test violations and the largest generalisation gap along ε",
    requests: [0.002, 0.02, 0.2].flatMap((level) => each(both, { ...cifar, level })),
    tables: (rows) => [largestTable(rows), requirementTable(rows)],
    figures: (rows) => [dualsFigure(rows, "level"), violationsAlong(rows, "level"), gapFigure(rows)],
    comparisons: largestComparisons,
    claims: largestClaims,
  },
  {
    name: "imbalance",
    place: "appendix: dual variables and constraint violation along ρ",
    summary: "prices and test violations along the share ρ of minority data that is kept",
    requests: [0.05, 0.1, 0.2, 0.3].flatMap((ratio) => each(both, { ...cifar, ratio, alpha: 1 })),
    tables: (rows) => [largestTable(rows), requirementTable(rows)],
    figures: (rows) => [dualsFigure(rows, "ratio"), violationsAlong(rows, "ratio")],
    comparisons: largestComparisons,
    claims: largestClaims,
  },
  {
    name: "ranks",
    place: 'table "changes in accuracy for equally ranked clients", and appendix, ordered accuracies',
    summary: "the client-rank table, resilient against constrained, and accuracies in order",
    requests: four.flatMap((base) => each(both, base)),
    tables: (rows) => [rankTable(rows)],
    figures: orderedFigures,
    comparisons: rankComparisons,
    claims: rankClaims,
  },
  {
    name: "spread",
    place: 'appendix, table "client accuracy spread"',
    summary: "mean, interquartile range and range of client accuracies: ratio loss, constrained, resilient",
    requests: four.flatMap((base) => each(["ratio-loss", "constrained", "resilient"], base)),
    tables: (rows) => [spreadTable(rows)],
    figures: orderedFigures,
    comparisons: spreadComparisons,
    claims: spreadClaims,
  },
  {
    name: "cost-norms",
    place: 'appendix, table "cost function ablation"',
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
    place: 'appendix, table "dual and resilient learning rates"',
    summary: "mean accuracy over a grid of dual and relaxation rates",
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
    reasons: ["the caption says CIFAR100, of which there is no script; its accuracies are CIFAR-10's"],
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
