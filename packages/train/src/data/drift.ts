// Whether new rows are like those a model learnt from, column by column: by the population stability index
// Σ (q − p) log(q / p) over bins, which are the tenths of the training rows or the categories, with missing cells a bin of their own.
import { categoryColumn, columnOf, type Encoding, numberColumn, type Table, withParts } from "@pliant/data";

/** The distribution of a column in training: the share of its rows in each bin. */
export type Input =
  | { readonly kind: "number"; readonly edges: readonly number[]; readonly shares: readonly number[] }
  | { readonly kind: "category"; readonly shares: Readonly<Record<string, number>> };

/** By column, with how many rows they were measured on. */
export interface Inputs {
  readonly rows: number;
  readonly columns: Readonly<Record<string, Input>>;
  /** What is predicted. */
  readonly target?: Input;
  /** Columns of groups, whether requirements go by them or not. */
  readonly groups?: Readonly<Record<string, Input>>;
}

/**
 * How far a column of new rows is from that of the training rows, by the population stability index Σ (q − p) log(q/p) over
 * bins.
 */
export interface Drift {
  readonly column: string;
  readonly index: number;
  /** What it would be about by chance alone: (bins − 1)(1/n + 1/m). */
  readonly chance: number;
  /** Above 0.1 and well above chance. */
  readonly drifted: boolean;
  /** The bin that moved most. */
  readonly most: { readonly bin: string; readonly was: number; readonly is: number };
}

const tenths = 10;
const noticeable = 0.1;
/** Multiples of what chance gives. */
const beyondChance = 3;

const shareOf = (counts: readonly number[], rows: number): number[] => counts.map((count) => count / rows);

export function inputsOf(
  given: Table,
  { columns, parts = {} }: Encoding,
  target: string,
  groups: readonly string[],
): Inputs {
  const table = withParts(given, parts);
  const of = (names: readonly string[]): Record<string, Input> =>
    Object.fromEntries(names.map((name) => [name, inputOf(table, name)]));
  return {
    rows: table.rows,
    columns: of(columns.map(({ name }) => name)),
    target: inputOf(table, target),
    groups: of(groups),
  };
}

function inputOf(table: Table, name: string): Input {
  const column = columnOf(table, name);
  if (column.kind === "number") {
    const sorted = column.values.filter((value) => !Number.isNaN(value)).sort();
    const at = (k: number): number => sorted[Math.floor((k * sorted.length) / tenths)];
    const edges = [...new Set(Array.from({ length: tenths - 1 }, (_, k) => at(k + 1)))].filter(
      (edge) => edge !== undefined,
    );
    return { kind: "number", edges, shares: shareOf(inBins(column.values, edges), table.rows) };
  }
  const counts = new Int32Array(column.categories.length + 1);
  for (const code of column.codes) counts[code < 0 ? column.categories.length : code]++;
  const names = [...column.categories, missingBin];
  const shares = names.flatMap((text, i) => (counts[i] > 0 ? [[text, counts[i] / table.rows]] : []));
  return { kind: "category", shares: Object.fromEntries(shares) };
}

/** Stands for cells without a value. */
export const missingBin = "(missing)";
/** Computed on the training rows. */
export const missingShare = (input: Input): number =>
  input.kind === "number" ? input.shares[input.shares.length - 1] : (input.shares[missingBin] ?? 0);

const newBin = "(new)";

/** How many values lie below each edge and above the one before, above all, and how many are missing. */
function inBins(values: Float64Array, edges: readonly number[]): number[] {
  const counts = new Array<number>(edges.length + 2).fill(0);
  for (const value of values) {
    if (Number.isNaN(value)) {
      counts[edges.length + 1]++;
      continue;
    }
    let bin = 0;
    while (bin < edges.length && value >= edges[bin]) bin++;
    counts[bin]++;
  }
  return counts;
}

/** One per column, the largest shift first. */
export function driftOf(given: Table, { rows, columns }: Inputs, encoding: Encoding): Drift[] {
  const table = withParts(given, encoding.parts ?? {});
  return Object.entries(columns)
    .map(([name, input]) => driftIn(table, name, input, rows))
    .sort((a, b) => b.index - a.index);
}

/** How far a column is from what it was in so many training rows. */
export function driftIn(table: Table, name: string, input: Input, rows: number): Drift {
  const bins = input.kind === "number" ? numberBins(table, name, input) : categoryBins(table, name, input);
  return driftBetween(name, bins, rows, table.rows);
}

/** How far the mix of groups is from what it was, where so many training rows were of each. */
export function driftOfGroups(
  column: string,
  cells: readonly (string | null)[],
  counts: Readonly<Record<string, number>>,
): Drift {
  const rows = Object.values(counts).reduce((a, b) => a + b, 0);
  const shares = Object.fromEntries(Object.entries(counts).map(([value, count]) => [value, count / rows]));
  return driftBetween(column, textBins(cells, shares), rows, cells.length);
}

function driftBetween(column: string, bins: readonly Bin[], rows: number, now: number): Drift {
  const some = bins.filter(({ was, is }) => was > 0 || is > 0);
  // A bin that one side lacks counts as half a row there.
  const index = some.reduce((sum, { was, is }) => {
    const [p, q] = [Math.max(was, 0.5 / rows), Math.max(is, 0.5 / now)];
    return sum + (q - p) * Math.log(q / p);
  }, 0);
  const chance = (some.length - 1) * (1 / rows + 1 / now);
  const most = some.reduce((a, b) => (Math.abs(b.is - b.was) > Math.abs(a.is - a.was) ? b : a));
  return {
    column,
    index,
    chance,
    drifted: index > noticeable && index > beyondChance * chance,
    most,
  };
}

type Bin = Drift["most"];

function numberBins(
  table: Table,
  name: string,
  { edges, shares }: Extract<Input, { kind: "number" }>,
): Bin[] {
  const now = shareOf(inBins(numberColumn(table, name).values, edges), table.rows);
  const edge = (i: number): string => String(Number(edges[i].toPrecision(4)));
  const words = (i: number): string => {
    if (i === edges.length + 1) return missingBin;
    if (edges.length === 0) return "known";
    if (i === 0) return `below ${edge(0)}`;
    return i === edges.length ? `${edge(i - 1)} and above` : `${edge(i - 1)} to ${edge(i)}`;
  };
  return shares.map((was, i) => ({ bin: words(i), was, is: now[i] }));
}

function categoryBins(table: Table, name: string, { shares }: Extract<Input, { kind: "category" }>): Bin[] {
  const { codes, categories } = categoryColumn(table, name);
  return textBins(
    Array.from(codes, (code) => (code < 0 ? null : categories[code])),
    shares,
  );
}

function textBins(cells: readonly (string | null)[], shares: Readonly<Record<string, number>>): Bin[] {
  const counts = new Map<string, number>();
  for (const cell of cells) {
    const bin = cell === null ? missingBin : Object.hasOwn(shares, cell) ? cell : newBin;
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  const bins = new Set([...Object.keys(shares), ...counts.keys()]);
  return [...bins].map((bin) => ({
    bin,
    was: Object.hasOwn(shares, bin) ? shares[bin] : 0,
    is: (counts.get(bin) ?? 0) / cells.length,
  }));
}
