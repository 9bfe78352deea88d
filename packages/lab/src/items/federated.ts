// The federated items: every experiment over the text's 500 rounds in the published code's settings, some of them also in the
// text's settings, with u at its exact minimum, and over the published code's 5000 rounds.
import type { Dataset } from "@pliant/data";
import { strokes } from "@pliant/data";
import type { Device } from "@pliant/engine/device";
import type { Preset } from "../choices.js";
import { reasonsOf, type Setting } from "../federated/comparisons.js";
import { type Experiment, experiments } from "../federated/experiments.js";
import { folderOf } from "../federated/folder.js";
import { type Recipe, type Request, recipe } from "../federated/recipe.js";
import { type Row, rowOf } from "../federated/row.js";
import { runFederated } from "../federated/run.js";
import type { Family, Finished, Item, PlannedRun, Size } from "./item.js";
import { stages } from "./stages.js";

interface FederatedRun extends PlannedRun {
  readonly recipe: Recipe;
  readonly seed: number;
}

/** Enough to train on, and soon done; made once. */
let made: Dataset | undefined;
const few = async (): Promise<Dataset> => {
  made ??= strokes({ train: 200, test: 1000, seed: 0 });
  return made;
};

export const federatedFamily: Family = {
  name: "federated",
  together: "one",
  train: async (runs, options) => {
    for (const { recipe, seed } of runs as readonly FederatedRun[])
      await runFederated([recipe], [seed], {
        ...options,
        ...(recipe.dataset === "strokes" && { load: few }),
      });
  },
  secondsOf: (report) => (report as { seconds?: number } | undefined)?.seconds,
};

/** Seconds of a communication round of 100 clients, as measured on an H200 and counted for two cores. */
const roundSeconds: Record<Recipe["model"], Record<"cuda" | "cpu", number>> = {
  mlp: { cuda: 0.1, cpu: 2 },
  convnet: { cuda: 0.18, cpu: 170 },
};

function secondsOf({ model, dataset, rounds, clients, precision }: Recipe, device: Device): number {
  const kind = device === "cuda" ? "cuda" : "cpu";
  const larger = dataset === "cifar-10" ? 1.45 : dataset === "strokes" ? 0.05 : 1;
  const narrower = kind === "cuda" && precision === "bf16" ? 0.46 : 1;
  return start[kind] + roundSeconds[model][kind] * larger * narrower * rounds * (clients / 100);
}

/** To load, deal and compile. */
const start = { cuda: 20, cpu: 2 };

/** Over 500 rounds Fashion-MNIST before CIFAR-10, and among these the published settings and first seeds first. */
function stageOf(
  { dataset, method, rounds, preset, ratio, level, alpha, cost = "quadratic" }: Recipe,
  seed: number,
  experiment: string,
): number {
  if (rounds > 500) {
    const usual = recipe({ dataset, method, preset, ratio });
    if (level !== usual.level || alpha !== usual.alpha || ![0.1, 0.05].includes(ratio))
      return stages.longSweeps;
    if (method === "ratio-loss" || ratio !== 0.1) return stages.longOthers;
    return dataset === "cifar-10" ? stages.longCifar : stages.longFashion;
  }
  if (experiment === "learning-rates") return stages.rates;
  if (dataset === "cifar-10" && seed > 0) return stages.seeds;
  const later = (preset === "stated" ? 0.01 : 0) + (seed > 0 ? 0.02 : 0) + (cost === "quadratic" ? 0 : 0.04);
  return stages.federated + (dataset === "cifar-10" ? 0.1 : 0) + later;
}

function planned(request: Request, seed: number, experiment: string): FederatedRun {
  const made = recipe(request);
  const { dataset, method, preset, ratio, level, alpha, cost, rounds, precision } = made;
  // Named where they are varied.
  const rates = [
    ...(request.dualRate === undefined ? [] : [`η_λ = ${request.dualRate}`]),
    ...(request.relaxationRate === undefined ? [] : [`η_u = ${request.relaxationRate}`]),
  ];
  return {
    recipe: made,
    seed,
    folder: folderOf("", made, seed),
    name: [
      ...[dataset, method, preset, `ρ = ${ratio}`, `ε = ${level}`],
      ...(alpha === undefined ? [] : [`α = ${alpha}`, cost]),
      ...rates,
      ...(precision === undefined ? [] : [precision]),
      ...[`${rounds} rounds`, `seed ${seed}`],
    ].join(", "),
    stage: stageOf(made, seed, experiment),
    seconds: (device) => secondsOf(made, device),
    family: federatedFamily,
  };
}

/** Long runs compute their matrix products in bf16; in a run done in both precisions the accuracies differ less than between seeds. */
const asRecorded = ({ dataset, cost = "quadratic" }: RecipeRequest): Partial<Request> =>
  dataset === "cifar-10" || cost !== "quadratic" ? { precision: "bf16" } : {};

