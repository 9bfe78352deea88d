// Plain tables in one pass over their bytes: cells without quotes, of numbers written in digits and of texts. Most tables are such,
// and no reader for all others is as quick with them. Whatever is not plain is left to those.
import { latin1, readFileSync, readWithRoom, statSync } from "@pliant/platform";
import { type CsvOptions, checkNamed, delimiterOf, missingCells, tableOf } from "./csv.js";
import { type Beginning, glance, headOf, placesIn, rowsIn } from "./delimited.js";
import type { Native } from "./native.js";
import { isRounded, lookLikeNumbers, plainNumber } from "./notation.js";
import type { Table } from "./table.js";
import { merged } from "./texts.js";
import { Words } from "./words.js";

/** Above so many bytes a file is not taken into memory. */
const mostHeld = 1 << 30;

/** Undefined where the file is not plain. */
export function readPlainly(
  file: string,
  { bytes: first, packed }: Beginning,
  asked: CsvOptions & { readonly source: string; onRows?(rows: number): void },
): Table | undefined {
  const { size } = statSync(file);
  if (packed || size > mostHeld) return undefined;
  const head = headOf(first, asked.source);
  // Bytes that are no text in UTF-8 are the exact reader's to name.
  if (!head || head.line.includes("\uFFFD")) return undefined;
  checkNamed(head.names, asked);
  const { columns: kinds = {}, source, onRows } = asked;
  const missing = new Set(asked.missing ?? missingCells);
  const delimiter = delimiterOf(head.line);
  const cells = firstCells(first, delimiter, head.names.length);
  const wants = head.names.map((name, i): Want => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : "number";
    if (kind === "ignore") return "nothing";
    return kind === "number" && lookLikeNumbers(cells[i], missing) ? "numbers" : "texts";
  });
  const bytes = readWithRoom(file);
  if (!bytes) return undefined;
  bytes[bytes.length - 1] = 0x0a;
  const found = readPlain(bytes, bytes.indexOf(0x0a) + 1, {
    wants,
    delimiter,
    missing,
    expected: rowsIn(first, size),
    onRows,
  });
  if (!found || found.rows === 0) return undefined;
  const wanted = wants.flatMap((want, i) => (want === "nothing" ? [] : [i]));
  return tableOf(
    {
      names: head.names,
      rows: found.rows,
      place: placesIn(() => readFileSync(file)),
      cells: (i) => found.cells[wanted.indexOf(i)],
    },
    { ...asked, source },
  );
}

/** By column, the cells of the whole lines among the first bytes. */
function firstCells(bytes: Uint8Array, delimiter: string, count: number): string[][] {
  const lines = latin1(bytes).split("\n").slice(1, looked);
  if (bytes.length === glance) lines.pop();
  const rows = lines
    .map((line) => line.replace(/\r$/, "").split(delimiter))
    .filter((row) => row.length === count);
  return Array.from({ length: count }, (_, i) => rows.map((row) => row[i]));
}

/** Lines of the first block. */
const looked = 2000;

/** What is wanted of a column. */
type Want = "nothing" | "numbers" | "texts";

export interface PlainOptions {
  /** For each column of the file. */
  readonly wants: readonly Want[];
  readonly delimiter: string;
  readonly missing: ReadonlySet<string>;
  /** About how many rows there are: room for them is made at once. */
  readonly expected: number;
  onRows?(rows: number): void;
}

const [newline, carriage, quote, point, plus, minus, zero] = [0x0a, 0x0d, 0x22, 0x2e, 0x2b, 0x2d, 0x30];

/** 10⁰ to 10²², which numbers hold exactly: a whole number of at most 15 digits divided by one of them is rounded once. */
const powers = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
const exactDigits = 15;

/** Rows between two words about them. */
const told = 1 << 16;

/**
 * The cells of the wanted columns, from the bytes of a file from a place on; the last byte ends a line. Undefined where a row has other
 * than so many cells, where there are quotes, and where numbers are wanted and something else is found.
 */
