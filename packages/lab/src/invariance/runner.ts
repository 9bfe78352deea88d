// Trains runs in their folders, those that share a program together where the device likes it. What is random comes from the seed
// and the number of the step, so a run that ends at any moment goes on to the same numbers, alone or beside others.
import type { Backend } from "@pliant/engine";
import { begunRun, interrupt, type RunFolder } from "@pliant/learn/runs";
import { type RunnerOptions, sameAs } from "../runner-options.js";
import { folderOf, type Run } from "./names.js";
import { type Prepared, prepare } from "./prepared.js";
import { type Programs, programs } from "./programs.js";
import type { Recipe } from "./recipe.js";
import type { SeedResult } from "./results.js";
import { type Stack, stacksOf } from "./stacks.js";
import { type Asked, type SavedState, trainStack } from "./train-stack.js";

export interface InvarianceOptions extends RunnerOptions {
  /** Where the dataset files lie. */
  readonly data?: string;
  /** Milliseconds from one checkpoint to the next, at least. */
  readonly checkpointEvery?: number;
  /** How many copies of a batch a step may evaluate models on; runs share a program up to that. */
  readonly copies?: number;
}

/** A GPU trains several models in the time of one, until the images of a step fill it; a CPU is filled by one. */
const capacity = (backend: Backend): number => (backend.name === "xla" ? 100 : 1);

/** A run with its folder, where it was begun before. */
export interface BegunRun extends Run {
  readonly path: string;
  readonly begun?: RunFolder<Asked, SavedState>;
}

const command = "reproduce invariance";

/** Every recipe with every seed: those that were begun with their folders. */
function runsOf(
  recipes: readonly Recipe[],
  seeds: readonly number[],
  options: InvarianceOptions,
): BegunRun[] {
  return recipes.flatMap((recipe) =>
    seeds.map((seed) => {
      const path = folderOf(options.out, { recipe, seed }, options.backend);
      const wanted: Partial<Asked> = { command, recipe, seeds: [seed] };
      const begun = options.resume
        ? begunRun<Asked, SavedState>(path, sameAs<Asked>(path, wanted))
        : undefined;
      return { recipe, seed, path, begun };
    }),
  );
}

const resultOf = ({ begun }: BegunRun): SeedResult | undefined =>
  (begun?.report as { seeds: SeedResult[] } | undefined)?.seeds[0];

export interface Result {
  readonly recipe: Recipe;
  readonly seeds: SeedResult[];
}

/** Of every recipe the seeds whose runs are finished, and no recipe without any. */
export function finishedInvariance(
  recipes: readonly Recipe[],
  seeds: readonly number[],
  options: InvarianceOptions,
): Result[] {
  return recipes.flatMap((recipe) => {
    const found = runsOf([recipe], seeds, { ...options, resume: true }).flatMap((run) => resultOf(run) ?? []);
    return found.length > 0 ? [{ recipe, seeds: found }] : [];
  });
}

/** Trains every recipe with every seed; results in the order of the recipes. */
export async function runInvariance(
  recipes: readonly Recipe[],
  seeds: readonly number[],
  options: InvarianceOptions,
): Promise<Result[]> {
  const { backend, until } = options;
  const runs = runsOf(recipes, seeds, options);
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
  return recipes.map((recipe) => ({
    recipe,
    seeds: seeds.map((seed) => results.get(folderOf(options.out, { recipe, seed }, backend))!),
  }));
}

/** The images of a stack: where stacks hold several variants all that are needed at once, else one variant at a time. */
function imagesFor(
  runs: readonly Run[],
  several: boolean,
  { backend, data }: InvarianceOptions,
): (stack: Stack) => Promise<Prepared> {
  let known: { key: string; prepared: Promise<Prepared> } | undefined;
  return ({ recipe: { dataset, subset }, places }) => {
    const alike = runs.filter(({ recipe }) => recipe.dataset === dataset && recipe.subset === subset);
    const needed = several ? alike.map(({ recipe }) => recipe.variant) : places.map(({ variant }) => variant);
    const wanted = { dataset, ...(subset !== undefined && { subset }), variants: [...new Set(needed)] };
    const key = JSON.stringify(wanted);
    if (known?.key !== key) known = { key, prepared: prepare(wanted, backend, data) };
    return known.prepared;
  };
}
