// Examples from a table: the target, the features by an encoding fitted on the training rows, and the groups.

import { InputError } from "@pliant/core";
import {
  type CategoryColumn,
  type ColumnKind,
  categoryColumn,
  type Encoding,
  encode,
  encodedKinds,
  featureNames,
  fitEncoding,
  numberColumn,
  readTable,
  shownAddress,
  sourceSum,
  type Table,
  takeRows,
  type WantedParts,
} from "@pliant/data";
import { NdArray } from "@pliant/engine";
import type { Spec } from "../spec/spec.js";
import type { SpecFile } from "../spec/spec-file.js";
import { inputsOf } from "./drift.js";
import type { Parts } from "./duplicates.js";
import { withEmbeddings } from "./embedded.js";
import type { Examples, Prepared, Target } from "./examples.js";
import { existing } from "./files.js";
import { rowsOf } from "./rows.js";
import { type Kept, type KeptPart, keptColumn, keptParts, orderColumn, splitRows } from "./split.js";
import { summaryOf } from "./summary.js";
import { askedTarget, guessedTarget, mostCategories, targetOf, truth } from "./target.js";
import { weightsOf } from "./weights.js";

/** Told what is being read. */
export type Reading = (line: string) => void;

export async function fromColumns(specFile: SpecFile, show: Reading = () => {}): Promise<Prepared> {
  const { data, objective, seed } = specFile.spec;
  const { file, target: name, limit, missing } = data;
  const kept: Partial<Record<KeptPart, Kept>> = { test: data.test ?? 0.3, validation: data.validation };
  if (name === undefined)
    throw specFile.mistake(["data"], "data.target is missing; it is the column to predict.");
  const path = existing(specFile, "file", file!);
  if (data.columns[name] === "ignore")
    throw specFile.mistake(["data", "columns", name], `data.columns.${name}: the target cannot be ignored.`);
  const splitting = splittingColumns(specFile, kept, name);
  const kinds = kindsOf(data.columns);
  for (const column of splitting) kinds[column] = "category";
  // An ignored column is still read if it orders the rows.
  const ordering = keptParts.flatMap((part) => {
    const column = orderColumn(kept[part]);
    return column !== undefined && kinds[column] === "ignore" ? [column] : [];
  });
  for (const column of ordering) delete kinds[column];
  if (data.weights !== undefined) kinds[data.weights] = "number";
  checkWeights(specFile);
  const asked = askedTarget(objective.loss, kinds[name]);
  const read = (source: string, columns: Record<string, ColumnKind>): Promise<Table> =>
    readTable(source, {
      ...{ columns, target: name, missing, onRows: rowsShown(source, show) },
      dropWithoutTarget: data.withoutTarget === "drop",
    });
  const { [name]: _, ...others } = kinds;
  const guessed = await read(path, asked ? { ...others, [name]: kinds[name] ?? asked } : others);
  const all = asked ? guessed : guessedTarget(guessed, name);
  const kind = all.columns[name].kind;
  if (kind === "number" && data.positive !== undefined)
    throw specFile.mistake(
      ["data", "positive"],
      `data.positive: the target "${name}" is a number and has no classes; leave it out.`,
    );
  if (kind === "number" && data.balance === "classes")
    throw specFile.mistake(["data", "balance"], "data.balance: the target is a number and has no classes.");
  const groups = Object.keys(data.columns).filter((column) => data.columns[column] === "group");
  const strata = [...(kind === "category" ? [name] : []), ...groups];
  const split = splitRows(all, kept, { seed: data.seed ?? seed, strata, mistake: specFile.mistake });
  const train = first(split.train, limit.train);
  const features = all.names.filter(
    (column) => ![name, data.weights, ...groups, ...splitting, ...ordering].includes(column),
  );
  if (features.length === 0)
    throw new InputError(
      `${shownAddress(file!)} has no column for the model to learn from beside the target "${name}".`,
    );
  for (const feature of features) refuseTrouble(all, feature);
  const fitted = fitEncoding(train, { columns: features, parts: partsOf(data.columns) });
  const encoding = withEmbeddings(fitted, specFile);
  refuseWide(encoding, train);
  const groupKinds = Object.fromEntries(groups.map((group): [string, ColumnKind] => [group, "category"]));
  const files: Record<string, string> = { [shownAddress(file!)]: await sourceSum(path) };
  const apart: Partial<Record<KeptPart, Table>> = {};
  for (const part of keptParts) {
    const how = kept[part];
    if (typeof how === "string") {
      const own = existing(specFile, part, how);
      apart[part] = await read(own, {
        ...encodedKinds(encoding),
        ...groupKinds,
        [name]: kind,
        ...(data.weights !== undefined && { [data.weights]: "number" }),
      });
      // Two addresses may differ in what is not shown: then one entry has both sums.
      const [shown, sum] = [shownAddress(how), await sourceSum(own)];
      files[shown] = [files[shown] ?? [], sum].flat().join(" ");
    } else apart[part] = split[part];
  }

  const target = targetOf(train, name, specFile);
  const examples = (table: Table): Examples => {
    const found = examplesOf(table, name, target, encoding, groups);
    const weights = weightsOf(table, found, data, groups);
    return { ...found, ...(weights && { weights }) };
  };
  const validation = apart.validation && first(apart.validation, limit.validation);
  const test = first(apart.test!, limit.test);
  const parts: Parts = [
    ["train", train],
    ...(validation ? [["validation", validation] as const] : []),
    ["test", test],
  ];
  return {
    target,
    encoding,
    train: examples(train),
    ...(validation && { validation: examples(validation) }),
    test: examples(test),
    rows: rowsOf(parts),
    images: false,
    numeric: numberFeatures(encoding),
    files,
    inputs: inputsOf(train, encoding, name, groups),
    summary: summaryOf(all, {
      target: name,
      groups,
      by: askedBy(specFile.spec),
      ...(target.kind === "class" &&
        target.positive !== undefined && { positive: target.classes[target.positive] }),
      asked: asked !== undefined,
      features,
      parts,
    }),
  };
}

