// Tables from files: CSV with commas, semicolons or tabs, JSON lines, Parquet, the first two packed by gzip or not. Plain CSV is read
// in one pass over its bytes (plain.ts), large files that are not plain by DuckDB. Small ones, files that DuckDB refuses, machines
// without it and pages are left to the readers in TypeScript, which say what is wrong with a file, and where.

import { InputError } from "@pliant/core";
import { existsSync, firstBytes, gunzip, latin1, readFileSync, statSync } from "@pliant/platform";
import { readByDuckDB } from "#duckdb";
import { type CsvOptions, parseCsv } from "./csv.js";
import { type Beginning, glance } from "./delimited.js";
import { readJsonLines } from "./json-lines.js";
import { readParquet } from "./parquet.js";
import { readPlainly } from "./plain.js";
import type { Table } from "./table.js";
import { decoded, refuseForeign } from "./text-encoding.js";

/** How a table's file is read. */
export interface ReadOptions extends CsvOptions {
  /** Which reader, beside the exact one for what it cannot read; unless given, by what the file is like and its size. */
  reader?: "plain" | "native" | "exact";
  /** Told how many rows are read, now and then. */
  onRows?(rows: number): void;
  /** Told of a column of lists or objects, which is then left out; refused unless given. */
  onNested?(name: string, example: string): void;
}

/** What a reader of a file is given. */
export interface Asked extends ReadOptions {
  readonly source: string;
}

export type Kind = "csv" | "parquet" | "json";

/** Above so many bytes DuckDB is worth its start. */
const large = 2_000_000;

/**
 * Reads a table: CSV with commas, semicolons or tabs, or JSON lines, packed by gzip or not; or Parquet. A mistake names the file and
 * where in it.
 */
export async function readTable(file: string, options: ReadOptions = {}): Promise<Table> {
  if (isUrl(file)) throw new InputError(`${file} is not read: ${noConnection}`);
  if (!existsSync(file)) throw new InputError(`there is no file ${file}.`);
  if (statSync(file).isDirectory()) throw new InputError(`${file} is a folder, and a file was expected.`);
  const source = options.source ?? file;
  const start = await beginning(file, source);
  refuseForeign(start.bytes, source);
  const asked = { ...options, source };
  const kind = kindOf(file, start.bytes);
  const tries = (reader: ReadOptions["reader"]): boolean => (options.reader ?? reader) === reader;
  if (kind === "csv" && tries("plain")) {
    const found = readPlainly(file, start, asked);
    if (found) return found;
  }
  if (tries("native") && (kind !== "csv" || options.reader === "native" || statSync(file).size > large)) {
    const found = await readByDuckDB(file, kind, start, asked);
    if (found) return found;
  }
  if (kind === "parquet") return readParquet(readFileSync(file), asked);
  const text = decoded(await (start.packed ? unpacked(file, source) : readFileSync(file)), source);
  return kind === "json" ? readJsonLines(text, asked) : parseCsv(text, asked);
}

/** `postgres://`, `s3://`, `https://`; a drive of Windows has one letter. */
export const isUrl = (file: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(file);

/** What to do with an address that is not read. */
export const noConnection =
  "Pliant opens no connection to read data. Copy it to a file first, for example with DuckDB: copy (from 'URL') to 'rows.parquet'.";

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
