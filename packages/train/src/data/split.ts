// The rows of a table for learning, for validation and for testing. Those that a column names go first, then the last in time;
// shares and folds are of all rows, drawn from the others in an order that the seed gives: of each class and group alike, or whole
// groups at once, so that nobody is on both sides.

import { hint, InputError } from "@pliant/core";
import { categoryColumn, columnOf, numberColumn, type Table, takeRows } from "@pliant/data";
import { random } from "@pliant/engine";
import type { Spec } from "../spec/spec.js";
import type { SpecFile } from "../spec/spec-file.js";

/** A share of the rows, a file of their own, those with a value of a column, or a share drawn in some way. */
export type Kept = NonNullable<Spec["data"]["test"]>;

/** In the order in which shares are drawn. */
export const keptParts = ["test", "validation"] as const;
export type KeptPart = (typeof keptParts)[number];

const purpose: Record<KeptPart, string> = { test: "testing", validation: "validation" };

/** The column that says which rows are kept, or who must not be on both sides, if one does: nothing to learn from. */
export function keptColumn(kept: Kept | undefined): string | undefined {
  if (typeof kept !== "object") return undefined;
  return "column" in kept ? kept.column : "by" in kept ? kept.by : undefined;
}

/** The column in whose order rows are kept, if one says. */
export const orderColumn = (kept: Kept | undefined): string | undefined =>
  typeof kept === "object" && "of" in kept ? kept.of : undefined;

export type Split = { readonly train: Table } & { readonly [Part in KeptPart]?: Table };

interface Draw {
  readonly seed: number;
  /** The columns of which a stratified share has as many of each value as all rows. */
  readonly strata: readonly string[];
  readonly mistake: SpecFile["mistake"];
}

/** The share of all rows that is drawn. */
function shareOf(kept: Kept | undefined): number | undefined {
  if (typeof kept === "number") return kept;
  return typeof kept === "object" && "share" in kept ? kept.share : undefined;
}

export function splitRows(
  table: Table,
  kept: Readonly<Partial<Record<KeptPart, Kept>>>,
  { seed, strata, mistake }: Draw,
): Split {
  const rows: Partial<Record<KeptPart, readonly number[]>> = {};
  let left = Array.from({ length: table.rows }, (_, i) => i);
  const take = (part: KeptPart, own: readonly number[]): void => {
    rows[part] = own;
    const taken = new Set(own);
    left = left.filter((i) => !taken.has(i));
  };
  for (const part of keptParts) {
    const how = kept[part];
    if (typeof how !== "object" || !("column" in how)) continue;
    const { codes, categories } = categoryColumn(table, how.column);
    const wrong = (sentence: string): InputError =>
      mistake(["data", part], `data.${part}: "${how.value}" ${sentence}`);
    if (!categories.includes(how.value))
      throw wrong(`is not a value of "${how.column}"${hint(how.value, categories)}`);
    const code = categories.indexOf(how.value);
    const own = left.filter((i) => codes[i] === code);
    if (own.length === 0) throw wrong(`of "${how.column}": all such rows are kept for testing already.`);
    take(part, own);
  }
  for (const part of keptParts) {
    const how = kept[part];
    if (typeof how === "object" && "of" in how) take(part, lastOf(table, left, part, how));
  }
  const shares = keptParts.flatMap((part) => {
    const share = shareOf(kept[part]);
    return share === undefined ? [] : [{ part, share }];
  });
  const order = random.permutation(random.foldIn(random.key(seed), 11), left.length).data;
  const folded = foldsOf(kept.test);
  // With nothing drawn the rows stay as they are in the file.
  if (shares.length > 0 || folded) left = Array.from(order, (i) => left[i]);
  if (folded) take("test", foldRows(table, left, strata, folded));
  for (const { part, share } of shares) {
    const count = Math.round(table.rows * share);
    if (count < 1) throw tooFew(table, shares);
    const how = kept[part];
    const own =
      typeof how === "object" && "share" in how && "by" in how
        ? wholeGroups(table, left, how.by, count)
        : typeof how === "object"
          ? alike(table, left, strata, count)
          : left.slice(0, count);
    if (own.length >= left.length) throw tooFew(table, shares);
    take(part, own);
  }
  const taken = (list: readonly number[] | undefined) => list && takeRows(table, list);
  if (left.length === 0) throw new InputError(`${table.source}: no row is left to learn from.`);
  return { train: takeRows(table, left), test: taken(rows.test), validation: taken(rows.validation) };
}

