// Tables, numbers and links as Markdown.
import type { Judged, Outcome } from "../items/verdict.js";
import { deviation, mean } from "../statistics.js";
import type { Table } from "../table.js";

export function markdown({ head, body }: Pick<Table, "head" | "body">): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}

export const link = (text: string, to: string): string => `[${text}](${encodeURI(to)})`;

export const marks: Readonly<Record<Outcome, string>> = {
  within: "✓",
  outside: "✗",
  unknown: "?",
  "not run": "not run",
};

type Known = Pick<Judged, "resolution" | "source">;

/** As many digits as a table prints, and one more than the reading error of a figure has. */
function fixed(value: number, { resolution, source }: Known): string {
  const last = source === "table" ? 2 * resolution : resolution;
  return value.toFixed(last >= 1 ? 0 : last >= 0.05 ? 1 : last >= 0.01 ? 2 : 3).replace("-", "−");
}

export const theirs = (judged: Judged): string => {
  const { paper, paperDeviation } = judged;
  return paperDeviation === undefined
    ? fixed(paper, judged)
    : `${fixed(paper, judged)} ± ${fixed(paperDeviation, judged)}`;
};

const meanOf = (values: readonly number[], judged: Known): string =>
  values.length > 1
    ? `${fixed(mean(values), judged)} ± ${fixed(deviation(values), judged)}`
    : fixed(mean(values), judged);

/** Ours, with the mean over further seeds behind it. */
export function ours(judged: Judged): string {
  if (judged.outcome === "not run") return marks["not run"];
  const further = judged.allSeeds
    ? ` (${judged.allSeeds.length} seeds: ${meanOf(judged.allSeeds, judged)})`
    : "";
  return `${meanOf(judged.ours, judged)}${further}`;
}

/** The difference, and the interval around it where there is one. */
export function difference(judged: Judged): string {
  const { difference, reach, outcome } = judged;
  if (outcome === "not run") return "";
  const at = (value: number): string => `${value > 0 ? "+" : ""}${fixed(value, judged)}`;
  return reach === undefined
    ? at(difference)
    : `${at(difference)} [${at(difference - reach)}, ${at(difference + reach)}]`;
}

/** The reports behind a number, by their seeds. */
export const reports = ({ runs }: Judged, to: (folder: string) => string): string =>
  runs.map((folder) => link(seedOf(folder), `${to(folder)}/report.json`)).join(" ");

const seedOf = (folder: string): string => /seed-(\d+)$/.exec(folder)?.[1] ?? "run";
