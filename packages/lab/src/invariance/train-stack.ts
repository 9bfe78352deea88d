// The training of one stack, epoch by epoch; every run of it writes its own folder.

import { PliantError } from "@pliant/core";
import { NdArray, random, readAll, type Stored } from "@pliant/engine";
import {
  circumstances,
  duration,
  type Interrupt,
  type RunFolder,
  runChunks,
  startRun,
} from "@pliant/learn/runs";
import { refuseToReplace } from "../runner-options.js";
import { mean } from "../statistics.js";
import type { Slice } from "./copies.js";
import { modelOf } from "./learned.js";
import { describe } from "./names.js";
import { type SeedNumbers, seedNumbers } from "./orders.js";
import type { Prepared } from "./prepared.js";
import { accuracies, type EpochDone, finalLosses, type Programs, termsOf } from "./programs.js";
import { type Recipe, transformations } from "./recipe.js";
import { type EpochRecord, epochOf, relaxationOf, reportOf, type SeedResult } from "./results.js";
import type { BegunRun, InvarianceOptions } from "./run.js";
import { joinStates, splitState } from "./stack-state.js";
import type { Stack } from "./stacks.js";
import { type TrainingState, training } from "./training.js";

export interface InvarianceRecord {
  readonly command: "reproduce invariance";
  readonly name: string;
  readonly recipe: Recipe;
  readonly seeds: readonly number[];
}

export interface SavedState extends TrainingState<NdArray> {
  readonly step: number;
  /** Seconds of training so far. */
  readonly seconds: NdArray;
}

/** The results of a stack's runs, in their order. */
export async function trainStack(
  stack: Stack<BegunRun>,
  data: Prepared,
  programs: Programs,
  interrupted: Interrupt,
  options: InvarianceOptions,
): Promise<SeedResult[]> {
  const { recipe, runs, places, kinds } = stack;
  const {
    backend,
    progress,
    resumeWith = "the same command and --resume",
    checkpointEvery = 30_000,
  } = options;
  const batch = Math.min(recipe.batch, data.train.count);
  const perEpoch = Math.floor(data.train.count / batch);
  const numbers = numbersOf(stack, data.train.count);
  const folders = runs.map((run) => run.begun ?? newFolder(run, options));

  // Runs that started together are at one step, but each has trained for its own time.
  const before = folders.map(({ state }) => state?.seconds.data[0] ?? 0);
  let epoch = (folders[0].state?.step ?? 0) / perEpoch;
  let state: TrainingState<Stored>;
  if (folders.every(({ state }) => state !== undefined)) {
    state = joinStates(
      folders.map(({ state }) => state!),
      kinds.length,
    );
    for (const seed of new Set(numbers)) for (let i = 0; i < epoch; i++) seed.nextOrder();
  } else {
    const initial = training(recipe, perEpoch, kinds).init(
      runs.map((_, i) => numbers[i % places.length].params),
    );
    state = initial;
    saveAll(initial, 0, []);
  }
  const started = { epoch, at: performance.now() };
  const elapsed = (): number => (performance.now() - started.at) / 1000;

  function saveAll(all: TrainingState<NdArray>, step: number, metrics: readonly object[]): void {
    for (const [i, own] of splitState(all, kinds.length).entries()) {
      const seconds = new NdArray(Float64Array.of(before[i] + (step === 0 ? 0 : elapsed())), []);
      folders[i].save({ ...own, seconds, step }, metrics[i]);
    }
  }
  const save = async (reached: TrainingState<Stored>, metrics: readonly object[] = []): Promise<void> =>
    saveAll((await readAll(reached)) as TrainingState<NdArray>, epoch * perEpoch, metrics);

  const terms = termsOf(stack);
  const constants = {
    ...data.train.all,
    alphas: terms.alphas.map((value) => backend.put(value)),
    levels: terms.levels.map((value) => backend.put(value)),
  };
  let saved = performance.now();
  const evaluate = async ({ record: steps, state: reached }: EpochDone): Promise<void> => {
    const { relaxations, lastRelaxations, prices } = reached;
    const record = (await readAll({
      ...steps,
      relaxations,
      lastRelaxations,
      prices,
    })) as unknown as EpochRecord;
    const accuracy = await accuracies(programs, stack, data.test, reached.params);
    const metrics = runs.map((run, i) => ({
      step: epoch * perEpoch,
      time: new Date().toISOString(),
      seconds: before[i] + elapsed(),
      epoch,
      accuracy: [accuracy[i]],
      ...epochOf(run.recipe, record, i),
    }));
    for (const [i, { objective }] of metrics.entries()) refuseNaN(runs[i], epoch, objective);
    if (performance.now() - saved >= checkpointEvery || epoch === recipe.epochs) {
      await save(reached, metrics);
      saved = performance.now();
    } else for (const [i, folder] of folders.entries()) folder.log(metrics[i]);
    const perSecond = (epoch - started.epoch) / elapsed();
    const loss = mean(metrics.map(({ objective }) => objective));
    progress?.show(`${titleOf(stack)}  ${lineOf(recipe, { epoch, loss, accuracy }, perSecond)}`);
  };
  const every = Math.ceil(recipe.epochs / 50);
  state = await runChunks(
    state,
    {
      done: () => epoch >= recipe.epochs,
      next: async (before) => {
        const slices = epochSlices(numbers, stack, data, { epoch, perEpoch, batch });
        const done = await programs.epoch(before, constants, slices);
        epoch++;
        if (epoch % every === 0 || epoch === recipe.epochs) await evaluate(done);
        return done.state;
      },
      stop: async (reached) => {
        await save(reached);
        return `stopped after epoch ${epoch} of ${titleOf(stack)}; continue with ${resumeWith}.`;
      },
    },
    interrupted,
  );

  const accuracy = await accuracies(programs, stack, data.test, state.params);
  const keyAt = (place: number, i: number): random.Key => numbers[place].stepKey(2 ** 40 + i);
  const final = await finalLosses(programs, stack, data.train, state.params, { batch, keyAt });
  const ends = splitState((await readAll(state)) as TrainingState<NdArray>, kinds.length);
  return runs.map((run, i) => {
    const result: SeedResult = {
      seed: run.seed,
      accuracy: accuracy[i],
      objective: final[i].objective,
      requirements: requirementsOf(run.recipe, final[i].requirements, ends[i]),
      ...(ends[i].params.eta && { widths: Array.from(ends[i].params.eta.data) }),
      seconds: before[i] + elapsed(),
      together: runs.length,
    };
    folders[i].finish(reportOf(run.recipe, [result], epoch * perEpoch));
    return result;
  });
}

