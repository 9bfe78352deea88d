// The paper's two invariance figures: how far each transformation's requirement gave way on each variant, and the mean price
// of the three, resilient against constrained. A figure is of one model, preset, length, ε and, where relaxations have a cost, α.
import type { Figure } from "../figure.js";
import { plot } from "../plot.js";
import { mean } from "../statistics.js";
import { type Recipe, transformations, type Variant, variants } from "./recipe.js";
import type { Row } from "./rows.js";
import { isRequired } from "./stacks.js";

const settingOf = ({ dataset, model, preset, epochs, subset, level }: Recipe): string =>
  [
    dataset,
    model,
    preset,
    `epochs-${epochs}`,
    ...(subset === undefined ? [] : [`subset-${subset}`]),
    `level-${level}`,
  ].join("-");

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

export function figures(rows: readonly Row[]): Figure[] {
  const required = rows.filter(({ recipe }) => isRequired(recipe));
  return distinct(required.map(({ recipe }) => settingOf(recipe))).flatMap((setting) => {
    const own = required.filter(({ recipe }) => settingOf(recipe) === setting);
    const resilient = own.filter(({ recipe }) => recipe.method === "resilient");
    const constrained = own.filter(({ recipe }) => recipe.method === "constrained");
    // One α and cost a figure. Without relaxations there is only the constrained side.
    const costs = distinct(resilient.map(({ recipe: { cost, alpha } }) => `${cost}-${alpha}`));
    if (costs.length === 0) return [{ name: `prices-${setting}`, svg: prices(constrained) }];
    return costs.flatMap((cost) => {
      const of = resilient.filter(({ recipe }) => `${recipe.cost}-${recipe.alpha}` === cost);
      return [
        { name: `relaxations-${setting}-${cost}`, svg: relaxations(of) },
        { name: `prices-${setting}-${cost}`, svg: prices([...of, ...constrained]) },
      ];
    });
  });
}

const shown = (rows: readonly Row[]): Variant[] =>
  variants.filter((variant) => rows.some(({ recipe }) => recipe.variant === variant));

/** The data, network and settings of a figure. */
function titleOf(what: string, { recipe: { dataset, model, level } }: Row, resilient?: Row): string {
  const { cost, alpha } = resilient?.recipe ?? {};
  const costs = resilient ? `${cost === "quadratic" ? "" : `, ${cost}`}, α ${alpha}` : "";
  return `${what}, ${dataset} (${model}), ε ${level}${costs}`;
}

function relaxations(rows: readonly Row[]): string {
  const categories = shown(rows);
  const of = (variant: Variant): Row => rows.find(({ recipe }) => recipe.variant === variant)!;
  const paper = transformations.map((t, i) =>
    categories.flatMap((variant, at) => {
      const value = of(variant).requirements[t]?.paper;
      // Over the middle of its bar among the three of a group.
      return value === undefined ? [] : [[at + (i - 1) * 0.26, value] as const];
    }),
  );
  return plot({
    title: titleOf("Relaxation by transformation", rows[0], rows[0]),
    x: { categories },
    y: { label: "relaxation u" },
    series: [
      ...transformations.map((t, colour) => ({
        kind: "bars" as const,
        name: t,
        colour,
        values: categories.map((variant) => of(variant).requirements[t]?.relaxation),
      })),
      ...beside(paper),
    ],
  });
}

/** The paper's values as hollow points, named once, where there are any. */
const beside = (points: readonly (readonly (readonly [number, number])[])[]) =>
  points
    .filter((series) => series.length > 0)
    .map((series, i) => ({
      kind: "points" as const,
      ...(i === 0 && { name: "paper" }),
      hollow: true,
      colour: 5,
      points: series,
    }));

function prices(rows: readonly Row[]): string {
  const categories = shown(rows);
  const sides = (["resilient", "constrained"] as const).filter((method) =>
    rows.some(({ recipe }) => recipe.method === method),
  );
  const of = (method: string, variant: Variant): Row | undefined =>
    rows.find(({ recipe }) => recipe.method === method && recipe.variant === variant);
  const paper = sides.map((method, i) =>
    categories.flatMap((variant, at) => {
      const value = of(method, variant)?.paperPrice;
      return value === undefined ? [] : [[at + (i - (sides.length - 1) / 2) * 0.4, value] as const];
    }),
  );
  const resilient = rows.find(({ recipe }) => recipe.method === "resilient");
  return plot({
    title: titleOf("Mean price of the three requirements", rows[0], resilient),
    x: { categories },
    y: { label: "price λ", scale: "log" },
    series: [
      ...sides.map((method, colour) => ({
        kind: "bars" as const,
        name: method,
        colour,
        values: categories.map((variant) => {
          const row = of(method, variant);
          return row && mean(transformations.map((t) => row.requirements[t]!.price));
        }),
      })),
      ...beside(paper),
    ],
  });
}
