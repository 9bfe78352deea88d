// The compiled functions of stacks of one form: an epoch of training, and what is counted and measured of the models.
import {
  type Backend,
  compile,
  loop,
  NdArray,
  random,
  readAll,
  type Stored,
  type Tensor,
} from "@pliant/engine";
import { chosen, type Images, type Slice } from "./copies.js";
import type { Learned } from "./learned.js";
import { forRuns, losses, predict } from "./losses.js";
import type { Pool } from "./prepared.js";
import { type Recipe, transformations } from "./recipe.js";
import type { Stack } from "./stacks.js";
import { type TrainingData, type TrainingState, training } from "./training.js";

/** The result of an epoch: the state, and the losses of each step. */
export interface EpochDone {
  readonly state: TrainingState<Stored>;
  readonly record: { readonly objective: Stored; readonly requirements: readonly Stored[] };
}

type Count = (params: unknown, images: unknown, slice: Slice<NdArray>) => Promise<Stored>;
type Evaluate = (
  params: unknown,
  images: unknown,
  slice: Slice<NdArray>,
) => Promise<{ objective: Stored; requirements: Stored[] }>;

export interface Programs {
  epoch(state: TrainingState<Stored>, data: TrainingData<Stored>, slices: Slice<NdArray>): Promise<EpochDone>;
  /** How many of the rows each model classifies rightly. */
  readonly count: Count;
  /** The losses of the rows. */
  readonly evaluate: Evaluate;
}

export function programs(
  { recipe, kinds }: Pick<Stack, "recipe" | "kinds">,
  perEpoch: number,
  backend: Backend,
): Programs {
  const { step } = training(recipe, perEpoch, kinds);
  return {
    epoch: loop(step as never, { backend }) as never,
    count: compile(
      (params: Learned<Tensor>, images: Images, slice: Slice) => {
        const batch = chosen(images, slice);
        const right = predict(recipe, params, batch).argmax(-1);
        return right.eq(forRuns(batch.labels, right.shape[0])).cast("float32").sum({ axis: -1 });
      },
      { backend },
    ) as never,
    evaluate: compile(
      (params: Learned<Tensor>, images: Images, slice: Slice) => {
        const { objective, requirements } = losses(recipe, params, chosen(images, slice));
        return { objective, requirements: requirements ? [requirements] : [] };
      },
      { backend },
    ) as never,
  };
}

/** The same `size` images of every place's variant, from the `first` on. */
function rowsAt(pool: Pool, { places }: Pick<Stack, "places">, first: number, size: number): NdArray {
  const rows = new Int32Array(places.length * size);
  for (const [g, { variant }] of places.entries())
    for (let i = 0; i < size; i++) rows[g * size + i] = pool.from(variant) + first + i;
  return new NdArray(rows, [places.length, size]);
}

/** Test accuracy of each run of a stack, in percent; over equal parts of the test images. */
export async function accuracies(
  { count }: Programs,
  stack: Stack,
  pool: Pool,
  params: Learned<Stored>,
): Promise<number[]> {
  const parts = Math.ceil(pool.count / 2000);
  const size = Math.floor(pool.count / parts);
  const right = stack.runs.map(() => 0);
  for (let part = 0; part < parts; part++) {
    const keys = random.packed(stack.places.map(({ seed }) => random.foldIn(random.key(seed), part)));
    const counted = await count(params, pool.all, { rows: rowsAt(pool, stack, part * size, size), keys });
    for (const [i, n] of (await counted.read()).data.entries()) right[i] += n;
  }
  return right.map((n) => (100 * n) / (parts * size));
}

/** Losses of each run over the training images, with transformations of their own. */
export async function finalLosses(
  { evaluate }: Programs,
  stack: Stack,
  pool: Pool,
  params: Learned<Stored>,
  { batch, keyAt }: { batch: number; keyAt: (place: number, i: number) => random.Key },
): Promise<{ objective: number; requirements: number[] }[]> {
  const batches = Math.floor(pool.count / batch);
  const sums = stack.runs.map(() => ({ objective: 0, requirements: transformations.map(() => 0) }));
  for (let i = 0; i < batches; i++) {
    const found = (await readAll(
      await evaluate(params, pool.all, {
        rows: rowsAt(pool, stack, i * batch, batch),
        keys: random.packed(stack.places.map((_, g) => keyAt(g, i))),
      }),
    )) as { objective: NdArray; requirements: NdArray[] };
    for (const [run, total] of sums.entries()) {
      total.objective += found.objective.data[run] / batches;
      for (const t of transformations.keys())
        total.requirements[t] +=
          (found.requirements[0]?.data[run * transformations.length + t] ?? 0) / batches;
    }
  }
  return sums;
}

/** α and ε of a stack's runs, [G, 1] for each kind. */
export function termsOf({ kinds, runs, places }: Pick<Stack, "kinds" | "runs" | "places">): {
  alphas: NdArray[];
  levels: NdArray[];
} {
  const of = (pick: (recipe: Recipe) => number): NdArray[] =>
    kinds.map((_, m) => {
      const own = runs.slice(m * places.length, (m + 1) * places.length);
      return new NdArray(
        Float32Array.from(own, ({ recipe }) => pick(recipe)),
        [places.length, 1],
      );
    });
  return { alphas: of(({ alpha }) => alpha), levels: of(({ level }) => level) };
}
