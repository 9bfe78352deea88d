// Tables from files and addresses: CSV with commas, semicolons or tabs, JSON lines, both packed by gzip or not, Parquet and folders
// of it, Arrow and Feather, SQLite. Plain CSV is read in one pass over its bytes (plain.ts), large files that are not plain by DuckDB. Small ones, files that DuckDB refuses, machines
// without it and pages are left to the readers in TypeScript, which say what is wrong with a file, and where.

import { InputError } from "@pliant/core";
import {
  existsSync,
  firstBytes,
  gunzip,
  join,
  latin1,
  readdirSync,
  readFileSync,
  sha256,
  statSync,
} from "@pliant/platform";
import { readByDuckDB } from "#duckdb";
import { localCopy, readArrow, readSqlite } from "#sources";
import { isUrl, shownAddress, tableIn } from "../sources/address.js";
import { type CsvOptions, parseCsv } from "./csv.js";
import { type Beginning, glance } from "./delimited.js";
import { readJsonLines } from "./json-lines.js";
import { readParquet } from "./parquet.js";
import { readPlainly } from "./plain.js";
import type { Table } from "./table.js";
import { decoded, refuseForeign } from "./text-encoding.js";

/** How a table's file is read. */
export interface ReadOptions extends CsvOptions {
  /** The reader to use, beside the exact one for files it cannot read; by default it depends on the kind and size of the file. */
  reader?: "plain" | "native" | "exact";
  /** Told how many rows are read, now and then. */
  onRows?(rows: number): void;
  /** Called for a column of lists or objects, which is then left out; by default such a column is refused. */
  onNested?(name: string, example: string): void;
}

/** The arguments of a file reader. */
export interface ReadRequest extends ReadOptions {
  readonly source: string;
}

export type Kind = "csv" | "parquet" | "json";

/** Above so many bytes DuckDB is worth its start. */
const large = 2_000_000;

/**
 * Reads a table: CSV with commas, semicolons or tabs, or JSON lines, packed by gzip or not; Parquet, or a folder of it; Arrow or
 * Feather; a table of an SQLite database (`rows.sqlite#loans`); each from a file or from an https:// or s3:// address. A mistake
 * names the file and where in it.
 */
export async function readTable(file: string, options: ReadOptions = {}): Promise<Table> {
  const source = options.source ?? shownAddress(file);
  if (isUrl(file)) return readTable(await localCopy(file), { ...options, source });
  const { path, table } = tableIn(file);
  if (!existsSync(path)) throw new InputError(`there is no file ${path}.`);
  const asked = { ...options, source };
  if (statSync(path).isDirectory()) return readFolder(path, asked);
  const start = await beginning(path, source);
  if (isSqlite(start.bytes)) return readSqlite(path, table, asked);
  if (table !== undefined) throw new InputError(`${path} is no database, and has no table "${table}" in it.`);
  if (isArrow(start.bytes)) return readArrow(path, asked);
  refuseForeign(start.bytes, source);
  return readRows(path, start, asked);
}

async function readRows(file: string, start: Beginning, asked: ReadRequest): Promise<Table> {
  const kind = kindOf(file, start.bytes);
  const tries = (reader: ReadOptions["reader"]): boolean => (asked.reader ?? reader) === reader;
  if (kind === "csv" && tries("plain")) {
    const found = readPlainly(file, start, asked);
    if (found) return found;
  }
  if (tries("native") && (kind !== "csv" || asked.reader === "native" || statSync(file).size > large)) {
    const found = await readByDuckDB([file], kind, start, asked);
    if (found) return found;
  }
  if (kind === "parquet") return readParquet(readFileSync(file), asked);
  const text = decoded(
    await (start.packed ? unpacked(file, asked.source) : readFileSync(file)),
    asked.source,
  );
  return kind === "json" ? readJsonLines(text, asked) : parseCsv(text, asked);
}

/** One table in many Parquet files, as Spark, Dask and pandas write it; folders named `year=2024` are a column. */
async function readFolder(folder: string, asked: ReadRequest): Promise<Table> {
  const files = parquetIn(folder);
  if (files.length === 0)
    throw new InputError(`${asked.source} is a folder without Parquet files, and a file was expected.`);
  const start = { packed: false, bytes: new Uint8Array() };
  const partitioned = files.some((path) => path.slice(folder.length).includes("="));
  const found = await readByDuckDB(files, "parquet", start, { ...asked, partitioned });
  if (found) return found;
  throw new InputError(
    `${asked.source} is a folder of Parquet files. Reading it takes DuckDB: npm install @duckdb/node-api.`,
  );
}

/** In the order of their names; files that begin with a dot or an underscore are metadata. */
function parquetIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !/^[._]/.test(name))
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) =>
      statSync(path).isDirectory() ? parquetIn(path) : /\.(parquet|pq)$/i.test(path) ? [path] : [],
    );
}

/** The SHA-256 of what a table is read from: of an address of its copy, of a folder of the sums of its files. */
export async function sourceSum(file: string): Promise<string> {
  if (isUrl(file)) return sha256(await localCopy(file));
  const { path } = tableIn(file);
  if (!statSync(path).isDirectory()) return sha256(path);
  const sums = await Promise.all(parquetIn(path).map(sha256));
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(sums.join("\n")));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const isSqlite = (bytes: Uint8Array): boolean => latin1(bytes, 0, 15) === "SQLite format 3";

/** A file begins with a mark, a stream with the length of its first message. */
const isArrow = (bytes: Uint8Array): boolean =>
  latin1(bytes, 0, 6) === "ARROW1" || latin1(bytes, 0, 4) === "\xff\xff\xff\xff";

async function beginning(file: string, source: string): Promise<Beginning> {
  const raw = firstBytes(file, glance);
  const packed = raw[0] === 0x1f && raw[1] === 0x8b;
  return packed ? { packed, bytes: await unpacked(file, source, glance) } : { packed, bytes: raw };
}

async function unpacked(file: string, source: string, most?: number): Promise<Uint8Array> {
  try {
    return await gunzip(file, most);
  } catch (reason) {
    throw new InputError(`${source} is packed by gzip and cannot be unpacked: ${(reason as Error).message}.`);
  }
}

function kindOf(file: string, bytes: Uint8Array): Kind {
  if (latin1(bytes, 0, 4) === "PAR1") return "parquet";
  return /\.(jsonl|ndjson|json)(\.gz)?$/i.test(file) ? "json" : "csv";
}
