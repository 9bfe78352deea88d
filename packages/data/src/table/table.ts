// A table: named columns of equal length, of numbers or of categories, either with cells that are missing.
import { didYouMean, InputError } from "@pliant/core";
import type { Notation } from "./notation.js";

/** A column of numbers; of dates, days since 1970. */
export interface NumberColumn {
  readonly kind: "number";
  /** NaN where missing. */
  readonly values: Float64Array;
  /** How many are. */
  readonly missing: number;
  /** Where the cells are not plain numbers: how they are written. */
  readonly written?: Notation;
  /** The first whole number, as written, of more digits than a number holds: its last ones are lost. */
  readonly rounded?: string;
}

/** A column of texts, each a place among its categories. */
export interface CategoryColumn {
  readonly kind: "category";
  /** Indices into `categories`, −1 where missing. */
  readonly codes: Int32Array;
  /** In order: numbers by size, other texts by their letters. */
  readonly categories: readonly string[];
  readonly missing: number;
  /** Why it may have been meant as numbers, in a sentence; where nobody said that it is categories. */
  readonly trouble?: string;
}

/** A column, of numbers or of categories. */
export type Column = NumberColumn | CategoryColumn;

/** A table as columns. */
export interface Table {
  /** Its source, for messages. */
  readonly source: string;
  readonly rows: number;
  /** The columns in the order of the file. */
  readonly names: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
  /** Rows that were left out, as they had no target. */
  readonly dropped?: number;
  /** Where a row is in the source, for messages: `line 17`. */
  place(row: number): string;
}

/** The column of a name; a name that the table does not have is refused with the nearest ones. */
export function columnOf(table: Table, name: string): Column {
  if (!Object.hasOwn(table.columns, name)) throw missingColumn(table.source, name, table.names);
  return table.columns[name];
}

/** A column that must hold numbers; else a sentence is thrown. */
export function numberColumn(table: Table, name: string): NumberColumn {
  const column = columnOf(table, name);
  if (column.kind === "number") return column;
  throw new InputError(
    `${table.source}: column "${name}" holds categories (${some(column.categories)}) where numbers are needed.`,
  );
}

/** A column that must hold categories; else a sentence is thrown. */
export function categoryColumn(table: Table, name: string): CategoryColumn {
  const column = columnOf(table, name);
  if (column.kind === "category") return column;
  throw new InputError(`${table.source}: column "${name}" holds numbers where categories are needed.`);
}

export function missingColumn(source: string, name: string, names: readonly string[]): InputError {
  return new InputError(
    `${source} has no column "${name}"${didYouMean(name, names)} It has: ${names.join(", ")}.`,
  );
}

/** The table of some rows, in the order given; categories stay as they are, whether a row has them or not. */
export function takeRows(table: Table, rows: ArrayLike<number>): Table {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if (!(Number.isInteger(row) && row >= 0 && row < table.rows))
      throw new InputError(`${table.source} has rows 0 to ${table.rows - 1}, and ${row} was asked for.`);
  }
  const columns = table.names.map((name) => [name, takeCells(table.columns[name], rows)]);
  return {
    source: table.source,
    rows: rows.length,
    names: table.names,
    columns: Object.fromEntries(columns),
    place: (row) => table.place(rows[row]),
  };
}

function takeCells(column: Column, rows: ArrayLike<number>): Column {
  let missing = 0;
  if (column.kind === "number") {
    const values = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      values[i] = column.values[rows[i]];
      if (Number.isNaN(values[i])) missing++;
    }
    return { ...column, values, missing };
  }
  const codes = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    codes[i] = column.codes[rows[i]];
    if (codes[i] < 0) missing++;
  }
  return { ...column, codes, missing };
}

const some = (categories: readonly string[]): string =>
  categories.length > 3 ? `${categories.slice(0, 3).join(", ")}, …` : categories.join(", ");
