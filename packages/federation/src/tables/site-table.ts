// A site's rows: checked against the spec before anything is sent, then encoded once the scale of the columns is known.
import { InputError } from "@pliant/core";
import {
  type Column,
  type ColumnKind,
  columnOf,
  encode,
  numberColumn,
  type Table,
  takeRows,
} from "@pliant/data/table";
import { NdArray, random } from "@pliant/engine";
import type { Pool } from "@pliant/federated";
import { type DataSpec, isRegression, type Scale } from "../spec/data-spec.js";
import { type FederationSpec, privacyOf } from "../spec/spec.js";
import { encodingOf, numberColumns } from "./encoding.js";
import { hasRowWeights } from "./loss.js";
import { surveyOf } from "./survey.js";

/** Rows as the model takes them, and what is counted of them. */
export interface Rows {
  /** [rows, inputs]. */
  readonly x: NdArray;
  /** Places among the classes, or the number in units of its spread. */
  readonly labels: Int32Array | Float32Array;
  /** With a mean of 1; alike unless given. */
  readonly weights?: Float64Array;
  /** Places among the groups, −1 for none. */
  readonly groups?: Int32Array;
}

/** Rows to learn from, and those held out. */
export interface Parts {
  readonly train: Rows;
  readonly test?: Rows;
}

/** Of a category that fewer rows have, a site tells nothing. */
export const leastRowsByDefault = 10;

/** A site's table, checked. */
export interface SiteTable {
  /** Rows to learn from. */
  readonly rows: number;
  /** What it gives to the survey. */
  survey(): number[];
  encoded(scale?: Scale): Parts;
  /** What its owner should know before it takes part. */
  readonly notes: readonly string[];
}

/** What the columns of a spec are read as; numbers are left to the reader, which knows where a cell is none. */
export const kindsOf = ({ categories = {}, groups, weights }: DataSpec): Record<string, ColumnKind> => ({
  ...Object.fromEntries(Object.keys(categories).map((name): [string, ColumnKind] => [name, "category"])),
  ...(groups && { [groups.column]: "category" as const }),
  ...(weights !== undefined && { [weights]: "number" as const }),
});

/**
 * A table that fits the spec, or a sentence. What fewer than `leastRows` rows have is told of none of them, as in an inspection:
 * of a category that one row has, or a group, sums over sites would tell that row.
 */
export function siteTable(given: Table, spec: FederationSpec, leastRows = 1): SiteTable {
  const { data, seed } = spec;
  if (given.rows === 0) throw new InputError(`${given.source} has no rows.`);
  const { table, notes: rare } = withoutRare(withEmptyNumbers(given, data), data, leastRows);
  const notes = [
    ...rare,
    ...data.features.flatMap((name) =>
      Object.hasOwn(data.categories ?? {}, name)
        ? checkCategories(table, name, data)
        : checkNumbers(table, name, data),
    ),
  ];
  const labels = labelsOf(table, data);
  const weights = data.weights === undefined ? undefined : weightsOf(table, data.weights);
  const groups = data.groups && groupsOf(table, data.groups);
  if (groups && !groups.some((place) => place >= 0))
    notes.push(
      `No row has a "${data.groups!.column}" of ${data.groups!.values.join(", ")}: all are in no group.`,
    );
  const parts = splitOf(table, data.test, seed);
  const training = parts.test ? takeRows(table, parts.train) : table;
  checkRows(training.rows, leastRows, given.source);
  privacyOf(spec, training.rows);
  // Numbers too large to be summed are told now, not in the survey.
  if (data.scale === "agreed") surveyOf(training, data);
  return {
    rows: training.rows,
    notes,
    survey: () => surveyOf(training, data),
    encoded: (scale) => {
      const encoding = encodingOf(data, scale);
      const [centre, spread] = (scale ?? givenScale(data))[data.label] ?? [0, 1];
      const part = (rows: Int32Array): Rows => {
        const { values, shape } = encode(takeRows(table, rows), encoding);
        const own = weights && Float64Array.from(rows, (row) => weights[row]);
        const mean = own && own.reduce((a, b) => a + b, 0) / rows.length;
        return {
          x: new NdArray(values, [...shape]),
          labels: isRegression(data)
            ? Float32Array.from(rows, (row) => (labels[row] - centre) / spread)
            : Int32Array.from(rows, (row) => labels[row]),
          ...(own && { weights: own.map((weight) => weight / (mean || 1)) }),
          ...(groups && { groups: Int32Array.from(rows, (row) => groups[row]) }),
        };
      };
      return { train: part(parts.train), ...(parts.test && { test: part(parts.test) }) };
    },
  };
}

