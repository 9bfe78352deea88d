// The pages of recorded results. The first one is a screen of summary and then the paper's tables with ours under theirs; claims,
// theory and the details of each item have pages of their own. Everything on them follows from the recorded runs.
import { join } from "node:path";
import type { Item, Size } from "../items/item.js";
import { planOf } from "../items/plan.js";
import { byStage } from "../items/stages.js";
import { type Judged, outcomes, tally } from "../items/verdict.js";
import { type PaperItem, paperItems } from "../paper/labels.js";
import { sum } from "../statistics.js";
import type { TheoryReport } from "../theory/report.js";
import { claimsText, countedClaims, type JudgedClaim, judgedClaims } from "./claims-page.js";
import { itemText } from "./item-page.js";
import { link, markdown, marks } from "./markdown.js";
import { type Line, paperTable } from "./paper-table.js";
import { itemPage, type Section, secondsOf, sectionsOf } from "./sections.js";
import { theoryText } from "./theory-page.js";

export interface PageOptions {
  /** Holds the recorded run folders. */
  readonly runs: string;
  /** The way there from the first page. */
  readonly link: string;
  readonly size: Size;
  /** A page of other records, to be pointed to. */
  readonly others?: string;
  readonly theory?: TheoryReport;
}

/** Pages and figures by their paths from the folder of the first page, README.md. */
export type Pages = Readonly<Record<string, string>>;

export function pagesOf(items: readonly Item[], options: PageOptions): Pages {
  const sections = sectionsOf(items, options.runs, options.size);
  const claims = judgedClaims(sections, options.theory?.checks ?? []);
  const figures: Record<string, string> = {
    ...(options.theory && { "figures/equilibrium.svg": options.theory.figure }),
  };
  const pages: Record<string, string> = {};
  for (const section of sections) {
    const drawn = section.shown.figures.map(({ name, svg }) => {
      const file = join("figures", section.item.name, `${name}.svg`);
      figures[file] = svg;
      return file;
    });
    pages[itemPage(section)] = itemText(section, options.link, drawn);
  }
  return {
    "README.md": firstPage(sections, claims, options),
    "claims.md": claimsText(claims),
    ...(options.theory && { "theory.md": theoryText(options.theory) }),
    ...pages,
    ...figures,
  };
}

const minutes = (seconds: number): string => (seconds / 60).toFixed(seconds < 600 ? 1 : 0);

function firstPage(
  sections: readonly Section[],
  claims: readonly JudgedClaim[],
  { link: runs, others, theory, size }: PageOptions,
): string {
  return [
    "# Recorded results",
    "",
    `Every table and figure of the paper beside our runs of it, written by \`pliant reproduce page\` from the folders in ${link("runs", runs)}.`,
    "",
    "- ✓ the difference is within the 95% interval: Welch's where both sides repeat their runs, the prediction interval of the side",
    "  that does where the other is one run, always plus the paper's rounding or the figure's reading error. ✗ it is outside.",
    "- ? neither side's spread is known, as for all federated numbers: the paper has one run of one split. The difference stands beside it.",
    "- Sources: *table*, printed; *figure*, read off an image of the paper; *notebook*, off one that only the published notebook shows.",
    "- Numbers behind ours lead to the `report.json` of each seed.",
    "",
    summary(sections, claims),
    "",
    `${link(`The paper's ${claims.length} claims`, "claims.md")}: ${countedClaims(claims)}.${theory ? ` ${link("Theory", "theory.md")}: the first figure, the learnability example, the propositions and Theorem 1 as numbers.` : ""}${others === undefined ? "" : ` ${link("Other runs", others)}.`}`,
    "",
    ...missing(sections, size),
    ...paperItems.flatMap((item) => paperSection(item, sections, claims, runs)),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

/** One line for each of the paper's tables and figures, with the settings in which most of its numbers are within. */
function summary(sections: readonly Section[], claims: readonly JudgedClaim[]): string {
  const line = ({ label, title }: PaperItem): string[] => {
    const own = sections.filter(({ item, done }) => item.labels.includes(label) && done.length > 0);
    const numbersOf = ({ judged }: Section): Judged[] => judged.filter((entry) => entry.label === label);
    const within = (section: Section): number => tally(numbersOf(section)).within;
    const [best] = own.toSorted((a, b) => within(b) - within(a) || numbersOf(b).length - numbersOf(a).length);
    const judged = best ? numbersOf(best) : [];
    const counts = tally(judged);
    const seeds = Math.max(0, ...judged.map(({ ours, allSeeds }) => (allSeeds ?? ours).length));
    const about = claims.filter((claim) => claim.label === label);
    return [
      link(title, `#${anchor(title)}`),
      best
        ? link(best.item.recipe, itemPage(best))
        : theoretical.includes(label)
          ? link("theory", "theory.md")
          : "",
      judged.length === 0
        ? ""
        : outcomes
            .filter((outcome) => counts[outcome] > 0)
            .map((outcome) => `${counts[outcome]} ${marks[outcome]}`)
            .join(", "),
      about.length === 0
        ? ""
        : `${about.filter(({ verdict }) => verdict === "holds").length} of ${about.length}`,
      seeds === 0 ? "" : String(seeds),
      best ? minutes(secondsOf(best)) : "",
    ];
  };
  return markdown({
    head: ["in the paper", "best settings on record", "numbers", "claims hold", "seeds", "GPU minutes"],
    body: paperItems.map(line),
  });
}

/** Labels that computations reproduce, not runs. */
const theoretical = ["fig_equilibrium", "a:example"];

/** The anchor that GitHub and the documentation site give a heading of words, digits and hyphens. */
const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- ]/gu, "")
    .replaceAll(" ", "-");

/** Runs that are not on record, in the order in which they are worth doing. */
function missing(sections: readonly Section[], size: Size): string[] {
  const done = new Set(sections.flatMap((section) => section.done.map(({ run }) => run.folder)));
  const waiting = planOf(
    sections.map(({ item }) => item),
    size,
  ).filter(({ folder }) => !done.has(folder));
  if (waiting.length === 0 || size === "small") return [];
  const lines = byStage(waiting).map(({ name, runs }) => [
    name,
    String(runs.length),
    minutes(sum(runs.map((run) => run.seconds("cuda")))),
  ]);
  return [
    `Not run yet, in the order of \`pliant reproduce all --missing\`:`,
    "",
    markdown({ head: ["runs", "", "minutes of one H200, about"], body: lines }),
    "",
  ];
}

function paperSection(
  { label, title, notes = [], columns }: PaperItem,
  sections: readonly Section[],
  claims: readonly JudgedClaim[],
  runs: string,
): string[] {
  const own = sections.filter(({ item }) => item.labels.includes(label));
  const lines = own.flatMap((section): Line[] => {
    const judged = section.judged.filter((entry) => entry.label === label);
    return judged.length > 0 ? [{ name: section.item.recipe, page: itemPage(section), judged }] : [];
  });
  const to = (folder: string): string => join(runs, folder);
  const pages = theoretical.includes(label)
    ? link("theory", "theory.md")
    : own.map((section) => link(section.item.name, itemPage(section))).join(", ");
  return [
    `## ${title}`,
    "",
    `\`${label}\`: ${pages}.`,
    "",
    ...notes.map((note) => `- ${note}`),
    ...claims
      .filter((claim) => claim.label === label)
      .map(({ verdict, text }) => `- Claim, ${verdict === "fails" ? "**fails**" : verdict}: ${text}.`),
    "",
    ...(lines.length > 0 ? [paperTable(lines, to, columns), ""] : []),
  ];
}
