// From the texts of a column to numbers or categories: as asked, or as they look. Columns that only look numeric are reported, and left
// to the person: one feature per number would follow from a few cells that are not numbers.
import { InputError } from "@pliant/core";
import {
  daysOf,
  hasDecimalComma,
  isDate,
  isInfinite,
  isOtherDate,
  isRounded,
  notations,
  orderedDays,
  orderOf,
  plainNumber,
} from "./notation.js";
import type { CategoryColumn, Column, NumberColumn } from "./table.js";
import { counted, type Texts } from "./texts.js";

/** The type of a column as a person states it: dates by the order of day and month, or ignored. */
export type ColumnKind = "number" | "category" | "date" | "day-month" | "month-day" | "ignore";

export interface Reading {
  readonly source: string;
  /** Cells that say that there is no value. */
  readonly missing: ReadonlySet<string>;
  /** Where a row is, for a message: `line 17`. */
  place(row: number): string;
}

/** One text of a column that is not a mark of a missing value. */
interface Known {
  readonly code: number;
  readonly text: string;
  readonly count: number;
  readonly first: number;
}

export function columnFrom(
  name: string,
  cells: Texts,
  asked: Exclude<ColumnKind, "ignore"> | undefined,
  reading: Reading,
): Column {
  const { counts, firsts } = counted(cells);
  const known: Known[] = [];
  let rows = 0;
  for (const [code, text] of cells.texts.entries()) {
    if (counts[code] === 0 || reading.missing.has(text)) continue;
    known.push({ code, text, count: counts[code], first: firsts[code] });
    rows += counts[code];
  }
  const missing = cells.codes.length - rows;
  if (asked === "category") return categories(cells, known, missing);
  if (asked === undefined) return guessed(name, cells, known, missing, reading);
  const found = numbers(cells, known, missing, asked === "number" ? undefined : asked);
  if (found && (asked !== "number" || !isDate(found.written))) return found;
  throw noNumber(name, known, asked, reading);
}

function guessed(name: string, cells: Texts, known: Known[], missing: number, reading: Reading): Column {
  if (known.length === 0) return categories(cells, known, missing);
  const found = numbers(cells, known, missing);
  if (found) return found;
  const trouble = troubleWith(name, known, reading);
  return { ...categories(cells, known, missing), ...(trouble !== undefined && { trouble }) };
}

/** Where every known cell is a number, all written in one way. */
function numbers(
  { codes, texts }: Texts,
  known: readonly Known[],
  missing: number,
  only?: "date" | "day-month" | "month-day",
): NumberColumn | undefined {
  const ordered =
    only === "day-month" || only === "month-day"
      ? only
      : orderIn(known, (text) => Number.isNaN(daysOf(text)));
  const ways = [
    ...(only ? [] : [{ read: plainNumber, notation: undefined }]),
    ...notations.filter(({ notation }) => only === undefined || notation === "date"),
    ...(ordered ? [{ read: (text: string) => daysIn(text, ordered), notation: ordered }] : []),
  ];
  for (const { read, notation } of ways) {
    const values = new Float64Array(texts.length).fill(Number.NaN);
    const fits = known.every(({ code, text }) => {
      values[code] = read(text);
      return !Number.isNaN(values[code]);
    });
    if (!fits) continue;
    const column = new Float64Array(codes.length);
    for (let row = 0; row < codes.length; row++)
      column[row] = codes[row] < 0 ? Number.NaN : values[codes[row]];
    const rounded = roundedIn(known);
    return {
      ...{ kind: "number", values: column, missing },
      ...(notation && { written: notation }),
      ...(rounded !== undefined && { rounded }),
    };
  }
  return undefined;
}

const roundedIn = (known: readonly Known[]): string | undefined =>
  known.filter(({ text }) => isRounded(text)).sort((a, b) => a.first - b.first)[0]?.text;

