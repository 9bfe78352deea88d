// The summary of a table before training: each column's kind, missing cells, range or most common values, and warnings.
import { type CategoryColumn, type Column, isDate, type NumberColumn, type Table } from "@pliant/data";
import { differentIn, type Parts } from "./duplicates.js";
import { warningsAbout } from "./warnings.js";

/** The summary of one column. */
export interface ColumnSummary {
  readonly name: string;
  readonly kind: "number" | "date" | "category";
  /** Its role, if it is not a feature. */
  readonly role?: "target" | "group";
  /** Cells that are missing. */
  readonly missing: number;
  /** For numbers: the least, the mean and the largest. */
  readonly range?: readonly [number, number, number];
  /** How many different values there are. */
  readonly different: number;
  /** For categories: the commonest, with how many rows have them. */
  readonly top?: readonly (readonly [string, number])[];
}

/** The summary of a table, and warnings. */
export interface Summary {
  readonly source: string;
  readonly rows: number;
  /** What is to be predicted, and why so. */
  readonly task?: {
    readonly kind: "classes" | "regression";
    readonly why: string;
    /** The class that rates are about. */
    readonly positive?: string;
  };
  readonly columns: readonly ColumnSummary[];
  /** Sentences: which columns the model does not see, and which that requirements go by it does. */
  readonly sight: readonly string[];
  /** Sentences. */
  readonly warnings: readonly string[];
}

export interface Roles {
  readonly target?: string;
  readonly groups?: readonly string[];
  /** Whether the spec says what the target is. */
  readonly asked?: boolean;
  /** The class that rates are about. */
  readonly positive?: string;
  /** Columns that requirements go by. */
  readonly by?: readonly string[];
  /** Columns to learn from; default: all but the target and the groups. */
  readonly features?: readonly string[];
  /** The rows as they are parted; default: all that are learnt from. */
  readonly parts?: Parts;
}

export function summaryOf(table: Table, roles: Roles = {}): Summary {
  const { target, groups = [], asked = false, positive } = roles;
  const columns = table.names.map((name): ColumnSummary => {
    const role = name === target ? "target" : groups.includes(name) ? "group" : undefined;
    return { name, ...(role && { role }), ...summaryOfColumn(table.columns[name]) };
  });
  const own = columns.find(({ role }) => role === "target");
  return {
    source: table.source,
    rows: table.rows,
    ...(own && { task: { ...taskOf(own, asked), ...(positive !== undefined && { positive }) } }),
    columns,
    sight: sightOf(table, roles),
    warnings: warningsAbout(table, columns, roles),
  };
}

/** The columns that the model sees are known only when training. */
function sightOf({ names }: Table, { target, groups = [], by = [], features }: Roles): string[] {
  if (!features) return [];
  const listed = (some: readonly string[]): string => some.map((name) => `"${name}"`).join(", ");
  const [asked, unasked] = [
    groups.filter((name) => by.includes(name)),
    groups.filter((name) => !by.includes(name)),
  ];
  const apart = names.filter((name) => ![target, ...groups, ...features].includes(name));
  const both = by.filter((name) => features.includes(name));
  return [
    ...(asked.length > 0
      ? [
          `The model does not see ${listed(asked)}. Requirements use ${asked.length === 1 ? "it" : "them"} to form groups.`,
        ]
      : []),
    ...(unasked.length > 0
      ? [
          `The model does not see ${listed(unasked)}, and no requirement groups by ${unasked.length === 1 ? "it" : "them"}.`,
        ]
      : []),
    ...(apart.length > 0
      ? [
          `The model does not see ${listed(apart)}: ${apart.length === 1 ? "it sets" : "they set"} which rows are held out, or how much rows count.`,
        ]
      : []),
    ...both.map(
      (name) =>
        `The model uses "${name}", which requirements group by; data.columns.${name}: group keeps it out of the model.`,
    ),
  ];
}

function summaryOfColumn(column: Column): Omit<ColumnSummary, "name" | "role"> {
  return column.kind === "number" ? numbersIn(column) : categoriesIn(column);
}

function numbersIn({ values, missing, written }: NumberColumn): Omit<ColumnSummary, "name" | "role"> {
  let [least, most, sum, known] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
    sum += value;
    known++;
  }
  return {
    kind: isDate(written) ? "date" : "number",
    missing,
    different: differentIn(values),
    ...(known > 0 && { range: [least, sum / known, most] as const }),
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

function taskOf(
  { name, kind, different, range }: ColumnSummary,
  asked: boolean,
): NonNullable<Summary["task"]> {
  if (kind === "category")
    return {
      kind: "classes",
      why: asked
        ? "set by the spec"
        : `"${name}" has ${different === 2 ? "two distinct values" : "text values"}`,
    };
  const whole = different <= fewNumbers && Number.isInteger(range![0]) && Number.isInteger(range![2]);
  const orClasses = whole && !asked ? `; for classes say data.columns.${name}: category` : "";
  return {
    kind: "regression",
    why: `${asked ? "set by the spec" : `"${name}" has ${different.toLocaleString("en")} distinct numbers`}${orClasses}`,
  };
}
