// Trains recipes in run folders, epoch by epoch, the seeds of a recipe side by side where the device likes it. What is
// random comes from the seed and the number of the step, so a run that ends at any moment goes on to the same numbers.
import { join } from "node:path";
import { loop, NdArray, random, readAll, type Stored } from "@pliant/engine";
import {
  begunRun,
  circumstances,
  duration,
  type Interrupt,
  interrupt,
  type RunFolder,
  startRun,
} from "@pliant/learn/runs";
import { PliantError } from "pliant";
import { type RunnerOptions, sameAs } from "../runner-options.js";
import { mean } from "../statistics.js";
import { type SeedNumbers, seedNumbers } from "./orders.js";
import { type Prepared, prepare } from "./prepared.js";
import type { Recipe } from "./recipe.js";
import { type EpochDone, epochMeans, finalResults, reportOf, type SeedResult, tester } from "./results.js";
import { modelOf, type Slice, type TrainingData, type TrainingState, training } from "./training.js";

export interface InvarianceOptions extends RunnerOptions {
  /** Where the dataset files lie. */
  readonly data?: string;
  /** Milliseconds from one checkpoint to the next, at least. */
  readonly checkpointEvery?: number;
}

interface Asked {
  readonly command: "reproduce invariance";
  readonly name: string;
  readonly recipe: Recipe;
  readonly seeds: readonly number[];
}

interface SavedState extends TrainingState<NdArray> {
  readonly step: number;
}

/** Trains every recipe with every seed; results in the order of the recipes. */
export async function runInvariance(
  recipes: readonly Recipe[],
  seeds: readonly number[],
  options: InvarianceOptions,
): Promise<{ recipe: Recipe; seeds: SeedResult[] }[]> {
  const known = new Map<string, Promise<Prepared>>();
  const prepared = (recipe: Recipe): Promise<Prepared> => {
    const key = [recipe.dataset, recipe.variant, recipe.subset].join();
    // One at a time: a dataset is large on the device.
    if (!known.has(key)) known.clear();
    const made = known.get(key) ?? prepare(recipe, options.backend, options.data);
    known.set(key, made);
    return made;
  };
  // A GPU trains several models in the time of one; a CPU is filled by one.
  const stacks = options.backend.name === "xla" ? [seeds] : seeds.map((seed) => [seed]);
  const interrupted = interrupt();
  try {
    const results = [];
    for (const recipe of recipes) {
      const found: SeedResult[] = [];
      for (const stack of stacks)
        found.push(...(await runStack(recipe, stack, () => prepared(recipe), interrupted, options)));
      results.push({ recipe, seeds: found });
    }
    return results;
  } finally {
    options.progress?.end();
    interrupted.release();
  }
}

const describe = ({ dataset, variant, method, model, preset }: Recipe): string =>
  [dataset, variant, method, model, preset].join(" ");

/** Where the runs of a recipe lie. */
export const folderOf = (out: string, recipe: Recipe, seeds: readonly number[]): string =>
  join(
    out,
    [recipe.dataset, recipe.variant].join("-"),
    [recipe.method, recipe.model, recipe.preset].join("-"),
    `seed-${seeds.join("-")}`,
  );

async function runStack(
  recipe: Recipe,
  seeds: readonly number[],
  data: () => Promise<Prepared>,
  interrupted: Interrupt,
  options: InvarianceOptions,
): Promise<SeedResult[]> {
  const path = folderOf(options.out, recipe, seeds);
  const command = "reproduce invariance";
  const asked = (): Asked => ({
    command,
    name: describe(recipe),
    recipe,
    seeds,
    ...circumstances(options.backend),
  });
  const begun = options.resume
    ? begunRun<Asked, SavedState>(path, sameAs<Asked>(path, { command, recipe, seeds }))
    : undefined;
  const finished = begun?.report as { seeds: SeedResult[] } | undefined;
  if (finished) return finished.seeds;
  const folder = begun ?? startRun<Asked, SavedState>(path, asked());
  return train(recipe, seeds, await data(), folder, interrupted, options);
}

