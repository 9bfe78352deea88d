// What the paper reports: test accuracy in percent, mean and standard deviation over three seeds.
import type { DatasetName, Method, Variant } from "./recipe.js";

export interface Published {
  readonly mean: number;
  readonly std: number;
}

type Row = Readonly<Record<Variant, readonly [number, number]>>;

const row = (...cells: readonly (readonly [number, number])[]): Row => ({
  "rotated-180": cells[0],
  "rotated-90": cells[1],
  translated: cells[2],
  scaled: cells[3],
  original: cells[4],
});

// biome-ignore format: a table
const tables: Partial<Record<DatasetName, Partial<Record<Method, Row>>>> = {
  mnist: {
    augerino: row([97.78, 0.03], [96.38, 0.0], [94.65, 0.01], [97.53, 0.0], [98.44, 0.0]),
    unconstrained: row([94.49, 0.12], [96.25, 0.13], [94.64, 0.2], [97.47, 0.03], [98.45, 0.06]),
    constrained: row([94.55, 0.18], [96.9, 0.07], [93.74, 0.07], [97.92, 0.15], [98.74, 0.08]),
    resilient: row([95.38, 0.18], [97.19, 0.09], [95.21, 0.15], [98.2, 0.04], [98.86, 0.02]),
  },
  "fashion-mnist": {
    augerino: row([85.28, 0.54], [81.48, 0.49], [81.13, 0.77], [83.17, 0.46], [90.09, 0.2]),
    unconstrained: row([77.94, 0.06], [81.57, 0.36], [79.23, 0.17], [82.99, 0.18], [90.2, 0.23]),
    constrained: row([84.96, 0.12], [85.66, 0.32], [83.61, 0.1], [86.49, 0.09], [91.02, 0.02]),
    resilient: row([85.57, 0.26], [86.48, 0.15], [85.06, 0.23], [87.26, 0.14], [91.55, 0.31]),
  },
};

/** The paper's cell, where it has one. */
export function published(dataset: DatasetName, method: Method, variant: Variant): Published | undefined {
  const cell = tables[dataset]?.[method]?.[variant];
  return cell && { mean: cell[0], std: cell[1] };
}

/** Final relaxations of the paper's figure (rotation, translation, scale), read off its bars; α = 0.5, ε = 0.1. */
// biome-ignore format: a table
export const publishedRelaxations: Partial<Record<DatasetName, Record<Variant, readonly [number, number, number]>>> = {
  mnist: {
    original: [0.097, 0.085, 0.133],
    "rotated-180": [0.048, 0.491, 0.529],
    "rotated-90": [0.111, 0.305, 0.36],
    scaled: [0.275, 0.267, 0.222],
    translated: [0.661, 0.297, 0.717],
  },
  "fashion-mnist": {
    original: [0.348, 0.405, 0.299],
    "rotated-180": [0.354, 0.741, 0.688],
    "rotated-90": [0.385, 0.645, 0.596],
    scaled: [0.584, 0.508, 0.479],
    translated: [0.752, 0.649, 0.448],
  },
};
