// pliant report: a run's report again.
import { parseArgs } from "node:util";
import { finishedRun, reportText } from "@pliant/train";
import { InputError } from "pliant";

export async function reportCommand(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  if (positionals.length !== 1) throw new InputError("name one run folder: pliant report RUN.");
  const [folder] = positionals;
  const { report } = finishedRun(folder);
  console.log(values.json ? JSON.stringify({ run: folder, ...report }, null, 2) : reportText(report));
}
