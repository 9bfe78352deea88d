// pliant reproduce page: the pages of recorded results, written from run folders; --runs records finished runs first.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "@pliant/core";
import { items as lab, type theory } from "@pliant/lab";
import { readArgs, refuseWords } from "../arguments.js";
import { shared } from "../options.js";

const { items, pagesOf, planOf, record } = lab;

const options = {
  results: {
    type: "string",
    value: "DIR",
    default: "packages/lab/results",
    about: "the folder of the pages and the recorded runs",
  },
  runs: {
    type: "string",
    value: "DIR",
    about: "runs to record first, such as those of pliant reproduce all",
  },
  small: { type: "boolean", default: false, about: "the small version" },
  json: shared.json,
} as const;

/** Maintained by hand: records that belong to no item. */
const othersFile = "OTHER.md";

const readTheory = (file: string): theory.TheoryReport | undefined =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;

export async function reproducePage(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "reproduce page",
    about: "Writes the pages of recorded results from run folders.",
    options,
  });
  refuseWords(positionals, "reproduce page");
  const size = values.small ? "small" : "paper";
  const recorded = join(values.results, "runs");
  if (values.runs !== undefined && !existsSync(values.runs))
    throw new InputError(`there is no folder ${values.runs} with runs to record.`);
  try {
    const added = values.runs === undefined ? 0 : record(planOf(items, size), values.runs, recorded);
    const others = existsSync(join(values.results, othersFile)) ? othersFile : undefined;
    const theory = readTheory(join(values.results, "theory", "report.json"));
    const pages = pagesOf(items, { runs: recorded, link: "runs", size, others, ...(theory && { theory }) });
    for (const folder of ["figures", "items"])
      rmSync(join(values.results, folder), { recursive: true, force: true });
    for (const [file, text] of Object.entries(pages)) {
      mkdirSync(dirname(join(values.results, file)), { recursive: true });
      writeFileSync(join(values.results, file), text);
    }
    if (values.json) {
      console.log(JSON.stringify({ folder: values.results, recorded: added, files: Object.keys(pages) }));
      return;
    }
    const intake = values.runs === undefined ? "" : `Recorded ${added} runs of ${values.runs}. `;
    console.log(
      `${intake}${Object.keys(pages).length} pages and figures are in ${values.results}; start at README.md.`,
    );
  } catch (reason) {
    const { code, message } = reason as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw reason;
    throw new InputError(`the page cannot be written to ${values.results}: ${message}`);
  }
}
