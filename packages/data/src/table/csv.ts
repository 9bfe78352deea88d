// Tables from CSV: a header with the names of the columns, then rows. The delimiter is inferred from the header; quotes, line ends and
// the byte order mark are as spreadsheets write them.

import { InputError } from "@pliant/core";
import { CsvError, parse } from "#csv-parse";
import { type ColumnKind, columnFrom } from "./kinds.js";
import { type Column, missingColumn, type NumberColumn, type Table, takeRows } from "./table.js";
import { type Texts, textsOf } from "./texts.js";

/** How the cells of a table are to be understood. */
export interface CsvOptions {
  /**
   * What columns hold; those not named are numbers where every cell that is not missing is one, or a date, or a number as reports
   * write them, else categories.
   */
  columns?: Readonly<Record<string, ColumnKind>>;
  /** A column that must be there, with no cell missing. */
  target?: string;
  /** Rows in which the target is missing are left out instead of refused. */
  dropWithoutTarget?: boolean;
  /** Names among `columns` and `target` that the table may lack. */
  mayLack?: readonly string[];
  /** Cells that say that there is no value. */
  missing?: readonly string[];
  /** What a message calls the text; a file is called by its path. */
  source?: string;
}

/** The cells that say there is no value, unless others are given. */
export const missingCells: readonly string[] = ["", "NA", "N/A", "NaN", "nan", "null", "?"];

/** The table of a text. */
export function parseCsv(text: string, options: CsvOptions = {}): Table {
  const { source = "the table" } = options;
  // One kind of line end, so that lines can be counted.
  const { header, cells, lines } = split(text.replace(/\r\n?/g, "\n"), source);
  return tableOf(
    {
      names: header,
      rows: lines.length,
      cells: (i) => textsOf(cells[i]),
      place: (row) => `line ${lines[row]}`,
    },
    { ...options, source },
  );
}

/** Columns as a reader has them. */
export interface Cells {
  readonly names: readonly string[];
  readonly rows: number;
  /** By column: its texts, or its numbers where it holds nothing else. */
  cells(column: number): Texts | NumberColumn;
  place(row: number): string;
}

export function tableOf(
  { names: header, rows, cells, place }: Cells,
  {
    columns: asked = {},
    target,
    dropWithoutTarget = false,
    mayLack = [],
    missing = missingCells,
    source,
  }: CsvOptions & { source: string },
): Table {
  checkNamed(header, { columns: asked, target, mayLack, source });
  const reading = { source, missing: new Set(missing), place };
  const kindOf = (name: string): ColumnKind | undefined =>
    Object.hasOwn(asked, name) ? asked[name] : undefined;
  // An index numbers the rows, and says nothing of them unless it is asked for.
  const names = header.filter(
    (name) => kindOf(name) !== "ignore" && (!indexes.includes(name) || kindOf(name)),
  );
  const columns = names.map((name): [string, Column] => {
    const found = cells(header.indexOf(name));
    const kind = kindOf(name) as Exclude<ColumnKind, "ignore"> | undefined;
    const column = "kind" in found ? found : columnFrom(name, found, kind, reading);
    if (name === target && column.missing > 0 && !dropWithoutTarget) {
      const others = column.missing - 1;
      const more = others === 0 ? "" : `, nor in ${others} other ${others === 1 ? "row" : "rows"}`;
      throw new InputError(
        `${source}, ${place(gapOf(column))}: the target column "${name}" has no value here${more}; fill it in, or leave such rows out with data.withoutTarget: drop.`,
      );
    }
    return [name, column];
  });
  const table = { source, rows, names, columns: Object.fromEntries(columns), place };
  const drops = target !== undefined && dropWithoutTarget && names.includes(target);
  return drops ? withTarget(table, target) : table;
}

/** The rows that have a value there, and how many had none. */
function withTarget(table: Table, target: string): Table {
  const column = table.columns[target];
  if (column.missing === 0) return table;
  const isKnown = (row: number): boolean =>
    column.kind === "number" ? !Number.isNaN(column.values[row]) : column.codes[row] >= 0;
  const known: number[] = [];
  for (let row = 0; row < table.rows; row++) if (isKnown(row)) known.push(row);
  if (known.length === 0)
    throw new InputError(`${table.source}: the target column "${target}" has no value in any row.`);
  return { ...takeRows(table, known), dropped: column.missing };
}

