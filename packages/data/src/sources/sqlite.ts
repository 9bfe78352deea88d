// Tables of SQLite databases, by the SQLite inside Node 22.13 and later.
import { InputError } from "@pliant/core";
import { checkHeader } from "../table/csv.js";
import { nestedIn } from "../table/nested.js";
import type { ReadRequest } from "../table/read.js";
import type { Table } from "../table/table.js";
import { tableOfValues, type Value } from "../table/values.js";

/** The part of node:sqlite that is used; its types came after Node 20. */
interface Sqlite {
  readonly DatabaseSync: new (path: string, options: { readOnly: true }) => Database;
}
interface Database {
  prepare(sql: string): Statement;
  close(): void;
}
interface Statement {
  all(...parameters: string[]): Record<string, unknown>[];
  iterate(): Iterable<Record<string, unknown>>;
  setReadBigInts(on: boolean): void;
}

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export async function readSqlite(
  path: string,
  table: string | undefined,
  asked: ReadRequest,
): Promise<Table> {
  const { source } = asked;
  // In a variable, since compilers of Node 20 do not know the module.
  const module = "node:sqlite";
  const sqlite = (await import(module).catch(() => undefined)) as Sqlite | undefined;
  if (!sqlite)
    throw new InputError(
      `${source} is an SQLite database, which Pliant reads under Node 22.13 or later; this is Node ${process.versions.node}. Or export the table: sqlite3 -header -csv ${path} "select * from ${table ?? "TABLE"}" > rows.csv`,
    );
  const database = new sqlite.DatabaseSync(path, { readOnly: true });
  try {
    return tableFrom(database, table, asked);
  } catch (reason) {
    if (reason instanceof InputError) throw reason;
    throw new InputError(`${source} cannot be read as SQLite: ${(reason as Error).message}.`);
  } finally {
    database.close();
  }
}

/** The table that is named, or the only one. */
function chosenTable(database: Database, table: string | undefined, source: string): string {
  const known = database
    .prepare(
      "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite~_%' escape '~' order by name",
    )
    .all()
    .map(({ name }) => String(name));
  if (table !== undefined) {
    if (known.includes(table)) return table;
    throw new InputError(`${source} has no table "${table}". It has: ${known.join(", ") || "none"}.`);
  }
  if (known.length === 1) return known[0];
  if (known.length === 0) throw new InputError(`${source} is an SQLite database without a table.`);
  throw new InputError(
    `${source} has ${known.length} tables: ${known.join(", ")}. Name one after the file: ${source}#${known[0]}`,
  );
}

function tableFrom(database: Database, table: string | undefined, asked: ReadRequest): Table {
  const { source, columns = {} } = asked;
  const chosen = chosenTable(database, table, source);
  const names = database
    .prepare("select name from pragma_table_info(?)")
    .all(chosen)
    .map(({ name }) => String(name));
  checkHeader(names, source);
  const wanted = names.filter((name) => columns[name] !== "ignore");
  const statement = database.prepare(
    `select ${wanted.map(identifier).join(", ")} from ${identifier(chosen)}`,
  );
  // Whole numbers above 2^53 come as they are.
  statement.setReadBigInts(true);
  const cells = new Map(wanted.map((name) => [name, [] as Value[]]));
  const blobs = new Set<string>();
  let rows = 0;
  for (const row of statement.iterate()) {
    for (const [name, list] of cells) {
      const value = row[name];
      if (value instanceof Uint8Array) blobs.add(name);
      const whole = typeof value === "bigint" && Number.isSafeInteger(Number(value));
      list.push(whole ? Number(value) : (value as Value));
    }
    rows++;
  }
  if (rows === 0) throw new InputError(`${source}: the table "${chosen}" has no row.`);
  const nested = nestedIn(asked);
  for (const name of blobs) nested(name, "BLOB");
  const left = Object.fromEntries([...blobs].map((name) => [name, "ignore" as const]));
  const place = (row: number): string => `row ${row + 1}`;
  return tableOfValues(
    { names, rows, place, values: (i) => cells.get(names[i])! },
    { ...asked, columns: { ...columns, ...left } },
  );
}
