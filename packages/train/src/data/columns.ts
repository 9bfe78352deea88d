// Examples from a CSV file: the target, the features by an encoding fitted on the training rows, and the groups.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import {
  type CategoryColumn,
  categoryColumn,
  type Encoding,
  encode,
  encodedKinds,
  featureNames,
  fitEncoding,
  numberColumn,
  readCsv,
  type Table,
  takeRows,
} from "@pliant/data";
import { NdArray } from "@pliant/engine";
import { InputError } from "pliant";
import { hint, meant } from "../spec/near.js";
import type { SpecFile } from "../spec/spec-file.js";
import type { Examples, Prepared, Target } from "./examples.js";
import { type Kept, type KeptPart, keptColumn, keptParts, splitRows } from "./split.js";

/** A column with more is rather a name or a comment. */
const mostCategories = 1000;

/** 40,5: read as texts, such numbers would be categories. */
const allCommas = (texts: readonly string[]): boolean =>
  texts.some((text) => text.includes(",")) && texts.every((text) => /^[+-]?\d+(,\d+)?$/.test(text));

type Kind = "number" | "category" | "ignore";

/** A file the spec names, by its place beside the spec. */
export const besideSpec = ({ path }: SpecFile, file: string): string => resolve(dirname(path), file);

export async function fromColumns(specFile: SpecFile): Promise<Prepared> {
  const { data, objective, seed } = specFile.spec;
  const { file, target: name, limit, missing } = data;
  const kept: Partial<Record<KeptPart, Kept>> = { test: data.test ?? 0.3, validation: data.validation };
  if (name === undefined)
    throw specFile.mistake(["data"], "data.target is missing; it is the column to predict.");
  const path = existing(specFile, "file", file!);
  const kinds = Object.fromEntries(
    Object.entries(data.columns).map(([column, kind]): [string, Kind] => [
      column,
      kind === "group" ? "category" : kind,
    ]),
  );
  if (kinds[name] === "ignore")
    throw specFile.mistake(["data", "columns", name], `data.columns.${name}: the target cannot be ignored.`);
  const splitting = splittingColumns(specFile, kept, name);
  for (const column of splitting) kinds[column] = "category";
  const read = (source: string, columns: Record<string, Kind>, kind: Kind): Promise<Table> =>
    readCsv(source, { columns: { ...columns, [name]: kind }, target: name, missing });
  const texts = await read(path, kinds, "category");
  const kind = asClasses(texts, name, objective.loss, kinds[name]) ? "category" : "number";
  const all = kind === "category" ? texts : await read(path, kinds, kind);
  if (kind === "number" && data.positive !== undefined)
    throw specFile.mistake(
      ["data", "positive"],
      `data.positive: the target "${name}" is a number and has no classes; leave it out.`,
    );
  const split = splitRows(all, kept, data.seed ?? seed, specFile.mistake);
  const train = first(split.train, limit.train);
  const groups = Object.keys(data.columns).filter((column) => data.columns[column] === "group");
  const features = all.names.filter(
    (column) => column !== name && !groups.includes(column) && !splitting.includes(column),
  );
  if (features.length === 0)
    throw new InputError(`${file} has no column for the model to learn from beside the target "${name}".`);
  const encoding = fitEncoding(train, { columns: features });
  const commas = encoding.columns.find(
    (c) => c.kind === "category" && !kinds[c.name] && allCommas(c.categories),
  );
  if (commas)
    throw new InputError(
      `${file}: the column "${commas.name}" has numbers with decimal commas, and decimals take a point; if they are texts, say data.columns.${commas.name}: category.`,
    );
  const wide = encoding.columns.find((c) => c.kind === "category" && c.categories.length > mostCategories);
  if (wide)
    throw new InputError(
      `${file}: the column "${wide.name}" has more than ${mostCategories} different texts; leave it out with data.columns.${wide.name}: ignore.`,
    );
  const groupKinds = Object.fromEntries(groups.map((group): [string, Kind] => [group, "category"]));
  const files: Record<string, string> = { [file!]: digest(path) };
  const apart: Partial<Record<KeptPart, Table>> = {};
  for (const part of keptParts) {
    const how = kept[part];
    if (typeof how === "string") {
      const own = existing(specFile, part, how);
      apart[part] = await read(own, { ...encodedKinds(encoding), ...groupKinds }, kind);
      files[how] = digest(own);
    } else apart[part] = split[part];
  }

  const target = kind === "category" ? classTarget(train, name, specFile) : numberTarget(train, name);
  const examples = (table: Table): Examples => examplesOf(table, name, target, encoding, groups);
  return {
    target,
    encoding,
    train: examples(train),
    ...(apart.validation && { validation: examples(first(apart.validation, limit.validation)) }),
    test: examples(first(apart.test!, limit.test)),
    images: false,
    numeric: numberFeatures(encoding),
    files,
  };
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

function existing(specFile: SpecFile, key: "file" | KeptPart, file: string): string {
  const path = besideSpec(specFile, file);
  if (existsSync(path)) return path;
  const folder = dirname(path);
  const others = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".csv")) : [];
  throw specFile.mistake(
    ["data", key],
    `data.${key}: there is no file ${path}${meant(basename(path), others)}`,
  );
}

