// How numbers are written: plainly, or as spreadsheets and reports show them.

/** 31, -.5, 1e3, 1_000. */
const plain = /^[+-]?(\d+(_\d+)*\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The number of a plain text; NaN where it is none, or beyond all numbers. */
export function plainNumber(text: string): number {
  if (!plain.test(text)) return Number.NaN;
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : Number.NaN;
}

/** Whether it is an integer written in full that a double cannot represent: above 2⁵³ doubles are two or more apart. */
export function isRounded(text: string): boolean {
  const digits = text.replace(/[_,]/g, "");
  return /^[+-]?\d{16,}$/.test(digits) && BigInt(digits) !== BigInt(Number(digits));
}

/** How numbers are written where not plainly: 1,234, 12%, $5, or a date. */
export type Notation = "thousands" | "percent" | "currency" | DateNotation;

/** 2024-01-31, 31/01/2024, 01/31/2024. */
export type DateNotation = "date" | "day-month" | "month-day";

/** Whether it is a notation of dates, whose numbers are days since 1970. */
export const isDate = (written: Notation | undefined): written is DateNotation =>
  written === "date" || written === "day-month" || written === "month-day";

interface Reader {
  readonly notation: Notation;
  /** NaN where the text is not written so. */
  read(text: string): number;
}

const withCommas = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;

/** 1,234.50; a plain number of at most three digits before the point may stand among them. */
const thousands = (text: string): number =>
  withCommas.test(text) ? Number(text.replaceAll(",", "")) : plainNumber(text);

/** In the order in which they are tried; each must be how every cell is written. */
export const notations: readonly Reader[] = [
  { notation: "thousands", read: thousands },
  {
    notation: "percent",
    read: (text) => (text.endsWith("%") ? thousands(text.slice(0, -1).trim()) / 100 : Number.NaN),
  },
  {
    notation: "currency",
    read: (text) => {
      const [, sign, amount] = /^([+-]?)[$€£¥]\s*(\d.*)$/.exec(text) ?? [];
      return amount === undefined ? Number.NaN : thousands(`${sign}${amount}`);
    },
  },
  {
    notation: "date",
    read: daysOf,
  },
];

const iso =
  /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?\s?(Z|[+-]\d{2}:?\d{2})?)?$/;

const day = 86_400_000;

/** Days since 1970-01-01 of 2024-01-31, 2024/01/31 or 2024-01-31T12:00:00Z, without a zone as in UTC. */
export function daysOf(text: string): number {
  const found = iso.exec(text);
  if (!found) return Number.NaN;
  const [, year, month, date, hour = "0", minute = "0", second = "0", zone] = found;
  // Date.UTC takes years below 100 for those of the last century.
  const there = new Date(0);
  const at = there.setUTCFullYear(Number(year), Number(month) - 1, Number(date));
  // The 31st of February would be the 2nd of March.
  if (there.getUTCMonth() !== Number(month) - 1) return Number.NaN;
  if (Number(hour) > 24 || Number(minute) > 59 || Number(second) >= 61) return Number.NaN;
  const offset = zone === undefined || zone === "Z" ? 0 : zoneMinutes(zone);
  return (at + (Number(hour) * 60 + Number(minute) - offset) * 60_000 + Number(second) * 1000) / day;
}

function zoneMinutes(zone: string): number {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return zone.startsWith("-") ? -minutes : minutes;
}

const otherDate = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})((?:[T ]\d{2}:\d{2}.*)?)$/;

/** The days of a date with the year last, in an order of day and month that is known. */
export function orderedDays(text: string, order: "day-month" | "month-day"): number {
  const [, first, , second, year, time] = otherDate.exec(text) ?? [];
  if (year === undefined) return Number.NaN;
  const [date, month] = order === "day-month" ? [first, second] : [second, first];
  return daysOf(`${year}-${month.padStart(2, "0")}-${date.padStart(2, "0")}${time}`);
}

/** Which comes first, where the dates of a column can tell: a number above 12 is a day, and stands in one of the two places alone. */
export function orderOf(texts: readonly string[]): "day-month" | "month-day" | undefined {
  let [first, second] = [false, false];
  for (const text of texts) {
    const found = otherDate.exec(text);
    if (!found) return undefined;
    first ||= Number(found[1]) > 12;
    second ||= Number(found[3]) > 12;
  }
  return first === second ? undefined : first ? "day-month" : "month-day";
}

/** 40,5. */
export const hasDecimalComma = (text: string): boolean => /^[+-]?\d+,\d+$/.test(text);

/** 31/01/2024 or 01/31/2024: the order of day and month is ambiguous. */
export const isOtherDate = (text: string): boolean =>
  /^\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})(\s+\d{1,2}:\d{2}(:\d{2})?)?$/.test(text);

export const isInfinite = (text: string): boolean => /^[+-]?(inf|infinity|∞)$/i.test(text);

/** Whether the first cells of a column are numbers, but for marks of missing values. */
export function lookLikeNumbers(cells: readonly string[], missing: ReadonlySet<string>): boolean {
  const known = [...new Set(cells)].map((cell) => cell.trim()).filter((cell) => !missing.has(cell));
  return known.length > 0 && known.every((cell) => !Number.isNaN(plainNumber(cell)));
}
