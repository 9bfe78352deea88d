// pliant start: the loans example trained under its requirements, with the Studio open over it from the first step.
import { join } from "node:path";
import { serveStudio } from "@pliant/studio";
import { readArgs, refuseWords } from "./arguments.js";
import { readPort, stopped } from "./studio.js";
import { exampleCommand } from "./training/example.js";
import { trainCommand } from "./training/train.js";

export async function start(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "start",
    about:
      "Trains the loans example under its requirements, with the Studio open over it from the first step.",
    options: {
      runs: { type: "string", value: "DIR", default: "runs", about: "where the run goes" },
      port: { type: "string", value: "N", about: "where the page is; a free one unless given" },
      once: { type: "boolean", default: false, about: "ends with the report" },
    },
  });
  refuseWords(positionals, "start");
  const example = join(values.runs, "examples", "loans");
  await exampleCommand(["loans", "--out", example, "--force"]);
  const serving = await serveStudio({
    runs: values.runs,
    ...(values.port !== undefined && { port: readPort(values.port) }),
    onBuild: () => console.error("Building the page, once …"),
  });
  try {
    const page = `${serving.url}#/run/loans`;
    console.log(`The Studio is at ${serving.url}; this run at ${page}\n`);
    await trainCommand([join(example, "spec.yaml"), "--out", join(values.runs, "loans"), "--force"]);
    if (values.once) return;
    console.log(`\nThe Studio shows it at ${page}. Ctrl-C stops it.`);
    await stopped();
  } finally {
    await serving.close();
  }
}
