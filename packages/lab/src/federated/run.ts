// Runs recipes in their folders: round by round, saved as they go, and taken up again where they stopped.

import { type Dataset, loadDataset } from "@pliant/data";
import { NdArray } from "@pliant/engine";
import {
  type Client,
  createSimulation,
  FederationDiverged,
  onHost,
  type RoundMetrics,
  type SimulationState,
  type TestMeans,
} from "@pliant/federated";
import type { Params } from "@pliant/learn";
import {
  begunRun,
  circumstances,
  computingIn,
  duration,
  type Interrupt,
  interrupt,
  type RunFolder,
  runChunks,
  startRun,
} from "@pliant/learn/runs";
import { type RunnerOptions, refuseToReplace, sameAs } from "../runner-options.js";
import { largest, mean } from "../statistics.js";
import { augmentationOf, federation } from "./federation.js";
import { folderOf } from "./folder.js";
import { formulationOf, roundsPerDual, solverOf } from "./formulation.js";
import type { Recipe } from "./recipe.js";
import { type ClientOutcome, type Row, rowOf } from "./row.js";

export interface FederatedOptions extends RunnerOptions {
  /** Default: from the dataset folder. */
  readonly load?: (name: string) => Promise<Dataset>;
}

interface FederatedRecord {
  readonly command: "federated";
  readonly name: string;
  readonly seed: number;
  readonly settings: Recipe;
}

/** The federation, u and λ before its last dual step, and how long it has trained, over all its sittings. */
interface State extends SimulationState<Params> {
  readonly before: { readonly prices: NdArray; readonly relaxations: NdArray };
  readonly seconds: NdArray;
}

/** report.json: a row, with its clients under the name that every report of a federation has. */
interface Report extends Omit<Row, "clients" | "perClient"> {
  readonly kind: "federated";
  /** The mean training loss. */
  readonly objective: number;
  readonly clients: readonly ClientOutcome[];
}

/** Runs every recipe with every seed; rows in the order of the recipes. */
export async function runFederated(
  recipes: readonly Recipe[],
  seeds: readonly number[],
  options: FederatedOptions,
): Promise<Row[]> {
  // One at a time: a dataset is large.
  let loaded: { name: string; dataset: Promise<Dataset> } | undefined;
  const load = (name: string): Promise<Dataset> => {
    if (loaded?.name !== name) loaded = { name, dataset: (options.load ?? loadDataset)(name) };
    return loaded.dataset;
  };
  const interrupted = interrupt(options);
  try {
    const rows: Row[] = [];
    for (const recipe of recipes)
      for (const seed of seeds)
        rows.push(await runOne(recipe, seed, () => load(recipe.dataset), interrupted, options));
    return rows;
  } finally {
    options.progress?.end();
    interrupted.release();
  }
}

const describe = ({ dataset, model, method, preset }: Recipe): string =>
  [dataset, model, method, preset].join(" ");

async function runOne(
  recipe: Recipe,
  seed: number,
  dataset: () => Promise<Dataset>,
  interrupted: Interrupt,
  given: FederatedOptions,
): Promise<Row> {
  const path = folderOf(given.out, recipe, seed);
  const asked = { command: "federated", name: describe(recipe), seed, settings: recipe } as const;
  const begun = given.resume
    ? begunRun<FederatedRecord, State>(
        path,
        sameAs<FederatedRecord>(path, { command: "federated", settings: recipe }),
      )
    : undefined;
  const report = begun?.report as Report | undefined;
  if (report) return rowOf(recipe, { ...report, perClient: report.clients });
  if (!begun) refuseToReplace(path, given);
  const options = { ...given, backend: computingIn(given.backend, recipe.precision) };
  const folder =
    begun ?? startRun<FederatedRecord, State>(path, { ...asked, ...circumstances(options.backend) });
  const row = await train(recipe, seed, await dataset(), folder, interrupted, options);
  const { clients: _, perClient: clients, ...rest } = row;
  folder.finish({ kind: "federated", objective: row.meanTrainLoss, ...rest, clients } satisfies Report);
  return row;
}