/** A table whose rows are encoded already: numbers as they are. */
export const encodedTable = ({ x, y }: Pool): SiteTable => {
  const rows = y.shape[0];
  const train = { x, labels: y.data as Int32Array };
  return { rows, notes: [], survey: () => [], encoded: () => ({ train }) };
};

/** Rows as training takes them; rows count by their weights, times what prices of groups give them. */
export function poolOf({ x, labels, weights }: Rows, data: DataSpec, factors?: Float64Array): Pool {
  const rows = labels.length;
  if (!hasRowWeights(data)) return { x, y: new NdArray(labels, [rows]) };
  const pairs = new Float32Array(2 * rows);
  for (let i = 0; i < rows; i++) {
    pairs[2 * i] = labels[i];
    pairs[2 * i + 1] = (weights?.[i] ?? 1) * (factors?.[i] ?? 1);
  }
  return { x, y: new NdArray(pairs, [rows, 2]) };
}

/** A column without any cell reads as categories, of which there are none: it is as well one of missing numbers. */
function withEmptyNumbers(table: Table, data: DataSpec): Table {
  const empty = numberColumns(data).filter((name) => {
    const column = columnOf(table, name);
    return column.kind === "category" && column.categories.length === 0;
  });
  const numbers = (): Column => ({
    kind: "number",
    values: new Float64Array(table.rows).fill(NaN),
    missing: table.rows,
  });
  const columns = Object.fromEntries(empty.map((name) => [name, numbers()]));
  return empty.length === 0 ? table : { ...table, columns: { ...table.columns, ...columns } };
}

/** A site learns from no fewer rows than its floor. */
export function checkRows(rows: number, least: number, source: string): void {
  if (rows < least)
    throw new InputError(
      `Training would use ${rows} rows of ${source}, fewer than this site's floor of ${least} (--least-rows): updates would reveal something about these rows.`,
    );
}

/** Listed categories and groups that few rows have count as missing, and as in no group. */
function withoutRare(
  table: Table,
  { categories = {}, missing = [], groups }: DataSpec,
  least: number,
): { readonly table: Table; readonly notes: string[] } {
  const listed: Record<string, readonly string[]> = {
    ...categories,
    ...(groups && { [groups.column]: [...(categories[groups.column] ?? []), ...groups.values] }),
  };
  const notes: string[] = [];
  const columns = { ...table.columns };
  for (const [name, list] of Object.entries(listed)) {
    const column = columnOf(table, name);
    if (column.kind !== "category") continue;
    const counts = new Array<number>(column.categories.length).fill(0);
    for (const code of column.codes) if (code >= 0) counts[code]++;
    const known = new Set(list);
    const rare = counts.map(
      (count, code) => count > 0 && count < least && known.has(column.categories[code]),
    );
    if (!rare.includes(true)) continue;
    const which = column.categories.filter((_, code) => rare[code]).join(", ");
    if (Object.hasOwn(categories, name) && !missing.includes(name))
      throw new InputError(
        `${table.source}: fewer than ${least} rows have a "${name}" of ${which}, and sums would reveal something about them. List "${name}" in data.missing, or lower this site's floor (--least-rows).`,
      );
    columns[name] = { ...column, codes: column.codes.map((code) => (code >= 0 && rare[code] ? -1 : code)) };
    const as = Object.hasOwn(categories, name) ? "they count as missing" : "they count in no group";
    notes.push(`Fewer than ${least} rows have a "${name}" of ${which}: ${as}.`);
  }
  return { table: { ...table, columns }, notes };
}

const givenScale = ({ scale }: DataSpec): Scale => (scale === "agreed" ? {} : (scale ?? {}));

function checkNumbers(table: Table, name: string, { missing = [] }: DataSpec): string[] {
  refuseWord(table, name);
  const { values } = numberColumn(table, name);
  const mayMiss = missing.includes(name);
  const bad = values.findIndex((value) =>
    Number.isNaN(value) ? !mayMiss : !Number.isFinite(Math.fround(value)),
  );
  if (bad < 0) return [];
  const place = `${table.source}, ${table.place(bad)}: column "${name}"`;
  if (Number.isNaN(values[bad]))
    throw new InputError(
      `${place} has a missing cell, and the spec lists no missing cells for it (data.missing).`,
    );
  throw new InputError(`${place} has ${values[bad]}, which is too large.`);
}