function categories({ codes, texts }: Texts, known: readonly Known[], missing: number): CategoryColumn {
  const allNumbers = known.every(({ text }) => !Number.isNaN(plainNumber(text)));
  const order = [...known].sort(
    allNumbers
      ? (a, b) => plainNumber(a.text) - plainNumber(b.text) || compare(a.text, b.text)
      : (a, b) => compare(a.text, b.text),
  );
  const places = new Int32Array(texts.length).fill(-1);
  for (const [place, { code }] of order.entries()) places[code] = place;
  const own = new Int32Array(codes.length);
  for (let row = 0; row < codes.length; row++) own[row] = codes[row] < 0 ? -1 : places[codes[row]];
  return { kind: "category", codes: own, categories: order.map(({ text }) => text), missing };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** So many different numbers are no categories that happen to be numbers, such as 0, 1, 2 and 3+. */
const manyNumbers = 10;

/** Why a column that looks like one of numbers or of dates is read as categories; undefined where it does not look so. */
function troubleWith(name: string, known: readonly Known[], reading: Reading): string | undefined {
  const start = `${reading.source}: the column "${name}" has`;
  const orTexts = `if the column holds text, set data.columns.${name}: category.`;
  if (known.every(({ text }) => hasDecimalComma(text) || !Number.isNaN(plainNumber(text))))
    return `${start} numbers with decimal commas; write a decimal point, or ${orTexts}`;
  const bad = notNumbers(known);
  const mostlyBut = (what: string, bad: readonly Known[]): string => {
    const n = rows(bad);
    return `${start} ${what}, except in ${n} ${n === 1 ? "cell" : "cells"}: ${listed(bad, reading)}. If ${n === 1 ? "it means a missing value" : "they mean missing values"}, set data.missing: [${quoted(bad, reading)}]. I${orTexts.slice(1)}`;
  };
  const noDates = notDates(known);
  const yearsLast = known.filter(({ text }) => isOtherDate(text));
  const alike = yearsLast.length === known.length;
  const many = alike || known.length - noDates.length > fewDates;
  if (noDates.length > 0 && many && 2 * rows(noDates) <= rows(known)) return mostlyBut("dates", noDates);
  if (alike || noDates.length === 0)
    return `${start} dates such as ${yearsLast[0].text}, which do not show whether the day or the month comes first; set data.columns.${name} to day-month or month-day, write them as 2024-01-31, or ${orTexts}`;
  const numbers = known.length - bad.length;
  const mostly = numbers > manyNumbers && 2 * rows(bad) <= rows(known);
  if (!mostly && !(numbers > 0 && bad.every(({ text }) => isInfinite(text)))) return undefined;
  return mostlyBut("numbers", bad);
}

const rows = (list: readonly Known[]): number => list.reduce((sum, { count }) => sum + count, 0);

/** Cells that are not numbers in the notation of most others. */
function notNumbers(known: readonly Known[]): Known[] {
  const ways = [plainNumber, ...notations.flatMap(({ notation, read }) => (isDate(notation) ? [] : [read]))];
  return ways
    .map((read) => known.filter(({ text }) => Number.isNaN(read(text))))
    .reduce((a, b) => (rows(b) < rows(a) ? b : a));
}

/** So many different dates are no names that happen to be dates. */
const fewDates = 2;

/** Those that are no dates in any order, or not in the one that the others have. */
function notDates(known: readonly Known[]): Known[] {
  const order = orderIn(known, isOtherDate);
  return known.filter(({ text }) =>
    order && isOtherDate(text)
      ? Number.isNaN(orderedDays(text, order))
      : !isOtherDate(text) && Number.isNaN(daysOf(text)),
  );
}

/** The order that some dates have, if they tell. */
const orderIn = (known: readonly Known[], of: (text: string) => boolean) =>
  orderOf(known.flatMap(({ text }) => (of(text) ? [text] : [])));

/** Parses a date with the year first, or last in a known order. */
function daysIn(text: string, order: "day-month" | "month-day"): number {
  const days = daysOf(text);
  return Number.isNaN(days) ? orderedDays(text, order) : days;
}

const shown = 3;

/** `"unknown" (line 17 and 4 more), "-" (line 20)`. */
function listed(bad: readonly Known[], { place }: Reading): string {
  const first = [...bad].sort((a, b) => a.first - b.first);
  const words = first
    .slice(0, shown)
    .map(
      ({ text, first: row, count }) =>
        `"${text}" (${place(row)}${count > 1 ? ` and ${count - 1} more` : ""})`,
    );
  return `${words.join(", ")}${bad.length > shown ? `, and ${bad.length - shown} other texts` : ""}`;
}

/** What would count as missing with these: a list of the user's own takes the place of the usual one. */
const quoted = (bad: readonly Known[], { missing }: Reading): string =>
  [...missing, ...bad.slice(0, shown).map(({ text }) => text)]
    .map((text) => JSON.stringify(text))
    .join(", ") + (bad.length > shown ? ", …" : "");

function noNumber(
  name: string,
  known: readonly Known[],
  asked: "number" | "date" | "day-month" | "month-day",
  { source, place }: Reading,
): InputError {
  const order = asked === "day-month" || asked === "month-day" ? asked : undefined;
  const read = (text: string): number =>
    asked === "number" ? plainNumber(text) : order ? daysIn(text, order) : daysOf(text);
  const [bad, ...more] = known
    .filter(({ text }) => Number.isNaN(read(text)))
    .sort((a, b) => a.first - b.first);
  const hint = hasDecimalComma(bad.text)
    ? " (decimals take a point)"
    : order
      ? ` (dates are written like ${order === "day-month" ? "31/01/2024" : "01/31/2024"}, or like 2024-01-31)`
      : asked === "date"
        ? ` (dates are written like 2024-01-31${isOtherDate(bad.text) ? "; otherwise set day-month or month-day" : ""})`
        : "";
  const others = more.reduce((sum, { count }) => sum + count, bad.count - 1);
  return new InputError(
    `${source}, ${place(bad.first)}, column "${name}": "${bad.text}" is not a ${asked === "number" ? "number" : "date"}${hint}${others > 0 ? `${others === 1 ? "; one other cell is not either" : `; ${others} other cells are not either`}` : ""}.`,
  );
}
