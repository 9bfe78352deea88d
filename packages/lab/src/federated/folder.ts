// Where the run of a recipe lies: a folder whose name tells it from every other run.
import { join } from "node:path";
import { ratesOf } from "./rates.js";
import { type Recipe, type Request, recipe as recipeOf } from "./recipe.js";

/**
 * The settings that most runs differ in are always named, rates as they are used; any other number of the recipe is named where
 * it is not what its preset has.
 */
export function folderOf(out: string, recipe: Recipe, seed: number): string {
  const { dataset, model, method, preset, clients, rounds, ratio, level, alpha, cost, split } = recipe;
  const { dual, relaxation = "exact" } = ratesOf(recipe);
  const settings = [`clients-${clients}`, `rounds-${rounds}`, `kept-${ratio}`, `level-${level}`, split];
  if (recipe.dualRate !== undefined) settings.push(`dual-${short(dual)}`);
  if (alpha !== undefined) settings.push(`alpha-${alpha}`, String(cost), `relaxation-${short(relaxation)}`);
  return join(
    out,
    [dataset, method, model, preset].join("-"),
    [...settings, ...unusual(recipe)].join("-"),
    `seed-${seed}`,
  );
}

/** Without the last digits of a product of decimals. */
const short = (rate: number | string): string =>
  String(typeof rate === "number" ? Number(rate.toPrecision(12)) : rate);

/** The settings that differ from a request for the named settings alone, by name. */
function unusual(recipe: Recipe): string[] {
  const { dataset, model, method, preset, clients, rounds, ratio, level, alpha, cost, split } = recipe;
  const named: Request = {
    dataset,
    model,
    method,
    preset,
    clients,
    rounds,
    ratio,
    level,
    alpha,
    cost,
    split,
  };
  const [asked, usual] = [numbersOf(recipe), numbersOf(recipeOf(named))];
  return [...new Set([...Object.keys(asked), ...Object.keys(usual)])]
    .filter((name) => asked[name] !== usual[name])
    .map((name) => `${name}-${asked[name] ?? "none"}`);
}

/** Every setting as text, by name. */
function numbersOf({ local, ...rest }: Recipe): Record<string, string> {
  const inside = Object.entries(local).map(([name, value]) => [`local-${name}`, value]);
  return Object.fromEntries(
    [...Object.entries(rest), ...inside]
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, [value].flat().join(".").replaceAll(" ", "-")]),
  );
}
