// pliant start: trains the loans example with the Studio open from the first step.
import { join } from "node:path";
import { serveStudio } from "@pliant/studio";
import { readArgs, refuseWords } from "./arguments.js";
import { shared } from "./options.js";
import { readPort, stopped } from "./studio.js";
import { writeExample } from "./training/example.js";
import { trainCommand } from "./training/train.js";

export async function start(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "start",
    about: "Trains the loans example under its requirements, with the Studio open from the first step.",
    options: {
      runs: { type: "string", value: "DIR", default: "runs", about: "the folder of runs" },
      port: { type: "string", value: "N", about: "the port of the Studio (default: a free one)" },
      json: shared.json,
      once: { type: "boolean", default: false, about: "end after the report" },
    },
  });
  refuseWords(positionals, "start");
  const example = join(values.runs, "examples", "loans");
  const say = (text: string): void => (values.json ? console.error : console.log)(text);
  writeExample("loans", { folder: example, force: true });
  const serving = await serveStudio({
    runs: values.runs,
    ...(values.port !== undefined && { port: readPort(values.port) }),
    onBuild: () => console.error("Building the page (first time only) …"),
  });
  try {
    const page = serving.address("loans");
    say(`The Studio shows this run at ${page}\n`);
    const out = join(values.runs, "loans");
    await trainCommand([
      join(example, "spec.yaml"),
      "--out",
      out,
      "--force",
      ...(values.json ? ["--json"] : []),
    ]);
    if (values.once) return;
    say(`\nThe Studio shows the run at ${page}. Ctrl-C stops it.`);
    await stopped();
  } finally {
    await serving.close();
  }
}