/** How rows are parted into folds, if they are. */
export type Folds = Extract<Kept, { folds: number }>;

export const foldsOf = (kept: Kept | undefined): Folds | undefined =>
  typeof kept === "object" && "folds" in kept ? kept : undefined;

/** The rows of one fold; every row is in one of them, and their sizes differ by a row, or by a group, at most. */
function foldRows(
  table: Table,
  left: readonly number[],
  strata: readonly string[],
  { folds, fold = 1, by, stratified }: Folds,
): number[] {
  if (left.length < 2 * folds)
    throw new InputError(`${table.source} has ${left.length} rows, too few for ${folds} folds.`);
  if (by === undefined)
    return (stratified ? strataOf(table, left, strata).flat() : left).filter(
      (_, i) => i % folds === fold - 1,
    );
  const parts = Array.from({ length: folds }, (): number[] => []);
  const largestFirst = groupsOf(table, left, by).sort((a, b) => b.length - a.length);
  for (const group of largestFirst) parts.reduce((a, b) => (b.length < a.length ? b : a)).push(...group);
  if (largestFirst.length < folds)
    throw new InputError(
      `${table.source}: "${by}" has ${largestFirst.length} groups, too few for ${folds} folds.`,
    );
  return parts[fold - 1];
}

/** Rows with the same values of some columns, together. */
function strataOf(table: Table, left: readonly number[], strata: readonly string[]): number[][] {
  const columns = strata.map((name) => categoryColumn(table, name).codes);
  const parts = new Map<string, number[]>();
  for (const i of left) {
    const key = columns.map((codes) => codes[i]).join();
    const part = parts.get(key);
    if (part) part.push(i);
    else parts.set(key, [i]);
  }
  return [...parts.values()];
}

/** A number of rows, in proportion from each stratum; remainders of rounding carry over. */
function alike(table: Table, left: readonly number[], strata: readonly string[], count: number): number[] {
  let due = 0;
  return strataOf(table, left, strata).flatMap((part) => {
    due += (part.length * count) / left.length;
    const own = Math.round(due);
    due -= own;
    return part.slice(0, own);
  });
}

/** Rows of the same group, together; a row without one is a group of its own. */
function groupsOf(table: Table, left: readonly number[], by: string): number[][] {
  const { codes } = categoryColumn(table, by);
  const groups = new Map<number, number[]>();
  for (const i of left) {
    const key = codes[i] < 0 ? -1 - i : codes[i];
    const group = groups.get(key);
    if (group) group.push(i);
    else groups.set(key, [i]);
  }
  return [...groups.values()];
}

/** Whole groups until there are about so many rows. */
function wholeGroups(table: Table, left: readonly number[], by: string, count: number): number[] {
  const own: number[] = [];
  // One that would overshoot by more than it now lacks is left for the others.
  for (const group of groupsOf(table, left, by))
    if (own.length + group.length / 2 <= count) own.push(...group);
  if (own.length === 0)
    throw new InputError(`${table.source}: no whole group of "${by}" is small enough to be kept apart.`);
  return own;
}

/** The share of rows with the largest values; rows of the same value stay together. */
function lastOf(
  table: Table,
  left: readonly number[],
  part: KeptPart,
  { last: share, of: column }: Extract<Kept, { last: number }>,
): number[] {
  if (columnOf(table, column).kind !== "number")
    throw new InputError(
      `${table.source}: the column "${column}" is neither dates nor numbers, and has no order in time.`,
    );
  const { values } = numberColumn(table, column);
  const gap = left.find((i) => Number.isNaN(values[i]));
  if (gap !== undefined)
    throw new InputError(
      `${table.source}, ${table.place(gap)}: "${column}" is missing, so Pliant cannot tell whether the row is among the last.`,
    );
  const sorted = left.map((i) => values[i]).sort((a, b) => b - a);
  const count = Math.round(table.rows * share);
  if (count < 1 || count >= left.length) throw tooFew(table, [{ part, share }]);
  const from = sorted[count - 1];
  const own = left.filter((i) => values[i] >= from);
  if (own.length === left.length)
    throw new InputError(`${table.source}: the rows have one value of "${column}" alone, and none is last.`);
  return own;
}

function tooFew({ source, rows }: Table, shares: readonly { part: KeptPart; share: number }[]): InputError {
  const what = shares.map(({ part, share }) => `a share of ${share} of them for ${purpose[part]}`);
  return new InputError(`${source} has ${rows} rows, too few to keep ${what.join(" and ")}.`);
}