/** Categories that the spec does not list count as missing, where cells may be; else they are a mistake. */
function checkCategories(table: Table, name: string, { categories = {}, missing = [] }: DataSpec): string[] {
  const column = columnOf(table, name);
  if (column.kind !== "category")
    throw new InputError(`${table.source}: column "${name}" was read as numbers; the spec has categories.`);
  const known = new Set(categories[name]);
  const listed = column.categories.map((category) => known.has(category));
  const [mayMiss, lists] = [missing.includes(name), categories[name].join(", ")];
  const unlisted = new Set<string>();
  let count = 0;
  for (let row = 0; row < table.rows; row++) {
    const code = column.codes[row];
    if (code >= 0 && listed[code]) continue;
    const found = code < 0 ? "a missing cell" : `"${column.categories[code]}"`;
    if (!mayMiss)
      throw new InputError(
        `${table.source}, ${table.place(row)}: column "${name}" has ${found}; the spec's categories are ${lists}.`,
      );
    if (code < 0) continue;
    unlisted.add(column.categories[code]);
    count++;
  }
  if (count === 0) return [];
  const some = [...unlisted].slice(0, 3).join(", ");
  return [`${count} rows have a "${name}" that the spec does not list (${some}); they count as missing.`];
}

/** One cell that is no number makes a column of categories: name that cell. */
function refuseWord(table: Table, name: string): void {
  const column = columnOf(table, name);
  if (column.kind !== "category") return;
  const isWord = column.categories.map((text) => !Number.isFinite(Number(text)));
  const row = column.codes.findIndex((code) => code >= 0 && isWord[code]);
  if (row < 0) return;
  const numbers = isWord.some((one) => !one);
  const cell = `column "${name}" has "${column.categories[column.codes[row]]}" where a number is needed`;
  throw new InputError(
    `${table.source}, ${table.place(row)}: ${cell}${numbers ? "" : ", and no number anywhere"}.`,
  );
}

function labelsOf(table: Table, data: DataSpec): Float64Array {
  const { label, classes } = data;
  if (isRegression(data)) {
    refuseWord(table, label);
    const { values } = numberColumn(table, label);
    const bad = values.findIndex((value) => !Number.isFinite(Math.fround(value)));
    if (bad < 0) return values;
    throw new InputError(
      `${table.source}, ${table.place(bad)}: the label "${label}" is missing or too large.`,
    );
  }
  const column = columnOf(table, label);
  const text = (row: number): string | undefined => {
    if (column.kind === "category") return column.categories[column.codes[row]];
    return Number.isNaN(column.values[row]) ? undefined : String(column.values[row]);
  };
  return Float64Array.from({ length: table.rows }, (_, row) => {
    const name = text(row);
    const place = name === undefined ? -1 : classes.indexOf(name);
    if (place >= 0) return place;
    const found = name === undefined ? "is missing" : `is "${name}"`;
    throw new InputError(
      `${table.source}, ${table.place(row)}: "${label}" ${found}; the federation's classes are ${classes.join(", ")}.`,
    );
  });
}

function weightsOf(table: Table, name: string): Float64Array {
  const { values } = numberColumn(table, name);
  const bad = values.findIndex((value) => !(value >= 0 && Number.isFinite(value)));
  if (bad >= 0)
    throw new InputError(
      `${table.source}, ${table.place(bad)}: the weight "${name}" is ${Number.isNaN(values[bad]) ? "missing" : values[bad]}; a weight is at least 0.`,
    );
  if (!values.some((value) => value > 0))
    throw new InputError(`${table.source}: no row has a weight above 0 in "${name}".`);
  return values;
}

/** A group that the spec does not list is none. */
function groupsOf(table: Table, { column: name, values }: NonNullable<DataSpec["groups"]>): Int32Array {
  const column = columnOf(table, name);
  if (column.kind !== "category")
    throw new InputError(
      `${table.source}: column "${name}" was read as numbers; the spec groups rows by it.`,
    );
  const places = column.categories.map((category) => values.indexOf(category));
  return column.codes.map((code) => (code < 0 ? -1 : places[code]));
}

/** Rows that are held out are drawn by the seed, so that a site that resumes holds out the same. */
function splitOf(
  table: Table,
  share: number | undefined,
  seed: number,
): { readonly train: Int32Array; readonly test?: Int32Array } {
  const all = Int32Array.from({ length: table.rows }, (_, row) => row);
  if (share === undefined) return { train: all };
  const count = Math.round(share * table.rows);
  if (count < 1 || count >= table.rows)
    throw new InputError(
      `${table.source} has ${table.rows} rows, too few to hold out a share of ${share} (data.test) and learn from the rest.`,
    );
  const order = random.permutation(random.foldIn(random.key(seed), 11), table.rows).data;
  const test = new Set(Array.from(order.slice(0, count), Number));
  return { train: all.filter((row) => !test.has(row)), test: all.filter((row) => test.has(row)) };
}
