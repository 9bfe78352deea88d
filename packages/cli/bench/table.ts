// Tables with known structure, the same at every run: features, groups, and answers drawn from probabilities that are known.
import { writeFileSync } from "node:fs";
import { random } from "@pliant/engine";

/** By column; all as long as each other. */
export type Table = Readonly<Record<string, readonly (number | string)[]>>;

export const rowsOf = (table: Table): number => Object.values(table)[0].length;

export function writeCsv(path: string, table: Table): void {
  const names = Object.keys(table);
  const lines = Array.from({ length: rowsOf(table) }, (_, i) => names.map((name) => table[name][i]).join());
  writeFileSync(path, `${[names.join(), ...lines].join("\n")}\n`);
}

/** Rows from one place to before another. */
export const part = (table: Table, from: number, to = rowsOf(table)): Table =>
  Object.fromEntries(Object.entries(table).map(([name, values]) => [name, values.slice(from, to)]));

export interface Drawn {
  readonly seed: number;
  readonly rows: number;
  /** Numeric columns x1, x2, …, independent and normal but for what a group moves. */
  readonly features?: number;
  /** Rows of the groups A, B, … in so many; they come mixed. */
  readonly groups?: readonly number[];
  /**
   * How far the first half of the features lies in the second group from where it lies in the first, along the direction that
   * matters; in the third group twice as far. The other half is alike in all, so that a model can do without the difference.
   */
  readonly shift?: number;
  /** How much more x1 counts in the second group, in the third twice as much: no one model suits all. */
  readonly tilt?: number;
  /** Length of the direction: the larger, the easier to tell apart. */
  readonly signal?: number;
  /** Adds x1·x2 and x3² − 1, which no linear model sees. */
  readonly curved?: boolean;
}

/** What is drawn alike for classes and for numbers: features, groups, and the score that the answer follows. */
function scored({ seed, rows, features = 6, groups = [1], shift = 0, tilt = 0, signal = 2, curved }: Drawn) {
  const [forX, forW, forGroups, forAnswers] = random.split(random.key(seed), 4);
  const direction = Array.from(random.normal(forW, [features]).data, Number);
  const length = Math.hypot(...direction);
  const w = direction.map((v) => v / length);
  const half = w.map((v, j) => (j < features / 2 ? v : 0));
  const away = half.map((v) => v / Math.hypot(...half));
  const x = random.normal(forX, [rows, features]).data;
  const order = random.permutation(forGroups, rows).data;
  const total = groups.reduce((a, b) => a + b);
  const bounds = groups.map((_, g) => (groups.slice(0, g + 1).reduce((a, b) => a + b) / total) * rows);
  const group = Array.from(order, (place) => bounds.findIndex((bound) => Number(place) < bound));
  // Rounded as the file has them, so that a reader of the file sees the same numbers.
  const at = (i: number, j: number): number =>
    Math.round(1e4 * (Number(x[i * features + j]) + shift * group[i] * away[j])) / 1e4;
  const score = (i: number): number => {
    const straight = w.reduce((sum, v, j) => sum + v * at(i, j), 0);
    const bent = curved ? at(i, 0) * at(i, 1) + at(i, 2) ** 2 - 1 : 0;
    return signal * (straight + bent) + tilt * group[i] * at(i, 0);
  };
  const columns = Array.from({ length: features }, (_, j): [string, number[]] => [
    `x${j + 1}`,
    Array.from({ length: rows }, (_, i) => at(i, j)),
  ]);
  return {
    columns: {
      ...Object.fromEntries(columns),
      ...(groups.length > 1 && { group: group.map((g) => letters(g)) }),
    },
    group,
    scores: Array.from({ length: rows }, (_, i) => score(i)),
    forAnswers,
  };
}

/** A … Z, then AA and so on; all of one length where there are many, for a sorted look. */
const letters = (g: number): string =>
  g < 26 ? String.fromCharCode(65 + g) : `${letters(Math.floor(g / 26) - 1)}${letters(g % 26)}`;

const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z));

/** The column y is 1 with the probability sigmoid(score + b), b such that the given share of them is expected to be. */
export function classes({ positives, ...drawn }: Drawn & { positives: number }): Table {
  const { columns, scores, forAnswers } = scored(drawn);
  let [low, high] = [-60, 60];
  for (let k = 0; k < 60; k++) {
    const b = (low + high) / 2;
    const share = scores.reduce((sum, z) => sum + sigmoid(z + b), 0) / scores.length;
    [low, high] = share < positives ? [b, high] : [low, b];
  }
  const draws = random.uniform(forAnswers, [scores.length]).data;
  return { ...columns, y: scores.map((z, i) => Number(draws[i] < sigmoid(z + low))) };
}

/** The column y is the score with normal noise, in the second group `noisier` times as much, in the third twice that. */
export function numbers({
  noise = 1,
  noisier = 1,
  ...drawn
}: Drawn & { noise?: number; noisier?: number }): Table {
  const { columns, scores, group, forAnswers } = scored(drawn);
  const draws = random.normal(forAnswers, [scores.length]).data;
  const spread = (i: number): number => noise * (group[i] === 0 ? 1 : noisier * group[i]);
  return { ...columns, y: scores.map((z, i) => Math.round(1e4 * (z + spread(i) * draws[i])) / 1e4) };
}
