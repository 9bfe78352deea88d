// Each of the paper's federated numbers beside ours, in the place it has in the paper. The paper's are of one split, seed 0, so ours
// are of that seed; other seeds are shown, not judged.
import { betaText } from "../choices.js";
import type { Comparison } from "../items/item.js";
import { noticeable } from "./equilibrium.js";
import { folderOf } from "./folder.js";
import {
  publishedAlpha,
  publishedCostNorm,
  publishedLargest,
  publishedRanks,
  publishedRates,
  publishedSpread,
} from "./paper.js";
import { compareRanks, type RankComparison } from "./ranks.js";
import { ratesOf, rateWarning } from "./rates.js";
import type { Recipe } from "./recipe.js";
import type { Row } from "./row.js";

/** A recipe and its finished runs, one row a seed. */
export interface Setting {
  readonly recipe: Recipe;
  readonly rows: readonly Row[];
}

const paperSeed = 0;

/** Half a unit of a table's last digit. */
const tenth = 0.05;
/** Reading errors, half a percent of each figure's axis. */
const read = {
  meanTrainLoss: 0.001,
  worstExcess: 0.005,
  relaxationRms: 0.001,
  price: 0.04,
  gap: 0.005,
  violation: 0.01,
};

export const datasetName = (dataset: string): string =>
  ({ "cifar-10": "CIFAR-10", "fashion-mnist": "Fashion-MNIST", mnist: "MNIST" })[dataset] ?? dataset;
const dataRow = ({ dataset, ratio }: Recipe): string =>
  `${datasetName(dataset)}, imbalance ${Math.round(1 / ratio)}`;

const describe = ({ dataset, method, preset, ratio, level, alpha, cost }: Recipe): string =>
  [
    ...[dataset, method, preset, `ρ = ${ratio}`, `ε = ${level}`],
    ...(alpha === undefined ? [] : [`α = ${alpha}`, `${cost}`]),
  ].join(", ");

type Place = Pick<Comparison, "label" | "row" | "column" | "source">;
interface Published extends Place {
  readonly quantity: string;
  readonly ours: (row: Row) => number;
  readonly paper: number | undefined;
  readonly resolution: number;
}

/** A run's number beside the paper's, where the paper has one. */
function beside({ recipe, rows }: Setting, { ours, paper, ...rest }: Published): Comparison[] {
  if (paper === undefined) return [];
  const same = rows.filter(({ seed }) => seed === paperSeed);
  return [
    {
      ...rest,
      of: describe(recipe),
      ours: same.map(ours),
      runs: same.map(({ seed }) => folderOf("", recipe, seed)),
      ...(rows.length > 1 && { allSeeds: rows.map(ours) }),
      paper,
    },
  ];
}

const spreads = ["mean", "iqr", "range"] as const;
const spreadOf = { mean: "meanAccuracy", iqr: "iqr", range: "range" } as const;
const spreadName = { mean: "mean", iqr: "IQR", range: "range" } as const;

export const spreadComparisons = (settings: readonly Setting[]): Comparison[] =>
  settings.flatMap((setting) =>
    spreads.flatMap((name) =>
      beside(setting, {
        label: "table:res:spread-acc",
        row: dataRow(setting.recipe),
        column: `${spreadName[name]}, ${setting.recipe.method}`,
        source: "table",
        quantity: `${spreadName[name]} of client accuracies`,
        ours: (row) => row[spreadOf[name]],
        paper: publishedSpread(setting)?.[name],
        resolution: tenth,
      }),
    ),
  );

export const costNormComparisons = (settings: readonly Setting[]): Comparison[] =>
  settings.flatMap((setting) =>
    spreads.flatMap((name) =>
      beside(setting, {
        label: "table:res:cost-abl",
        row: `β = ${betaText(setting.recipe.cost ?? "quadratic")}`,
        column: spreadName[name],
        source: "table",
        quantity: `${spreadName[name]} of client accuracies`,
        ours: (row) => row[spreadOf[name]],
        paper: publishedCostNorm(setting)?.[name],
        resolution: tenth,
      }),
    ),
  );

export const rateComparisons = (settings: readonly Setting[]): Comparison[] =>
  settings.flatMap((setting) =>
    beside(setting, {
      label: "table:res:lr-abl",
      row: `η_u = ${setting.recipe.relaxationRate}`,
      column: `η_λ = ${setting.recipe.dualRate}`,
      source: "table",
      quantity: "mean accuracy",
      ours: (row) => row.meanAccuracy,
      paper: publishedRates(setting),
      resolution: tenth,
    }),
  );

const alphaRows = [
  ["fig:perturb", "RMS of u", "relaxationRms"],
  ["fig:perturb", "mean training loss", "meanTrainLoss"],
  ["fig:a:cost_vs_performance", "largest − mean training loss", "worstExcess"],
] as const;

