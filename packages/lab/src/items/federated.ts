// The federated items: every experiment at the text's 500 rounds as the published code has it, the main pair also as the text
// states it, with u at its exact minimum, and over the published code's 5000 rounds.
import type { Dataset } from "@pliant/data";
import { strokes } from "@pliant/data";
import type { Device } from "@pliant/engine/device";
import type { Preset } from "../choices.js";
import { reasonsOf } from "../federated/comparisons.js";
import { type Experiment, experiments } from "../federated/experiments.js";
import { folderOf } from "../federated/folder.js";
import { type Recipe, type Request, recipe } from "../federated/recipe.js";
import { type Row, rowOf } from "../federated/row.js";
import { runFederated } from "../federated/run.js";
import type { Family, Finished, Item, PlannedRun, Size } from "./item.js";

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

/** Fashion-MNIST before CIFAR-10, long runs and grids of rates last; among these the published settings and first seeds first. */
function stageOf(
  { dataset, rounds, preset, cost = "quadratic" }: Recipe,
  seed: number,
  grid: boolean,
): number {
  if (rounds > 500) return 4;
  if (grid) return 5;
  const later = (preset === "stated" ? 0.1 : 0) + (seed > 0 ? 0.2 : 0) + (cost === "quadratic" ? 0 : 0.4);
  return (dataset === "cifar-10" ? 3 : 2) + later;
}

function planned(request: Request, seed: number, grid: boolean): FederatedRun {
  const made = recipe(request);
  const { dataset, method, preset, ratio, level, alpha, cost, rounds, precision } = made;
  // Where they are what is varied.
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
    stage: stageOf(made, seed, grid),
    seconds: (device) => secondsOf(made, device),
    family: federatedFamily,
  };
}

/** What has the most rounds to go has its products in bf16, of which a whole run shows the accuracies that tf32 gives. */
const asRecorded = ({ dataset, cost = "quadratic" }: Asked): Partial<Request> =>
  dataset === "cifar-10" || cost !== "quadratic" ? { precision: "bf16" } : {};

/** The same on built-in data: two clients, two dual steps, and of each method and cost the two ends of what is varied. */
const small = { dataset: "strokes", model: "mlp", clients: 2, rounds: 10 } as const;
const ends = (requests: readonly Asked[]): Asked[] => {
  const alike = (a: Asked) => (b: Asked) => a.method === b.method && a.cost === b.cost;
  return requests.filter((each) => {
    const same = requests.filter(alike(each));
    return each === same[0] || each === same.at(-1);
  });
};

interface Variation {
  readonly name: string;
  readonly place?: string;
  readonly summary?: string;
  readonly preset: Preset;
  /** Three seeds of the pair that the paper's claims rest on. */
  readonly seeds?: (request: Experiment["requests"][number]) => readonly number[];
  readonly asked?: Partial<Request>;
  readonly only?: (request: Experiment["requests"][number]) => boolean;
}

type Asked = Experiment["requests"][number];
const isMain = ({ dataset, ratio, method, cost = "quadratic" }: Asked): boolean =>
  dataset === "fashion-mnist" && ratio === 0.1 && method !== "ratio-loss" && cost === "quadratic";
const mainSeeds = (request: Asked): number[] => (isMain(request) ? [0, 1, 2] : [0]);

const rowOfFinished = ({ run, report }: Finished): Row => {
  const { recipe } = run as FederatedRun;
  const { clients, ...rest } = report as Omit<Row, "clients"> & { clients: Row["perClient"] };
  return rowOf(recipe, { ...rest, perClient: clients });
};

function itemOf(experiment: Experiment, variation: Variation): Item {
  const { name, preset, seeds = mainSeeds, asked = {}, only = () => true } = variation;
  const requests = experiment.requests.filter(only);
  return {
    name,
    place: variation.place ?? experiment.place,
    summary: variation.summary ?? experiment.summary,
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
            experiment.name === "learning-rates",
          ),
        ),
      ),
    show: (finished) => {
      const rows = finished.map(rowOfFinished);
      return {
        tables: experiment.tables(rows),
        figures: experiment.figures(rows),
        comparisons: experiment.comparisons(rows),
        claims: experiment.claims(rows),
        reasons: [...reasonsOf(rows), ...(experiment.reasons ?? [])],
      };
    },
    command: `pliant reproduce all --item ${name}`,
  };
}

const called = (name: string): Experiment => experiments.find((each) => each.name === name)!;

export const federatedItems: readonly Item[] = [
  ...experiments.map((experiment) =>
    itemOf(experiment, { name: `federated-${experiment.name}`, preset: "official" }),
  ),
  ...["ranks", "spread", "cost-norms"].map((name) =>
    itemOf(called(name), {
      name: `federated-${name}-stated`,
      preset: "stated",
      summary: `${called(name).summary}, as the text states it (Fashion-MNIST)`,
      only: ({ dataset }) => dataset === "fashion-mnist",
    }),
  ),
  itemOf(called("alpha"), {
    name: "federated-alpha-exact",
    preset: "official",
    summary: "the same with u at its exact minimum in every dual step",
    asked: { relaxationRate: "exact" },
  }),
  itemOf(called("ranks"), {
    name: "federated-ranks-5000",
    preset: "official",
    summary: "one pair of each dataset over the published code's 5000 rounds",
    asked: { rounds: 5000 },
    seeds: () => [0],
    only: ({ ratio }) => ratio === 0.1,
  }),
];
