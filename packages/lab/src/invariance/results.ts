// What a run came to: accuracy on the test images, losses, relaxations and prices, for each seed and as the report's means.
import { type Backend, compile, NdArray, random, readAll, type Stored, type Tensor } from "@pliant/engine";
import { mean } from "../statistics.js";
import type { SeedNumbers } from "./orders.js";
import type { Prepared } from "./prepared.js";
import { costOf, type Recipe, type Transformation, transformations } from "./recipe.js";
import {
  chosen,
  type Learnt,
  losses,
  predict,
  type Slice,
  type TrainingData,
  type TrainingState,
} from "./training.js";

export interface RequirementResult {
  readonly level: number;
  /** The loss under the transformation at the end, over the training images. */
  readonly reached: number;
  readonly relaxation: number;
  readonly price: number;
}

export interface SeedResult {
  readonly seed: number;
  /** Percent of the test images. */
  readonly accuracy: number;
  /** The mean loss of the last epoch's batches. */
  readonly objective: number;
  readonly requirements: Partial<Record<Transformation, RequirementResult>>;
}

/** What an epoch's steps leave: the state, and the losses of each step. */
export interface EpochDone {
  readonly state: TrainingState<Stored>;
  readonly record: { readonly objective: Stored; readonly requirements: readonly Stored[] };
}

/** The means over an epoch's steps and a stack's models, in the form of every run's metrics. */
export async function epochMeans(
  recipe: Recipe,
  { state, record }: EpochDone,
): Promise<{ objective: number; requirements: Record<string, object> }> {
  const { objective, requirements, relaxations, prices } = (await readAll({
    ...record,
    relaxations: state.relaxations,
    prices: state.prices,
  })) as unknown as { objective: NdArray } & Record<"requirements" | "relaxations" | "prices", NdArray[]>;
  return {
    objective: mean(Array.from(objective.data)),
    requirements: meanRequirements(recipe, {
      reached: requirements[0],
      relaxations: relaxations[0],
      prices: prices[0],
    }),
  };
}

/** The requirements as the mean of a stack's models. */
function meanRequirements(
  recipe: Recipe,
  { reached, relaxations, prices }: Record<"reached" | "relaxations" | "prices", NdArray | undefined>,
): Record<string, object> {
  if (!reached || !relaxations || !prices) return {};
  const column = ({ data }: NdArray, t: number): number =>
    mean(Array.from(data).filter((_, i) => i % transformations.length === t));
  return Object.fromEntries(
    transformations.map((name, t) => [
      name,
      {
        sense: "at most",
        level: recipe.level,
        reached: column(reached, t),
        relaxation: column(relaxations, t),
        price: column(prices, t),
        cost: costOf(recipe).name,
      },
    ]),
  );
}

/** Test accuracy of each model of a stack, in percent. */
export function tester(
  recipe: Recipe,
  seeds: readonly number[],
  { test, tested }: Prepared,
  backend: Backend,
): (params: Learnt<Stored>) => Promise<number[]> {
  const count = compile(
    (params: Learnt<Tensor>, { images, labels }: TrainingData, keys: Tensor) => {
      const stack = (x: Tensor): Tensor => x.expandDims(0).broadcastTo([seeds.length, ...x.shape]);
      const logits = predict(recipe, params, { images: stack(images), labels: stack(labels), keys });
      return logits.argmax(-1).eq(stack(labels)).cast("float32").sum({ axis: -1 });
    },
    { backend },
  );
  return async (params) => {
    const right = seeds.map(() => 0);
    for (const [i, part] of test.entries()) {
      const keys = random.packed(seeds.map((seed) => random.foldIn(random.key(seed), i)));
      const { data } = await (await count(params as never, part as never, keys)).read();
      for (const s of seeds.keys()) right[s] += data[s];
    }
    return right.map((n) => (100 * n) / tested);
  };
}

/** Losses over the training images at the end, with transformations of their own. */
export async function finalResults(
  recipe: Recipe,
  seeds: readonly number[],
  data: Prepared,
  { params, relaxations, prices }: TrainingState<Stored>,
  numbers: readonly SeedNumbers[],
  batch: number,
  backend: Backend,
): Promise<Omit<SeedResult, "accuracy">[]> {
  const look = compile(
    (learnt: Learnt<Tensor>, all: TrainingData, slice: Slice) => {
      const { objective, requirements } = losses(recipe, learnt, chosen(all, slice));
      return { objective, requirements: requirements ? [requirements] : [] };
    },
    { backend },
  );
  const batches = Math.floor(data.images / batch);
  const objective = new Float64Array(seeds.length);
  const reached = new Float64Array(seeds.length * transformations.length);
  for (let i = 0; i < batches; i++) {
    const part = Int32Array.from({ length: seeds.length * batch }, (_, j) => i * batch + (j % batch));
    const found = await readAll(
      await look(params as never, data.train as never, {
        rows: new NdArray(part, [seeds.length, batch]),
        keys: random.packed(numbers.map(({ stepKey }) => stepKey(2 ** 40 + i))),
      }),
    );
    for (const [s, v] of found.objective.data.entries()) objective[s] += v / batches;
    for (const [j, v] of (found.requirements[0]?.data ?? []).entries()) reached[j] += v / batches;
  }
  const [u, price] = [await readAll(relaxations), await readAll(prices)] as unknown as NdArray[][];
  return seeds.map((seed, s) => ({
    seed,
    objective: objective[s],
    requirements: Object.fromEntries(
      (u.length === 0 ? [] : transformations).map((name, t) => {
        const at = s * transformations.length + t;
        return [
          name,
          { level: recipe.level, reached: reached[at], relaxation: u[0].data[at], price: price[0].data[at] },
        ];
      }),
    ),
  }));
}

/** report.json: the seeds' results, and their means in the form of every run's report. */
export function reportOf(recipe: Recipe, results: readonly SeedResult[], steps: number): object {
  const of = (pick: (r: RequirementResult) => number): NdArray | undefined => {
    if (Object.keys(results[0].requirements).length === 0) return undefined;
    const values = results.flatMap(({ requirements }) => transformations.map((t) => pick(requirements[t]!)));
    return new NdArray(Float64Array.from(values), [results.length, transformations.length]);
  };
  return {
    kind: "invariance",
    objective: mean(results.map((r) => r.objective)),
    accuracy: mean(results.map((r) => r.accuracy)),
    requirements: meanRequirements(recipe, {
      reached: of((r) => r.reached),
      relaxations: of((r) => r.relaxation),
      prices: of((r) => r.price),
    }),
    steps,
    seeds: results,
  };
}
