// A run's name: everything that tells it from another, so that no run takes another's folder.
import { join } from "node:path";
import type { Backend } from "@pliant/engine";
import type { Recipe } from "./recipe.js";

/** One training: a recipe and a seed. */
export interface Run {
  readonly recipe: Recipe;
  readonly seed: number;
}

export const describe = ({ dataset, variant, method, model, preset }: Recipe): string =>
  [dataset, variant, method, model, preset].join(" ");

/** What a person can ask for beyond the names, where the method knows of it. */
function settings({ method, level, cost, alpha, epochs, subset, samples, initialWidth }: Recipe): string[] {
  const required = method === "constrained" || method === "resilient";
  return [
    `epochs-${epochs}`,
    ...(subset === undefined ? [] : [`subset-${subset}`]),
    ...(required ? [`level-${level}`] : []),
    ...(method === "resilient" ? [`${cost}-${alpha}`] : []),
    ...(required || method === "augerino" ? [`samples-${samples}`] : []),
    ...(initialWidth === undefined ? [] : [`width-${initialWidth}`]),
  ];
}

/** Products of another precision than the device's own give other numbers. */
function precisionOf({ name, about }: Pick<Backend, "name" | "about">): string[] {
  const own = name === "xla" ? "tf32" : "float32";
  const precision = about?.precision ?? own;
  return precision === own ? [] : [precision];
}

/** Where a run lies. */
export const folderOf = (
  out: string,
  { recipe, seed }: Run,
  backend: Pick<Backend, "name" | "about">,
): string =>
  join(
    out,
    [recipe.dataset, recipe.variant].join("-"),
    [recipe.method, recipe.model, recipe.preset, ...settings(recipe), ...precisionOf(backend)].join("-"),
    `seed-${seed}`,
  );
