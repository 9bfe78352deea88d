// The results as rows of a table: a method on a variant, over its seeds, beside the paper's number.
import { deviation, mean } from "../statistics.js";
import { published } from "./paper.js";
import type { Recipe, Transformation } from "./recipe.js";
import type { SeedResult } from "./results.js";

export interface Row {
  readonly dataset: string;
  readonly variant: Recipe["variant"];
  readonly method: Recipe["method"];
  readonly model: string;
  readonly preset: string;
  readonly epochs: number;
  readonly subset?: number;
  readonly seeds: readonly number[];
  /** Percent of the test images; `paper` is the paper's mean where it has one. */
  readonly accuracy: { readonly mean: number; readonly std: number; readonly paper?: number };
  readonly requirements: Partial<
    Record<Transformation, { level: number; relaxation: number; price: number }>
  >;
}

export function rowOf(recipe: Recipe, results: readonly SeedResult[]): Row {
  const accuracies = results.map(({ accuracy }) => accuracy);
  const paper = published(recipe.dataset, recipe.method, recipe.variant)?.mean;
  const names = Object.keys(results[0].requirements) as Transformation[];
  return {
    dataset: recipe.dataset,
    variant: recipe.variant,
    method: recipe.method,
    model: recipe.model,
    preset: recipe.preset,
    epochs: recipe.epochs,
    ...(recipe.subset !== undefined && { subset: recipe.subset }),
    seeds: results.map(({ seed }) => seed),
    accuracy: { mean: mean(accuracies), std: deviation(accuracies), ...(paper !== undefined && { paper }) },
    requirements: Object.fromEntries(
      names.map((name) => {
        const of = (what: "relaxation" | "price"): number =>
          mean(results.map(({ requirements }) => requirements[name]![what]));
        return [name, { level: recipe.level, relaxation: of("relaxation"), price: of("price") }];
      }),
    ),
  };
}
