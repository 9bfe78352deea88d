// Results of runs: test accuracy, losses, relaxations and prices, and the report of each.
import type { NdArray } from "@pliant/engine";
import { mean } from "../statistics.js";
import { costOf, inTwoCycle, type Recipe, type Transformation, transformations } from "./recipe.js";

export interface RequirementResult {
  readonly level: number;
  /** The loss under the transformation at the end, over the training images. */
  readonly reached: number;
  readonly relaxation: number;
  /** The last two values of u where it is in a two-cycle: `relaxation` is then their mean. */
  readonly twoCycle?: readonly [number, number];
  readonly price: number;
}

/** The relaxation that is recorded of the last two steps' u. */
export function relaxationOf(
  recipe: Recipe,
  before: number,
  u: number,
): Pick<RequirementResult, "relaxation" | "twoCycle"> {
  const middle = (before + u) / 2;
  return inTwoCycle(recipe, middle) ? { relaxation: middle, twoCycle: [before, u] } : { relaxation: u };
}

export interface SeedResult {
  readonly seed: number;
  /** Percent of the test images. */
  readonly accuracy: number;
  /** The mean loss over the training images. */
  readonly objective: number;
  readonly requirements: Partial<Record<Transformation, RequirementResult>>;
  /** The ranges that Augerino learned for its six transformations, in the order of learn's `augerinoGenerators`. */
  readonly widths?: readonly number[];
  /** Seconds of training over all sittings, and how many runs trained together. */
  readonly seconds: number;
  readonly together: number;
}

/** An array [steps, runs, …] of records as one list of numbers, and run i's mean of entry j of `width`. */
const meanOver = ({ data, shape }: NdArray, i: number, j: number, width: number): number => {
  const [steps, runs] = shape;
  let total = 0;
  for (let t = 0; t < steps; t++) total += data[(t * runs + i) * width + j];
  return total / steps;
};

export interface EpochRecord {
  /** [steps, runs] */
  readonly objective: NdArray;
  /** For each kind, over the epoch's steps [steps, G, 3] and at its end [G, 3]. */
  readonly requirements: readonly NdArray[];
  readonly relaxations: readonly NdArray[];
  readonly lastRelaxations: readonly NdArray[];
  readonly prices: readonly NdArray[];
}

/** Run i of an epoch, in the form of every run's metrics: means over the steps. */
export function epochOf(
  recipe: Recipe,
  { objective, requirements, relaxations, lastRelaxations, prices }: EpochRecord,
  i: number,
): { objective: number; requirements: Record<string, object> } {
  const width = transformations.length;
  const places = requirements[0]?.shape[1] ?? 1;
  const [m, g] = [Math.floor(i / places), i % places];
  return {
    objective: meanOver(objective, i, 0, 1),
    requirements:
      requirements.length === 0
        ? {}
        : Object.fromEntries(
            transformations.map((name, t) => [
              name,
              requirementOf(recipe, {
                reached: meanOver(requirements[m], g, t, width),
                ...relaxationOf(
                  recipe,
                  lastRelaxations[m].data[g * width + t],
                  relaxations[m].data[g * width + t],
                ),
                price: prices[m].data[g * width + t],
              }),
            ]),
          ),
  };
}

const requirementOf = (
  recipe: Recipe,
  { reached, relaxation, price }: Pick<RequirementResult, "reached" | "relaxation" | "price">,
): object => ({
  sense: "at most",
  level: recipe.level,
  reached,
  relaxation,
  price,
  cost: costOf(recipe, recipe.alpha).name,
});

/** report.json: the seeds' results, and their means in the form of every run's report. */
export function reportOf(recipe: Recipe, results: readonly SeedResult[], steps: number): object {
  const of = (pick: (r: RequirementResult) => number, t: Transformation): number =>
    mean(results.map(({ requirements }) => pick(requirements[t]!)));
  const names = Object.keys(results[0].requirements) as Transformation[];
  return {
    kind: "invariance",
    objective: mean(results.map((r) => r.objective)),
    accuracy: mean(results.map((r) => r.accuracy)),
    requirements: Object.fromEntries(
      names.map((t) => [
        t,
        requirementOf(recipe, {
          reached: of((r) => r.reached, t),
          relaxation: of((r) => r.relaxation, t),
          price: of((r) => r.price, t),
        }),
      ]),
    ),
    steps,
    seconds: mean(results.map((r) => r.seconds)),
    seeds: results,
  };
}
