// pliant publish: runs as a page of its own, which opens from a disk or any web host.

import { InputError } from "@pliant/core";
import { type PublishedRuns, publish } from "@pliant/studio";
import { readArgs } from "./arguments.js";

export async function publishCommand(args: string[]): Promise<void> {
  const { positionals } = readArgs(args, {
    usage: "publish RUN OUT",
    about: "Writes a run, or a folder of runs, as a page that opens from a disk or any web host.",
    options: {},
  });
  const [runs, out, ...rest] = positionals;
  if (runs === undefined || out === undefined || rest.length > 0)
    throw new InputError(
      "name a run, or a folder of runs, and a folder for the page: pliant publish RUN OUT.",
    );
  const found = await publish({ runs, out, onBuild: () => console.error("Building the page, once …") });
  console.log(publishedWords(found, out));
}

/** What is not finished is shown as far as it came. */
export function publishedWords({ count, unfinished }: PublishedRuns, out: string): string {
  const where = `${count === 1 ? "One run is" : `${count} runs are`} in ${out}; open ${out}/index.html.`;
  if (unfinished.length === 0) return where;
  const which =
    count === 1
      ? "It has"
      : `${unfinished.slice(0, 3).join(", ")}${unfinished.length > 3 ? ` and ${unfinished.length - 3} more` : ""} ${unfinished.length === 1 ? "has" : "have"}`;
  return `${where} ${which} no report yet: the page shows how far training came, and neither what was reached on test rows nor what a requirement costs.`;
}
