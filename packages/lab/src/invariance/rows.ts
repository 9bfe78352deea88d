// Results as rows of a table: a method on a variant over its seeds, beside the paper's number for the same run.
import { deviation, mean } from "../statistics.js";
import {
  type Published,
  publishedAccuracy,
  publishedCostNorm,
  publishedMeanPrice,
  publishedRelaxations,
} from "./paper.js";
import type { Recipe, Transformation } from "./recipe.js";
import type { SeedResult } from "./results.js";

export interface RequirementRow {
  readonly level: number;
  readonly reached: number;
  readonly relaxation: number;
  readonly price: number;
  /** One value per seed. */
  readonly relaxations: readonly number[];
  readonly prices: readonly number[];
  /** The relaxation in the paper's figure. */
  readonly paper?: number;
}

export interface Row {
  readonly recipe: Recipe;
  readonly seeds: readonly number[];
  /** Percent of the test images, over the seeds. */
  readonly accuracy: {
    readonly mean: number;
    readonly std: number;
    readonly each: readonly number[];
    /** In the paper's tables of accuracies, and in its table of cost norms. */
    readonly paper?: Published;
    readonly costNorm?: Published;
  };
  readonly requirements: Partial<Record<Transformation, RequirementRow>>;
  /** The mean price in the paper's figure. */
  readonly paperPrice?: number;
  /** Seconds of training per run, and how many runs trained together. */
  readonly seconds: number;
  readonly together: number;
}

export function rowOf(recipe: Recipe, results: readonly SeedResult[]): Row {
  const accuracies = results.map(({ accuracy }) => accuracy);
  const names = Object.keys(results[0].requirements) as Transformation[];
  const bars = publishedRelaxations(recipe);
  return {
    recipe,
    seeds: results.map(({ seed }) => seed),
    accuracy: {
      mean: mean(accuracies),
      std: deviation(accuracies),
      each: accuracies,
      ...defined({ paper: publishedAccuracy(recipe), costNorm: publishedCostNorm(recipe) }),
    },
    requirements: Object.fromEntries(
      names.map((name) => {
        const of = (what: "reached" | "relaxation" | "price"): number[] =>
          results.map(({ requirements }) => requirements[name]![what]);
        const [relaxations, prices] = [of("relaxation"), of("price")];
        const row: RequirementRow = {
          level: recipe.level,
          reached: mean(of("reached")),
          relaxation: mean(relaxations),
          price: mean(prices),
          relaxations,
          prices,
          ...defined({ paper: bars?.[name] }),
        };
        return [name, row];
      }),
    ),
    ...defined({ paperPrice: publishedMeanPrice(recipe) }),
    seconds: mean(results.map(({ seconds }) => seconds)),
    together: Math.max(...results.map(({ together }) => together)),
  };
}

const defined = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
