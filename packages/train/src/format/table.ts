// Text in columns: the first few to the left, numbers to the right.
import { inColumns } from "@pliant/core";

export const columns = (rows: readonly (readonly string[])[], { left = 1 }: { left?: number } = {}): string =>
  inColumns(rows, (column) => column < left);

/** Four digits; negligible numbers are 0. */
export const short = (x: number): string => (Math.abs(x) < 1e-6 ? "0" : String(Number(x.toPrecision(4))));
