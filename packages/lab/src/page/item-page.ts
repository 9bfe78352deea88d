// The page of one item: how it was run, every number with its interval, claims, tables, figures and the list of its runs.
import { join } from "node:path";
import { duration } from "@pliant/learn/runs";
import type { Finished } from "../items/item.js";
import { verdictOf } from "../items/verdict.js";
import { paperClaim } from "../paper/claims.js";
import { difference, link, markdown, marks, ours, reports, theirs } from "./markdown.js";
import { type Section, secondsOf } from "./sections.js";

const capital = (text: string): string => text[0].toUpperCase() + text.slice(1);

/** From an item's page to the folders beside the first page. */
const up = "..";

export function itemText(section: Section, runs: string, figures: readonly string[]): string {
  const { item, needed, done, shown, judged } = section;
  const to = (folder: string): string => join(up, runs, folder);
  const labels = item.labels.map((label) => `\`${label}\``).join(", ");
  const head = [
    `# ${item.name}`,
    "",
    `${capital(item.summary)}. In the paper: ${labels}. Settings: ${item.recipe}.`,
    "",
    `    npx ${item.command}`,
    "",
    `${done.length} of ${needed.length} runs are on record${done.length > 0 ? `, ${duration(secondsOf(section))} of training` : ""}: ${done.length > 0 ? verdictOf(shown) : "not run"}.`,
    "",
  ];
  const list = (title: string, lines: readonly string[]): string[] =>
    lines.length > 0 ? [`## ${title}`, "", ...lines.map((line) => `- ${capital(line)}.`), ""] : [];
  return [
    ...head,
    ...list("Known differences to the paper", shown.reasons),
    ...list(
      "Claims",
      shown.claims.map(
        ({ id, holds, found }) => `${holds ? "Holds" : "Fails"} (${found}): ${paperClaim(id).text}`,
      ),
    ),
    ...(judged.length > 0
      ? [
          "## Numbers",
          "",
          markdown({
            head: ["in the paper", "paper", "ours", "difference [95%]", "", "reports"],
            body: judged.map((entry) => [
              `${entry.label}: ${entry.row}, ${entry.column} (${entry.source})`,
              theirs(entry),
              ours(entry),
              difference(entry),
              entry.outcome === "not run" ? "" : marks[entry.outcome],
              reports(entry, to),
            ]),
          }),
          "",
        ]
      : []),
    ...shown.tables.flatMap((table) => [`## ${table.title}`, "", markdown(table), ""]),
    ...(figures.length > 0 ? ["## Figures", "", ...figures.map((file) => `![](${join(up, file)})`), ""] : []),
    ...(done.length > 0 ? ["## Runs", "", runsTable(done, to), ""] : []),
  ].join("\n");
}

interface AskedFacts {
  readonly device?: string;
  readonly precision?: string;
  readonly started?: string;
  readonly versions?: Readonly<Record<string, string>>;
  readonly machine?: { readonly accelerator?: string; readonly processor?: string };
}

/** The device, precision and versions of every run. */
const runsTable = (done: readonly Finished[], to: (folder: string) => string): string =>
  markdown({
    head: ["run", "device", "precision", "versions", "started", "trained"],
    body: done.map(({ run, asked, report }) => {
      const { device = "", precision = "", started = "", versions = {}, machine } = asked as AskedFacts;
      const seconds = run.family.secondsOf(report);
      return [
        link(run.name, to(run.folder)),
        machine?.accelerator ?? machine?.processor ?? device,
        precision,
        Object.entries(versions)
          .map((pair) => pair.join(" "))
          .join(", "),
        started.slice(0, 10),
        seconds === undefined ? "" : duration(seconds),
      ];
    }),
  });
