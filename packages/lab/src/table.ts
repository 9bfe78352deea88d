// A table of cells as lines of text.
import { inColumns, widthsOf } from "@pliant/core";

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly body: readonly (readonly string[])[];
}

const number = /^(−?[\d.]+( ± [\d.]+)?)?$/;

/** Columns as wide as they need: numbers to the right, words to the left. */
export function tableText({ title, head, body }: Table): string {
  const rule = widthsOf([head, ...body]).map((width) => "─".repeat(width));
  const numeric = head.map((_, column) => body.every((row) => number.test(row[column])));
  return [title, inColumns([head, rule, ...body], (column) => !numeric[column])].join("\n");
}
