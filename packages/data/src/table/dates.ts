// Parts of dates as columns of their own: the year as a number, the month and the day of the week as categories.
import { InputError } from "@pliant/core";
import { type Column, numberColumn, type Table } from "./table.js";

/** The parts of a date that can be columns of their own. */
export const dateParts = ["year", "month", "weekday"] as const;
/** A part of a date that can be a column of its own. */
export type DatePart = (typeof dateParts)[number];

/** By column of dates: its parts that are wanted. */
export type WantedParts = Readonly<Record<string, readonly DatePart[]>>;

/** The name of the column that a part becomes. */
export const partName = (column: string, part: DatePart): string => `${column} ${part}`;

const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const months = Array.from({ length: 12 }, (_, i) => String(i + 1));

/** The table with the parts behind the column they are of. */
export function withParts(table: Table, wanted: WantedParts): Table {
  const columns: Record<string, Column> = { ...table.columns };
  const names = table.names.flatMap((name) => {
    const parts = Object.hasOwn(wanted, name) ? wanted[name] : [];
    for (const part of parts) {
      const own = partName(name, part);
      if (Object.hasOwn(columns, own))
        throw new InputError(`${table.source} has a column "${own}" already, and dates would make another.`);
      columns[own] = partOf(numberColumn(table, name).values, part);
    }
    return [name, ...parts.map((part) => partName(name, part))];
  });
  return { ...table, names, columns };
}

function partOf(days: Float64Array, part: DatePart): Column {
  const missing = days.reduce((count, day) => count + Number(Number.isNaN(day)), 0);
  const dateOf = (day: number): Date => new Date(Math.floor(day) * 86_400_000);
  if (part === "year")
    return { kind: "number", values: days.map((day) => dateOf(day).getUTCFullYear()), missing };
  const [categories, place] =
    part === "month"
      ? [months, (day: number) => dateOf(day).getUTCMonth()]
      : // The first of January 1970 was a Thursday.
        [weekdays, (day: number) => (((Math.floor(day) + 3) % 7) + 7) % 7];
  const codes = Int32Array.from(days, (day) => (Number.isNaN(day) ? -1 : place(day)));
  return { kind: "category", codes, categories, missing };
}
