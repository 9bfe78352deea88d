// Trains runs in their folders, and on a GPU those that share a program together. All randomness comes from the seed and the number of
// the step, so an interrupted run resumes to the same numbers, alone or beside others.
import { type Dataset, loadDataset } from "@pliant/data";
import type { Backend } from "@pliant/engine";
import { begunRun, interrupt, type RunFolder } from "@pliant/learn/runs";
import { type RunnerOptions, sameAs } from "../runner-options.js";
import { folderOf, type Run } from "./names.js";
import { type Prepared, prepare } from "./prepared.js";
import { type Programs, programs } from "./programs.js";
import type { Recipe } from "./recipe.js";
import type { SeedResult } from "./results.js";
import { type Stack, stacksOf } from "./stacks.js";
import { type InvarianceRecord, type SavedState, trainStack } from "./train-stack.js";

export interface InvarianceOptions extends RunnerOptions {
  /** Where the dataset files lie. */
  readonly data?: string;
  /** Loads a dataset by its name, instead of reading files. */
  readonly load?: (name: Recipe["dataset"]) => Promise<Dataset>;
  /** Milliseconds from one checkpoint to the next, at least. */
  readonly checkpointEvery?: number;
  /** The largest number of copies of a batch that a step evaluates; runs share a program up to that. */
  readonly copies?: number;
}

/** A GPU trains several models in the time of one, until the images of a step fill it; a CPU is filled by one. */
const capacity = (backend: Backend): number => (backend.name === "xla" ? 100 : 1);

/** A run with its folder, if it was started before. */
export interface BegunRun extends Run {
  readonly path: string;
  readonly begun?: RunFolder<InvarianceRecord, SavedState>;
}

const resultOf = ({ begun }: BegunRun): SeedResult | undefined =>
  (begun?.report as { seeds: SeedResult[] } | undefined)?.seeds[0];

/** A run with its folder, if it is to be resumed. */
function withFolder({ recipe, seed }: Run, { out, backend, resume }: InvarianceOptions): BegunRun {
  const path = folderOf(out, { recipe, seed }, backend);
  const wanted: Partial<InvarianceRecord> = { command: "reproduce invariance", recipe, seeds: [seed] };
  const begun = resume
    ? begunRun<InvarianceRecord, SavedState>(path, sameAs<InvarianceRecord>(path, wanted))
    : undefined;
  return { recipe, seed, path, begun };
}

export interface Result {
  readonly recipe: Recipe;
  readonly seeds: SeedResult[];
}

/** The finished seeds of every recipe; recipes without any are left out. */
export function finishedInvariance(
  recipes: readonly Recipe[],
  seeds: readonly number[],
  options: InvarianceOptions,
): Result[] {
  return recipes.flatMap((recipe) => {
    const runs = seeds.map((seed) => withFolder({ recipe, seed }, { ...options, resume: true }));
    const found = runs.flatMap((run) => resultOf(run) ?? []);
    return found.length > 0 ? [{ recipe, seeds: found }] : [];
  });
}

/** Trains every recipe with every seed; results in the order of the recipes. */
export async function runInvariance(
  recipes: readonly Recipe[],
  seeds: readonly number[],
  options: InvarianceOptions,
): Promise<Result[]> {
  const runs = recipes.flatMap((recipe) => seeds.map((seed) => ({ recipe, seed })));
  const results = await trainRuns(runs, options);
  return recipes.map((recipe, i) => ({
    recipe,
    seeds: results.slice(i * seeds.length, (i + 1) * seeds.length),
  }));
}

/** Trains runs; results in their order. */
export async function trainRuns(wanted: readonly Run[], options: InvarianceOptions): Promise<SeedResult[]> {
  const { backend, until } = options;
  const runs = wanted.map((run) => withFolder(run, options));
  const results = new Map<string, SeedResult>();
  for (const run of runs) {
    const result = resultOf(run);
    if (result) results.set(run.path, result);
  }
  const copies = options.copies ?? capacity(backend);
  const waiting = runs.filter(({ path }) => !results.has(path));
  const stacks = stacksOf(waiting, { copies, at: ({ begun }) => begun?.state?.step ?? 0 });
  const imagesOf = imagesFor(waiting, copies > 1, options);
  const compiled = new Map<string, Programs>();
  const interrupted = interrupt({ until });
  try {
    for (const stack of stacks) {
      const data = await imagesOf(stack);
      const { recipe, kinds } = stack;
      const perEpoch = Math.floor(data.train.count / Math.min(recipe.batch, data.train.count));
      const key = JSON.stringify([{ ...recipe, variant: "", alpha: 0, level: 0 }, kinds]);
      const program = compiled.get(key) ?? programs(stack, perEpoch, backend);
      compiled.set(key, program);
      const found = await trainStack(stack, data, program, interrupted, options);
      for (const [i, { path }] of stack.runs.entries()) results.set(path, found[i]);
    }
  } finally {
    options.progress?.end();
    interrupted.release();
  }
  return runs.map(({ path }) => results.get(path)!);
}

/** The images of a stack: all variants at once if stacks hold several, else one variant at a time. */
function imagesFor(
  runs: readonly Run[],
  several: boolean,
  { backend, data, load = (name) => loadDataset(name, { folder: data }) }: InvarianceOptions,
): (stack: Stack) => Promise<Prepared> {
  let known: { key: string; prepared: Promise<Prepared> } | undefined;
  return ({ recipe: { dataset, subset }, places }) => {
    const alike = runs.filter(({ recipe }) => recipe.dataset === dataset && recipe.subset === subset);
    const needed = several ? alike.map(({ recipe }) => recipe.variant) : places.map(({ variant }) => variant);
    const wanted = { ...(subset !== undefined && { subset }), variants: [...new Set(needed)] };
    const key = JSON.stringify([dataset, wanted]);
    if (known?.key !== key)
      known = { key, prepared: load(dataset).then((whole) => prepare(whole, wanted, backend)) };
    return known.prepared;
  };
}
