// Tables by DuckDB: large files that are not plain, Parquet and JSON lines.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { InputError } from "@pliant/core";
import { statSync } from "@pliant/platform";
import { checkHeader, checkNamed, delimiterOf, missingCells, tableOf } from "./csv.js";
import { type Beginning, headOf, placesIn, rowsIn } from "./delimited.js";
import type { ColumnKind } from "./kinds.js";
import { type Connection, identifier, literal, readNative, type Source, withDuckDB } from "./native.js";
import { nestedIn } from "./nested.js";
import type { ReadRequest as AnyRequest, Kind } from "./read.js";
import type { Column, Table } from "./table.js";

type ReadRequest = AnyRequest & { readonly expected?: number; readonly partitioned?: boolean };

/** Undefined where DuckDB is not there for this machine, and where the file wants the reader that takes its time. */
export const readByDuckDB = (
  files: readonly string[],
  kind: Kind,
  start: Beginning,
  asked: ReadRequest,
): Promise<Table | undefined> =>
  withDuckDB((connection) =>
    kind === "csv"
      ? readDelimited(connection, files[0], start, asked)
      : readOther(connection, files, kind, asked),
  );

/** Undefined where the file wants the reader that takes its time. */
async function readDelimited(
  connection: Connection,
  file: string,
  { bytes, packed }: Beginning,
  asked: ReadRequest,
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
    const table = await readWith(
      connection,
      source,
      names,
      placesIn(() => (packed ? gunzipSync(readFileSync(file)) : readFileSync(file))),
      { ...asked, expected },
    );
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
  files: readonly string[],
  kind: "parquet" | "json",
  asked: ReadRequest,
): Promise<Table> {
  const { source, columns = {} } = asked;
  const place = (row: number): string => `${kind === "json" ? "line" : "row"} ${row + 1}`;
  const nested = nestedIn(asked);
  const isWanted = (name: string): boolean => columns[name] !== "ignore";
  try {
    const found =
      kind === "parquet"
        ? await parquetSource(connection, files, asked)
        : await jsonSource(connection, files[0]);
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
      refuseRenamed(await keysOf(connection, files[0]), table.names, source);
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

/** Several files are one table: a column that one of them lacks is missing there. */
async function parquetSource(
  connection: Connection,
  files: readonly string[],
  { partitioned = false }: ReadRequest,
): Promise<Named> {
  const list = `[${files.map(literal).join(", ")}]`;
  const relation = `read_parquet(${list}, union_by_name = true, hive_partitioning = ${partitioned})`;
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
  asked: ReadRequest,
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
