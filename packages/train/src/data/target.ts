// The column to predict: classes or a number, and why.

import { hint, InputError } from "@pliant/core";
import {
  type CategoryColumn,
  categoryColumn,
  columnOf,
  isDate,
  type NumberColumn,
  numberColumn,
  type Table,
} from "@pliant/data";
import { NdArray } from "@pliant/engine";
import type { Spec } from "../spec/spec.js";
import type { SpecFile } from "../spec/spec-file.js";
import type { Target } from "./examples.js";

/** A column with more is rather a name or a comment. */
export const mostCategories = 1000;

/** Losses of a number. */
export const numberLosses: readonly string[] = [
  "squared-error",
  "absolute-error",
  "huber",
  "quantile",
  "poisson",
];

/** The target's kind as the spec states it; undefined if it is inferred. */
export function askedTarget(
  loss: Spec["objective"]["loss"],
  kind: string | undefined,
): "number" | "category" | undefined {
  if ((loss !== undefined && numberLosses.includes(loss)) || kind === "number" || isDate(kind as never))
    return "number";
  return loss === "cross-entropy" || kind === "category" ? "category" : undefined;
}

/** Texts are classes, and so are numbers of which there are two. */
export function guessedTarget(table: Table, name: string): Table {
  const column = columnOf(table, name);
  if (column.kind === "category") {
    if (column.trouble !== undefined) throw new InputError(column.trouble);
    return table;
  }
  const different = new Set<number>();
  for (const value of column.values) {
    different.add(value);
    if (different.size > 2) return table;
  }
  if (column.rounded !== undefined)
    throw new InputError(
      `${table.source}: the target column "${name}" has whole numbers of more digits than a number holds, such as ${column.rounded}; if they are classes, say data.columns.${name}: category, else objective.loss: squared-error.`,
    );
  return { ...table, columns: { ...table.columns, [name]: asCategories(column) } };
}

function asCategories({ values, missing }: NumberColumn): CategoryColumn {
  const found = [...new Set(values)].sort((a, b) => a - b);
  const codes = Int32Array.from(values, (value) => found.indexOf(value));
  return { kind: "category", codes, categories: found.map(String), missing };
}

/** Names that say yes. */
const yes = ["1", "true", "yes"];

export function targetOf(train: Table, name: string, specFile: SpecFile): Target {
  return columnOf(train, name).kind === "category"
    ? classTarget(train, name, specFile)
    : numberTarget(train, name, specFile);
}

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

function numberTarget(train: Table, name: string, { spec }: SpecFile): Target {
  const { values } = numberColumn(train, name);
  const counts = spec.objective.loss === "poisson";
  const negative = counts ? values.findIndex((value) => value < 0) : -1;
  if (negative >= 0)
    throw new InputError(
      `${train.source}, ${train.place(negative)}: the target column "${name}" is ${values[negative]}, and objective.loss: poisson is for counts, which are never below 0.`,
    );
  if (values.every((value) => value === values[0]))
    throw new InputError(
      `${train.source}: the target column "${name}" is ${values[0]} in all training rows; there is nothing to learn.`,
    );
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length);
  return { kind: "number", mean, deviation, ...(counts && { link: "log" as const }) };
}

/** int32 classes or float32 deviations, [N]. */
export function truth(table: Table, name: string, target: Target): NdArray {
  if (target.kind === "number") {
    const { mean, deviation } = target;
    return new NdArray(
      Float32Array.from(numberColumn(table, name).values, (value) => (value - mean) / deviation),
      [table.rows],
    );
  }
  const { codes, categories } = categoryColumn(table, name);
  const places = categories.map((text) => target.classes.indexOf(text));
  const unknown = codes.findIndex((code) => places[code] < 0);
  if (unknown >= 0) {
    const text = categories[codes[unknown]];
    throw new InputError(
      `${table.source}, ${table.place(unknown)}: "${text}" in the target column "${name}" is no class of the training rows${hint(text, target.classes)}`,
    );
  }
  return new NdArray(
    codes.map((code) => places[code]),
    [table.rows],
  );
}
