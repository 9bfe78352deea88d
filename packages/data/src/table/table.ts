// A table: named columns of equal length, of numbers or of categories, either with cells that are missing.
import { InputError, nearest } from "pliant";

export interface NumberColumn {
  readonly kind: "number";
  /** NaN where missing. */
  readonly values: Float64Array;
  /** How many are. */
  readonly missing: number;
}

export interface CategoryColumn {
  readonly kind: "category";
  /** Indices into `categories`, −1 where missing. */
  readonly codes: Int32Array;
  /** In order: numbers by size, other texts by their letters. */
  readonly categories: readonly string[];
  readonly missing: number;
}

export type Column = NumberColumn | CategoryColumn;

export interface Table {
  /** What it was read from, for messages. */
  readonly source: string;
  readonly rows: number;
  /** The columns in the order of the file. */
  readonly names: readonly string[];
  readonly columns: Readonly<Record<string, Column>>;
  /** The line of the source on which each row begins, the first being 1. */
  readonly lines: Int32Array;
}

/** The column of a name; a name that the table does not have is refused with the nearest ones. */
export function columnOf(table: Table, name: string): Column {
  if (!Object.hasOwn(table.columns, name)) throw missingColumn(table.source, name, table.names);
  return table.columns[name];
}

export function numberColumn(table: Table, name: string): NumberColumn {
  const column = columnOf(table, name);
  if (column.kind === "number") return column;
  throw new InputError(
    `${table.source}: column "${name}" holds categories (${some(column.categories)}) where numbers are needed.`,
  );
}

export function categoryColumn(table: Table, name: string): CategoryColumn {
  const column = columnOf(table, name);
  if (column.kind === "category") return column;
  throw new InputError(`${table.source}: column "${name}" holds numbers where categories are needed.`);
}

export function missingColumn(source: string, name: string, names: readonly string[]): InputError {
  const near = nearest(name, names);
  const hint = near.length > 0 ? `; did you mean ${near.map((n) => `"${n}"`).join(" or ")}?` : ".";
  return new InputError(`${source} has no column "${name}"${hint} It has: ${names.join(", ")}.`);
}

/** The table of some rows, in the order given; categories stay as they are, whether a row has them or not. */
export function takeRows(table: Table, rows: ArrayLike<number>): Table {
  const wrong = Array.from(rows).find((row) => !(Number.isInteger(row) && row >= 0 && row < table.rows));
  if (wrong !== undefined)
    throw new InputError(`${table.source} has rows 0 to ${table.rows - 1}, and ${wrong} was asked for.`);
  const columns = table.names.map((name) => [name, takeCells(table.columns[name], rows)]);
  return {
    source: table.source,
    rows: rows.length,
    names: table.names,
    columns: Object.fromEntries(columns),
    lines: Int32Array.from(rows, (row) => table.lines[row]),
  };
}

function takeCells(column: Column, rows: ArrayLike<number>): Column {
  if (column.kind === "number") {
    const values = Float64Array.from(rows, (row) => column.values[row]);
    return { kind: "number", values, missing: count(values, Number.isNaN) };
  }
  const codes = Int32Array.from(rows, (row) => column.codes[row]);
  return { ...column, codes, missing: count(codes, (code) => code < 0) };
}

const count = (cells: Float64Array | Int32Array, is: (cell: number) => boolean): number => {
  let found = 0;
  for (const cell of cells) if (is(cell)) found++;
  return found;
};

const some = (categories: readonly string[]): string =>
  categories.length > 3 ? `${categories.slice(0, 3).join(", ")}, …` : categories.join(", ");
