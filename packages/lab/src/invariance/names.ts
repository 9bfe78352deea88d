// The folder of a run names everything that distinguishes it, so that no two runs share one.
import { join } from "node:path";
import type { Backend } from "@pliant/engine";
import type { Recipe } from "./recipe.js";

/** A recipe and a seed. */
export interface Run {
  readonly recipe: Recipe;
  readonly seed: number;
}

export const describe = ({ dataset, variant, method, model, preset }: Recipe): string =>
  [dataset, variant, method, model, preset].join(" ");

/** Settings of the request beyond the names, as far as the method has them. */
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

/** The folder of a run. */
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
