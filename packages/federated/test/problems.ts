// Small federations for tests: linear classifiers and networks on random data, unequal clients included.
import { leaves, NdArray, random, type Tensor } from "@pliant/engine";
import type { Client, FederatedData } from "@pliant/federated";
import type { Model } from "@pliant/learn";

export interface Linear {
  readonly weight: NdArray;
  readonly bias: NdArray;
}

/** Multinomial logistic regression from zero, of one dtype. */
export function logistic(
  inputs: number,
  classes: number,
  dtype: "float32" | "float64" = "float64",
): Model<Linear> {
  const zeros = (...shape: number[]) => {
    const size = shape.reduce((n, d) => n * d, 1);
    return new NdArray(dtype === "float64" ? new Float64Array(size) : new Float32Array(size), shape);
  };
  return {
    name: "logistic",
    init: () => ({ weight: zeros(inputs, classes), bias: zeros(classes) }),
    apply: ({ weight, bias }, x: Tensor) =>
      x.matmul(weight).add(bias.rank === 1 ? bias : bias.reshape([bias.shape[0], 1, classes])),
  };
}

export interface ProblemOptions {
  readonly sizes: readonly number[];
  readonly inputs: number;
  readonly classes: number;
  readonly seed?: number;
  /** How far the clients' distributions lie apart. */
  readonly shift?: number;
  readonly dtype?: "float32" | "float64";
}

/** Each client's classes have centres of their own, around common ones. */
export function heterogeneous({
  sizes,
  inputs,
  classes,
  seed = 0,
  shift = 1,
  dtype = "float64",
}: ProblemOptions): FederatedData {
  const key = random.key(seed);
  const draw = (n: number, shape: number[]) =>
    random.normal(random.foldIn(key, n), shape, { dtype: "float64" }).data;
  const total = sizes.reduce((a, b) => a + b, 0);
  const noise = draw(1, [total, inputs]);
  const common = draw(2, [classes, inputs]);
  const own = draw(3, [sizes.length, classes, inputs]);
  const y = random.randint(random.foldIn(key, 4), [total], 0, classes);
  const x = new Float64Array(total * inputs);
  const clients: Client[] = [];
  let row = 0;
  for (const [c, size] of sizes.entries()) {
    clients.push({ train: Array.from({ length: size }, (_, i) => row + i) });
    for (const end = row + size; row < end; row++) {
      for (let i = 0; i < inputs; i++) {
        const k = y.data[row] * inputs + i;
        x[row * inputs + i] = noise[row * inputs + i] + common[k] + shift * own[c * classes * inputs + k];
      }
    }
  }
  const pool = { x: new NdArray(dtype === "float64" ? x : Float32Array.from(x), [total, inputs]), y };
  return { train: pool, clients };
}

/** Random pictures with a brighter row for each class. */
export function images({
  sizes,
  channels,
  size,
  classes,
}: {
  sizes: readonly number[];
  channels: number;
  size: number;
  classes: number;
}): FederatedData {
  const total = sizes.reduce((a, b) => a + b, 0);
  const x = random.uniform(random.key(11), [total, channels, size, size]);
  const y = random.randint(random.key(12), [total], 0, classes);
  const pixels = channels * size * size;
  for (let row = 0; row < total; row++)
    x.data.fill(1, row * pixels + y.data[row] * size, row * pixels + (y.data[row] + 1) * size);
  let next = 0;
  return { train: { x, y }, clients: sizes.map((n) => ({ train: Array.from({ length: n }, () => next++) })) };
}

/** All numbers of a tree of arrays, in order. */
export const numbersIn = (tree: unknown): number[] =>
  leaves(tree).flatMap(({ leaf }) => (leaf instanceof NdArray ? Array.from(leaf.data) : [leaf as number]));

/** The largest difference between two trees of one form. */
export function distance(a: unknown, b: unknown): number {
  const [left, right] = [numbersIn(a), numbersIn(b)];
  if (left.length !== right.length) return Infinity;
  return left.reduce((most, v, i) => Math.max(most, Math.abs(v - right[i])), 0);
}
