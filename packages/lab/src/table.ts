// A table of cells as lines of text.

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly body: readonly (readonly string[])[];
}

const number = /^(−?[\d.]+( ± [\d.]+)?)?$/;

/** Columns as wide as they need: numbers to the right, words to the left. */
export function tableText({ title, head, body }: Table): string {
  const widths = head.map((name, column) => Math.max(name.length, ...body.map((row) => row[column].length)));
  const numeric = head.map((_, column) => body.every((row) => number.test(row[column])));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (numeric[i] ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("  ");
  return [title, line(head), rule, ...body.map(line)].join("\n");
}
