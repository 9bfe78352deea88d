// How much each example counts in what is minimised. Requirements count every row as one.

import { InputError } from "@pliant/core";
import { numberColumn, type Table } from "@pliant/data";
import type { Spec } from "../spec/spec.js";
import type { Examples } from "./examples.js";
import { groupCells, together } from "./groups.js";

/** With a mean of 1; undefined where all count alike. */
export function weightsOf(
  table: Table,
  examples: Examples,
  { weights: column, balance, target }: Spec["data"],
  groups: readonly string[],
): Float32Array | undefined {
  if (column === undefined && balance === undefined) return undefined;
  const weights = column === undefined ? new Float32Array(examples.count).fill(1) : given(table, column);
  if (balance !== undefined) {
    const cells = groupCells(examples, balance === "classes" ? target! : together(groups));
    const sums = new Map<string | null, number>();
    for (let i = 0; i < cells.length; i++) sums.set(cells[i], (sums.get(cells[i]) ?? 0) + weights[i]);
    // Rows without a group keep what they have.
    const share = examples.count / Math.max(1, [...sums.keys()].filter((key) => key !== null).length);
    for (let i = 0; i < cells.length; i++)
      if (cells[i] !== null) weights[i] *= share / Math.max(sums.get(cells[i])!, 1e-12);
  }
  const mean = weights.reduce((a, b) => a + b, 0) / examples.count;
  if (!(mean > 0)) throw new InputError(`${table.source}: no row has a weight above 0.`);
  return weights.map((weight) => weight / mean);
}

function given(table: Table, column: string): Float32Array {
  const { values } = numberColumn(table, column);
  const wrong = values.findIndex((value) => !(value >= 0));
  if (wrong >= 0)
    throw new InputError(
      `${table.source}, ${table.place(wrong)}: the weight in "${column}" is ${Number.isNaN(values[wrong]) ? "missing" : values[wrong]}; a weight is a number of at least 0.`,
    );
  return Float32Array.from(values);
}
