// From a table to the matrix a model takes: numbers standardised, categories one-hot, gaps filled.
//
// An encoding is plain data (JSON can hold it): fit it on the training rows, save it beside the model, apply it to others.
// A number column gives the feature (x − mean) / std, 0 where x is missing (the mean of training), and, where any was
// missing in training, a second feature that is 1 where x is missing and else 0. A category column gives one feature a
// category of training: 1 for the row's own, else 0; all are 0 where the cell is missing or a category unknown in training.
import { categoryColumn, columnOf, numberColumn, type Table } from "./table.js";

export interface NumberEncoding {
  readonly kind: "number";
  readonly name: string;
  readonly mean: number;
  /** Of the training rows, dividing by their number; 1 where they are all equal. */
  readonly std: number;
  /** Whether a feature tells that the number is missing. */
  readonly indicator: boolean;
}

export interface CategoryEncoding {
  readonly kind: "category";
  readonly name: string;
  readonly categories: readonly string[];
}

export type ColumnEncoding = NumberEncoding | CategoryEncoding;

export interface Encoding {
  /** In the order of the features. */
  readonly columns: readonly ColumnEncoding[];
}

export interface Encoded {
  /** Row-major in the order of `shape`. */
  readonly values: Float32Array;
  /** [rows, features] */
  readonly shape: readonly [number, number];
  readonly features: readonly string[];
}

/** The encoding of some columns (all, unless named), measured on the rows of a table. */
export function fitEncoding(
  table: Table,
  { columns = table.names }: { columns?: readonly string[] } = {},
): Encoding {
  return { columns: columns.map((name) => fitColumn(table, name)) };
}

function fitColumn(table: Table, name: string): ColumnEncoding {
  const column = columnOf(table, name);
  if (column.kind === "category") {
    const used = new Set(column.codes);
    return { kind: "category", name, categories: column.categories.filter((_, code) => used.has(code)) };
  }
  const known = column.values.filter((value) => !Number.isNaN(value));
  // Rounding gives equal numbers a mean beside them and a deviation of almost nothing, which would blow up any other.
  const constant = known.length > 0 && known.every((value) => value === known[0]);
  const mean = constant ? known[0] : average(known);
  const std = constant ? 0 : Math.sqrt(average(known.map((value) => (value - mean) ** 2)));
  return { kind: "number", name, mean, std: std > 0 ? std : 1, indicator: column.missing > 0 };
}

const average = (values: Float64Array): number =>
  values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;

/** What the columns of a table must hold to be encoded: the `columns` of `readCsv` for new rows. */
export function encodedKinds({ columns }: Encoding): Record<string, "number" | "category"> {
  return Object.fromEntries(columns.map(({ name, kind }) => [name, kind]));
}

/** The names of the features: `age`, `age missing`, `city = Lyon`. */
export function featureNames({ columns }: Encoding): string[] {
  return columns.flatMap((column) =>
    column.kind === "number"
      ? [column.name, ...(column.indicator ? [`${column.name} missing`] : [])]
      : column.categories.map((category) => `${column.name} = ${category}`),
  );
}

export function encode(table: Table, encoding: Encoding): Encoded {
  const features = featureNames(encoding);
  const values = new Float32Array(table.rows * features.length);
  let at = 0;
  for (const column of encoding.columns) {
    const set = (row: number, feature: number, value: number): void => {
      values[row * features.length + at + feature] = value;
    };
    at += column.kind === "number" ? encodeNumbers(table, column, set) : encodeCategories(table, column, set);
  }
  return { values, shape: [table.rows, features.length], features };
}

type SetFeature = (row: number, feature: number, value: number) => void;

/** Sets the features of a column and returns how many they are. */
function encodeNumbers(
  table: Table,
  { name, mean, std, indicator }: NumberEncoding,
  set: SetFeature,
): number {
  for (const [row, value] of numberColumn(table, name).values.entries()) {
    if (!Number.isNaN(value)) set(row, 0, (value - mean) / std);
    else if (indicator) set(row, 1, 1);
  }
  return indicator ? 2 : 1;
}

function encodeCategories(table: Table, { name, categories }: CategoryEncoding, set: SetFeature): number {
  const column = categoryColumn(table, name);
  const features = column.categories.map((category) => categories.indexOf(category));
  for (const [row, code] of column.codes.entries()) {
    const feature = code < 0 ? -1 : features[code];
    if (feature >= 0) set(row, feature, 1);
  }
  return categories.length;
}
