// The paper's federated numbers: its tables, and what can be read off its figures.

import type { Spread } from "../statistics.js";
import type { CostName, Method } from "./recipe.js";

interface Setting {
  readonly dataset: string;
  readonly ratio: number;
}

const key = ({ dataset, ratio }: Setting): string => `${dataset} ${ratio}`;
const cells = ([mean, iqr, range]: readonly [number, number, number]): Spread => ({ mean, iqr, range });

// Mean, interquartile range and range of the client test accuracies, in percent.
// biome-ignore format: a table
const spreads: Record<string, Partial<Record<Method, readonly [number, number, number]>>> = {
  "fashion-mnist 0.1":  { "ratio-loss": [92.5, 2.2, 64.1], constrained: [92.6, 3.5, 28.6], resilient: [93.4, 2.4, 50.6] },
  "fashion-mnist 0.05": { "ratio-loss": [94.0, 2.2, 50.2], constrained: [93.8, 2.7, 28.6], resilient: [94.4, 1.7, 45.8] },
  "cifar-10 0.1":       { "ratio-loss": [81.3, 8.1, 49.4], constrained: [81.5, 8.7, 35.8], resilient: [81.5, 8.7, 46.4] },
  "cifar-10 0.05":      { "ratio-loss": [83.4, 8.6, 44.5], constrained: [82.4, 8.4, 32.0], resilient: [82.6, 7.9, 41.1] },
};

export function publishedSpread(setting: Setting & { readonly method: string }): Spread | undefined {
  const row = spreads[key(setting)]?.[setting.method as Method];
  return row && cells(row);
}

const costNorms: Record<CostName, readonly [number, number, number]> = {
  linear: [93.3, 2.5, 49.5],
  quadratic: [93.4, 2.4, 50.6],
  power4: [93.4, 2.6, 45.6],
  maximum: [92.7, 3.8, 28.1],
};

/** The cost-norm table, of Fashion-MNIST at a ratio of 0.1. */
export function publishedCostNorm(setting: Setting & { readonly cost?: string }): Spread | undefined {
  const row = key(setting) === "fashion-mnist 0.1" && costNorms[setting.cost as CostName];
  return row ? cells(row) : undefined;
}

export interface PublishedRanks {
  /** Share of places at which resilient is at least as good as constrained. */
  readonly atLeast: number;
  readonly maxGain: number;
  readonly maxLoss: number;
}

const rankTable: Record<string, readonly [number, number, number]> = {
  "cifar-10 0.1": [77, 1.5, 10.0],
  "cifar-10 0.05": [79, 2.1, 9.1],
  "fashion-mnist 0.1": [92, 4.8, 23.3],
  "fashion-mnist 0.05": [94, 2.6, 19.4],
};

export function publishedRanks(setting: Setting): PublishedRanks | undefined {
  const row = rankTable[key(setting)];
  return row && { atLeast: row[0], maxGain: row[1], maxLoss: row[2] };
}

/** Mean accuracy by relaxation rate and dual rate; CIFAR-10, although the caption says otherwise. */
const ratesTable: Record<number, Record<number, number>> = {
  0.1: { 0.1: 81.4, 0.5: 81.6, 1: 81.8, 2: 81.8 },
  0.5: { 0.1: 81.4, 0.5: 80.9, 1: 81.4, 2: 81.1 },
  1: { 0.1: 81.6, 0.5: 81.6, 1: 81.6, 2: 81.7 },
};

export const publishedRates = (relaxationRate: number, dualRate: number): number | undefined =>
  ratesTable[relaxationRate]?.[dualRate];

/** A point of the α figures, read off its image. */
export interface PublishedAlpha {
  readonly meanTrainLoss: number;
  readonly worstExcess: number;
  readonly relaxationRms: number;
}

// CIFAR-10, ratio 0.1, ε = 0.02; α = ∞ is the constrained run. The step of the α = 1000 run was unstable.
// biome-ignore format: a table
const alphas: readonly (readonly [number, number, number, number])[] = [
  [2, 0.317, 0.987, 0.1745], [4, 0.3155, 0.756, 0.135], [10, 0.327, 0.502, 0.086], [20, 0.334, 0.259, 0.054],
  [40, 0.346, 0.207, 0.032], [100, 0.3535, 0.151, 0.0137], [1000, 0.364, 0.132, 0.0069], [Infinity, 0.365, 0.115, 0],
];

export function publishedAlpha(alpha: number): PublishedAlpha | undefined {
  const row = alphas.find(([value]) => value === alpha);
  return row && { meanTrainLoss: row[1], worstExcess: row[2], relaxationRms: row[3] };
}

/** The largest price, and the largest generalisation gap, of a CIFAR-10 run, read off the images. */
interface PublishedLargest {
  readonly price?: number;
  readonly gap?: number;
}

// biome-ignore format: a table
const byLevel: Record<number, Partial<Record<Method, PublishedLargest>>> = {
  0.002: { constrained: { price: 7.6, gap: 0.89 }, resilient: { price: 1.74, gap: 0.592 } },
  0.02:  { constrained: { price: 7.3, gap: 0.801 }, resilient: { price: 1.83, gap: 0.506 } },
  0.2:   { constrained: { price: 6.0, gap: 0.766 }, resilient: { price: 1.56, gap: 0.602 } },
};

// biome-ignore format: a table
const byRatio: Record<number, Partial<Record<Method, PublishedLargest>>> = {
  0.05: { constrained: { price: 5.45 }, resilient: { price: 1.1 } },
  0.2:  { constrained: { price: 4.33 }, resilient: { price: 0.62 } },
  0.3:  { constrained: { price: 4.11 }, resilient: { price: 0.41 } },
};

/** By ε at a ratio of 0.1 (α = 2), or by ratio at ε = 0.02 (α = 1). */
export function publishedLargest({
  dataset,
  ratio,
  level,
  method,
}: Setting & { readonly level: number; readonly method: string }): PublishedLargest {
  if (dataset !== "cifar-10") return {};
  const table = ratio === 0.1 ? byLevel[level] : level === 0.02 ? byRatio[ratio] : undefined;
  return table?.[method as Method] ?? {};
}
