// Arrow files and streams, which is what Feather files are, by the package @uwdata/flechette where it is installed.
import { InputError } from "@pliant/core";
import { readFileSync } from "@pliant/platform";
import { decompress as unpackZstd } from "fzstd";
import { checkHeader } from "../table/csv.js";
import { nestedIn } from "../table/nested.js";
import { dayOf, momentOf, shortest } from "../table/parquet.js";
import type { ReadRequest } from "../table/read.js";
import type { Table } from "../table/table.js";
import { tableOfValues, type Value } from "../table/values.js";
import { unpackLz4 } from "./lz4.js";

/** The part of the package that is used; it need not be installed to compile this. */
interface Flechette {
  readonly Type: Readonly<Record<string, number>>;
  readonly CompressionType: { readonly LZ4_FRAME: number; readonly ZSTD: number };
  setCompressionCodec(type: number, codec: { decode(bytes: Uint8Array): Uint8Array }): void;
  tableFromIPC(bytes: Uint8Array, options: { useDate: true; useBigInt: true }): ArrowTable;
}
interface ArrowTable {
  readonly numRows: number;
  readonly schema: { readonly fields: readonly Field[] };
  getChildAt(column: number): { toArray(): ArrayLike<unknown> };
}
interface Field {
  readonly name: string;
  readonly type: DataType;
}
interface DataType {
  readonly typeId: number;
  readonly dictionary?: DataType;
  /** The precision of a float: half, single or double. */
  readonly precision?: number;
  readonly timezone?: string | null;
}

/** Kinds with one text, number or moment in a cell. */
const flat = [
  "Null",
  "Int",
  "Float",
  "Utf8",
  "Bool",
  "Decimal",
  "Date",
  "Time",
  "Timestamp",
  "Duration",
].concat(["LargeUtf8", "Utf8View"]);

export async function readArrow(file: string, asked: ReadRequest): Promise<Table> {
  const { source, columns = {} } = asked;
  const name = "@uwdata/flechette";
  const arrow = (await import(name).catch(() => undefined)) as Flechette | undefined;
  if (!arrow)
    throw new InputError(
      `${source} is an Arrow or Feather file. Reading it takes a small package: npm install ${name}. Or write it as Parquet: pandas.read_feather("${source}").to_parquet("rows.parquet")`,
    );
  arrow.setCompressionCodec(arrow.CompressionType.LZ4_FRAME, { decode: unpackLz4 });
  // Copied, since numbers have to begin at a multiple of their size.
  arrow.setCompressionCodec(arrow.CompressionType.ZSTD, { decode: (bytes) => unpackZstd(bytes).slice() });
  try {
    const table = arrow.tableFromIPC(readFileSync(file), { useDate: true, useBigInt: true });
    const { fields } = table.schema;
    const names = fields.map((field) => field.name);
    checkHeader(names, source);
    if (table.numRows === 0)
      throw new InputError(`${source} has the names of its columns and no row below them.`);
    const nested = nestedIn(asked);
    const kinds = new Map(Object.entries(arrow.Type).map(([kind, id]) => [id, kind]));
    const left: Record<string, "ignore"> = {};
    for (const { name, type } of fields) {
      const kind = kinds.get((type.dictionary ?? type).typeId) ?? "unknown";
      if (columns[name] === "ignore" || flat.includes(kind)) continue;
      nested(name, kind);
      left[name] = "ignore";
    }
    return tableOfValues(
      {
        names,
        rows: table.numRows,
        place: (row) => `row ${row + 1}`,
        values: (i) => cellsOf(table.getChildAt(i).toArray(), fields[i].type, arrow),
      },
      { ...asked, columns: { ...columns, ...left } },
    );
  } catch (reason) {
    if (reason instanceof InputError) throw reason;
    throw new InputError(`${source} cannot be read as Arrow: ${(reason as Error).message}.`);
  }
}

/** As DuckDB reads the same values from Parquet. */
function cellsOf(values: ArrayLike<unknown>, type: DataType, { Type }: Flechette): ArrayLike<Value> {
  const { typeId, timezone, precision } = type.dictionary ?? type;
  const zone = timezone ? "+00" : "";
  const cell = (value: unknown): Value => {
    if (value instanceof Date) return typeId === Type.Date ? dayOf(value) : `${momentOf(value)}${zone}`;
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    return value as Value;
  };
  if (typeId === Type.Float && precision !== 2)
    return Array.from(values, (value) => (typeof value === "number" ? shortest(value) : null));
  const numbers = values instanceof Float64Array || values instanceof Int32Array;
  return numbers ? values : Array.from(values, cell);
}
