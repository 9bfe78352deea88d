// Tables from CSV: a header with the names of the columns, then rows. The delimiter is told from the header; quotes,
// line ends and the byte order mark are as spreadsheets write them.
import { readFile } from "node:fs/promises";
import { CsvError, parse } from "csv-parse/sync";
import { InputError } from "pliant";
import { type Column, missingColumn, type Table } from "./table.js";

export type ColumnKind = "number" | "category" | "ignore";

export interface CsvOptions {
  /** What columns hold; those not named are numbers where every cell that is not missing is one, else categories. */
  columns?: Readonly<Record<string, ColumnKind>>;
  /** A column that must be there, with no cell missing. */
  target?: string;
  /** Cells that say that there is no value. */
  missing?: readonly string[];
  /** What a message calls the text; a file is called by its path. */
  source?: string;
}

export const missingCells: readonly string[] = ["", "NA", "N/A", "NaN", "nan", "null", "?"];

export async function readCsv(file: string, options: CsvOptions = {}): Promise<Table> {
  const bytes = await readFile(file).catch((reason: NodeJS.ErrnoException) => {
    throw new InputError(
      reason.code === "ENOENT" ? `there is no file ${file}.` : `${file} cannot be read: ${reason.message}.`,
    );
  });
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(`${file} is not a text in UTF-8; save it as CSV in UTF-8.`);
  }
  return parseCsv(text, { source: file, ...options });
}

/** The table of a text. */
export function parseCsv(text: string, options: CsvOptions = {}): Table {
  const { columns: asked = {}, target, missing = missingCells, source = "the table" } = options;
  // One kind of line end, so that lines can be counted.
  const { header, cells, lines } = split(text.replace(/\r\n?/g, "\n"), source);
  for (const name of [...Object.keys(asked), ...(target === undefined ? [] : [target])])
    if (!header.includes(name)) throw missingColumn(source, name, header);
  const absent = new Set(missing);
  const names = header.filter((name) => !(Object.hasOwn(asked, name) && asked[name] === "ignore"));
  const columns = names.map((name): [string, Column] => {
    const own = cells[header.indexOf(name)].map((cell) => (absent.has(cell) ? undefined : cell));
    const gap = name === target ? own.indexOf(undefined) : -1;
    if (gap >= 0)
      throw new InputError(`${source}, line ${lines[gap]}: the target column "${name}" has no value here.`);
    const kind = Object.hasOwn(asked, name) ? asked[name] : inferKind(own);
    if (kind === "category") return [name, categoriesOf(own)];
    return [
      name,
      numbersOf(own, (row) => {
        throw new InputError(
          `${source}, line ${lines[row]}, column "${name}": "${own[row]}" is not a number${own[row]!.includes(",") ? " (decimals take a point)" : ""}.`,
        );
      }),
    ];
  });
  return {
    source,
    rows: lines.length,
    names,
    columns: Object.fromEntries(columns),
    lines: Int32Array.from(lines),
  };
}

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

/** Of comma, semicolon and tab, the one that the header has most of outside quotes. */
function delimiterOf(text: string): string {
  const line = /^(?:[^"\r\n]|"[^"]*")*/.exec(text.replace(/^\uFEFF?\s*/, ""))![0].replace(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

function checkHeader(header: string[], source: string): string[] {
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

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const isNumber = (cell: string): boolean => NUMBER.test(cell) && Number.isFinite(Number(cell));

function inferKind(cells: readonly (string | undefined)[]): ColumnKind {
  const known = cells.filter((cell) => cell !== undefined);
  return known.length > 0 && known.every(isNumber) ? "number" : "category";
}

function numbersOf(cells: readonly (string | undefined)[], refuse: (row: number) => never): Column {
  let missing = 0;
  const values = Float64Array.from(cells, (cell, row) => {
    if (cell === undefined) {
      missing++;
      return Number.NaN;
    }
    return isNumber(cell) ? Number(cell) : refuse(row);
  });
  return { kind: "number", values, missing };
}

function categoriesOf(cells: readonly (string | undefined)[]): Column {
  const found = [...new Set(cells.filter((cell) => cell !== undefined))];
  const categories = found.every(isNumber) ? found.sort((a, b) => Number(a) - Number(b)) : found.sort();
  const codes = new Map(categories.map((category, code) => [category, code]));
  return {
    kind: "category",
    codes: Int32Array.from(cells, (cell) => (cell === undefined ? -1 : codes.get(cell)!)),
    categories,
    missing: cells.filter((cell) => cell === undefined).length,
  };
}
