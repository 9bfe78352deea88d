// The rows that both sides of the page on migrating learn from and are tested on: two groups of which one lies elsewhere.
import { join } from "node:path";
import { classes, part, type Table, writeCsv } from "../table.js";

export function migratingRows(folder: string): Table {
  const rows = classes({ rows: 12_000, seed: 7, features: 4, groups: [1, 1], shift: 0.8, positives: 0.4 });
  writeCsv(join(folder, "train.csv"), part(rows, 0, 4000));
  writeCsv(join(folder, "test.csv"), part(rows, 4000));
  return rows;
}
