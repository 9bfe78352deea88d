// What a site tells about its table before there is a spec: names and kinds of columns, whether cells are missing, and
// categories that enough rows have. No row, count, mean or rare category is in it.
import { InputError } from "@pliant/core";
import type { CategoryColumn, Column, Table } from "@pliant/data/table";
import { z } from "zod";
import { printable, unprintableIn } from "../protocol/printable.js";
import { leastRowsByDefault } from "./site-table.js";

/** More categories than this are names or comments, which are not told. */
const mostCategories = 50;
/** More values of a number are no classes. */
const mostValues = 10;

const inspected = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("number"),
    missing: z.boolean(),
    /** Where there are few: numbers that may be classes. */
    values: z.array(z.string()).max(mostValues).optional(),
  }),
  z.strictObject({
    kind: z.literal("category"),
    missing: z.boolean(),
    categories: z.array(z.string()).max(mostCategories),
    /** Whether others have too few rows to be told. */
    rare: z.boolean(),
  }),
  /** Names, comments, codes of one row: nothing of it is told. */
  z.strictObject({ kind: z.literal("text") }),
]);

const schema = z.strictObject({
  inspection: z.literal(1),
  /** Rows that a category has at the least. */
  rows: z.number().int().positive(),
  columns: z.record(z.string(), inspected),
});

/** A site's inspection: plain data. */
export type Inspection = z.infer<typeof schema>;
type Inspected = z.infer<typeof inspected>;

/** Of a table; a category is told if at least so many rows have it. */
export function inspectionOf(table: Table, rows = leastRowsByDefault): Inspection {
  return {
    inspection: 1,
    rows,
    columns: Object.fromEntries(table.names.map((name) => [name, inspect(table.columns[name], rows)])),
  };
}

function inspect(column: Column, rows: number): Inspected {
  if (column.kind === "number") {
    const counts = new Map<number, number>();
    for (const value of column.values) {
      if (!Number.isNaN(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
      if (counts.size > mostValues) break;
    }
    const few =
      counts.size > 1 && counts.size <= mostValues && [...counts.values()].every((count) => count >= rows);
    const values = [...counts.keys()].toSorted((a, b) => a - b).map(String);
    return { kind: "number", missing: column.missing > 0, ...(few && { values }) };
  }
  const common = commonIn(column, rows);
  if (column.categories.length > mostCategories || (column.categories.length > 0 && common.length === 0))
    return { kind: "text" };
  // Without any cell it may be a column of numbers as well.
  if (column.categories.length === 0) return { kind: "number", missing: true };
  const rare = common.length < column.categories.length;
  return { kind: "category", missing: column.missing > 0, categories: common, rare };
}

function commonIn({ codes, categories }: CategoryColumn, rows: number): string[] {
  const counts = new Array<number>(categories.length).fill(0);
  for (const code of codes) if (code >= 0) counts[code]++;
  return categories.filter((_, code) => counts[code] >= rows);
}

/** What comes from a file is checked. */
export function checkInspection(given: unknown, source: string): Inspection {
  const hidden = unprintableIn(given);
  if (hidden !== undefined)
    throw new InputError(
      `${source}: "${printable(hidden)}" has control characters, with which a terminal would show something else.`,
    );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new InputError(`${source} is no inspection; make one with pliant federate inspect FILE.`);
}

/** The data part of a spec that all of these tables fit, and what was left out of it. */
export interface ProposedData {
  readonly data: {
    readonly features: string[];
    readonly categories?: Record<string, string[]>;
    readonly missing?: string[];
    readonly scale?: "agreed";
    readonly label: string;
    readonly classes?: string[];
  };
  /** One sentence a column. */
  readonly notes: readonly string[];
}

/** Columns that every site has become features; categories are those of any site. */
export function proposedData(
  inspections: readonly Inspection[],
  label: string,
  /** Where each inspection is from, for the notes. */
  sources: readonly string[] = inspections.map((_, i) => `inspection ${i + 1}`),
): ProposedData {
  const [first] = inspections;
  const notes: string[] = [];
  const everywhere = (name: string): Inspected[] | undefined => {
    const found = inspections.flatMap(({ columns }) => (Object.hasOwn(columns, name) ? [columns[name]] : []));
    return found.length === inspections.length ? found : undefined;
  };
  const names = [...new Set(inspections.flatMap(({ columns }) => Object.keys(columns)))];
  const labels = everywhere(label);
  if (!first || !labels)
    throw new InputError(
      `not every inspection has the label "${label}"; they have ${names.join(", ") || "no columns"}.`,
    );
  const features: string[] = [];
  const categories: Record<string, string[]> = {};
  const missing: string[] = [];
  let numbers = false;
  for (const name of names) {
    if (name === label) continue;
    const columns = everywhere(name);
    const kinds = new Set(columns?.map(({ kind }) => kind));
    const from = (test: (one: Inspected | undefined) => boolean): string =>
      sources.filter((_, i) => test(inspections[i].columns[name])).join(", ");
    if (!columns) notes.push(`"${name}" is left out: ${from((one) => !one)} does not have it.`);
    else if (kinds.has("text"))
      notes.push(
        `"${name}" is left out: it has texts that may identify single rows (${from((one) => one?.kind === "text")}).`,
      );
    else if (kinds.size > 1)
      notes.push(`"${name}" is left out: some sites have numbers in it and some have categories.`);
    else {
      features.push(name);
      const known = columns.filter((one) => one.kind === "category");
      if (known.length > 0) categories[name] = unionOf(known.map((one) => one.categories));
      else numbers = true;
      const mayMiss = columns.some(
        (one) => one.kind !== "text" && (one.missing || ("rare" in one && one.rare)),
      );
      if (mayMiss) missing.push(name);
    }
  }
  if (features.length === 0)
    throw new InputError(`no column besides "${label}" fits all sites. ${notes.join(" ")}`);
  const classes = classesOf(labels, label);
  return {
    data: {
      features,
      ...(Object.keys(categories).length > 0 && { categories }),
      ...(missing.length > 0 && { missing }),
      ...((numbers || !classes) && { scale: "agreed" as const }),
      label,
      ...(classes && { classes }),
    },
    notes,
  };
}

/** Undefined where the label is a number. */
function classesOf(labels: readonly Inspected[], label: string): string[] | undefined {
  const lists = labels.map((one) =>
    one.kind === "category" ? one.categories : one.kind === "number" ? one.values : undefined,
  );
  if (labels.every(({ kind }) => kind === "number") && lists.some((list) => list === undefined))
    return undefined;
  const known = lists.filter((list) => list !== undefined);
  if (known.length < lists.length || labels.some((one) => one.kind === "category" && one.rare))
    throw new InputError(
      `some sites have labels in "${label}" with too few rows to be told; write the classes into the spec yourself.`,
    );
  return unionOf(known);
}

const unionOf = (lists: readonly (readonly string[])[]): string[] => {
  const all = [...new Set(lists.flat())];
  const numeric = all.every((text) => text !== "" && Number.isFinite(Number(text)));
  return numeric ? all.toSorted((a, b) => Number(a) - Number(b)) : all.toSorted();
};
