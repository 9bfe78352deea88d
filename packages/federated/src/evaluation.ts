// How good the server's model is, for each client. All clients share the model, so every sample is evaluated once, however
// many clients hold it, and the clients' means are taken from the samples' numbers.
import { type Backend, compile, NdArray, readAll, type Stored, type Tensor } from "@pliant/engine";
import type { Model, Traced } from "@pliant/learn";
import { type Augmentation, augmented } from "./augmentation.js";
import type { Pool } from "./data.js";
import type { TestMeans } from "./state.js";
import { hitsOf, lossesOf, metricsOf, type Task } from "./task.js";

/** Means over each client's samples. */
export interface PerClient {
  readonly loss: number[];
  /** Between 0 and 1; NaN where the model does not choose among classes. */
  readonly accuracy: number[];
  /** Of a metric of one's own, where there is one. */
  readonly metric?: number[];
}

/** Loss, hit (1 or 0) and metric of samples of a pool, by row; rows that were not asked for are NaN. */
export interface PerSample {
  readonly loss: Float64Array;
  readonly hit: Float64Array;
  readonly metric?: Float64Array;
}

/** A pool where the back end reads it fastest. */
export interface StoredPool {
  readonly x: Stored;
  readonly y: Stored;
  readonly samples: number;
}

/** Puts a pool on a back end. */
export const storePool = ({ x, y }: Pool, backend: Backend): StoredPool => ({
  x: backend.put(x),
  y: backend.put(y),
  samples: y.shape[0],
});

/** The model on rows of a pool; with random numbers for every sample of the pool, on augmented samples. */
export type Evaluate = (
  params: unknown,
  pool: StoredPool,
  rows: ArrayLike<number>,
  draws?: NdArray,
) => Promise<PerSample>;

/** Where samples are evaluated, how many at once, and what is measured. */
export interface EvaluatorOptions extends Task {
  readonly backend: Backend;
  /** Samples in one call. */
  readonly chunk: number;
  readonly augmentation?: Augmentation;
}

/** Evaluates samples in calls of one shape. */
export function evaluator<P>(
  model: Model<P>,
  { backend, chunk, augmentation, ...task }: EvaluatorOptions,
): Evaluate {
  const look = compile(
    (params: Traced<P>, x: Tensor, y: Tensor, rows: Tensor, draws: { numbers?: Tensor }) => {
      const seen = augmented(augmentation, x.gather(rows), draws.numbers?.gather(rows));
      const outputs = model.apply(params, seen);
      const targets = y.gather(rows);
      const hit = hitsOf(outputs, targets);
      const metric = metricsOf(task, outputs, targets, rows);
      return {
        loss: lossesOf(task, outputs, targets, rows),
        ...(hit && { hit }),
        ...(metric && { metric }),
      };
    },
    { backend },
  );
  return async (params, { x, y, samples }, rows, numbers) => {
    const draws = numbers ? { numbers: backend.put(numbers) } : {};
    const size = Math.min(chunk, samples);
    const pending = [];
    for (let first = 0; first < rows.length; first += size) {
      // The last call is filled up with the first row of the pool.
      const part = Int32Array.from({ length: size }, (_, i) => rows[first + i] ?? 0);
      pending.push(await look(params as never, x, y, new NdArray(part, [size]), draws as never));
    }
    const found: Record<string, Float64Array> = {};
    for (const name of ["loss", "hit", ...(task.metric ? ["metric"] : [])])
      found[name] = new Float64Array(samples).fill(NaN);
    for (const [k, answer] of pending.entries()) {
      const read = Object.entries(await readAll(answer)) as [string, NdArray][];
      const end = Math.min(size, rows.length - k * size);
      for (const [name, { data }] of read)
        for (let i = 0; i < end; i++) found[name][rows[k * size + i]] = data[i];
    }
    return found as unknown as PerSample;
  };
}

/** Every row once, in ascending order. */
export function union(lists: readonly ArrayLike<number>[], samples: number): Int32Array {
  const wanted = new Uint8Array(samples);
  for (const rows of lists) for (let i = 0; i < rows.length; i++) wanted[rows[i]] = 1;
  const found = new Int32Array(wanted.reduce((n, w) => n + w, 0));
  let next = 0;
  for (let row = 0; row < samples; row++) if (wanted[row]) found[next++] = row;
  return found;
}

/** NaN for a client without samples. */
export function meansOf({ loss, hit, metric }: PerSample, lists: readonly ArrayLike<number>[]): PerClient {
  const mean = (values: Float64Array, rows: ArrayLike<number>): number => {
    let sum = 0;
    for (let i = 0; i < rows.length; i++) sum += values[rows[i]];
    return sum / rows.length;
  };
  return {
    loss: lists.map((rows) => mean(loss, rows)),
    accuracy: lists.map((rows) => mean(hit, rows)),
    ...(metric && { metric: lists.map((rows) => mean(metric, rows)) }),
  };
}

/** For the test pool: the clients' means, and those over everything and over each class. */
export function testMeans(
  found: PerSample,
  lists: readonly ArrayLike<number>[],
  { y }: Pool,
  classes: number,
): TestMeans {
  const everything = Int32Array.from({ length: y.shape[0] }, (_, i) => i);
  const byClass = Array.from({ length: classes }, (): number[] => []);
  for (const i of everything) byClass[y.data[i]]?.push(i);
  const overall = meansOf(found, [everything]);
  return {
    ...meansOf(found, lists),
    overall: {
      loss: overall.loss[0],
      accuracy: overall.accuracy[0],
      ...(overall.metric && { metric: overall.metric[0] }),
      classAccuracy: meansOf(found, byClass).accuracy,
    },
  };
}
