// Columns of values that a file has typed, as JSON and Parquet do: numbers as they are, everything else by its text.
import { missingCells, tableOf } from "./csv.js";
import type { ColumnKind } from "./kinds.js";
import { plainNumber } from "./notation.js";
import type { ReadRequest } from "./read.js";
import type { NumberColumn, Table } from "./table.js";
import { merged, placeOf, type Texts } from "./texts.js";

/** A cell: undefined and null where there is nothing. */
export type Value = string | number | bigint | boolean | null | undefined;

export interface Values {
  readonly names: readonly string[];
  readonly rows: number;
  /** By column, one value a row. */
  values(column: number): ArrayLike<Value>;
  place(row: number): string;
}

export function tableOfValues({ names, rows, values, place }: Values, asked: ReadRequest): Table {
  const { columns = {}, missing = missingCells, onRows } = asked;
  const marks = new Set(missing);
  const kindOf = (name: string): ColumnKind | undefined =>
    Object.hasOwn(columns, name) ? columns[name] : undefined;
  const table = tableOf(
    {
      names,
      rows,
      place,
      cells: (i) =>
        (["number", undefined].includes(kindOf(names[i])) ? numbersOf(values(i), marks) : undefined) ??
        textsOf(values(i)),
    },
    asked,
  );
  onRows?.(rows);
  return table;
}

/** Undefined where a value is something else, or a whole number of more digits than a number holds. */
function numbersOf(values: ArrayLike<Value>, missing: ReadonlySet<string>): NumberColumn | undefined {
  const gaps = new Set([...missing].map(plainNumber).filter((x) => !Number.isNaN(x)));
  const numbers = new Float64Array(values.length);
  let lost = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value === null || value === undefined || value === "") numbers[row] = Number.NaN;
    else if (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER) numbers[row] = value;
    else if (Number.isNaN(value) && missing.has("NaN")) numbers[row] = Number.NaN;
    else return undefined;
    if (gaps.has(numbers[row])) numbers[row] = Number.NaN;
    if (Number.isNaN(numbers[row])) lost++;
  }
  // A column without a value says nothing of what it holds.
  return lost < values.length ? { kind: "number", values: numbers, missing: lost } : undefined;
}

function textsOf(values: ArrayLike<Value>): Texts {
  const found = new Map<string, number>();
  const codes = Int32Array.from(values, (value) => placeOf(found, String(value ?? "")));
  return merged({ codes, texts: [...found.keys()] });
}
