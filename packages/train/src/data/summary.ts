// What a table holds, before anything is learnt from it: each column's kind, gaps, range or commonest values, and in words what a
// person should look at.
import { type CategoryColumn, type Column, isDate, type NumberColumn, type Table } from "@pliant/data";

/** What one column of a table holds. */
export interface ColumnSummary {
  readonly name: string;
  readonly kind: "number" | "date" | "category";
  /** What it is for, where it is not something to learn from. */
  readonly role?: "target" | "group";
  /** Cells that are missing. */
  readonly missing: number;
  /** Of numbers: the least, the mean and the largest. */
  readonly range?: readonly [number, number, number];
  /** How many different values there are. */
  readonly different: number;
  /** Of categories: the commonest, with how many rows have them. */
  readonly top?: readonly (readonly [string, number])[];
}

/** What a table holds, and what to look at before learning from it. */
export interface Summary {
  readonly source: string;
  readonly rows: number;
  /** What is to be predicted, and why so. */
  readonly task?: { readonly kind: "classes" | "regression"; readonly why: string };
  readonly columns: readonly ColumnSummary[];
  /** Sentences. */
  readonly warnings: readonly string[];
}

interface Roles {
  readonly target?: string;
  readonly groups?: readonly string[];
  /** Whether the spec says what the target is. */
  readonly asked?: boolean;
}

export function summaryOf(table: Table, { target, groups = [], asked = false }: Roles = {}): Summary {
  const columns = table.names.map((name): ColumnSummary => {
    const role = name === target ? "target" : groups.includes(name) ? "group" : undefined;
    return { name, ...(role && { role }), ...summaryOfColumn(table.columns[name]) };
  });
  const own = columns.find(({ role }) => role === "target");
  return {
    source: table.source,
    rows: table.rows,
    ...(own && { task: taskOf(own, asked) }),
    columns,
    warnings: [
      ...(table.dropped === undefined
        ? []
        : [
            `${target}: ${table.dropped.toLocaleString("en")} ${table.dropped === 1 ? "row has" : "rows have"} no value, and ${table.dropped === 1 ? "is" : "are"} left out.`,
          ]),
      ...columns.flatMap((column) => warningsAbout(column, table)),
    ],
  };
}

function summaryOfColumn(column: Column): Omit<ColumnSummary, "name" | "role"> {
  return column.kind === "number" ? numbersIn(column) : categoriesIn(column);
}

function numbersIn({ values, missing, written }: NumberColumn): Omit<ColumnSummary, "name" | "role"> {
  let [low, high, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  const found = new Set<number>();
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
    sum += value;
    found.add(value);
  }
  const known = values.length - missing;
  return {
    kind: isDate(written) ? "date" : "number",
    missing,
    different: found.size,
    ...(known > 0 && { range: [low, sum / known, high] as const }),
  };
}

const shownValues = 3;

function categoriesIn({ codes, categories, missing }: CategoryColumn): Omit<ColumnSummary, "name" | "role"> {
  const counts = new Int32Array(categories.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  const top = categories
    .map((text, code) => [text, counts[code]] as const)
    .sort((a, b) => b[1] - a[1])
    .slice(0, shownValues);
  return {
    kind: "category",
    missing,
    different: counts.reduce((sum, count) => sum + Number(count > 0), 0),
    top,
  };
}

/** So few different numbers may be classes. */
const fewNumbers = 20;

function taskOf({ name, kind, different, range }: ColumnSummary, asked: boolean): Summary["task"] {
  if (kind === "category")
    return {
      kind: "classes",
      why: asked ? "as the spec says" : `"${name}" has ${different === 2 ? "two values" : "texts"}`,
    };
  const whole = different <= fewNumbers && Number.isInteger(range![0]) && Number.isInteger(range![2]);
  const orClasses = whole && !asked ? `; for classes say data.columns.${name}: category` : "";
  return {
    kind: "regression",
    why: `${asked ? "as the spec says" : `"${name}" has ${different.toLocaleString("en")} different numbers`}${orClasses}`,
  };
}

/** Above this a column is rather a name or a comment. */
const manyTexts = 100;
/** A column with fewer rows than this share known says little. */
const mostlyMissing = 0.5;

function warningsAbout(column: ColumnSummary, table: Table): string[] {
  const { name, role, missing, different } = column;
  const { rows } = table;
  const cells = table.columns[name];
  const found: string[] = [];
  if (cells.kind === "category" && cells.trouble !== undefined) return [cells.trouble];
  if (cells.kind === "number" && cells.written !== undefined)
    found.push(`${name}: ${writtenWords[cells.written]}.`);
  if (role === "group" && missing > 0)
    found.push(
      `${name}: ${missing.toLocaleString("en")} ${missing === 1 ? "row has" : "rows have"} no group (${gapsIn(cells, table)}), and ${missing === 1 ? "counts" : "count"} in no requirement by ${name}.`,
    );
  if (role !== undefined) return found;
  if (missing === rows)
    found.push(`${name}: every cell is missing; leave it out with data.columns.${name}: ignore.`);
  else if (missing > mostlyMissing * rows)
    found.push(`${name}: ${percent(missing / rows)} of the cells are missing.`);
  if (different === 1 && missing === 0)
    found.push(`${name}: all rows have the same value; it teaches nothing.`);
  if (column.range && different === rows && column.range[2] - column.range[0] === rows - 1)
    found.push(
      `${name}: numbers the rows; leave it out with data.columns.${name}: ignore unless their order matters.`,
    );
  if (column.kind === "category" && different > manyTexts)
    found.push(
      `${name}: ${different.toLocaleString("en")} different texts${different === rows ? ", one a row" : ""}; leave names and comments out with data.columns.${name}: ignore.`,
    );
  return found;
}

const writtenWords = {
  thousands: "commas separate thousands (1,234 is 1234)",
  percent: "percent are shares (12% is 0.12)",
  currency: "signs of a currency are left out",
  date: "dates are days since 1970-01-01",
  "day-month":
    "dates have the day first (31/01/2024), as their numbers tell or the spec says; they are days since 1970-01-01",
  "month-day":
    "dates have the month first (01/31/2024), as their numbers tell or the spec says; they are days since 1970-01-01",
};

/** `line 4, line 9 and 12 more`. */
function gapsIn(column: Column, { place }: Table): string {
  const rows: number[] = [];
  const isGap = (i: number): boolean =>
    column.kind === "number" ? Number.isNaN(column.values[i]) : column.codes[i] < 0;
  const length = column.kind === "number" ? column.values.length : column.codes.length;
  for (let i = 0; i < length && rows.length < shownValues; i++) if (isGap(i)) rows.push(i);
  const more = column.missing - rows.length;
  return `${rows.map(place).join(", ")}${more > 0 ? ` and ${more.toLocaleString("en")} more` : ""}`;
}

export const percent = (share: number): string =>
  share === 0 ? "–" : share < 0.001 ? "<0.1%" : `${(100 * share).toFixed(1)}%`;
