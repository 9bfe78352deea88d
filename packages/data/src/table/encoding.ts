// From a table to the matrix a model takes: numbers standardised, categories one-hot, gaps filled.
//
// An encoding is plain data (JSON can hold it): fit it on the training rows, save it beside the model, apply it to others.
// A number column gives the feature (x − mean) / std, 0 where x is missing (the mean of training), and, where any was
// missing in training, a second feature that is 1 where x is missing and else 0. A category column gives one feature a
// category of training: 1 for the row's own, else 0; all are 0 where the cell is missing or a category unknown in training. One of many
// categories may give its place among them instead, for a model that learns a vector for each; −1 where it has none.
import { InputError } from "@pliant/core";
import { type DatePart, partName, type WantedParts, withParts } from "./dates.js";
import type { ColumnKind } from "./kinds.js";
import { isDate, type Notation } from "./notation.js";
import { categoryColumn, columnOf, numberColumn, type Table } from "./table.js";

/** How a column of numbers becomes a feature: (x − mean)/std, 0 where missing. */
export interface NumberEncoding {
  readonly kind: "number";
  readonly name: string;
  readonly mean: number;
  /** Over the training rows, dividing by their number; 1 if all are equal. */
  readonly std: number;
  /** Whether a feature tells that the number is missing. */
  readonly indicator: boolean;
  /** How it was written in training; default: plainly. */
  readonly written?: Notation;
}

/** How a column of categories becomes features: one of 0 or 1 for each, or one with its place. */
export interface CategoryEncoding {
  readonly kind: "category";
  readonly name: string;
  readonly categories: readonly string[];
  /** Where its feature is the place of the category: how long a vector the model has for each. */
  readonly embedded?: number;
}

/** How one column becomes features. */
export type ColumnEncoding = NumberEncoding | CategoryEncoding;

/** How the columns of a table become features, as learnt from training rows. */
export interface Encoding {
  /** In the order of the features. */
  readonly columns: readonly ColumnEncoding[];
  /** The parts of dates that are columns of their own. */
  readonly parts?: WantedParts;
}

/** The rows of a table as features. */
export interface Encoded {
  /** Row-major in the order of `shape`. */
  readonly values: Float32Array;
  /** [rows, features] */
  readonly shape: readonly [number, number];
  readonly features: readonly string[];
}

/** The encoding of some columns (all, unless named), measured on the rows of a table, and of the parts of its dates. */
export function fitEncoding(
  table: Table,
  { columns = table.names, parts = {} }: { columns?: readonly string[]; parts?: WantedParts } = {},
): Encoding {
  const whole = withParts(table, parts);
  const own = columns.flatMap((name) => [name, ...partNames(name, parts)]);
  return {
    columns: own.map((name) => fitColumn(whole, name)),
    ...(Object.keys(parts).length > 0 && { parts }),
  };
}

const partNames = (name: string, parts: WantedParts): string[] =>
  Object.hasOwn(parts, name) ? parts[name].map((part: DatePart) => partName(name, part)) : [];

function fitColumn(table: Table, name: string): ColumnEncoding {
  const column = columnOf(table, name);
  if (column.kind === "category") {
    const used = new Set(column.codes);
    return { kind: "category", name, categories: column.categories.filter((_, code) => used.has(code)) };
  }
  const { values, missing, written } = column;
  const { mean, std } = moments(values);
  return { kind: "number", name, mean, std, indicator: missing > 0, ...(written && { written }) };
}

/** The mean and the deviation of the numbers that are known; 1 where they are all equal. */
function moments(values: Float64Array): { mean: number; std: number } {
  let [count, sum, low, high] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  // By index: an iterator over a million cells takes several times as long.
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    count++;
    sum += value;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (count === 0) return { mean: 0, std: 1 };
  // Rounding gives equal numbers a mean beside them and a deviation of almost nothing, which would blow up any other.
  if (low === high) return { mean: low, std: 1 };
  const mean = sum / count;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const off = values[i] - mean;
    if (!Number.isNaN(off)) squares += off * off;
  }
  const std = Math.sqrt(squares / count);
  return { mean, std: std > 0 ? std : 1 };
}