export const alphaComparisons = (settings: readonly Setting[]): Comparison[] =>
  settings.flatMap((setting) =>
    alphaRows
      // A constrained run's u is 0 by definition, which reproduces nothing.
      .filter(([, , name]) => setting.recipe.alpha !== undefined || name !== "relaxationRms")
      .flatMap(([label, row, name]) =>
        beside(setting, {
          label,
          row,
          column: setting.recipe.alpha === undefined ? "constrained" : `α = ${setting.recipe.alpha}`,
          source: "figure",
          quantity: row,
          ours: (row) => row[name],
          paper: publishedAlpha(setting)?.[name],
          resolution: read[name],
        }),
      ),
  );

const largestRows = {
  level: [
    ["fig:constraint_sat", "largest λ", "largestPrice", "price"],
    ["a:fig:constraint_sat", "largest violation", "largestViolation", "violation"],
    ["fig:a:generalization", "largest gap", "largestGap", "gap"],
  ],
  ratio: [
    ["fig:a:dual_vs_imbalance", "largest λ", "largestPrice", "price"],
    ["a:fig:constraint_sat", "largest violation", "largestViolation", "violation"],
  ],
} as const;

/** Along ε or along ρ. */
export const largestComparisons =
  (along: "level" | "ratio") =>
  (settings: readonly Setting[]): Comparison[] =>
    settings.flatMap((setting) =>
      largestRows[along].flatMap(([label, quantity, name, published]) =>
        beside(setting, {
          label,
          row: `${quantity}, ${setting.recipe.method}`,
          column: along === "level" ? `ε = ${setting.recipe.level}` : `ρ = ${100 * setting.recipe.ratio}%`,
          source: "figure",
          quantity,
          ours: (row) => row[name],
          paper: publishedLargest(setting)[published],
          resolution: read[published],
        }),
      ),
    );

const rankColumns = [
  ["improved over constrained (%)", "atLeast", 0.5],
  ["max improvement", "maxGain", tenth],
  ["max deterioration", "maxLoss", tenth],
] as const;

export const rankComparisons = (settings: readonly Setting[]): Comparison[] =>
  settings.flatMap((setting) => {
    const other = constrainedOf(settings, setting);
    const paper = other && publishedRanks(setting, other);
    if (!other || !paper) return [];
    const compared = (row: Row): RankComparison[] => {
      const constrained = other.rows.find(({ seed }) => seed === row.seed);
      return constrained ? [compareRanks(row, constrained)] : [];
    };
    const rows = setting.rows.filter((row) => compared(row).length > 0);
    return rankColumns.flatMap(([column, name, resolution]) =>
      beside(
        { ...setting, rows },
        {
          label: "table:imp:fl",
          row: dataRow(setting.recipe),
          column,
          source: "table",
          quantity: column,
          ours: (row) => compared(row)[0][name],
          paper: paper[name],
          resolution,
        },
      ),
    );
  });

/** The constrained setting of the same data and length. */
function constrainedOf(settings: readonly Setting[], { recipe }: Setting): Setting | undefined {
  const shared = ({ method: _, dualRate, relaxationRate, alpha, cost, cap, ...rest }: Recipe): string =>
    JSON.stringify(rest);
  if (recipe.method !== "resilient") return undefined;
  return settings.find(
    (other) => other.recipe.method === "constrained" && shared(other.recipe) === shared(recipe),
  );
}

/** Why a run's numbers may differ from the paper's, as far as its recipe and its record show. */
export function reasonsOf(rows: readonly Row[]): string[] {
  const reasons = rows.flatMap(({ preset, recipe }) => [
    ...shorter(recipe),
    ...(preset === "stated"
      ? ["ε and rates are the text's; the published numbers come from the scripts'"]
      : []),
    ...(recipe.augmentation === undefined && recipe.dataset === "cifar-10"
      ? ["no augmentation; the published code flips and crops"]
      : []),
    ...(recipe.precision === "bf16"
      ? [
          "matrix products in bf16; one Fashion-MNIST run in bf16 and in tf32 differs by 0.07 points of mean accuracy",
        ]
      : []),
    ...[rateWarning(recipe) ?? []].flat().map((warning) => warning.replace(/\.$/, "")),
  ]);
  return [...new Set([...reasons, ...awayFromEquilibrium(rows)])];
}

/** Fewer rounds than the code's take longer dual steps. */
function shorter(recipe: Recipe): string[] {
  const { rounds, horizon, dualRate } = recipe;
  if (rounds === 5000) return [];
  const asStated = rounds === 500 ? ", as the text says," : "";
  const times = dualRate === undefined ? 1 : ratesOf(recipe).dual / dualRate;
  const longer = times === 1 ? "" : ` and dual rates × ${Number(times.toPrecision(3))}`;
  return [
    `${rounds} communication rounds${asStated}${horizon === rounds ? "" : longer}; the published code has 5000 rounds`,
  ];
}

/** How far u is from what the prices say, over all runs of an α. */
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
