// pliant compare: runs side by side.
import { parseArgs } from "node:util";
import { compareText, finishedRun } from "@pliant/train";
import { InputError } from "pliant";

export async function compareCommand(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  if (positionals.length < 2) throw new InputError("name two runs or more: pliant compare RUN RUN.");
  const runs = positionals.map((run) => ({ run, ...finishedRun(run).report }));
  console.log(values.json ? JSON.stringify({ runs }, null, 2) : compareText(runs));
}
