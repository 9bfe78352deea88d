// Our numbers beside the paper's, one by one, for the verdicts: of every setting that the paper has a number for.
import type { Comparison } from "../items/item.js";
import { noticeable } from "./equilibrium.js";
import {
  publishedAlpha,
  publishedCostNorm,
  publishedLargest,
  publishedRanks,
  publishedRates,
  publishedSpread,
} from "./paper.js";
import { compareRanks } from "./ranks.js";
import { rateWarning } from "./rates.js";
import type { Row } from "./row.js";
import { bySetting, pairs } from "./tables.js";

/** Half a unit of a table's last digit, and a figure's axis as far as it can be read. */
const tenth = 0.05;
const read = (value: number): number => Math.max(0.005, 0.02 * value);

const describe = ({ dataset, method, preset, ratio, level, alpha, cost }: Row): string =>
  [
    ...[dataset, method, preset, `ρ = ${ratio}`, `ε = ${level}`],
    ...(alpha === undefined ? [] : [`α = ${alpha}`, `${cost}`]),
  ].join(", ");

interface Number {
  readonly quantity: string;
  readonly ours: (row: Row) => number;
  readonly paper: number | undefined;
  readonly resolution: number;
}

/** Of each setting, the numbers that the paper has. */
const ofSettings = (
  rows: readonly Row[],
  numbers: (row: Row) => readonly Number[],
  name = describe,
): Comparison[] =>
  bySetting(rows).flatMap((group) =>
    numbers(group[0]).flatMap(({ quantity, ours, paper, resolution }) =>
      paper === undefined ? [] : [{ quantity, of: name(group[0]), ours: group.map(ours), paper, resolution }],
    ),
  );

type Spread = ReturnType<typeof publishedSpread>;
const spreadNumbers = (paper: Spread): Number[] => [
  { quantity: "mean accuracy", ours: (row) => row.meanAccuracy, paper: paper?.mean, resolution: tenth },
  { quantity: "IQR", ours: (row) => row.iqr, paper: paper?.iqr, resolution: tenth },
  { quantity: "range", ours: (row) => row.range, paper: paper?.range, resolution: tenth },
];

export const spreadComparisons = (rows: readonly Row[]): Comparison[] =>
  ofSettings(rows, (row) => spreadNumbers(publishedSpread(row)));

export const costNormComparisons = (rows: readonly Row[]): Comparison[] =>
  ofSettings(rows, (row) => spreadNumbers(publishedCostNorm(row)));

export const rateComparisons = (rows: readonly Row[]): Comparison[] =>
  ofSettings(
    rows,
    (row) => [
      {
        quantity: "mean accuracy",
        ours: ({ meanAccuracy }) => meanAccuracy,
        paper: publishedRates(row),
        resolution: tenth,
      },
    ],
    (row) => `${describe(row)}, η_u = ${row.relaxationRate}, η_λ = ${row.dualRate}`,
  );

export const alphaComparisons = (rows: readonly Row[]): Comparison[] =>
  ofSettings(rows, (row) => {
    const paper = publishedAlpha(row);
    const of = (quantity: string, name: keyof NonNullable<typeof paper>): Number => ({
      quantity,
      ours: (each) => each[name],
      paper: paper?.[name],
      resolution: read(paper?.[name] ?? 0),
    });
    return [
      of("mean training loss", "meanTrainLoss"),
      of("largest − mean loss", "worstExcess"),
      of("RMS of u", "relaxationRms"),
    ];
  });

export const largestComparisons = (rows: readonly Row[]): Comparison[] =>
  ofSettings(rows, (row) => {
    const { price, gap, violation } = publishedLargest(row);
    const of = (quantity: string, ours: Number["ours"], paper: number | undefined): Number => ({
      quantity,
      ours,
      paper,
      resolution: read(paper ?? 0),
    });
    return [
      of("largest λ", (each) => each.largestPrice, price),
      of("largest gap", (each) => each.largestGap, gap),
      of("largest violation", (each) => each.largestViolation, violation),
    ];
  });

export function rankComparisons(rows: readonly Row[]): Comparison[] {
  const compared = pairs(rows).flatMap(({ resilient, constrained }) => {
    const paper = publishedRanks(resilient, constrained);
    return paper ? [{ of: describe(resilient), found: compareRanks(resilient, constrained), paper }] : [];
  });
  const settings = [...new Set(compared.map(({ of }) => of))];
  const numbers = [
    ["share at least as good", "atLeast", 0.5],
    ["largest gain", "maxGain", tenth],
    ["largest loss", "maxLoss", tenth],
  ] as const;
  return settings.flatMap((of) => {
    const seeds = compared.filter((each) => each.of === of);
    return numbers.map(([quantity, name, resolution]) => ({
      quantity,
      of,
      ours: seeds.map(({ found }) => found[name]),
      paper: seeds[0].paper[name],
      resolution,
    }));
  });
}

/** Why a run's numbers may be other than the paper's, as far as it tells itself. */
export function reasonsOf(rows: readonly Row[]): string[] {
  const reasons = rows.flatMap(({ rounds, preset, recipe }) => [
    ...(rounds === 5000
      ? []
      : [
          `${rounds} communication rounds${rounds === 500 ? ", as the text has it," : ""} where the published code has 5000`,
        ]),
    ...(preset === "stated"
      ? ["the text's ε and rates, where the published numbers come from the scripts'"]
      : []),
    ...(recipe.augmentation === undefined && recipe.dataset === "cifar-10"
      ? ["no augmentation, where the published code has flips and crops"]
      : []),
    ...(recipe.precision === "bf16"
      ? ["products in bf16, which on Fashion-MNIST gives the accuracies that tf32 does"]
      : []),
    ...[rateWarning(recipe) ?? []].flat().map((warning) => warning.replace(/\.$/, "")),
  ]);
  return [...new Set([...reasons, ...awayFromEquilibrium(rows)])];
}

/** Of all runs of an α together, how far u is from what the prices say. */
function awayFromEquilibrium(rows: readonly Row[]): string[] {
  const away = rows.filter(({ equilibriumResidual = 0 }) => equilibriumResidual >= noticeable);
  return [...new Set(away.map(({ alpha }) => alpha))].map((alpha) => {
    const percents = away
      .filter((row) => row.alpha === alpha)
      .map(({ equilibriumResidual = 0 }) => Math.round(100 * equilibriumResidual));
    const [least, most] = [Math.min(...percents), Math.max(...percents)];
    return `at α = ${alpha} u is off its equilibrium by ${least === most ? least : `${least} to ${most}`}% of its size`;
  });
}
