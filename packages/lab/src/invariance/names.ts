// A run's name: everything that tells it from another, so that no run takes another's folder.
import { join } from "node:path";
import type { Recipe } from "./recipe.js";

/** One training: a recipe and a seed. */
export interface Run {
  readonly recipe: Recipe;
  readonly seed: number;
}

export const describe = ({ dataset, variant, method, model, preset }: Recipe): string =>
  [dataset, variant, method, model, preset].join(" ");

/** What a person can ask for beyond the names, where the method knows of it. */
function settings({ method, level, cost, alpha, epochs, subset, samples }: Recipe): string[] {
  const required = method === "constrained" || method === "resilient";
  return [
    `epochs-${epochs}`,
    ...(subset === undefined ? [] : [`subset-${subset}`]),
    ...(required ? [`level-${level}`] : []),
    ...(method === "resilient" ? [`${cost}-${alpha}`] : []),
    ...(required || method === "augerino" ? [`samples-${samples}`] : []),
  ];
}

/** Where a run lies. Numbers of another precision than the device's own are of another run. */
export const folderOf = (out: string, { recipe, seed }: Run, precision?: string): string =>
  join(
    out,
    [recipe.dataset, recipe.variant].join("-"),
    [
      recipe.method,
      recipe.model,
      recipe.preset,
      ...settings(recipe),
      ...(precision === undefined ? [] : [precision]),
    ].join("-"),
    `seed-${seed}`,
  );