function newFolder(
  { recipe, seed, path }: BegunRun,
  { backend, again }: InvarianceOptions,
): RunFolder<InvarianceRecord, SavedState> {
  refuseToReplace(path, { again });
  const asked: InvarianceRecord = {
    command: "reproduce invariance",
    name: describe(recipe),
    recipe,
    seeds: [seed],
  };
  return startRun<InvarianceRecord, SavedState>(path, { ...asked, ...circumstances(backend) });
}

/** Each place's numbers; places of one seed share them, and the order of an epoch is drawn once. */
function numbersOf({ recipe, places }: Stack, images: number): SeedNumbers[] {
  const known = new Map<number, SeedNumbers>();
  return places.map(({ seed }) => {
    const own = known.get(seed) ?? seedNumbers(seed, recipe.preset, modelOf(recipe), images);
    known.set(seed, own);
    return own;
  });
}

function requirementsOf(
  recipe: Recipe,
  reached: readonly number[],
  { relaxations: [u], lastRelaxations: [last], prices: [price] }: TrainingState<NdArray>,
): SeedResult["requirements"] {
  if (!u) return {};
  return Object.fromEntries(
    transformations.map((name, t) => [
      name,
      {
        level: recipe.level,
        reached: reached[t],
        ...relaxationOf(recipe, last.data[t], u.data[t]),
        price: price.data[t],
      },
    ]),
  );
}

/** The stack in words, for its progress line. */
function titleOf({ recipe, runs }: Stack): string {
  const distinct = (of: (i: number) => string | number): string =>
    [...new Set(runs.map((_, i) => of(i)))].join(", ");
  return [
    recipe.dataset,
    distinct((i) => runs[i].recipe.variant),
    distinct((i) => runs[i].recipe.method),
    `${recipe.model} ${recipe.preset}`,
    `seed ${distinct((i) => runs[i].seed)}`,
  ].join(" · ");
}

/** The progress of a stack, and the time left at this many epochs a second. */
const lineOf = (
  { epochs }: Recipe,
  { epoch, loss, accuracy }: { epoch: number; loss: number; accuracy: readonly number[] },
  perSecond: number,
): string =>
  [
    `epoch ${epoch}/${epochs}`,
    `loss ${loss.toFixed(4)}`,
    `accuracy ${mean(accuracy).toFixed(2)}`,
    epoch < epochs ? `~${duration((epochs - epoch) / perSecond)} left` : "done",
  ].join("  ");

function refuseNaN({ recipe, seed }: BegunRun, epoch: number, objective: number): void {
  if (Number.isFinite(objective)) return;
  throw new PliantError(
    `${describe(recipe)}, seed ${seed}: in epoch ${epoch} the loss was not a finite number; the last checkpoint is kept. Try the corrected preset or a smaller dual rate.`,
  );
}

/** Batches and keys of an epoch's steps: the seeds' orders, cut for each place's variant. */
function epochSlices(
  numbers: readonly SeedNumbers[],
  { places }: Stack,
  { train }: Prepared,
  { epoch, perEpoch, batch }: { epoch: number; perEpoch: number; batch: number },
): Slice<NdArray> {
  const orders = new Map([...new Set(numbers)].map((seed) => [seed, seed.nextOrder()]));
  const all = new Int32Array(perEpoch * places.length * batch);
  const keys: random.Key[] = [];
  for (let i = 0, at = 0; i < perEpoch; i++)
    for (const [g, { variant }] of places.entries()) {
      const order = orders.get(numbers[g])!;
      const from = train.from(variant);
      for (let j = i * batch; j < (i + 1) * batch; j++) all[at++] = from + order[j];
      keys.push(numbers[g].stepKey(epoch * perEpoch + i));
    }
  return {
    rows: new NdArray(all, [perEpoch, places.length, batch]),
    keys: new NdArray(random.packed(keys).data, [perEpoch, places.length, 2]),
  };
}
