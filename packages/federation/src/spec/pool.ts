// A table as the model takes it. What does not fit the spec is a sentence, before anything is sent.

import { InputError } from "@pliant/core";
import { columnOf, numberColumn, type Table } from "@pliant/data/table";
import { NdArray } from "@pliant/engine";
import type { Pool } from "@pliant/federated";
import { type FederationSpec, privacyOf } from "./spec.js";

/** A table as samples of the spec's features and classes. */
export function poolOf(table: Table, spec: FederationSpec): Pool {
  const { features, label, classes } = spec.data;
  if (table.rows === 0) throw new InputError(`${table.source} has no rows.`);
  privacyOf(spec, table.rows);
  const columns = features.map((name) => {
    refuseWord(table, name);
    const { values } = numberColumn(table, name);
    const bad = values.findIndex((value) => !Number.isFinite(Math.fround(value)));
    if (bad >= 0)
      throw new InputError(
        `${table.source}, ${table.place(bad)}: column "${name}" has a cell that is missing, no finite number or too large a one.`,
      );
    return values;
  });
  const x = new Float32Array(table.rows * features.length);
  for (let row = 0; row < table.rows; row++)
    for (const [k, values] of columns.entries()) x[row * features.length + k] = values[row];
  return {
    x: new NdArray(x, [table.rows, features.length]),
    y: new NdArray(labelsOf(table, label, classes), [table.rows]),
  };
}

/** One cell that is no number makes a column of categories; whoever has the table looks for that cell. */
function refuseWord(table: Table, name: string): void {
  const column = columnOf(table, name);
  if (column.kind !== "category") return;
  const isWord = column.categories.map((text) => !Number.isFinite(Number(text)));
  const row = column.codes.findIndex((code) => code >= 0 && isWord[code]);
  if (row < 0) return;
  const numbers = isWord.some((one) => !one);
  const cell = `column "${name}" has "${column.categories[column.codes[row]]}" where a number is needed`;
  throw new InputError(
    `${table.source}, ${table.place(row)}: ${cell}${numbers ? "" : ", and no number anywhere"}.`,
  );
}

function labelsOf(table: Table, label: string, classes: readonly string[]): Int32Array {
  const column = columnOf(table, label);
  const text = (row: number): string | undefined => {
    if (column.kind === "category") return column.categories[column.codes[row]];
    return Number.isNaN(column.values[row]) ? undefined : String(column.values[row]);
  };
  return Int32Array.from({ length: table.rows }, (_, row) => {
    const name = text(row);
    const place = name === undefined ? -1 : classes.indexOf(name);
    if (place >= 0) return place;
    const found = name === undefined ? "is missing" : `is "${name}"`;
    throw new InputError(
      `${table.source}, ${table.place(row)}: "${label}" ${found}; the federation's classes are ${classes.join(", ")}.`,
    );
  });
}
