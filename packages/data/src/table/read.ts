// Tables from files: CSV with commas, semicolons or tabs, JSON lines, Parquet, the first two packed by gzip or not. Plain CSV is read
// in one pass over its bytes (plain.ts), large files that are not plain by DuckDB. Small ones, what DuckDB stumbles over and machines
// that lack it are left to the reader in csv.ts, which takes its time and says what is wrong with a file, and where.
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createGunzip, gunzipSync } from "node:zlib";
import { InputError } from "@pliant/core";
import {
  type CsvOptions,
  checkHeader,
  checkNamed,
  delimiterOf,
  missingCells,
  parseCsv,
  tableOf,
} from "./csv.js";
import { type Beginning, glance, headOf, placesIn, rowsIn } from "./delimited.js";
import type { ColumnKind } from "./kinds.js";
import { type Connection, identifier, literal, readNative, type Source, withDuckDB } from "./native.js";
import { readPlainly } from "./plain.js";
import type { Column, Table } from "./table.js";
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

/** Above so many bytes DuckDB is worth its start. */
const large = 2_000_000;

/**
 * Reads a table: CSV with commas, semicolons or tabs, packed by gzip or not; JSON lines and Parquet where @duckdb/node-api is
 * there. A mistake names the file and where in it.
 */
export async function readTable(file: string, options: ReadOptions = {}): Promise<Table> {
  if (!existsSync(file)) throw new InputError(`there is no file ${file}.`);
  if (statSync(file).isDirectory()) throw new InputError(`${file} is a folder, and a file was expected.`);
  const source = options.source ?? file;
  const start = await beginning(file, source);
  refuseForeign(start.bytes, source);
  const asked = { ...options, source };
  const kind = kindOf(file, start.bytes);
  if (kind !== "csv") {
    const found = await withDuckDB((connection) => readOther(connection, file, kind, asked));
    if (found) return found;
    throw new InputError(
      `${source}: ${kind === "parquet" ? "Parquet" : "JSON"} needs a package that is not installed here; run npm install @duckdb/node-api, or save the table as CSV.`,
    );
  }
  const tries = (reader: ReadOptions["reader"]): boolean => (options.reader ?? reader) === reader;
  if (tries("plain")) {
    const found = readPlainly(file, start, asked);
    if (found) return found;
  }
  if (tries("native") && (options.reader === "native" || statSync(file).size > large)) {
    const found = await withDuckDB((connection) => readDelimited(connection, file, start, asked));
    if (found) return found;
  }
  const bytes = readFileSync(file);
  return parseCsv(decoded(start.packed ? gunzipSync(bytes) : bytes, source), asked);
}

async function beginning(file: string, source: string): Promise<Beginning> {
  const raw = await firstBytes(createReadStream(file, { end: glance - 1 }));
  const packed = raw[0] === 0x1f && raw[1] === 0x8b;
  if (!packed) return { packed, bytes: raw };
  try {
    return { packed, bytes: await firstBytes(createReadStream(file).pipe(createGunzip())) };
  } catch (reason) {
    throw new InputError(`${source} is packed by gzip and cannot be unpacked: ${(reason as Error).message}.`);
  }
}

async function firstBytes(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size >= glance) break;
  }
  return Buffer.concat(parts).subarray(0, glance);
}

type Kind = "csv" | "parquet" | "json";

function kindOf(file: string, bytes: Buffer): Kind {
  if (bytes.subarray(0, 4).toString("latin1") === "PAR1") return "parquet";
  return /\.(jsonl|ndjson|json)(\.gz)?$/i.test(file) ? "json" : "csv";
}

type Asked = ReadOptions & { readonly source: string; readonly expected?: number };

/** Undefined where the file wants the reader that takes its time. */
async function readDelimited(
  connection: Connection,
  file: string,
  { bytes, packed }: Beginning,
  asked: Asked,
): Promise<Table | undefined> {
  const head = headOf(bytes, asked.source);
  if (!head) return undefined;
  const { line, names } = head;
  const columns = names.map((_, i) => `c${i}`);
  const relationOf = (numbers: ReadonlySet<string>, missing: ReadonlySet<string> = new Set()): string =>
    `read_csv(${literal(file)}, ${[
      "header = false, skip = 1, auto_detect = false, strict_mode = true, allow_quoted_nulls = true",
      `delim = ${literal(delimiterOf(line))}, quote = '"', escape = '"'`,
      `compression = '${packed ? "gzip" : "none"}'`,
      ...(missing.size > 0 ? [`nullstr = [${[...missing].map(literal).join(", ")}]`] : []),
      `columns = {${columns.map((name) => `'${name}': '${numbers.has(name) ? "DOUBLE" : "VARCHAR"}'`).join(", ")}}`,
    ].join(", ")})`;
  try {
    const source = { relation: relationOf(new Set()), columns, parsed: relationOf };
    const expected = packed ? undefined : rowsIn(bytes, statSync(file).size);
    const table = await readWith(connection, source, names, placesIn(file, packed), { ...asked, expected });
    // Quotes inside a cell are read otherwise there.
    return table.names.some((name) => hasQuotes(table.columns[name])) ? undefined : table;
  } catch (reason) {
    if (reason instanceof InputError) throw reason;
    return undefined;
  }
}

const hasQuotes = (column: Column): boolean =>
  column.kind === "category" && column.categories.some((text) => text.includes('"'));

