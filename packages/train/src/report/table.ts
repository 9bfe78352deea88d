// Text in columns: the first few to the left, numbers to the right.

export function columns(rows: readonly (readonly string[])[], { left = 1 }: { left?: number } = {}): string {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i < left ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Four digits; what is nothing for a reader is 0. */
export const short = (x: number): string => (Math.abs(x) < 1e-6 ? "0" : String(Number(x.toPrecision(4))));
