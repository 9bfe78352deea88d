// pliant reproduce page: the page of recorded results, written from run folders; finished runs are recorded first, where asked.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "@pliant/core";
import { items as lab } from "@pliant/lab";
import { readArgs, refuseWords } from "../arguments.js";

const { items, pageOf, planOf, record } = lab;

const options = {
  results: {
    type: "string",
    value: "DIR",
    default: "packages/lab/results",
    about: "where the page and the recorded runs lie",
  },
  runs: {
    type: "string",
    value: "DIR",
    about: "runs to record first, such as those of pliant reproduce all",
  },
  small: { type: "boolean", default: false, about: "of the small version" },
} as const;

/** Written by hand: records that belong to no item. */
const othersFile = "OTHER.md";

export async function reproducePage(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "reproduce page",
    about: "Writes the page of recorded results from run folders.",
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
    const { text, figures } = pageOf(items, { runs: recorded, link: "runs", size, others });
    const page = join(values.results, "README.md");
    mkdirSync(values.results, { recursive: true });
    rmSync(join(values.results, "figures"), { recursive: true, force: true });
    for (const [file, svg] of Object.entries(figures)) {
      mkdirSync(dirname(join(values.results, file)), { recursive: true });
      writeFileSync(join(values.results, file), svg);
    }
    writeFileSync(page, text);
    const said = values.runs === undefined ? "" : `Recorded ${added} runs of ${values.runs}. `;
    console.log(`${said}The page is ${page}, with ${Object.keys(figures).length} figures.`);
  } catch (reason) {
    const { code, message } = reason as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw reason;
    throw new InputError(`the page cannot be written to ${values.results}: ${message}`);
  }
}
