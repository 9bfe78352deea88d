// Text in columns, each as wide as it needs.

/** How wide each column is. */
export const widthsOf = (rows: readonly (readonly string[])[]): number[] =>
  rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));

/** Rows of cells as lines: words to the left of their columns, where that is asked, numbers to the right. */
export function inColumns(rows: readonly (readonly string[])[], left: (column: number) => boolean): string {
  const widths = widthsOf(rows);
  return rows
    .map((row) =>
      row
        .map((cell, i) => (left(i) ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
