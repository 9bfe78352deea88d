// The paper's two invariance figures: how far each transformation's requirement gave way on each variant, and the mean price
// of the three, resilient against constrained.

import { plot } from "../plot.js";
import { mean } from "../statistics.js";
import { publishedRelaxations } from "./paper.js";
import { type DatasetName, transformations, type Variant, variants } from "./recipe.js";
import type { Row } from "./rows.js";

export interface Figure {
  readonly name: string;
  readonly svg: string;
}

export function figures(rows: readonly Row[]): Figure[] {
  const required = rows.filter(({ requirements }) => Object.keys(requirements).length > 0);
  const groups = [...new Set(required.map(({ dataset, model }) => `${dataset}-${model}`))];
  return groups.flatMap((group) => {
    const own = required.filter(({ dataset, model }) => `${dataset}-${model}` === group);
    const resilient = own.filter(({ method }) => method === "resilient");
    return [
      ...(resilient.length > 0 ? [{ name: `relaxations-${group}`, svg: relaxations(resilient) }] : []),
      { name: `prices-${group}`, svg: prices(own) },
    ];
  });
}

const shown = (rows: readonly Row[]): Variant[] =>
  variants.filter((variant) => rows.some((row) => row.variant === variant));

function relaxations(rows: readonly Row[]): string {
  const categories = shown(rows);
  const paper = publishedRelaxations[rows[0].dataset as DatasetName];
  const of = (variant: Variant): Row => rows.find((row) => row.variant === variant)!;
  return plot({
    title: `Relaxation by transformation, ${rows[0].dataset} (${rows[0].model})`,
    x: { categories },
    y: { label: "relaxation u" },
    series: [
      ...transformations.map((t, colour) => ({
        kind: "bars" as const,
        name: t,
        colour,
        values: categories.map((variant) => of(variant).requirements[t]?.relaxation),
      })),
      ...(paper
        ? transformations.map((_, i) => ({
            kind: "points" as const,
            ...(i === 0 && { name: "paper" }),
            hollow: true,
            colour: 5,
            // Over the middle of its bar among the three of a group.
            points: categories.map((variant, at) => [at + (i - 1) * 0.26, paper[variant][i]] as const),
          }))
        : []),
    ],
  });
}

function prices(rows: readonly Row[]): string {
  const categories = shown(rows);
  return plot({
    title: `Mean price of the three requirements, ${rows[0].dataset} (${rows[0].model})`,
    x: { categories },
    y: { label: "price λ", scale: "log" },
    series: (["resilient", "constrained"] as const).map((method, colour) => ({
      kind: "bars" as const,
      name: method,
      colour,
      values: categories.map((variant) => {
        const row = rows.find((r) => r.method === method && r.variant === variant);
        return row && mean(transformations.map((t) => row.requirements[t]!.price));
      }),
    })),
  });
}
