// The invariance items: the accuracy tables, the cost norms, and the figure of relaxations and prices at its own α and ε.
import { type Dataset, strokes } from "@pliant/data";
import type { Device } from "@pliant/engine/device";
import { costNames } from "../choices.js";
import { figures } from "../invariance/figures.js";
import { folderOf } from "../invariance/names.js";
import { costNormVariants, publishedAccuracy, publishedCostNorm } from "../invariance/paper.js";
import { type Method, networkOf, type Recipe, type Request, recipe, variants } from "../invariance/recipe.js";
import type { SeedResult } from "../invariance/results.js";
import type { Row } from "../invariance/rows.js";
import { rowOf } from "../invariance/rows.js";
import { trainRuns } from "../invariance/run.js";
import { costNormTables, labelOf, tables } from "../invariance/tables.js";
import type { Table } from "../table.js";
import {
  accuracyComparisons,
  claimsOf,
  costNormComparisons,
  figureComparisons,
  reasonsOf,
  type Setting,
} from "./invariance-shown.js";
import type { Comparison, Family, Finished, Item, PlannedRun } from "./item.js";
import { stages } from "./stages.js";

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

/** Measured on an H200 in a stack of runs, and on two cores alone. */
const secondsPerCopy = { cuda: { mlp: 2, lenet: 11.5 }, cpu: { mlp: 3300, lenet: 7800 } };

/** Seconds of 1000 epochs over 60,000 images. */
function secondsOf({ method, model, samples, epochs, subset = 60_000 }: Recipe, device: Device): number {
  const required = method === "constrained" || method === "resilient";
  const copies = required ? 7 : method === "augerino" ? 1.5 * samples : 1;
  const secondsPerRun = secondsPerCopy[device === "cuda" ? "cuda" : "cpu"][model];
  return 2 + secondsPerRun * copies * (epochs / 1000) * (subset / 60_000);
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

/** Planned runs that differ in their seed alone, together with the reports of those that are finished. */
function settingsOf(needed: readonly PlannedRun[], finished: readonly Finished[]): Setting[] {
  const settings = new Map<string, Setting>();
  for (const run of needed) {
    const { recipe } = run as InvarianceRun;
    const key = JSON.stringify(recipe);
    const results = finished
      .filter((row) => row.run.folder === run.folder)
      .flatMap(({ report }) => seedsOf(report));
    settings.set(key, { recipe, results: [...(settings.get(key)?.results ?? []), ...results] });
  }
  return [...settings.values()];
}

interface TableItem {
  readonly name: string;
  readonly label: string;
  readonly summary: string;
  readonly recipe: string;
  readonly aside?: boolean;
  readonly stage: number;
  readonly seeds?: readonly number[];
  readonly requests: readonly Omit<Request, "preset">[];
  readonly comparisons: (setting: Setting) => Comparison[];
  readonly tables?: (rows: readonly Row[]) => readonly Table[];
}

const itemOf = (asked: TableItem): Item => ({
  name: asked.name,
  labels: [asked.label],
  summary: asked.summary,
  recipe: asked.recipe,
  ...(asked.aside && { aside: true }),
  runs: (size) =>
    asked.requests
      .filter(({ variant }) => size === "paper" || smallVariants.includes(variant))
      .flatMap((request) =>
        (size === "small" ? [1] : (asked.seeds ?? [1, 2, 3])).map((seed) =>
          planned({ ...request, preset: "official", ...(size === "small" && small) }, seed, asked.stage),
        ),
      ),
  show: (finished, needed) => {
    const settings = settingsOf(needed, finished);
    const done = settings.filter(({ results }) => results.length > 0);
    const rows = done.map(({ recipe, results }) => rowOf(recipe, results));
    return {
      tables: (asked.tables ?? tables)(rows),
      figures: figures(rows),
      comparisons: settings.flatMap(asked.comparisons),
      claims: claimsOf(done),
      reasons: reasonsOf(done),
    };
  },
  command: `pliant reproduce all --item ${asked.name}`,
});

const tabulated: readonly Method[] = ["augerino", "unconstrained", "constrained", "resilient"];
type Tabulated = "mnist" | "fashion-mnist";

const tableLabels = {
  mnist: "table:acc:synthetic-invariance-constraint",
  "fashion-mnist": "table:acc:FMNIST",
} as const;

/** The table with each method's own network, or all of it with the network that the paper's numbers are not of. */
const table = (dataset: Tabulated, other?: "mlp" | "lenet"): TableItem => ({
  name: `invariance-${dataset}${other ? `-${other}` : ""}`,
  label: tableLabels[dataset],
  summary: `test accuracies of four methods on five sets of ${dataset}, ${other ?? networksOf(dataset)}`,
  recipe: `published settings, ${other ?? networksOf(dataset)}`,
  aside: other !== undefined,
  stage: other ? stages.otherNetwork : stages.accuracies,
  requests: variants.flatMap((variant) =>
    tabulated.map((method) => ({ dataset, variant, method, model: other ?? networkOf({ dataset, method }) })),
  ),
  comparisons: accuracyComparisons(tableLabels[dataset], publishedAccuracy),
});

const networksOf = (dataset: Tabulated): string =>
  [...new Set(tabulated.map((method) => networkOf({ dataset, method })))].reverse().join(", Augerino by ");

const figureRequests = (["mnist", "fashion-mnist"] as const).flatMap((dataset) =>
  variants.flatMap((variant) =>
    (["resilient", "constrained"] as const).flatMap((method) => {
      const model = networkOf({ dataset, method });
      // MNIST's bars at the original set may be of either network.
      const both = dataset === "mnist" && variant === "original" ? (["mlp", "lenet"] as const) : [model];
      return both.map((model) => ({
        dataset,
        variant,
        method,
        model,
        level: 0.1,
        ...(method === "resilient" && { alpha: 0.5 }),
      }));
    }),
  ),
);

export const invarianceItems: readonly Item[] = [
  table("mnist"),
  table("fashion-mnist"),
  {
    name: "invariance-cost-norms",
    label: "table:inv:cost-abl",
    summary: "relaxation costs ‖u‖_β for β = 1, 2, 4, ∞ on Fashion-MNIST",
    recipe: "published settings, lenet",
    stage: stages.invarianceCosts,
    requests: costNormVariants.flatMap((variant) =>
      costNames.map((cost) => ({
        dataset: "fashion-mnist" as const,
        variant,
        method: "resilient" as const,
        model: "lenet" as const,
        cost,
      })),
    ),
    comparisons: costNormComparisons("table:inv:cost-abl", publishedCostNorm),
    tables: costNormTables,
  },
  {
    name: "invariance-relaxations",
    label: "fig:invariance",
    summary: "final u and λ of each set at α = 0.5 and ε = 0.1, resilient and constrained",
    recipe: "published settings, α = 0.5",
    stage: stages.relaxations,
    requests: figureRequests,
    comparisons: figureComparisons,
  },
  {
    name: "invariance-augerino-width",
    label: "table:acc:synthetic-invariance-constraint",
    summary: "Augerino on MNIST rotated (180) with widths that start above 0",
    recipe: "published settings, mlp, Augerino's widths from 0.1 and 0.5",
    aside: true,
    stage: stages.augerinoWidth,
    requests: [0.1, 0.5].map((initialWidth) => ({
      dataset: "mnist" as const,
      variant: "rotated-180" as const,
      method: "augerino" as const,
      model: "mlp" as const,
      initialWidth,
    })),
    comparisons: () => [],
  },
  table("mnist", "lenet"),
  table("fashion-mnist", "mlp"),
].map((item) => itemOf(item));
