// Tables at native speed, by DuckDB: cells are parsed there and come over as arrays, in one pass over the file. A sample of rows shows
// which columns are numeric and which texts are common; other cells are transferred as text.
import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import { lookLikeNumbers, plainNumber } from "./notation.js";
import type { NumberColumn } from "./table.js";
import { merged, placeOf, type Texts } from "./texts.js";

/** A file as DuckDB reads it: a relation, and its columns as texts. */
export interface Source {
  /** A table function of SQL. */
  readonly relation: string;
  /** An expression for each column that is wanted, of type VARCHAR. */
  readonly columns: readonly string[];
  /**
   * The relation with some of these columns parsed as numbers while they are read, null where a cell is one of the marks of a missing
   * value: half the work, where the file can be read so. A query of it fails at a cell that is neither.
   */
  parsed?(numbers: ReadonlySet<string>, missing: ReadonlySet<string>): string;
}

export interface NativeOptions {
  /** Columns that are wanted as texts, whatever they look like. */
  readonly asTexts: ReadonlySet<number>;
  readonly missing: ReadonlySet<string>;
  /** About how many rows there are: room for them is made at once. */
  readonly expected?: number;
  /** Told how many rows are read. */
  onRows?(rows: number): void;
}

export interface Native {
  readonly rows: number;
  readonly cells: readonly (Texts | NumberColumn)[];
}

export type Connection = DuckDBConnection;

/** Rows of the sample. */
const looked = 2000;
/** If a column has more distinct texts in the sample, each cell is transferred by itself. */
const commonTexts = 2000;