/** The column types that an encoding needs: the `columns` of `readTable` for new rows. */
export function encodedKinds({
  columns,
  parts = {},
}: Encoding): Record<string, Exclude<ColumnKind, "ignore">> {
  const derived = new Set(Object.keys(parts).flatMap((name) => partNames(name, parts)));
  return Object.fromEntries(
    columns.flatMap((column) => {
      if (derived.has(column.name)) return [];
      const written = column.kind === "number" ? column.written : undefined;
      return [[column.name, isDate(written) ? written : column.kind]];
    }),
  );
}

/** The names of the features: `age`, `age missing`, `city = Lyon`. */
export function featureNames({ columns }: Encoding): string[] {
  return columns.flatMap((column) =>
    column.kind === "number"
      ? [column.name, ...(column.indicator ? [`${column.name} missing`] : [])]
      : column.embedded !== undefined
        ? [column.name]
        : column.categories.map((category) => `${column.name} = ${category}`),
  );
}

/** A table's rows as features, by an encoding that other rows may have given. */
export function encode(given: Table, encoding: Encoding): Encoded {
  const table = encoding.parts ? withParts(given, encoding.parts) : given;
  const features = featureNames(encoding);
  const values = new Float32Array(table.rows * features.length);
  const width = features.length;
  let at = 0;
  const writers = encoding.columns.map((column) => {
    const place = { values, at, width };
    at += column.kind === "number" ? (column.indicator ? 2 : 1) : featuresOf(column);
    return column.kind === "number"
      ? numberWriter(table, column, place)
      : categoryWriter(table, column, place);
  });
  // Some rows at a time, so that what one column writes is at hand when the next one writes beside it.
  for (let from = 0; from < table.rows; from += together)
    for (const write of writers) write(from, Math.min(table.rows, from + together));
  return { values, shape: [table.rows, width], features };
}

const together = 1024;

/** Sets the features of a column in some rows. */
type Writer = (from: number, to: number) => void;

const featuresOf = ({ embedded, categories }: CategoryEncoding): number =>
  embedded === undefined ? categories.length : 1;

/** Where the features of a column go: those of row i from i·width + at on. */
interface Place {
  readonly values: Float32Array;
  readonly at: number;
  readonly width: number;
}

function numberWriter(
  table: Table,
  { name, mean, std, indicator, written }: NumberEncoding,
  { values, at, width }: Place,
): Writer {
  const column = numberColumn(table, name);
  if ((written === "percent") !== (column.written === "percent") && column.missing < table.rows)
    throw new InputError(
      `${table.source}: the column "${name}" is ${written === "percent" ? "not " : ""}written in percent, which in training it was${written === "percent" ? "" : " not"}.`,
    );
  const given = column.values;
  return (from, to) => {
    for (let row = from, i = from * width + at; row < to; row++, i += width) {
      const value = given[row];
      if (!Number.isNaN(value)) values[i] = (value - mean) / std;
      else if (indicator) values[i + 1] = 1;
    }
  };
}

function categoryWriter(table: Table, encoding: CategoryEncoding, { values, at, width }: Place): Writer {
  const { codes, categories } = categoryColumn(table, encoding.name);
  const known = new Map(encoding.categories.map((category, place) => [category, place]));
  const features = categories.map((category) => known.get(category) ?? -1);
  if (encoding.embedded !== undefined)
    return (from, to) => {
      for (let row = from, i = from * width + at; row < to; row++, i += width)
        values[i] = codes[row] < 0 ? -1 : features[codes[row]];
    };
  return (from, to) => {
    for (let row = from, i = from * width + at; row < to; row++, i += width) {
      const code = codes[row];
      if (code >= 0 && features[code] >= 0) values[i + features[code]] = 1;
    }
  };
}
