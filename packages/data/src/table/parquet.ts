// Parquet in TypeScript, by hyparquet: where there is no DuckDB, as in a page. Values become what DuckDB reads from the same file.
import { InputError } from "@pliant/core";
import { checkHeader } from "./csv.js";
import { nestedIn } from "./nested.js";
import type { ReadRequest } from "./read.js";
import type { Table } from "./table.js";
import { tableOfValues, type Value } from "./values.js";

/** As in the schema of a file. */
interface Field {
  readonly element: {
    readonly name: string;
    readonly type?: string;
    readonly converted_type?: string;
    readonly logical_type?: { readonly type: string; readonly isAdjustedToUTC?: boolean };
    readonly repetition_type?: string;
  };
  readonly children: readonly Field[];
}

export async function readParquet(bytes: Uint8Array, asked: ReadRequest): Promise<Table> {
  const { source, columns = {} } = asked;
  const { parquetMetadataAsync, parquetRead, parquetSchema } = await import("hyparquet");
  const { gunzipSync } = await import("fflate");
  const { decompress: unzstd } = await import("fzstd");
  // Snappy, which pandas and Arrow write, is in hyparquet itself.
  const compressors = {
    GZIP: (packed: Uint8Array) => gunzipSync(packed),
    ZSTD: (packed: Uint8Array) => unzstd(packed),
  };
  const file = {
    byteLength: bytes.length,
    slice: (from: number, to?: number) => bytes.slice(from, to).buffer as ArrayBuffer,
  };
  try {
    const metadata = await parquetMetadataAsync(file);
    const fields = parquetSchema(metadata).children as readonly Field[];
    checkHeader(
      fields.map(({ element }) => element.name),
      source,
    );
    const nested = nestedIn(asked);
    const left: Record<string, "ignore"> = {};
    const flat = fields.filter(({ element: { name } }) => columns[name] !== "ignore");
    for (const field of flat.filter(isNested)) {
      nested(field.element.name, typeOf(field));
      left[field.element.name] = "ignore";
    }
    const rows = Number(metadata.num_rows);
    if (rows === 0) throw new InputError(`${source} has the names of its columns and no row below them.`);
    const wanted = new Map(
      flat
        .filter(({ element: { name } }) => !left[name])
        .map((field) => [field.element.name, { as: cellOf(field), values: new Array<Value>(rows) }]),
    );
    await parquetRead({
      ...{ file, metadata, compressors, columns: [...wanted.keys()] },
      onChunk: ({ columnName, columnData, rowStart }) => {
        const { as, values } = wanted.get(columnName)!;
        for (let i = 0; i < columnData.length; i++) values[rowStart + i] = as(columnData[i]);
      },
    });
    const names = fields.map(({ element }) => element.name);
    const place = (row: number): string => `row ${row + 1}`;
    const all = { names, rows, values: (i: number) => wanted.get(names[i])!.values, place };
    return tableOfValues(all, { ...asked, columns: { ...columns, ...left } });
  } catch (reason) {
    if (reason instanceof InputError) throw reason;
    const [said] = (reason as Error).message.replace(/^parquet /, "").split("\n");
    throw new InputError(`${source} cannot be read as Parquet: ${said.trim().replace(/\.?$/, ".")}`);
  }
}

const isText = ({ element: { converted_type, logical_type } }: Field): boolean =>
  ["UTF8", "ENUM", "JSON", "DECIMAL"].includes(converted_type ?? "") ||
  ["STRING", "ENUM", "JSON", "UUID", "DECIMAL"].includes(logical_type?.type ?? "");

const isBytes = ({ element: { type } }: Field): boolean =>
  type === "BYTE_ARRAY" || type === "FIXED_LEN_BYTE_ARRAY";

const isNested = (field: Field): boolean =>
  field.children.length > 0 ||
  field.element.repetition_type === "REPEATED" ||
  (isBytes(field) && !isText(field));

const types: Readonly<Record<string, string>> = {
  INT32: "INTEGER",
  INT64: "BIGINT",
  INT96: "TIMESTAMP",
  FLOAT: "FLOAT",
  DOUBLE: "DOUBLE",
  BOOLEAN: "BOOLEAN",
};

/** As SQL writes it. */
function typeOf(field: Field): string {
  const { children, element } = field;
  const kind = element.logical_type?.type ?? element.converted_type;
  const [inner] = children;
  if (kind === "MAP") return `MAP(${inner.children.map(typeOf).join(", ")})`;
  if (kind === "LIST") return `${typeOf(inner.children[0] ?? inner)}[]`;
  if (children.length > 0)
    return `STRUCT(${children.map((child) => `${child.element.name} ${typeOf(child)}`).join(", ")})`;
  if (isBytes(field)) return isText(field) ? "VARCHAR" : "BLOB";
  return types[element.type ?? ""] ?? "VARCHAR";
}

function cellOf(field: Field): (value: unknown) => Value {
  const { type, converted_type, logical_type } = field.element;
  const isDay = converted_type === "DATE" || logical_type?.type === "DATE";
  const zoned = logical_type?.isAdjustedToUTC === true;
  const shown = (value: unknown): Value => {
    if (value === null || value === undefined) return null;
    if (value instanceof Date) return isDay ? dayOf(value) : `${momentOf(value)}${zoned ? "+00" : ""}`;
    if (typeof value === "bigint") {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : value;
    }
    if (typeof value === "object") return JSON.stringify(value);
    return value as Value;
  };
  return type === "FLOAT" ? (value) => (typeof value === "number" ? shortest(value) : null) : shown;
}

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Without a fraction of a second where there is none. */
export const momentOf = (at: Date): string =>
  at
    .toISOString()
    .replace("T", " ")
    .replace(/(\.\d*?)0*Z$/, "$1")
    .replace(/\.$/, "");

/** The shortest number that float32 rounds to this one: 0.1, not 0.10000000149. */
export function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const near = Number(value.toPrecision(digits));
    if (Math.fround(near) === value) return near;
  }
  return Number(value.toPrecision(9));
}