/** Runs with a connection of its own: in memory, without the network. Undefined where DuckDB cannot be loaded here. */
export async function withDuckDB<T>(use: (connection: Connection) => Promise<T>): Promise<T | undefined> {
  const duckdb = await import("@duckdb/node-api").catch(() => undefined);
  if (!duckdb) return undefined;
  const instance = await duckdb.DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  try {
    const connection = await instance.connect();
    try {
      return await use(connection);
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
}

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export async function readNative(
  connection: Connection,
  source: Source,
  options: NativeOptions,
): Promise<Native> {
  const first = await firstLook(connection, source);
  const forms = source.columns.map((_, i) => formOf(first[i], options, i));
  const found =
    (await parsedPass(connection, source, forms, options)) ??
    (await onePass(connection, source, forms, options));
  // A column that was numeric in the sample and later is not, or has very long numbers, is read again as text.
  for (const [i, cells] of found.cells.entries())
    if (cells === undefined) {
      const form: ColumnForm = { form: "texts", common: [] };
      const own = { ...source, columns: [source.columns[i]] };
      found.cells[i] = (await onePass(connection, own, [form], options)).cells[0];
    }
  return found as Native;
}

async function firstLook(connection: Connection, { relation, columns }: Source): Promise<string[][]> {
  const reader = await connection.runAndReadAll(
    `select ${columns.join(", ")} from ${relation} limit ${looked}`,
  );
  return reader.getColumns().map((cells) => cells.map((cell) => (cell as string | null) ?? ""));
}

/** How a column comes over. */
type ColumnForm =
  | { readonly form: "numbers" }
  | { readonly form: "texts"; readonly common: readonly string[] };

function formOf(cells: readonly string[], options: NativeOptions, i: number): ColumnForm {
  if (!options.asTexts.has(i) && lookLikeNumbers(cells, options.missing)) return { form: "numbers" };
  const common = [...new Set(cells)].filter((cell) => cell !== "" && !cell.includes("\0"));
  return { form: "texts", common: common.length > commonTexts ? [] : common };
}

/** The same with numbers parsed by the reader of the file; undefined where a cell that should be one is not. */
async function parsedPass(
  connection: Connection,
  { parsed, columns }: Source,
  forms: readonly ColumnForm[],
  options: NativeOptions,
): Promise<Found | undefined> {
  const numbers = new Set(forms.flatMap(({ form }, i) => (form === "numbers" ? [columns[i]] : [])));
  if (!parsed || numbers.size === 0) return undefined;
  try {
    const relation = parsed(numbers, options.missing);
    const found = await onePass(connection, { relation, columns }, forms, { ...options, parsed: true });
    return found.cells.includes(undefined) ? undefined : found;
  } catch {
    return undefined;
  }
}

interface Found {
  readonly rows: number;
  /** Undefined for a column that should hold numbers, and holds something else too. */
  readonly cells: (Texts | NumberColumn | undefined)[];
}

async function onePass(
  connection: Connection,
  { relation, columns }: Source,
  forms: readonly ColumnForm[],
  { missing, expected = 1 << 16, onRows, parsed = false }: NativeOptions & { parsed?: boolean },
): Promise<Found> {
  const selected: string[] = [];
  const sinks: Sink[] = [];
  for (const [i, form] of forms.entries()) {
    const at = selected.length;
    if (form.form === "numbers" && parsed) {
      const own = columns[i];
      selected.push(
        `case when ${own} is null then 'nan'::double when isnan(${own}) then 'inf'::double else ${own} end`,
      );
      sinks.push(numberSink(at, expected, whileRead));
    } else if (form.form === "numbers") {
      // NaN where the text is no finite number, or one that stands for a missing value.
      const cast = `try_cast(${columns[i]} as double)`;
      const marks = [...missing].filter((text) => !Number.isNaN(plainNumber(text))).map(literal);
      const known = marks.length > 0 ? ` and trim(${columns[i]}) not in (${marks.join(", ")})` : "";
      selected.push(`case when isfinite(${cast})${known} then ${cast} else 'nan'::double end`, columns[i]);
      sinks.push(numberSink(at, expected, besideTexts(at, missing)));
    } else {
      if (form.common.length > 0) {
        const type = `common${i}`;
        await connection.run(
          `create or replace type ${type} as enum (${form.common.map(literal).join(", ")})`,
        );
        selected.push(`coalesce(enum_code(try_cast(${columns[i]} as ${type}))::integer, -1)`, columns[i]);
      } else selected.push("-1", columns[i]);
      sinks.push(textSink(at, expected, form.common));
    }
  }
  const result = await connection.stream(`select ${selected.join(", ")} from ${relation}`);
  let rows = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    for (const sink of sinks) sink.take(chunk, rows);
    rows += chunk.rowCount;
    onRows?.(rows);
  }
  return { rows, cells: sinks.map((sink) => sink.cells(rows)) };
}

type Chunk = NonNullable<Awaited<ReturnType<DuckDBResult["fetchChunk"]>>>;

/** Where the cells of a column go. */
interface Sink {
  take(chunk: Chunk, from: number): void;
  cells(rows: number): Texts | NumberColumn | undefined;
}

/** The texts behind NaN and infinite cells; queried for few cells. */
type Oddity = (value: number, chunk: Chunk, row: number) => "number" | "gap" | "text";

/** Numbers that were read as texts, which stand beside them. */
const besideTexts =
  (at: number, missing: ReadonlySet<string>): Oddity =>
  (value, chunk, row) => {
    if (!Number.isNaN(value)) return "number";
    const text = chunk.getColumnVector(at + 1).getItem(row) as string | null;
    return missing.has((text ?? "").trim()) ? "gap" : "text";
  };

/** NaN is a missing value that the file reader knew; an infinite cell was not a number, even if written as nan. */
const whileRead: Oddity = (value) => (Number.isNaN(value) ? "gap" : "text");

function numberSink(at: number, room: number, oddity: Oddity): Sink {
  let values = new Float64Array(room);
  let gaps = 0;
  let clean = true;
  return {
    take: (chunk, from) => {
      const n = chunk.rowCount;
      if (from + n > values.length) values = grown(values, from + n);
      const found = (chunk.getColumnVector(at) as unknown as { items: Float64Array }).items;
      values.set(found.subarray(0, n), from);
      for (let i = 0; i < n; i++) {
        const value = found[i];
        if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) continue;
        // Whether all of its digits are there, its text tells.
        const kind = Number.isFinite(value) ? "text" : oddity(value, chunk, i);
        if (kind === "gap") gaps++;
        if (kind === "text") clean = false;
      }
    },
    cells: (rows) => (clean ? { kind: "number", values: fitted(values, rows), missing: gaps } : undefined),
  };
}

function textSink(at: number, room: number, common: readonly string[]): Sink {
  let codes = new Int32Array(room);
  const found = new Map(common.map((text, code) => [text, code]));
  return {
    take: (chunk, from) => {
      const n = chunk.rowCount;
      if (from + n > codes.length) codes = grown(codes, from + n);
      const known = (chunk.getColumnVector(at) as unknown as { items: Int32Array }).items;
      codes.set(known.subarray(0, n), from);
      const texts = chunk.getColumnVector(at + 1);
      for (let i = 0; i < n; i++)
        if (known[i] < 0) codes[from + i] = placeOf(found, (texts.getItem(i) as string | null) ?? "");
    },
    cells: (rows) => merged({ codes: fitted(codes, rows), texts: [...found.keys()] }),
  };
}

/** Without the room that is left; a little of it is not worth a copy. */
const fitted = <A extends Float64Array | Int32Array>(values: A, rows: number): A =>
  (values.length < 1.1 * rows ? values.subarray(0, rows) : values.slice(0, rows)) as A;

function grown<A extends Float64Array | Int32Array>(values: A, least: number): A {
  const size = Math.max(least, Math.ceil(values.length * 1.6));
  const more = (values instanceof Float64Array ? new Float64Array(size) : new Int32Array(size)) as A;
  more.set(values);
  return more;
}
