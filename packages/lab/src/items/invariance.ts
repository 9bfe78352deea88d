// The invariance items: the accuracy tables, the cost norms, and the figure of relaxations and prices at its own α and ε.
import { type Dataset, strokes } from "@pliant/data";
import type { Device } from "@pliant/engine/device";
import { costNames } from "../choices.js";
import { figures } from "../invariance/figures.js";
import { folderOf } from "../invariance/names.js";
import { costNormVariants, publishedAccuracy, publishedCostNorm } from "../invariance/paper.js";
import { type Method, networkOf, type Recipe, type Request, recipe, variants } from "../invariance/recipe.js";
import type { SeedResult } from "../invariance/results.js";
import { rowOf } from "../invariance/rows.js";
import { trainRuns } from "../invariance/run.js";
import { labelOf, tables } from "../invariance/tables.js";
import { accuracyBeside, claimsOf, figureComparisons, reasonsOf, type Setting } from "./invariance-shown.js";
import type { Comparison, Family, Finished, Item, PlannedRun } from "./item.js";

interface InvarianceRun extends PlannedRun {
  readonly recipe: Recipe;
  readonly seed: number;
}

const seedsOf = (report: unknown): readonly SeedResult[] => (report as { seeds: SeedResult[] }).seeds;

/** Enough to train on, and soon done; made once. */
let made: Dataset | undefined;
const few = async (): Promise<Dataset> => {
  made ??= strokes({ train: 100, test: 100, seed: 0 });
  return made;
};

export const invarianceFamily: Family = {
  name: "invariance",
  together: "all",
  train: async (runs, options) => {
    const own = runs as readonly InvarianceRun[];
    const builtIn = own.filter(({ recipe }) => recipe.dataset === "strokes");
    await trainRuns(builtIn, { ...options, load: few });
    await trainRuns(
      own.filter((run) => !builtIn.includes(run)),
      options,
    );
  },
  // A run's share of the time that it trained together with others.
  secondsOf: (report) => {
    if (report === undefined) return undefined;
    const [{ seconds, together }] = seedsOf(report);
    return seconds / together;
  },
};

/** Seconds of 1000 epochs over 60,000 images: side by side with others on an H200, alone on two cores. */
function secondsOf({ method, model, samples, epochs, subset = 60_000 }: Recipe, device: Device): number {
  const required = method === "constrained" || method === "resilient";
  const copies = required ? 7 : method === "augerino" ? 1.5 * samples : 1;
  const each = device === "cuda" ? 2 : 3300;
  const smaller = model === "lenet" ? 0.4 : 1;
  return 2 + each * smaller * copies * (epochs / 1000) * (subset / 60_000);
}

function planned(request: Request, seed: number, stage: number): InvarianceRun {
  const made = recipe(request);
  const { dataset, variant, model, preset, level, epochs } = made;
  return {
    recipe: made,
    seed,
    // In the device's own precision.
    folder: folderOf("", { recipe: made, seed }, { name: "onnx" }),
    name: `${dataset}, ${variant}, ${labelOf({ recipe: made })}, ${model}, ${preset}, ε = ${level}, ${epochs} epochs, seed ${seed}`,
    stage,
    seconds: (device) => secondsOf(made, device),
    family: invarianceFamily,
  };
}

/** The same on built-in data: few images, two of the variants, two epochs. */
const small = { dataset: "strokes", epochs: 2, subset: 100 } as const;
const smallVariants: readonly string[] = ["rotated-180", "translated"];

/** Runs that differ in their seed alone, together. */
function bySetting(finished: readonly Finished[]): Setting[] {
  const settings = new Map<string, Setting>();
  for (const { run, report } of finished) {
    const { recipe } = run as InvarianceRun;
    const key = JSON.stringify(recipe);
    settings.set(key, { recipe, results: [...(settings.get(key)?.results ?? []), ...seedsOf(report)] });
  }
  return [...settings.values()];
}

interface Asked {
  readonly name: string;
  readonly place: string;
  readonly summary: string;
  readonly stage: number;
  readonly requests: readonly Omit<Request, "preset">[];
  readonly comparisons: (setting: Setting) => Comparison[];
}

const itemOf = ({ name, place, summary, stage, requests, comparisons }: Asked): Item => ({
  name,
  place,
  summary,
  runs: (size) =>
    requests
      .filter(({ variant }) => size === "paper" || smallVariants.includes(variant))
      .flatMap((request) =>
        (size === "small" ? [1] : [1, 2, 3]).map((seed) =>
          planned({ ...request, preset: "official", ...(size === "small" && small) }, seed, stage),
        ),
      ),
  show: (finished) => {
    const settings = bySetting(finished);
    const rows = settings.map(({ recipe, results }) => rowOf(recipe, results));
    return {
      tables: tables(rows),
      figures: figures(rows),
      comparisons: settings.flatMap(comparisons),
      claims: claimsOf(settings),
      reasons: reasonsOf(settings),
    };
  },
  command: `pliant reproduce all --item ${name}`,
});

const tabulated: readonly Method[] = ["augerino", "unconstrained", "constrained", "resilient"];
type Tabulated = "mnist" | "fashion-mnist";

/** The table with each method's own network, or all of it with one that the paper's numbers are not of. */
const table = (dataset: Tabulated, other?: "mlp" | "lenet"): Asked => ({
  name: `invariance-${dataset}${other ? `-${other}` : ""}`,
  place: `${dataset === "mnist" ? "table" : "appendix, table"} "accuracy under synthetic invariances"`,
  summary: `test accuracies of four methods on five sets of ${dataset}, ${other ?? networksOf(dataset)}`,
  stage: other ? 5 : 1,
  requests: variants.flatMap((variant) =>
    tabulated.map((method) => ({ dataset, variant, method, model: other ?? networkOf({ dataset, method }) })),
  ),
  comparisons: accuracyBeside(publishedAccuracy),
});

const networksOf = (dataset: Tabulated): string =>
  [...new Set(tabulated.map((method) => networkOf({ dataset, method })))].reverse().join(", Augerino's ");

export const invarianceItems: readonly Item[] = [
  table("mnist"),
  table("fashion-mnist"),
  {
    name: "invariance-cost-norms",
    place: 'appendix, table "cost function ablation"',
    summary: "relaxation costs ‖u‖_β for β = 1, 2, 4, ∞ on Fashion-MNIST",
    stage: 1.1,
    requests: costNormVariants.flatMap((variant) =>
      costNames.map((cost) => ({
        dataset: "fashion-mnist" as const,
        variant,
        method: "resilient" as const,
        model: "lenet" as const,
        cost,
      })),
    ),
    comparisons: accuracyBeside(publishedCostNorm),
  },
  {
    name: "invariance-relaxations",
    place: 'figure "invariance": relaxations by transformation and mean dual variables',
    summary: "final u and λ of each set at α = 0.5 and ε = 0.1, resilient and constrained",
    stage: 1.2,
    requests: (["mnist", "fashion-mnist"] as const).flatMap((dataset) =>
      variants.flatMap((variant) =>
        (["resilient", "constrained"] as const).map((method) => ({
          dataset,
          variant,
          method,
          model: networkOf({ dataset, method }),
          level: 0.1,
          ...(method === "resilient" && { alpha: 0.5 }),
        })),
      ),
    ),
    comparisons: figureComparisons,
  },
  table("mnist", "lenet"),
  table("fashion-mnist", "mlp"),
].map((item) => itemOf(item));