/** Columns that are asked for are there. */
export function checkNamed(
  header: readonly string[],
  { columns = {}, target, mayLack = [], source }: CsvOptions & { source: string },
): void {
  for (const name of [...Object.keys(columns), ...(target === undefined ? [] : [target])])
    if (!header.includes(name) && !mayLack.includes(name)) throw missingColumn(source, name, header);
}

const gapOf = (column: Column): number =>
  column.kind === "number"
    ? column.values.findIndex((value) => Number.isNaN(value))
    : column.codes.findIndex((code) => code < 0);

/** The cells of each column as they are written, and the line on which each row begins. */
function split(text: string, source: string): { header: string[]; cells: string[][]; lines: number[] } {
  let header: string[] | undefined;
  let cells: string[][] = [];
  const lines: number[] = [];
  let end = 0;
  const take = (record: string[], last: number): void => {
    end = last;
    const line = end - record.reduce((sum, cell) => sum + breaks(cell), 0);
    if (header === undefined) {
      header = checkHeader(record, source);
      cells = header.map(() => []);
      return;
    }
    if (record.length !== header.length) {
      throw new InputError(
        `${source}, line ${line}: ${record.length} cells where the header names ${header.length} columns.`,
      );
    }
    for (const [i, cell] of record.entries()) cells[i].push(cell);
    lines.push(line);
  };
  try {
    parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (record: string[], { lines: last }) => {
        take(record, last);
        return null;
      },
    });
  } catch (reason) {
    if (reason instanceof CsvError) throw quoteError(reason, source, rowAfter(text, end));
    throw reason;
  }
  if (header === undefined)
    throw new InputError(`${source} is empty: a line with the names of the columns was expected.`);
  if (lines.length === 0)
    throw new InputError(`${source} has the names of its columns and no row below them.`);
  return { header, cells, lines };
}

const breaks = (cell: string): number => cell.split("\n").length - 1;

/** The most frequent of comma, semicolon and tab in the header, outside quotes. */
export function delimiterOf(text: string): string {
  const line = /^(?:[^"\r\n]|"[^"]*")*/.exec(text.replace(/^\uFEFF?\s*/, ""))![0].replace(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

/** The names of the columns, where one line holds them; undefined where it does not look so. */
export function headerOf(line: string, source: string): string[] | undefined {
  try {
    const [header] = parse(line, { delimiter: delimiterOf(line), relax_column_count: true, trim: true });
    return header && checkHeader(header, source);
  } catch (reason) {
    if (reason instanceof CsvError) return undefined;
    throw reason;
  }
}

/** What pandas calls a first column without a name, which is the index that its to_csv writes. */
const index = "Unnamed: 0";
/** That, and what its to_parquet calls one. */
const indexes: readonly string[] = [index, "__index_level_0__"];

export function checkHeader(given: string[], source: string): string[] {
  const header = given.length > 1 && given[0] === "" ? [index, ...given.slice(1)] : given;
  const empty = header.indexOf("");
  if (empty >= 0) throw new InputError(`${source}: column ${empty + 1} has no name in the header.`);
  const twice = header.findIndex((name, i) => header.indexOf(name) !== i);
  if (twice >= 0) {
    const first = header.indexOf(header[twice]);
    throw new InputError(
      `${source}: columns ${first + 1} and ${twice + 1} are both called "${header[twice]}"; names must differ.`,
    );
  }
  return header;
}

/** The line on which the next row begins after line `end`. */
function rowAfter(text: string, end: number): number {
  const lines = text.split("\n");
  while (end < lines.length && lines[end].trim() === "") end++;
  return end + 1;
}

function quoteError({ code, message }: CsvError, source: string, line: number): InputError {
  const wrong: Record<string, string> = {
    CSV_QUOTE_NOT_CLOSED: "a quote is opened in this row and never closed",
    CSV_INVALID_CLOSING_QUOTE: "a quoted cell goes on after its closing quote",
    INVALID_OPENING_QUOTE:
      "a quote begins in the middle of a cell; put the whole cell in quotes and double those inside",
  };
  return new InputError(`${source}, line ${line}: ${wrong[code] ?? message}.`);
}
