// pliant compare: runs side by side.
import { compareText, finishedRun, readRepeats } from "@pliant/train";
import { InputError } from "pliant";
import { readArgs } from "../arguments.js";

export async function compareCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "compare RUN RUN …",
    about: "Finished runs side by side, a block for each requirement.",
    options: { json: { type: "boolean", default: false, about: "one JSON object on standard output" } },
  });
  const runs = positionals.flatMap((run) => readRepeats(run)?.reports ?? { run, ...finishedRun(run).report });
  if (runs.length < 2) throw new InputError("name two runs or more: pliant compare RUN RUN.");
  console.log(values.json ? JSON.stringify({ runs }, null, 2) : compareText(runs));
}
