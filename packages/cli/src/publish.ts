// pliant publish: writes runs as a static page that opens from disk or any web host.

import { InputError } from "@pliant/core";
import { type PublishedRuns, publish } from "@pliant/studio";
import { readArgs } from "./arguments.js";
import { shared } from "./options.js";

export async function publishCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "publish RUN OUT",
    about: "Writes a run, or a folder of runs, as a static page that opens from disk or any web host.",
    options: { json: shared.json },
  });
  const [runs, out, ...rest] = positionals;
  if (runs === undefined || out === undefined || rest.length > 0)
    throw new InputError(
      "name a run, or a folder of runs, and a folder for the page: pliant publish RUN OUT.",
    );
  const found = await publish({
    runs,
    out,
    onBuild: () => console.error("Building the page (first time only) …"),
  });
  console.log(values.json ? JSON.stringify({ out, ...found }, null, 2) : publishedWords(found, out));
}

/** Unfinished runs are shown up to their last step. */
export function publishedWords({ count, unfinished }: PublishedRuns, out: string): string {
  const where = `${count === 1 ? "One run is" : `${count} runs are`} in ${out}; open ${out}/index.html.`;
  if (unfinished.length === 0) return where;
  const which =
    count === 1
      ? "It has"
      : `${unfinished.slice(0, 3).join(", ")}${unfinished.length > 3 ? ` and ${unfinished.length - 3} more` : ""} ${unfinished.length === 1 ? "has" : "have"}`;
  return `${where} ${which} no report yet: the page shows the steps so far, without test results or the cost of requirements.`;
}
