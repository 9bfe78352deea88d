// The page of recorded results: each item of the paper with its verdict, our numbers beside the paper's, what they were made with,
// and its figures. Everything on it follows from the recorded runs.
import { join } from "node:path";
import { duration } from "@pliant/learn/runs";
import type { Table } from "../table.js";
import type { Finished, Item, Size } from "./item.js";
import { distinct, finished, verdictFor } from "./plan.js";
import { type Judged, judge } from "./verdict.js";

export interface PageOptions {
  /** A page of other records, to be pointed to. */
  readonly others?: string;
  /** Holds the recorded run folders, below the folder of the page. */
  readonly runs: string;
  /** How to get there from the page. */
  readonly link: string;
  readonly size: Size;
}

export interface Page {
  readonly text: string;
  /** By their paths from the page. */
  readonly figures: Readonly<Record<string, string>>;
}

interface Section {
  readonly item: Item;
  readonly needed: number;
  readonly done: readonly Finished[];
}

export function pageOf(items: readonly Item[], { runs, link, size, others }: PageOptions): Page {
  const sections = items.map((item): Section => {
    const wanted = distinct(item.runs(size));
    return { item, needed: wanted.length, done: wanted.flatMap((run) => finished(runs, run) ?? []) };
  });
  const figures: Record<string, string> = {};
  const text = [
    "# Recorded results",
    "",
    "Every item of the paper beside our runs of it, written by `pliant reproduce page` from the run folders in",
    `[\`${link}\`](${link}); no number and no verdict is written by hand. A number is *within spread* where it lies within two standard`,
    "deviations of the paper's (over our seeds and, where the paper tells them, over its own), or within what the paper's number",
    "resolves. Of fewer than three seeds the spread is that of the same quantity where there are more, or it is not known.",
    "",
    markdown({
      title: "",
      head: ["item", "in the paper", "runs", "verdict"],
      body: sections.map(({ item, needed, done }) => [
        `[${item.name}](#${item.name})`,
        item.place,
        `${done.length} of ${needed}`,
        done.length === 0 ? "not run" : verdictFor(item, done, needed, size),
      ]),
    }),
    ...(others === undefined
      ? []
      : ["", `Runs that belong to no item, and earlier ones, are in [${others}](${others}).`]),
    ...sections.map((section) => sectionText(section, { link, size }, figures)),
  ].join("\n");
  return { text: `${text.trimEnd()}\n`, figures };
}

function sectionText(
  { item, needed, done }: Section,
  { link, size }: Pick<PageOptions, "link" | "size">,
  figures: Record<string, string>,
): string {
  const head = [
    "",
    `## ${item.name}`,
    "",
    `${item.place}: ${item.summary}.`,
    "",
    `    npx ${item.command}`,
    "",
  ];
  if (done.length === 0) return [...head, "Not run yet.", ""].join("\n");
  const shown = item.show(done);
  const judged = judge(shown.comparisons);
  const drawn = shown.figures.map(({ name, svg }) => {
    const file = join("figures", item.name, `${name}.svg`);
    figures[file] = svg;
    return `![${name}](${file})`;
  });
  return [
    ...head,
    `**Verdict:** ${verdictFor(item, done, needed, size)}.`,
    "",
    ...(judged.length > 0 ? [markdown(comparisonTable(judged)), ""] : []),
    ...shown.claims.map(
      ({ text, holds, found }) => `- ${holds ? "Holds" : "Does not hold"} (${found}): ${text}.`,
    ),
    ...(shown.claims.length > 0 ? [""] : []),
    ...shown.tables.flatMap((table) => [
      `<details><summary>${table.title}</summary>`,
      "",
      markdown(table),
      "</details>",
      "",
    ]),
    ...(drawn.length > 0 ? [drawn.join("\n"), ""] : []),
    "<details><summary>The runs</summary>",
    "",
    markdown(runsTable(done, link)),
    "</details>",
    "",
  ].join("\n");
}

const fixed = (value: number, resolution: number): string =>
  value.toFixed(resolution >= 0.5 ? 0 : resolution >= 0.05 ? 1 : resolution >= 0.005 ? 2 : 3);

const comparisonTable = (judged: readonly Judged[]): Table => ({
  title: "",
  head: ["run", "number", "ours", "seeds", "paper", "difference", "within spread"],
  body: judged.map(({ of, quantity, mean, deviation, ours, paper, paperDeviation, resolution, within }) => [
    of,
    quantity,
    ours.length > 2
      ? `${fixed(mean, resolution)} ± ${fixed(deviation ?? 0, resolution)}`
      : fixed(mean, resolution),
    String(ours.length),
    paperDeviation === undefined
      ? fixed(paper, resolution)
      : `${fixed(paper, resolution)} ± ${fixed(paperDeviation, resolution)}`,
    fixed(mean - paper, resolution).replace("-", "−"),
    within === undefined ? "not known" : within ? "yes" : "no",
  ]),
});

interface AskedFacts {
  readonly device?: string;
  readonly precision?: string;
  readonly started?: string;
  readonly versions?: Readonly<Record<string, string>>;
  readonly machine?: { readonly accelerator?: string; readonly processor?: string };
}

/** What every run was made with. */
const runsTable = (done: readonly Finished[], link: string): Table => ({
  title: "",
  head: ["run", "device", "precision", "versions", "begun", "trained"],
  body: done.map(({ run, asked, report }) => {
    const { device = "", precision = "", started = "", versions = {}, machine } = asked as AskedFacts;
    const seconds = run.family.secondsOf(report);
    return [
      `[${run.name}](${encodeURI(join(link, run.folder))})`,
      machine?.accelerator ?? machine?.processor ?? device,
      precision,
      Object.entries(versions)
        .map((each) => each.join(" "))
        .join(", "),
      started.slice(0, 10),
      seconds === undefined ? "" : duration(seconds),
    ];
  }),
});

/** A table that a page shows. */
export function markdown({ head, body }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}