/** Kinds as the reader knows them: groups are categories, and parts are of dates. */
function kindsOf(columns: Spec["data"]["columns"]): Record<string, ColumnKind> {
  return Object.fromEntries(
    Object.entries(columns).map(([column, kind]) => [
      column,
      typeof kind === "object" ? "date" : kind === "group" ? "category" : kind,
    ]),
  );
}

const partsOf = (columns: Spec["data"]["columns"]): WantedParts =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([column, kind]) =>
      typeof kind === "object" ? [[column, kind.date]] : [],
    ),
  );

/** The columns that requirements go by. */
const askedBy = ({ requirements }: Spec): string[] => [
  ...new Set(Object.values(requirements).flatMap((one) => ("by" in one && one.by ? [one.by].flat() : []))),
];

/** A line now and then while a large file is read. */
export function rowsShown(source: string, show: Reading): (rows: number) => void {
  let shown = Date.now();
  return (rows) => {
    if (Date.now() - shown < 500) return;
    shown = Date.now();
    show(`reading ${shownAddress(source)}: ${rows.toLocaleString("en")} rows so far`);
  };
}

/** A column that looks like numbers and is none is no set of categories to learn from. */
function refuseTrouble(table: Table, name: string): void {
  const column = table.columns[name];
  if (column.kind === "category" && column.trouble !== undefined) throw new InputError(column.trouble);
}

/** A text of its own for every other row is rather a name or a comment; more than a model can have features for, all the more. */
function refuseWide({ columns }: Encoding, { source, rows }: Table): void {
  for (const column of columns) {
    if (column.kind !== "category") continue;
    const { length } = column.categories;
    const embedded = column.embedded !== undefined;
    if (length <= mostCategories || (embedded && 2 * length <= rows)) continue;
    const orEmbed =
      !embedded && 2 * length <= rows ? ", or take model.kind: mlp, which learns a vector for each" : "";
    throw new InputError(
      `${source}: the column "${column.name}" has more than ${mostCategories} different texts; leave it out with data.columns.${column.name}: ignore${orEmbed}.`,
    );
  }
}

/** Checks what is balanced, and that weights come from their own column. */
function checkWeights({ spec: { data }, mistake }: SpecFile): void {
  if (data.weights !== undefined && data.weights === data.target)
    throw mistake(["data", "weights"], `data.weights: "${data.weights}" is the target.`);
  if (data.balance === "groups" && !Object.values(data.columns).includes("group"))
    throw mistake(["data", "balance"], "data.balance: no column is a group; say which with data.columns.");
}

/** The columns that say which rows are kept apart: no features, as new rows will not have them. */
function splittingColumns(
  { mistake }: SpecFile,
  kept: Readonly<Partial<Record<KeptPart, Kept>>>,
  target: string,
): string[] {
  const named = keptParts.flatMap((part) => keptColumn(kept[part]) ?? []);
  const part = keptParts.find((one) => keptColumn(kept[one]) === target);
  if (part !== undefined)
    throw mistake(
      ["data", part],
      `data.${part}: "${target}" is the target, and rows kept apart by it would all be of one kind.`,
    );
  return [...new Set(named)];
}

const first = (table: Table, limit = table.rows): Table =>
  limit >= table.rows
    ? table
    : takeRows(
        table,
        Array.from({ length: limit }, (_, i) => i),
      );

/** The feature that each numeric column became. */
export function numberFeatures({ columns }: Encoding): Map<string, number> {
  const found = new Map<string, number>();
  let at = 0;
  for (const column of columns) {
    if (column.kind === "number") found.set(column.name, at);
    at += featureNames({ columns: [column] }).length;
  }
  return found;
}

export function examplesOf(
  table: Table,
  name: string,
  target: Target,
  encoding: Encoding,
  groupColumns: readonly string[],
): Examples {
  const { values, shape } = encode(table, encoding);
  const columns = new Map(Array.from(numberFeatures(encoding), ([column, feature]) => [feature, column]));
  const missing = (feature: number, i: number): boolean => {
    const column = columns.get(feature);
    if (column === undefined || !Object.hasOwn(table.columns, column)) return false;
    return Number.isNaN(numberColumn(table, column).values[i]);
  };
  const categories = encoding.columns.flatMap((column) =>
    column.kind === "category" && Object.hasOwn(table.columns, column.name) ? [column.name] : [],
  );
  const asked = [...groupColumns, ...categories, ...(target.kind === "class" ? [name] : [])];
  return {
    count: table.rows,
    x: new NdArray(values, [...shape]),
    y: truth(table, name, target),
    groups: groupsIn(table, asked),
    missing,
  };
}

/** The texts of some columns of categories, null where missing. */
export const groupsIn = (table: Table, columns: readonly string[]): Examples["groups"] =>
  Object.fromEntries(columns.map((column) => [column, textsOf(categoryColumn(table, column))]));

const textsOf = ({ codes, categories }: CategoryColumn): (string | null)[] =>
  Array.from(codes, (code) => (code < 0 ? null : categories[code]));
