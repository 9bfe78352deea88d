// pliant publish: runs as a page of its own, which opens from a disk or any web host.

import { InputError } from "@pliant/core";
import { publish } from "@pliant/studio";
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
  const { count } = await publish({ runs, out, onBuild: () => console.error("Building the page, once …") });
  console.log(`${count === 1 ? "One run is" : `${count} runs are`} in ${out}; open ${out}/index.html.`);
}
