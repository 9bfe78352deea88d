// The summary of a table, as `pliant inspect` and `pliant train` print it.
import type { ColumnSummary, Summary } from "../data/summary.js";
import { percent } from "../format/figure.js";
import { columns, short } from "../format/table.js";

/** The summary of a table, as text. */
export function summaryText({ source, rows, task, columns: list, sight, warnings }: Summary): string {
  const target = list.find(({ role }) => role === "target");
  return [
    `${source}: ${rows.toLocaleString("en")} rows, ${list.length} columns.`,
    ...(task && target
      ? [
          `The target is "${target.name}": ${task.kind === "classes" ? `${target.different} classes` : "regression"} (${task.why})${task.positive === undefined ? "" : `. Rates are measured for the class "${task.positive}" unless a requirement names another`}.`,
        ]
      : []),
    "",
    columns(
      [
        ["column", "kind", "values", "missing", "distinct"],
        ...list.map((column) => [
          column.name,
          `${column.kind}${column.role ? `, ${column.role}` : ""}`,
          valuesOf(column, rows),
          percent(column.missing / rows),
          column.different.toLocaleString("en"),
        ]),
      ],
      { left: 3 },
    ),
    ...(sight.length > 0 ? ["", ...sight] : []),
    ...(warnings.length > 0 ? ["", ...warnings] : []),
  ].join("\n");
}

/** The range of a column of numbers, the commonest values of one of categories. */
export function valuesOf({ kind, range, top = [], missing }: ColumnSummary, rows: number): string {
  if (kind === "category") {
    const known = rows - missing;
    return top.map(([text, count]) => `${cut(text)} ${percent(count / known)}`).join(", ");
  }
  if (!range) return "";
  const [low, mean, high] = range;
  if (kind === "date") return `${dayOf(low)} to ${dayOf(high)}`;
  const [from, to] = toldApart(low, high);
  return `${from} to ${to}, mean ${short(mean)}`;
}

/** In four digits, or in all where those do not tell them from each other. */
const toldApart = (low: number, high: number): string[] =>
  [low, high].map(low !== high && short(low) === short(high) ? String : short);

/** On one line. */
const cut = (text: string): string => {
  const line = text.replace(/\s+/g, " ");
  return line.length > 20 ? `${line.slice(0, 19)}…` : line;
};

/** From days since 1970. */
export const dayOf = (days: number): string => new Date(days * 86_400_000).toISOString().slice(0, 10);
