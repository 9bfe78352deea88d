// Warnings about a table, in words.
import type { CategoryColumn, Column, Table } from "@pliant/data";
import { percent } from "../format/figure.js";
import { duplicatesIn } from "./duplicates.js";
import { tellsOf } from "./leak.js";
import { spellingsIn } from "./spellings.js";
import type { ColumnSummary, Roles } from "./summary.js";

/** So many are named, of many. */
const shown = 3;

/** Sentences. */
export const warningsAbout = (table: Table, columns: readonly ColumnSummary[], roles: Roles): string[] => [
  ...aboutDropped(table, roles),
  ...columns.flatMap((column) => [
    ...aboutColumn(column, table),
    ...aboutSpellings(column.name, table),
    ...aboutLeak(column, table, roles),
  ]),
  ...aboutDuplicates(columns, table, roles),
];

/** `1 row has`, `3 rows have`. */
const rowsHave = (n: number): string => `${counted(n, "row")} ${n === 1 ? "has" : "have"}`;

const aboutDropped = ({ dropped }: Table, { target }: Roles): string[] =>
  dropped === undefined
    ? []
    : [
        `${target}: ${rowsHave(dropped)} no value, and ${dropped === 1 ? "is" : "are"} left out (data.withoutTarget: drop).`,
      ];

/** Above this a column is rather a name or a comment. */
const manyTexts = 100;
/** A column with fewer rows than this share known says little. */
const mostlyMissing = 0.5;

function aboutColumn(column: ColumnSummary, table: Table): string[] {
  const { name, role, missing, different } = column;
  const { rows } = table;
  const cells = table.columns[name];
  const found: string[] = [];
  if (cells.kind === "category" && cells.trouble !== undefined) return [cells.trouble];
  if (cells.kind === "number" && cells.written !== undefined)
    found.push(`${name}: ${writtenWords[cells.written]}.`);
  if (cells.kind === "number" && cells.rounded !== undefined)
    found.push(
      `${name}: ${cells.rounded} has more digits than a number can hold and is read as ${BigInt(Number(cells.rounded.replace(/[_,]/g, "")))}, and others may be rounded too; if these are identifiers, keep every digit with data.columns.${name}: category${role === undefined ? " or group, or leave them out with ignore" : ""}.`,
    );
  if (role === "group" && missing > 0)
    found.push(
      `${name}: ${rowsHave(missing)} no group (${gapsIn(cells, table)}), and ${missing === 1 ? "counts" : "count"} in no requirement by ${name}.`,
    );
  if (role !== undefined) return found;
  if (missing === rows)
    found.push(`${name}: every cell is missing. To leave it out, set data.columns.${name} to ignore.`);
  else if (missing > mostlyMissing * rows)
    found.push(`${name}: ${percent(missing / rows)} of the cells are missing.`);
  if (different === 1 && missing === 0)
    found.push(`${name}: all rows have the same value, so the model learns nothing from it.`);
  if (numbersRows(column, rows))
    found.push(`${name}: looks like a row number. To leave it out, set data.columns.${name} to ignore.`);
  const measured = cells.kind === "category" ? unitOf(cells) : undefined;
  if (measured)
    found.push(
      `${name}: numbers with the unit "${measured.unit}", such as "${measured.example}", are read as text; to use them as numbers, remove the unit.`,
    );
  else if (column.kind === "category" && different > manyTexts)
    found.push(
      `${name}: ${different.toLocaleString("en")} distinct texts${different === rows ? ", one per row" : ""}; leave names and comments out with data.columns.${name}: ignore.`,
    );
  return found;
}

/** So many different numbers are no sizes that happen to have a unit, such as 100 ml and 200 ml. */
const manyNumbers = 10;

/** For columns of texts that are all a number followed by one word. */
function unitOf({ categories }: CategoryColumn): { unit: string; example: string } | undefined {
  if (categories.length <= manyNumbers) return undefined;
  const units = new Set(
    categories.map((text) => /^[+-]?\d[\d,]*(?:\.\d+)?\s*([\p{L}°µ/²³]+)$/u.exec(text)?.[1]),
  );
  const [unit] = units;
  return units.size === 1 && unit !== undefined ? { unit, example: categories[0] } : undefined;
}