async function train(
  recipe: Recipe,
  seed: number,
  dataset: Dataset,
  folder: RunFolder<FederatedRecord, State>,
  interrupted: Interrupt,
  { backend, progress, resumeWith = "the same command and --resume" }: FederatedOptions,
): Promise<Row> {
  const { data, model, params, minorityShares } = federation(dataset, recipe, seed);
  const communicationRounds = roundsPerDual(recipe);
  const rounds = recipe.rounds / communicationRounds;
  const every = Math.ceil(rounds / 200);
  const simulation = createSimulation({
    model,
    data,
    params,
    seed,
    backend,
    communicationRounds,
    formulation: formulationOf(recipe),
    solver: solverOf(recipe),
    participation: recipe.participation,
    augmentation: augmentationOf(recipe),
    local: { ...recipe.local, batch: { stepsPerEpoch: recipe.local.stepsPerEpoch } },
  });
  let state: SimulationState<Params> = folder.state ?? simulation.init();
  let before: State["before"] = folder.state?.before ?? state;
  const begun = { step: state.step, seconds: folder.state?.seconds.data[0] ?? 0, at: performance.now() };
  const seconds = (): number => begun.seconds + (performance.now() - begun.at) / 1000;
  const saved = async (reached: SimulationState<Params>): Promise<State> => ({
    ...(await onHost(reached)),
    before: { prices: before.prices, relaxations: before.relaxations },
    seconds: new NdArray(Float64Array.of(seconds()), []),
  });
  if (!folder.state) folder.save(await saved(state));
  const isDue = ({ step }: SimulationState<Params>): boolean => step % every === 0 || step === rounds;
  const round = async (from: SimulationState<Params>): Promise<SimulationState<Params>> => {
    const { state: reached, metrics } = await simulation.round(from).catch(async (error) => {
      if (error instanceof FederationDiverged)
        folder.save(await saved(error.lastGood as SimulationState<Params>));
      throw error;
    });
    before = from;
    if (!isDue(reached)) return reached;
    const test = await simulation.evaluateTest(reached);
    folder.save(await saved(reached), logged(metrics, test));
    const left = ((seconds() - begun.seconds) / (reached.step - begun.step)) * (rounds - reached.step);
    progress?.show(`${describe(recipe)}, seed ${seed}  ${shown(metrics, test, rounds, left)}`);
    return reached;
  };
  state = await runChunks(
    state,
    {
      done: ({ step }) => step >= rounds,
      next: round,
      stop: async (reached) => {
        if (!isDue(reached)) folder.save(await saved(reached));
        return `stopped after round ${reached.step} of ${describe(recipe)}, seed ${seed}; continue with ${resumeWith}.`;
      },
    },
    interrupted,
  );
  const [train, test] = [await simulation.evaluateTrain(state), await simulation.evaluateTest(state)];
  const duals = recipe.reportedDuals === "before" ? before : state;
  const outcome = ({ train: held }: Client, c: number): ClientOutcome => ({
    relaxation: duals.relaxations.data[c],
    price: duals.prices.data[c],
    minorityShare: minorityShares[c],
    samples: held.length,
    trainLoss: train.loss[c],
    trainAccuracy: 100 * train.accuracy[c],
    testLoss: test?.loss[c] ?? Number.NaN,
    testAccuracy: 100 * (test?.accuracy[c] ?? Number.NaN),
  });
  return rowOf(recipe, {
    seed,
    globalAccuracy: 100 * (test?.overall.accuracy ?? Number.NaN),
    seconds: seconds(),
    perClient: data.clients.map(outcome),
  });
}

/** A line of metrics.jsonl: training losses at the beginning of the round, all else at its end. */
const logged = (
  { round, communicationRounds, meanLoss, train, prices, relaxations }: RoundMetrics,
  test: TestMeans | undefined,
): object => ({
  step: round,
  time: new Date().toISOString(),
  communicationRounds,
  objective: meanLoss,
  clients: {
    trainLoss: train.loss,
    testLoss: test?.loss,
    testAccuracy: test?.accuracy.map((accuracy) => 100 * accuracy),
    relaxation: relaxations,
    price: prices,
  },
});

const shown = (
  { round, meanLoss, relaxations }: RoundMetrics,
  test: TestMeans | undefined,
  rounds: number,
  left: number,
): string =>
  [
    `round ${round}/${rounds}`,
    `loss ${meanLoss.toFixed(4)}`,
    ...(largest(relaxations) > 0 ? [`largest u ${largest(relaxations).toFixed(3)}`] : []),
    ...(test ? [`accuracy ${(100 * mean(test.accuracy)).toFixed(2)}`] : []),
    round < rounds ? `~${duration(left)} left` : "done",
  ].join("  ");
