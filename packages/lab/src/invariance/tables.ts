// The rows as text: accuracies, method by variant, beside the paper's; what each requirement gave and cost; the norms of the cost.

import { betas, betaText, costNames } from "../choices.js";
import { type Table, tableText } from "../table.js";
import { costNormVariants, type Published } from "./paper.js";
import { recipe, transformations } from "./recipe.js";
import type { Row } from "./rows.js";
import { isRequired } from "./stacks.js";

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** The settings that all rows of a table share. */
const groupOf = ({ recipe: { dataset, model, preset, epochs, subset } }: Row): string =>
  [
    dataset,
    model,
    preset,
    `${epochs} epochs`,
    ...(subset === undefined ? [] : [`first ${subset} images`]),
  ].join(", ");

/** The method, with the settings in which it differs from its preset. */
export function labelOf({ recipe: run }: Pick<Row, "recipe">): string {
  const { dataset, variant, method, model, preset } = run;
  const usual = recipe({ dataset, variant, method, model, preset });
  const other = (name: "cost" | "alpha" | "level" | "samples" | "initialWidth", text: string): string[] =>
    run[name] === usual[name] ? [] : [text];
  return [
    method,
    ...(method === "resilient" ? [...other("cost", run.cost), ...other("alpha", `α ${run.alpha}`)] : []),
    ...(isRequired(run) ? other("level", `ε ${run.level}`) : []),
    ...other("samples", `${run.samples} samples`),
    ...other("initialWidth", `widths from ${run.initialWidth}`),
  ].join(", ");
}

export function tables(rows: readonly Row[]): Table[] {
  return distinct(rows.map(groupOf)).flatMap((group) => {
    const own = rows.filter((row) => groupOf(row) === group);
    const required = own.filter(({ requirements }) => Object.keys(requirements).length > 0);
    return [
      accuracies(group, own),
      ...(required.length > 0 ? [requirementTable(group, required)] : []),
      ...costNorms(group, own),
    ];
  });
}

/** The cost norms alone: beside them the accuracy table's numbers would be of another table of the paper. */
export const costNormTables = (rows: readonly Row[]): Table[] =>
  distinct(rows.map(groupOf)).flatMap((group) => {
    const own = rows.filter((row) => groupOf(row) === group);
    return [...costNorms(group, own), requirementTable(group, own)];
  });

export const tablesText = (rows: readonly Row[]): string => tables(rows).map(tableText).join("\n\n");

const ours = ({ seeds, accuracy: { mean, std } }: Row): string =>
  `${mean.toFixed(2)}${seeds.length > 1 ? ` ± ${std.toFixed(2)}` : ""}`;
const theirs = (cell: Published | undefined): string =>
  cell === undefined ? "" : `${cell.mean.toFixed(2)} ± ${cell.std.toFixed(2)}`;

const seedsOf = (rows: readonly Row[]): string => {
  const all = distinct(rows.map(({ seeds }) => seeds.join(", ")));
  return `seeds ${all.join(" or ")}`;
};

function accuracies(group: string, rows: readonly Row[]): Table {
  const variants = distinct(rows.map((row) => row.recipe.variant));
  return {
    title: `Test accuracy in percent: ${group}, ${seedsOf(rows)}`,
    head: ["method", ...variants.flatMap((variant) => [variant, "paper"])],
    body: distinct(rows.map(labelOf)).map((label) => [
      label,
      ...variants.flatMap((variant) => {
        const row = rows.find((r) => labelOf(r) === label && r.recipe.variant === variant);
        return row ? [ours(row), theirs(row.accuracy.paper)] : ["", ""];
      }),
    ]),
  };
}

function requirementTable(group: string, rows: readonly Row[]): Table {
  return {
    title: `Relaxations and prices, and the relaxations of the paper's figure: ${group}, ${seedsOf(rows)}`,
    head: ["variant", "method", "α", "ε", ...transformations.flatMap((t) => [`u, ${t}`, "paper", "λ"])],
    body: rows.map((row) => [
      row.recipe.variant,
      labelOf(row),
      row.recipe.method === "resilient" ? String(row.recipe.alpha) : "",
      String(row.recipe.level),
      ...transformations.flatMap((t) => {
        const { relaxation, price, paper } = row.requirements[t]!;
        return [relaxation.toFixed(3), paper === undefined ? "" : paper.toFixed(3), price.toFixed(3)];
      }),
    ]),
  };
}

/** Where rows differ in the cost alone. */
function costNorms(group: string, rows: readonly Row[]): Table[] {
  const own = rows.filter(
    ({ recipe: { method, variant } }) =>
      method === "resilient" && costNormVariants.includes(variant as never),
  );
  const settings = ({ recipe: { alpha, level, samples } }: Row): string =>
    `α ${alpha}, ε ${level}, ${samples} samples`;
  const compared = distinct(own.map(settings))
    .map((setting) => ({ setting, alike: own.filter((row) => settings(row) === setting) }))
    .filter(({ alike }) => distinct(alike.map((row) => row.recipe.cost)).length > 1);
  return compared.map(({ setting, alike }) => ({
    title: `Cost norms, test accuracy in percent: ${group}, ${setting}, ${seedsOf(alike)}`,
    head: ["β", "cost", ...costNormVariants.flatMap((variant) => [variant, "paper"])],
    body: costNames
      .toSorted((a, b) => betas[a] - betas[b])
      .map((cost) => [
        betaText(cost),
        cost,
        ...costNormVariants.flatMap((variant) => {
          const row = alike.find(({ recipe: r }) => r.cost === cost && r.variant === variant);
          return row ? [ours(row), theirs(row.accuracy.costNorm)] : ["", ""];
        }),
      ]),
  }));
}
