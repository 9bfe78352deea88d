// The paper's federated numbers: its tables, and what can be read off its figures. Each belongs to a request, and stands beside a
// run only where the run is of that request: the same data, clients, model, method, α, ε, cost and rates, in a preset that the
// paper could mean, over as many rounds as its text says (500) or its code does (5000).

import type { CostName, Preset } from "../choices.js";
import type { Spread } from "../statistics.js";
import { type Method, type Recipe, type Request, recipe } from "./recipe.js";

/** The quantity of a published number. */
export type Subject = Omit<Request, "preset" | "rounds">;
type Cell<Value> = readonly [subject: Subject, value: Value];
type Run = { readonly recipe: Recipe };

const reportedRounds: readonly number[] = [500, 5000];
const reportedPresets: readonly Preset[] = ["official", "stated"];

/** Whether the paper's number for this subject may stand beside the run. */
export function isOf({ recipe: run }: Run, subject: Subject): boolean {
  const { preset, rounds, precision } = run;
  if (!reportedPresets.includes(preset) || !reportedRounds.includes(rounds)) return false;
  return (
    JSON.stringify(sorted(recipe({ ...subject, preset, rounds, precision }))) === JSON.stringify(sorted(run))
  );
}

/** In the order of the names, as a run that was read from a file may not be. */
const sorted = ({ local, ...rest }: Recipe): unknown =>
  [rest, local].map((part) => Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const find = <Value>(cells: readonly Cell<Value>[], run: Run): Value | undefined =>
  cells.find(([subject]) => isOf(run, subject))?.[1];

type Three = readonly [number, number, number];
const asSpread = ([mean, iqr, range]: Three): Spread => ({ mean, iqr, range });
const fashion = { dataset: "fashion-mnist" } as const;
const cifar = { dataset: "cifar-10" } as const;

// Mean, interquartile range and range of the client test accuracies, in percent.
// biome-ignore format: a table
export const spreads: readonly Cell<Three>[] = [
  [{ ...fashion, ratio: 0.1, method: "ratio-loss" }, [92.5, 2.2, 64.1]],
  [{ ...fashion, ratio: 0.1, method: "constrained" }, [92.6, 3.5, 28.6]],
  [{ ...fashion, ratio: 0.1, method: "resilient" }, [93.4, 2.4, 50.6]],
  [{ ...fashion, ratio: 0.05, method: "ratio-loss" }, [94.0, 2.2, 50.2]],
  [{ ...fashion, ratio: 0.05, method: "constrained" }, [93.8, 2.7, 28.6]],
  [{ ...fashion, ratio: 0.05, method: "resilient" }, [94.4, 1.7, 45.8]],
  [{ ...cifar, ratio: 0.1, method: "ratio-loss" }, [81.3, 8.1, 49.4]],
  [{ ...cifar, ratio: 0.1, method: "constrained" }, [81.5, 8.7, 35.8]],
  [{ ...cifar, ratio: 0.1, method: "resilient" }, [81.5, 8.7, 46.4]],
  [{ ...cifar, ratio: 0.05, method: "ratio-loss" }, [83.4, 8.6, 44.5]],
  [{ ...cifar, ratio: 0.05, method: "constrained" }, [82.4, 8.4, 32.0]],
  [{ ...cifar, ratio: 0.05, method: "resilient" }, [82.6, 7.9, 41.1]],
];

export function publishedSpread(run: Run): Spread | undefined {
  const cell = find(spreads, run);
  return cell && asSpread(cell);
}

const norm = (cost: CostName): Subject => ({ ...fashion, ratio: 0.1, method: "resilient", cost });
/** The cost-norm table. */
export const costNorms: readonly Cell<Three>[] = [
  [norm("linear"), [93.3, 2.5, 49.5]],
  [norm("quadratic"), [93.4, 2.4, 50.6]],
  [norm("power4"), [93.4, 2.6, 45.6]],
  [norm("maximum"), [92.7, 3.8, 28.1]],
];

export function publishedCostNorm(run: Run): Spread | undefined {
  const cell = find(costNorms, run);
  return cell && asSpread(cell);
}

export interface PublishedRanks {
  /** Share of places at which resilient is at least as good as constrained. */
  readonly atLeast: number;
  readonly maxGain: number;
  readonly maxLoss: number;
}

export const rankCells: readonly Cell<Three>[] = [
  [{ ...cifar, ratio: 0.1, method: "resilient" }, [77, 1.5, 10.0]],
  [{ ...cifar, ratio: 0.05, method: "resilient" }, [79, 2.1, 9.1]],
  [{ ...fashion, ratio: 0.1, method: "resilient" }, [92, 4.8, 23.3]],
  [{ ...fashion, ratio: 0.05, method: "resilient" }, [94, 2.6, 19.4]],
];

/** A resilient run compared with the constrained one on the same data. */
export function publishedRanks(resilient: Run, constrained: Run): PublishedRanks | undefined {
  const cell = rankCells.find(
    ([subject]) => isOf(resilient, subject) && isOf(constrained, { ...subject, method: "constrained" }),
  )?.[1];
  return cell && { atLeast: cell[0], maxGain: cell[1], maxLoss: cell[2] };
}

const rated = (relaxationRate: number, dualRate: number): Subject => ({
  ...cifar,
  method: "resilient",
  relaxationRate,
  dualRate,
});
/** Mean accuracy by relaxation rate and dual rate; CIFAR-10, although the caption says otherwise. */
export const rateCells: readonly Cell<number>[] = (
  [
    [0.1, [81.4, 81.6, 81.8, 81.8]],
    [0.5, [81.4, 80.9, 81.4, 81.1]],
    [1, [81.6, 81.6, 81.6, 81.7]],
  ] as const
).flatMap(([relaxationRate, row]) =>
  row.map((accuracy, i): Cell<number> => [rated(relaxationRate, [0.1, 0.5, 1, 2][i]), accuracy]),
);

export const publishedRates = (run: Run): number | undefined => find(rateCells, run);

/** A point of the α figures, read off its image. */
export interface PublishedAlpha {
  readonly meanTrainLoss: number;
  readonly worstExcess: number;
  readonly relaxationRms: number;
}

const level = 0.02;
const withAlpha = (alpha: number): Subject => ({ ...cifar, level, alpha, method: "resilient" });
/** Mean training loss, largest minus mean, and RMS of u. The step of the α = 1000 run was unstable. */
export const alphaCells: readonly Cell<Three>[] = [
  [withAlpha(2), [0.317, 0.987, 0.1745]],
  [withAlpha(4), [0.3155, 0.756, 0.135]],
  [withAlpha(10), [0.327, 0.502, 0.086]],
  [withAlpha(20), [0.334, 0.259, 0.054]],
  [withAlpha(40), [0.346, 0.207, 0.032]],
  [withAlpha(100), [0.3535, 0.151, 0.0137]],
  [withAlpha(1000), [0.364, 0.132, 0.0069]],
  [{ ...cifar, level, method: "constrained" }, [0.365, 0.115, 0]],
];

export function publishedAlpha(run: Run): PublishedAlpha | undefined {
  const cell = find(alphaCells, run);
  return cell && { meanTrainLoss: cell[0], worstExcess: cell[1], relaxationRms: cell[2] };
}

/** The largest price, generalisation gap and test violation of a client in a CIFAR-10 run, read off the images. */
export interface PublishedLargest {
  readonly price?: number;
  readonly gap?: number;
  readonly violation?: number;
}

const atLevel = (level: number, method: Method): Subject => ({ ...cifar, level, method, alpha: 2 });
const atRatio = (ratio: number, method: Method): Subject => ({ ...cifar, level, ratio, method, alpha: 1 });
/** Along ε with α = 2, and along ρ with α = 1. */
export const largestCells: readonly Cell<PublishedLargest>[] = [
  [atLevel(0.002, "constrained"), { price: 7.6, gap: 0.89, violation: 0.96 }],
  [atLevel(0.002, "resilient"), { price: 1.74, gap: 0.592, violation: 0.53 }],
  [atLevel(0.02, "constrained"), { price: 7.3, gap: 0.801, violation: 0.88 }],
  [atLevel(0.02, "resilient"), { price: 1.83, gap: 0.506, violation: 0.52 }],
  [atLevel(0.2, "constrained"), { price: 6.0, gap: 0.766, violation: 0.73 }],
  [atLevel(0.2, "resilient"), { price: 1.56, gap: 0.602, violation: 0.56 }],
  [atRatio(0.05, "constrained"), { price: 5.45, violation: 0.91 }],
  [atRatio(0.05, "resilient"), { price: 1.1, violation: 0.49 }],
  [atRatio(0.1, "resilient"), { violation: 0.57 }],
  [atRatio(0.2, "constrained"), { price: 4.33, violation: 0.74 }],
  [atRatio(0.2, "resilient"), { price: 0.62, violation: 0.81 }],
  [atRatio(0.3, "constrained"), { price: 4.11, violation: 0.64 }],
  [atRatio(0.3, "resilient"), { price: 0.41, violation: 0.63 }],
];

export const publishedLargest = (run: Run): PublishedLargest => find(largestCells, run) ?? {};