/** The same on built-in data: two clients, two dual steps, and of each method and cost the two ends of what is varied. */
const small = { dataset: "strokes", model: "mlp", clients: 2, rounds: 10 } as const;
const ends = (requests: readonly RecipeRequest[]): RecipeRequest[] => {
  const alike = (a: RecipeRequest) => (b: RecipeRequest) => a.method === b.method && a.cost === b.cost;
  return requests.filter((request) => {
    const same = requests.filter(alike(request));
    return request === same[0] || request === same.at(-1);
  });
};

interface Variation {
  readonly name: string;
  readonly summary?: string;
  readonly recipe: string;
  readonly aside?: boolean;
  readonly preset: Preset;
  /** Three seeds of the pair that the paper's claims rest on. */
  readonly seeds?: (request: Experiment["requests"][number]) => readonly number[];
  readonly asked?: Partial<Request>;
  readonly only?: (request: Experiment["requests"][number]) => boolean;
}

type RecipeRequest = Experiment["requests"][number];
const isMain = ({ dataset, ratio, method, cost = "quadratic" }: RecipeRequest): boolean =>
  dataset === "fashion-mnist" && ratio === 0.1 && method !== "ratio-loss" && cost === "quadratic";
/** CIFAR-10's pair too, in the tables of accuracies. */
const isMainOf = (experiment: string, request: RecipeRequest): boolean =>
  isMain(request) ||
  (["ranks", "spread"].includes(experiment) && isMain({ ...request, dataset: "fashion-mnist" }));
const mainSeeds = (experiment: string, request: RecipeRequest): number[] =>
  isMainOf(experiment, request) ? [0, 1, 2] : [0];

const rowOfFinished = ({ run, report }: Finished): Row => {
  const { recipe } = run as FederatedRun;
  const { clients, ...rest } = report as Omit<Row, "clients"> & { clients: Row["perClient"] };
  return rowOf(recipe, { ...rest, perClient: clients });
};

/** The settings that an item needs, each with its finished runs. */
function settingsOf(needed: readonly PlannedRun[], finished: readonly Finished[]): Setting[] {
  const settings = new Map<string, Setting>();
  for (const run of needed) {
    const { recipe } = run as FederatedRun;
    const rows = finished.filter((row) => row.run.folder === run.folder).map(rowOfFinished);
    const key = JSON.stringify(recipe);
    settings.set(key, { recipe, rows: [...(settings.get(key)?.rows ?? []), ...rows] });
  }
  return [...settings.values()];
}

function itemOf(experiment: Experiment, variation: Variation): Item {
  const { name, preset, asked = {}, only = () => true } = variation;
  const seeds = variation.seeds ?? ((request: RecipeRequest) => mainSeeds(experiment.name, request));
  const requests = experiment.requests.filter(only);
  return {
    name,
    labels: experiment.labels,
    summary: variation.summary ?? experiment.summary,
    recipe: variation.recipe,
    ...(variation.aside && { aside: true }),
    runs: (size: Size) =>
      (size === "small" ? ends(requests) : requests).flatMap((request) =>
        (size === "small" ? [0] : seeds(request)).map((seed) =>
          planned(
            {
              ...request,
              preset,
              rounds: 500,
              ...asked,
              ...(size === "small" ? small : asRecorded(request)),
            },
            seed,
            experiment.name,
          ),
        ),
      ),
    show: (finished, needed) => {
      const rows = finished.map(rowOfFinished);
      return {
        tables: rows.length > 0 ? experiment.tables(rows) : [],
        figures: rows.length > 0 ? experiment.figures(rows) : [],
        comparisons: experiment.comparisons(settingsOf(needed, finished)),
        claims: experiment.claims(rows),
        reasons: reasonsOf(rows),
      };
    },
    command: `pliant reproduce all --item ${name}`,
  };
}

const called = (name: string): Experiment => experiments.find((experiment) => experiment.name === name)!;

/** One run each, over the published code's rounds. */
const long = (name: string, only?: Variation["only"]): Item =>
  itemOf(called(name), {
    name: `federated-${name}-5000`,
    preset: "official",
    recipe: "published settings, 5000 rounds",
    asked: { rounds: 5000 },
    seeds: () => [0],
    ...(only && { only }),
  });

export const federatedItems: readonly Item[] = [
  ...experiments.map((experiment) =>
    itemOf(experiment, {
      name: `federated-${experiment.name}`,
      preset: "official",
      recipe: "published settings, 500 rounds, dual rates × 10",
    }),
  ),
  ...["ranks", "spread", "cost-norms"].map((name) =>
    itemOf(called(name), {
      name: `federated-${name}-stated`,
      preset: "stated",
      recipe: "the text's settings, 500 rounds",
      aside: true,
      summary: `${called(name).summary}, in the text's settings (Fashion-MNIST)`,
      only: ({ dataset }) => dataset === "fashion-mnist",
    }),
  ),
  itemOf(called("alpha"), {
    name: "federated-alpha-exact",
    preset: "official",
    recipe: "published settings with u at its exact minimum, 500 rounds, dual rates × 10",
    aside: true,
    summary: "the same with u at its exact minimum in every dual step",
    asked: { relaxationRate: "exact" },
  }),
  long("ranks"),
  long("spread"),
  long("alpha"),
  long("levels"),
  long("imbalance"),
];
