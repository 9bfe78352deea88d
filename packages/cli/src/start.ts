// pliant start: the loans example trained under its requirements, with the Studio open over it from the first step.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serveStudio } from "@pliant/studio";
import { readPort, stopped } from "./studio.js";
import { exampleCommand } from "./training/example.js";
import { trainCommand } from "./training/train.js";

export async function start(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: "string", default: "runs" },
      port: { type: "string" },
      /** Ends with the report. */
      once: { type: "boolean", default: false },
    },
  });
  const example = join(values.runs, "examples", "loans");
  await exampleCommand(["loans", "--out", example]);
  const serving = await serveStudio({
    runs: values.runs,
    ...(values.port !== undefined && { port: readPort(values.port) }),
    onBuild: () => console.error("Building the page, once …"),
  });
  try {
    const page = `${serving.url}#/run/loans`;
    console.log(`The Studio is at ${serving.url}; this run at ${page}\n`);
    await trainCommand([join(example, "spec.yaml"), "--out", join(values.runs, "loans")]);
    if (values.once) return;
    console.log(`\nThe Studio shows it at ${page}. Ctrl-C stops it.`);
    await stopped();
  } finally {
    await serving.close();
  }
}