const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Texts are classes, and so are numbers of which there are two, unless the spec says otherwise. */
function asClasses(table: Table, name: string, loss: string | undefined, kind: Kind | undefined): boolean {
  if (loss === "squared-error" || kind === "number") return false;
  if (loss === "cross-entropy" || kind === "category") return true;
  const { categories } = categoryColumn(table, name);
  return categories.length <= 2 || categories.some((text) => !Number.isFinite(Number(text)));
}

const first = (table: Table, limit = table.rows): Table =>
  limit >= table.rows
    ? table
    : takeRows(
        table,
        Array.from({ length: limit }, (_, i) => i),
      );

/** Names that say yes. */
const yes = ["1", "true", "yes"];

function classTarget(train: Table, name: string, { spec, mistake }: SpecFile): Target {
  // Those of all rows: a rare one may have fallen to the test rows alone.
  const { categories: classes, codes } = categoryColumn(train, name);
  if (new Set(codes).size < 2)
    throw new InputError(
      `${train.source}: the target column "${name}" has the one value "${classes[codes[0]]}" in all training rows; there is nothing to learn.`,
    );
  if (classes.length > mostCategories)
    throw new InputError(
      `${train.source}: the target column "${name}" has ${classes.length} different values; say objective.loss: squared-error if it is a number.`,
    );
  const given = spec.data.positive;
  if (given !== undefined && !classes.includes(given))
    throw mistake(
      ["data", "positive"],
      `data.positive: "${given}" is not a value of "${name}"${hint(given, classes)}`,
    );
  if (given !== undefined) return { kind: "class", classes, positive: classes.indexOf(given) };
  const guessed = classes.findIndex((value) => yes.includes(value.toLowerCase()));
  return { kind: "class", classes, ...(classes.length === 2 && guessed >= 0 && { positive: guessed }) };
}

function numberTarget(train: Table, name: string): Target {
  const { values } = numberColumn(train, name);
  if (values.every((value) => value === values[0]))
    throw new InputError(
      `${train.source}: the target column "${name}" is ${values[0]} in all training rows; there is nothing to learn.`,
    );
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length);
  return { kind: "number", mean, deviation };
}

/** The feature that each numeric column became. */
function numberFeatures({ columns }: Encoding): Map<string, number> {
  const found = new Map<string, number>();
  let at = 0;
  for (const column of columns) {
    if (column.kind === "number") found.set(column.name, at);
    at += featureNames({ columns: [column] }).length;
  }
  return found;
}

function examplesOf(
  table: Table,
  name: string,
  target: Target,
  encoding: Encoding,
  groupColumns: readonly string[],
): Examples {
  const { values, shape } = encode(table, encoding);
  const numbers = new Map(
    Array.from(numberFeatures(encoding), ([column, feature]) => [
      feature,
      numberColumn(table, column).values,
    ]),
  );
  const categories = encoding.columns.flatMap((column) => (column.kind === "category" ? [column.name] : []));
  const asked = [...groupColumns, ...categories, ...(target.kind === "class" ? [name] : [])];
  return {
    count: table.rows,
    x: new NdArray(values, [...shape]),
    y: truth(table, name, target),
    groups: Object.fromEntries(asked.map((column) => [column, textsOf(categoryColumn(table, column))])),
    missing: (feature, i) => Number.isNaN(numbers.get(feature)?.[i]),
  };
}

const textsOf = ({ codes, categories }: CategoryColumn): (string | null)[] =>
  Array.from(codes, (code) => (code < 0 ? null : categories[code]));

function truth(table: Table, name: string, target: Target): NdArray {
  if (target.kind === "number")
    return new NdArray(
      Float32Array.from(
        numberColumn(table, name).values,
        (value) => (value - target.mean) / target.deviation,
      ),
      [table.rows],
    );
  const texts = textsOf(categoryColumn(table, name)) as string[];
  const unknown = texts.findIndex((text) => !target.classes.includes(text));
  if (unknown >= 0)
    throw new InputError(
      `${table.source}, line ${table.lines[unknown]}: "${texts[unknown]}" in the target column "${name}" is no class of the training rows${hint(texts[unknown], target.classes)}`,
    );
  return new NdArray(
    Int32Array.from(texts, (text) => target.classes.indexOf(text)),
    [table.rows],
  );
}
