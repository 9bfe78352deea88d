// One deterministic model: the same run twice gives the same report to the last digit.
import { classes } from "../table.js";
import { ours, written } from "./ask.js";

export async function sameTwice(root: string): Promise<boolean> {
  const table = classes({ seed: 104, rows: 1500, positives: 0.4, groups: [7, 3], shift: 0.8 });
  const rows = written(root, "twice", table, 500);
  const [one, other] = [await ours(rows, "parity", 0.05), await ours(rows, "parity", 0.05)];
  return JSON.stringify(one.report) === JSON.stringify(other.report);
}