async function train(
  recipe: Recipe,
  seeds: readonly number[],
  data: Prepared,
  folder: RunFolder<Asked, SavedState>,
  interrupted: Interrupt,
  {
    backend,
    progress,
    resumeWith = "the same command and --resume",
    checkpointEvery = 15_000,
  }: InvarianceOptions,
): Promise<SeedResult[]> {
  const batch = Math.min(recipe.batch, data.images);
  const perEpoch = Math.floor(data.images / batch);
  const numbers = seeds.map((seed) => seedNumbers(seed, recipe.preset, modelOf(recipe), data.images));
  const { init, step } = training(recipe, perEpoch);
  const run = loop(step as never, { backend }) as unknown as (
    state: TrainingState<Stored>,
    data: TrainingData<Stored>,
    slices: Slice<NdArray>,
  ) => Promise<EpochDone>;

  let state: TrainingState<Stored>;
  let epoch = 0;
  if (folder.state) {
    const { step: done, ...saved } = folder.state;
    state = saved;
    epoch = done / perEpoch;
    for (const seed of numbers) for (let i = 0; i < epoch; i++) seed.nextOrder();
  } else {
    const initial = init(numbers.map(({ params }) => params));
    folder.save({ ...initial, step: 0 });
    state = initial;
  }
  const save = async (metrics?: object): Promise<void> =>
    folder.save({ ...((await readAll(state)) as TrainingState<NdArray>), step: epoch * perEpoch }, metrics);

  const test = tester(recipe, seeds, data, backend);
  const started = { epoch, at: performance.now() };
  let saved = performance.now();
  const every = Math.ceil(recipe.epochs / 50);
  while (epoch < recipe.epochs) {
    const slices = epochSlices(numbers, epoch, { perEpoch, batch });
    const done = await run(state, data.train, slices);
    state = done.state;
    epoch++;
    if (epoch % every !== 0 && epoch !== recipe.epochs) continue;

    const means = await epochMeans(recipe, done);
    refuseNaN(recipe, epoch, means.objective);
    const accuracy = await test(state.params);
    const metrics = { step: epoch * perEpoch, time: new Date().toISOString(), epoch, accuracy, ...means };
    if (performance.now() - saved >= checkpointEvery || epoch === recipe.epochs) {
      await save(metrics);
      saved = performance.now();
    } else folder.log(metrics);
    const perSecond = (epoch - started.epoch) / ((performance.now() - started.at) / 1000);
    progress?.show(`${describe(recipe)}, seed ${seeds.join(", ")}  ${lineOf(recipe, metrics, perSecond)}`);
    await interrupted.check(async () => {
      await save();
      return `stopped after epoch ${epoch} of ${describe(recipe)}; go on with ${resumeWith}.`;
    });
  }
  const results = await finalResults(recipe, seeds, data, state, numbers, batch, backend);
  const accuracy = await test(state.params);
  const reported = results.map((result, i) => ({ ...result, accuracy: accuracy[i] }));
  folder.finish(reportOf(recipe, reported, epoch * perEpoch));
  return reported;
}

/** Where a run stands, and at so many epochs a second, how long it has to go. */
function lineOf(
  { epochs }: Recipe,
  { epoch, objective, accuracy }: { epoch: number; objective: number; accuracy: readonly number[] },
  perSecond: number,
): string {
  return [
    `epoch ${epoch}/${epochs}`,
    `loss ${objective.toFixed(4)}`,
    `accuracy ${mean(accuracy).toFixed(2)}`,
    epoch < epochs ? `~${duration((epochs - epoch) / perSecond)} left` : "done",
  ].join("  ");
}

function refuseNaN(recipe: Recipe, epoch: number, objective: number): void {
  if (Number.isFinite(objective)) return;
  throw new PliantError(
    `${describe(recipe)}: in epoch ${epoch} the loss was not a finite number; the last checkpoint is kept. Try the corrected preset or a smaller dual rate.`,
  );
}

/** What an epoch's steps see: the seeds' orders cut into batches, and their keys. */
function epochSlices(
  numbers: readonly SeedNumbers[],
  epoch: number,
  { perEpoch, batch }: { perEpoch: number; batch: number },
): Slice<NdArray> {
  const orders = numbers.map((seed) => seed.nextOrder());
  const all = new Int32Array(perEpoch * numbers.length * batch);
  const keys: random.Key[] = [];
  for (let i = 0, at = 0; i < perEpoch; i++)
    for (const [s, order] of orders.entries()) {
      all.set(order.subarray(i * batch, (i + 1) * batch), at);
      at += batch;
      keys.push(numbers[s].stepKey(epoch * perEpoch + i));
    }
  return {
    rows: new NdArray(all, [perEpoch, numbers.length, batch]),
    keys: new NdArray(random.packed(keys).data, [perEpoch, numbers.length, 2]),
  };
}