/** Parquet and JSON bring the names of their columns. */
async function readOther(
  connection: Connection,
  file: string,
  kind: "parquet" | "json",
  asked: Asked,
): Promise<Table> {
  const { source, columns = {}, onNested } = asked;
  const place = (row: number): string => `${kind === "json" ? "line" : "row"} ${row + 1}`;
  const nested = (name: string, example: string): void => {
    if (!onNested)
      throw new InputError(
        `${source}: the column "${name}" holds lists or objects (${example}), and a table has one text or number in a cell; leave it out with data.columns.${name}: ignore.`,
      );
    onNested(name, example);
  };
  const isWanted = (name: string): boolean => columns[name] !== "ignore";
  try {
    const found =
      kind === "parquet" ? await parquetSource(connection, file) : await jsonSource(connection, file);
    checkHeader([...found.names], source);
    const lists = found.names.filter(
      (name, i) => isWanted(name) && /[[]|^(MAP|STRUCT|BLOB)/.test(found.types[i]),
    );
    for (const name of lists) nested(name, found.types[found.names.indexOf(name)]);
    const flat = Object.fromEntries(lists.map((name) => [name, "ignore" as const]));
    const read = await readWith(connection, found, found.names, place, {
      ...asked,
      columns: { ...columns, ...flat },
    });
    const objects = (kind === "json" ? read.names : []).filter((name) => {
      const column = read.columns[name];
      const example =
        column.kind === "category" ? column.categories.find((text) => /^[{[]/.test(text)) : undefined;
      if (example !== undefined) nested(name, example.slice(0, 20));
      return example !== undefined;
    });
    const table = { ...read, names: read.names.filter((name) => !objects.includes(name)) };
    if (kind === "json" && table.names.some((name) => table.columns[name].missing === table.rows))
      refuseRenamed(await keysOf(connection, file), table.names, source);
    return table;
  } catch (reason) {
    if (reason instanceof InputError) throw reason;
    const [said] = (reason as Error).message.replace(/^[\w ]*Error: /, "").split("\n");
    throw new InputError(
      `${source} cannot be read as ${kind === "json" ? "JSON lines" : "Parquet"}: ${said.trim().replace(/\.?$/, ".")}`,
    );
  }
}

type Named = Source & { readonly names: readonly string[]; readonly types: readonly string[] };

async function describedColumns(connection: Connection, relation: string): Promise<string[][]> {
  const described = await connection.runAndReadAll(`describe select * from ${relation}`);
  return described
    .getColumns()
    .slice(0, 2)
    .map((cells) => cells.map(String));
}

async function parquetSource(connection: Connection, file: string): Promise<Named> {
  const relation = `read_parquet(${literal(file)})`;
  const [names, types] = await describedColumns(connection, relation);
  return { relation, names, types, columns: names.map((name) => `cast(${identifier(name)} as varchar)`) };
}

/** Every value as its text. */
async function jsonSource(connection: Connection, file: string): Promise<Named> {
  const [names] = await describedColumns(
    connection,
    `read_json_auto(${literal(file)}, sample_size = -1, maximum_depth = 1)`,
  );
  const typed = names.map((name) => `${literal(name)}: 'VARCHAR'`);
  const relation = `read_json(${literal(file)}, columns = {${typed.join(", ")}})`;
  return { relation, names, types: names.map(() => "VARCHAR"), columns: names.map(identifier) };
}

async function keysOf(connection: Connection, file: string): Promise<string[]> {
  const relation = `read_json_objects(${literal(file)})`;
  const found = await connection.runAndReadAll(`select distinct unnest(json_keys(json)) from ${relation}`);
  return found.getColumns().flatMap((cells) => cells.map(String));
}

/** DuckDB gives keys that it cannot tell apart, or that are empty, names of its own, and finds nothing under these. */
function refuseRenamed(keys: readonly string[], names: readonly string[], source: string): void {
  if (keys.includes("")) throw new InputError(`${source}: a key is empty, and a column needs a name.`);
  const other = keys.find((key) => !names.includes(key));
  const [like] = keys.filter((key) => key !== other && key.toLowerCase() === other?.toLowerCase());
  if (like !== undefined)
    throw new InputError(`${source}: the keys "${like}" and "${other}" differ by case alone; rename one.`);
}

async function readWith(
  connection: Connection,
  { relation, columns, parsed }: Source,
  names: readonly string[],
  place: (row: number) => string,
  asked: Asked,
): Promise<Table> {
  checkNamed(names, asked);
  const { columns: kinds = {}, missing = missingCells, source, onRows } = asked;
  const kindAt = (i: number): ColumnKind | undefined =>
    Object.hasOwn(kinds, names[i]) ? kinds[names[i]] : undefined;
  const wanted = names.flatMap((_, i) => (kindAt(i) === "ignore" ? [] : [i]));
  const { rows, cells } = await readNative(
    connection,
    {
      relation,
      columns: wanted.map((i) => columns[i]),
      parsed,
    },
    {
      asTexts: new Set(wanted.flatMap((i, at) => ((kindAt(i) ?? "number") === "number" ? [] : [at]))),
      missing: new Set(missing),
      expected: asked.expected,
      onRows,
    },
  );
  if (rows === 0) throw new InputError(`${source} has the names of its columns and no row below them.`);
  return tableOf({ names, rows, place, cells: (i) => cells[wanted.indexOf(i)] }, asked);
}
