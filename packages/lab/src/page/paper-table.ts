// One of the paper's tables or figures in the paper's own shape: each of its rows, with ours under it, cell by cell.
import type { Judged } from "../items/verdict.js";
import { difference, link, markdown, marks, ours, reports, theirs } from "./markdown.js";

/** An item's numbers, and what its line is called. */
export interface Line {
  readonly name: string;
  /** The page of its details. */
  readonly page: string;
  readonly judged: readonly Judged[];
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** A number, its mark, the difference where no interval judges it, and links to the reports. */
function cell(judged: Judged, to: (folder: string) => string): string {
  if (judged.outcome === "not run") return ours(judged);
  const apart = judged.outcome === "unknown" ? ` (${difference(judged)})` : "";
  return `${ours(judged)} ${marks[judged.outcome]}${apart} ${reports(judged, to)}`;
}

/** Whether a line's numbers come from other runs than those of the lines above it. */
const isNew = (own: readonly Judged[], above: readonly Judged[]): boolean =>
  own.some(
    ({ runs }) => runs.length === 0 || runs.some((run) => !above.some((entry) => entry.runs.includes(run))),
  );

/** `to` leads from the page to a run's folder; the columns that `order` names come first, in that order. */
export function paperTable(
  lines: readonly Line[],
  to: (folder: string) => string,
  order: readonly string[] = [],
): string {
  const all = lines.flatMap(({ judged }) => judged);
  const columns = distinct([...order, ...all.map(({ column }) => column)]).filter((column) =>
    all.some((entry) => entry.column === column),
  );
  const at = (judged: readonly Judged[], row: string, column: string): Judged | undefined =>
    judged.find((entry) => entry.row === row && entry.column === column);
  return markdown({
    head: ["", "", ...columns],
    body: distinct(all.map(({ row }) => row)).flatMap((row) => {
      const inRow = ({ judged }: Line): Judged[] => judged.filter((entry) => entry.row === row);
      const own = lines.filter((line, i) => isNew(inRow(line), lines.slice(0, i).flatMap(inRow)));
      const paper = columns.map((column) => {
        const known = at(all, row, column);
        return known ? theirs(known) : "";
      });
      return [
        [row, `paper, ${all.find((entry) => entry.row === row)!.source}`, ...paper],
        ...own.map(({ name, page, judged }) => [
          "",
          link(name, page),
          ...columns.map((column) => {
            const known = at(judged, row, column);
            return known ? cell(known, to) : "";
          }),
        ]),
      ];
    }),
  });
}
