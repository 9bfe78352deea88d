// The held-out rows behind a cell of the confusion matrix: which lines of the data file they are, nearest to the threshold first.
import type { HeldOut } from "./held-out.js";

export const cells = ["truePositives", "falseNegatives", "falsePositives", "trueNegatives"] as const;
export type Cell = (typeof cells)[number];

/** A cell of a group at a threshold; column "" for all rows. */
export interface AskedCell {
  readonly column: string;
  readonly value: string;
  readonly cell: Cell;
  readonly threshold: number;
}

export interface RowBehind {
  /** In the data file, the header being line 1; null where the run does not keep it. */
  readonly line: number | null;
  readonly score: number;
  readonly probability: number | null;
}

export interface RowsBehind {
  /** All rows of the cell, of which some are listed. */
  readonly count: number;
  readonly rows: readonly RowBehind[];
}

/** As many as a person reads. */
const most = 100;

/** `lines` are those of the held-out rows, in their order. */
export function rowsBehind(
  { rows, score, probability, target, groups, values }: HeldOut,
  lines: readonly number[],
  { column, value, cell, threshold }: AskedCell,
): RowsBehind {
  const positive = cell === "truePositives" || cell === "falsePositives";
  const truth = cell === "truePositives" || cell === "falseNegatives" ? 1 : 0;
  if (column !== "" && !(Object.hasOwn(groups, column) && Object.hasOwn(values, column)))
    return { count: 0, rows: [] };
  const group = column === "" ? undefined : groups[column];
  const place = column === "" ? -1 : values[column].indexOf(value);
  const found: number[] = [];
  for (let row = 0; row < rows; row++)
    if (target[row] === truth && score[row] > threshold === positive && (!group || group[row] === place))
      found.push(row);
  const distance = (row: number): number => Math.abs(score[row] - threshold);
  found.sort((a, b) => distance(a) - distance(b) || a - b);
  // Lines of another number of rows are those of other rows.
  const known = lines.length === rows;
  return {
    count: found.length,
    rows: found.slice(0, most).map((row) => ({
      line: known ? lines[row] : null,
      score: score[row],
      probability: probability?.[row] ?? null,
    })),
  };
}

/** The lines of a part of the rows, from rows.csv (part,line); none where it is not such a file. */
export function linesOf(text: string | undefined, part: HeldOut["of"]): number[] {
  const [head, ...rows] = (text ?? "").trim().split("\n");
  if (head !== "part,line") return [];
  // Folds are of the rows trained on.
  const wanted = part === "folds" ? "train" : part;
  return rows.flatMap((row) => {
    const [of, line] = row.split(",");
    return of === wanted ? [Number(line)] : [];
  });
}