const numbersRows = ({ range, different }: ColumnSummary, rows: number): boolean =>
  range !== undefined && different === rows && range[2] - range[0] === rows - 1;

const counted = (n: number, what: string): string => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

function aboutSpellings(name: string, { columns: { [name]: column } }: Table): string[] {
  if (column.kind === "number" || column.trouble !== undefined) return [];
  const all = spellingsIn(column);
  if (all.length === 0) return [];
  const said = all
    .slice(0, shown)
    .map((list) => list.map(([text, rows]) => `"${text}" (${counted(rows, "row")})`).join(" and "));
  const more = all.length - said.length;
  return [
    `${name}: ${said.join(", ")}${more > 0 ? `, and ${counted(more, "other")},` : ""} differ only in case or whitespace, and count as different values. If they mean the same, write them the same way.`,
  ];
}

/** A column that determines the target on its own is probably known only afterwards. */
function aboutLeak({ name, role }: ColumnSummary, { columns }: Table, { target, features }: Roles): string[] {
  if (target === undefined || role !== undefined || features?.includes(name) === false) return [];
  const [own, asked] = [columns[name], columns[target]];
  if ([own, asked].some((column) => column.kind === "category" && column.trouble !== undefined)) return [];
  const tells = tellsOf(own, asked);
  if (!tells) return [];
  const length = asked.kind === "number" ? asked.values.length : asked.codes.length;
  const every = tells.rows < length ? ` of the ${tells.rows.toLocaleString("en")} rows examined` : "";
  const where =
    tells.share === 1
      ? every === ""
        ? "every row"
        : `all${every}`
      : `${(100 * tells.share).toFixed(1)}%${every || " of the rows"}`;
  const how =
    asked.kind === "number"
      ? `explains ${tells.share > 1 - 1e-9 ? "all" : "nearly all"} of the variance of "${target}"`
      : `determines "${target}" in ${where}`;
  return [
    `${name}: on its own it ${how}. If it is only known after "${target}", set data.columns.${name} to ignore.`,
  ];
}

function aboutDuplicates(
  columns: readonly ColumnSummary[],
  table: Table,
  { features, parts = [["train", table]] }: Roles,
): string[] {
  const names = columns.flatMap((column) => {
    const isOf = column.role !== undefined || (features?.includes(column.name) ?? true);
    return isOf && !numbersRows(column, table.rows) ? [column.name] : [];
  });
  // Numbers that differ in lost digits may look equal.
  const isRounded = (column: Column): boolean => column.kind === "number" && column.rounded !== undefined;
  if (names.some((name) => isRounded(table.columns[name]))) return [];
  const found = duplicatesIn(parts, names);
  if (!found) return [];
  const { rows, such, learnt } = found;
  const more = rows - such.length;
  const pairs = such.map(([one, first]) => `${one} equals ${first}`).join(", ");
  return [
    `${counted(rows, "row")} ${rows === 1 ? "equals" : "equal"} another row in every column (${pairs}${more > 0 ? ` and ${more.toLocaleString("en")} more` : ""}).`,
    ...parts.flatMap(([part, { source }]) => {
      const n = learnt[part] ?? 0;
      if (n === 0) return [];
      const remedy =
        source === table.source
          ? `remove duplicate rows from the file, or keep related rows together on one side with data.${part}: { share: …, by: COLUMN }`
          : "remove them from one of the two files";
      return [
        `${counted(n, `${part} row`)} also ${n === 1 ? "appears" : "appear"} in the training rows, so the model has seen ${n === 1 ? "its answer" : "their answers"}; ${remedy}.`,
      ];
    }),
  ];
}

const writtenWords = {
  thousands: "commas separate thousands (1,234 is 1234)",
  percent: "percent are shares (12% is 0.12)",
  currency: "signs of a currency are left out",
  date: "dates are converted to days since 1970-01-01",
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
  for (let i = 0; i < length && rows.length < shown; i++) if (isGap(i)) rows.push(i);
  const more = column.missing - rows.length;
  return `${rows.map(place).join(", ")}${more > 0 ? ` and ${more.toLocaleString("en")} more` : ""}`;
}