export function readPlain(
  bytes: Uint8Array,
  start: number,
  { wants, delimiter, missing, expected, onRows }: PlainOptions,
): Native | undefined {
  const between = delimiter.charCodeAt(0);
  const count = wants.length;
  const gapNumbers = new Set([...missing].map(plainNumber).filter((x) => !Number.isNaN(x)));
  const forms = Uint8Array.from(wants, (want) => ["nothing", "numbers", "texts"].indexOf(want));
  let room = Math.max(1, expected);
  const numbers = wants.map((want) => new Float64Array(want === "numbers" ? room : 0));
  const codes = wants.map((want) => new Int32Array(want === "texts" ? room : 0));
  const words = wants.map(() => new Words(bytes));
  const gaps = new Int32Array(count);
  const rounded: (string | undefined)[] = wants.map(() => undefined);
  const end = bytes.length;
  let [at, row] = [start, 0];
  while (at < end) {
    if (bytes[at] === newline || (bytes[at] === carriage && bytes[at + 1] === newline)) {
      at += bytes[at] === newline ? 1 : 2;
      continue;
    }
    if (row === room) {
      room = Math.ceil(room * 1.6) + 1;
      for (let k = 0; k < count; k++) {
        if (forms[k] === 1) numbers[k] = wider(numbers[k], new Float64Array(room));
        if (forms[k] === 2) codes[k] = wider(codes[k], new Int32Array(room));
      }
    }
    for (let k = 0; k < count; k++) {
      const from = at;
      let byte = bytes[at];
      if (forms[k] === 1) {
        const sign = byte;
        if (sign === minus || sign === plus) byte = bytes[++at];
        const first = at;
        let whole = 0;
        for (; byte >= zero && byte <= zero + 9; byte = bytes[++at]) whole = 10 * whole + (byte - zero);
        let digits = at - first;
        let scale = 0;
        if (byte === point) {
          byte = bytes[++at];
          const after = at;
          for (; byte >= zero && byte <= zero + 9; byte = bytes[++at]) whole = 10 * whole + (byte - zero);
          scale = at - after;
          digits += scale;
        }
        let value = scale > 0 ? whole / powers[scale] : whole;
        if (sign === minus) value = -value;
        const ended = byte === between || byte === newline || byte === carriage;
        if (!ended || digits === 0 || digits > exactDigits || gapNumbers.has(value)) {
          while (byte !== between && byte !== newline && byte !== carriage) byte = bytes[++at];
          const text = latin1(bytes, from, at).trim();
          if (missing.has(text)) {
            value = Number.NaN;
            gaps[k]++;
          } else {
            value = plainNumber(text);
            if (Number.isNaN(value)) return undefined;
            if (rounded[k] === undefined && isRounded(text)) rounded[k] = text;
          }
        }
        numbers[k][row] = value;
      } else {
        let hash = 0;
        let high = 0;
        while (byte !== between && byte !== newline && byte !== carriage) {
          if (byte === quote) return undefined;
          hash = (Math.imul(hash, 31) + byte) | 0;
          high |= byte;
          byte = bytes[++at];
        }
        if (forms[k] === 2) codes[k][row] = words[k].place(from, at, hash);
        // Other columns hold UTF-8 text or nothing, and are not inspected.
        else if (high >= 0x80) return undefined;
      }
      const last = k === count - 1;
      if (last !== (byte !== between)) return undefined;
      if (byte === carriage && bytes[++at] !== newline) return undefined;
      at++;
    }
    row++;
    if (onRows && row % told === 0) onRows(row);
  }
  onRows?.(row);
  const texts = words.map((own) => own.texts());
  if (texts.includes(undefined)) return undefined;
  return {
    rows: row,
    cells: wants.flatMap((want, k): Native["cells"] =>
      want === "nothing"
        ? []
        : want === "numbers"
          ? [
              {
                ...{ kind: "number", values: numbers[k].subarray(0, row), missing: gaps[k] },
                ...(rounded[k] !== undefined && { rounded: rounded[k] }),
              },
            ]
          : [merged({ codes: codes[k].subarray(0, row), texts: texts[k]! })],
    ),
  };
}

function wider<A extends Float64Array | Int32Array>(values: A, room: A): A {
  room.set(values);
  return room;
}
