// A table as the model takes it. What does not fit the spec is a sentence, before anything is sent.

import { InputError } from "@pliant/core";
import { columnOf, numberColumn, type Table } from "@pliant/data/table";
import { NdArray } from "@pliant/engine";
import type { Pool } from "@pliant/federated";
import { type FederationSpec, privacyOf, scaleOf } from "./spec.js";

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
    const [centre, spread] = scaleOf(spec, name);
    return values.map((value) => (value - centre) / spread);
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

/** Numbers that steps are made for are about 1 in size; a sentence about those that are far from it. */
export function sizesNote({ x }: Pool, { data: { features, images } }: FederationSpec): string | undefined {
  if (images) return undefined;
  const rows = x.size / features.length;
  const far = features.flatMap((name, k) => {
    const values = Array.from({ length: rows }, (_, row) => Number(x.data[row * features.length + k]));
    const centre = values.reduce((a, b) => a + b, 0) / rows;
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / rows);
    const isFar = Math.abs(centre) > 10 || spread > 10 || (spread > 0 && spread < 0.05);
    return isFar ? [`${name} (mean ${centre.toPrecision(3)}, spread ${spread.toPrecision(3)})`] : [];
  });
  return far.length === 0
    ? undefined
    : `Steps are made for numbers of about 1, and these of this site are not: ${far.join(", ")}. The model may learn nothing from the table; with data.scale: { NAME: [centre, spread] } in the spec every site learns from (x − centre)/spread.`;
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
