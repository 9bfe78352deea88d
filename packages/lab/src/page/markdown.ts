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

/** As many digits as the paper's number has, or as its figure can be read to. */
const fixed = (value: number, resolution: number): string =>
  value
    .toFixed(resolution >= 0.5 ? 0 : resolution >= 0.05 ? 1 : resolution >= 0.005 ? 2 : 3)
    .replace("-", "−");

type Number = Pick<Judged, "resolution">;

export const theirs = ({ paper, paperDeviation, resolution }: Judged): string =>
  paperDeviation === undefined
    ? fixed(paper, resolution)
    : `${fixed(paper, resolution)} ± ${fixed(paperDeviation, resolution)}`;

const meanOf = (values: readonly number[], { resolution }: Number): string =>
  values.length > 1
    ? `${fixed(mean(values), resolution)} ± ${fixed(deviation(values), resolution)}`
    : fixed(mean(values), resolution);

/** Ours, with the mean over further seeds behind it. */
export function ours(judged: Judged): string {
  if (judged.outcome === "not run") return marks["not run"];
  const further = judged.allSeeds
    ? ` (${judged.allSeeds.length} seeds: ${meanOf(judged.allSeeds, judged)})`
    : "";
  return `${meanOf(judged.ours, judged)}${further}`;
}

/** The difference, and the interval around it where there is one. */
export function difference({ difference, reach, resolution, outcome }: Judged): string {
  if (outcome === "not run") return "";
  const at = (value: number): string => `${value > 0 ? "+" : ""}${fixed(value, resolution)}`;
  return reach === undefined
    ? at(difference)
    : `${at(difference)} [${at(difference - reach)}, ${at(difference + reach)}]`;
}

/** The reports behind a number, by their seeds. */
export const reports = ({ runs }: Judged, to: (folder: string) => string): string =>
  runs.map((folder) => link(seedOf(folder), `${to(folder)}/report.json`)).join(" ");

const seedOf = (folder: string): string => /seed-(\d+)$/.exec(folder)?.[1] ?? "run";
