// pliant report: a run's report again.

import { InputError } from "@pliant/core";
import { finishedRun, isViolated, readRepeats, repeatsText, reportText } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";

/** 1 where something that must hold does not, as training said. */
export async function reportCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "report RUN",
    about:
      "What a finished run came to, in plain words; of several seeds or folds, what they come to together.",
    options: { json: shared.json },
  });
  if (positionals.length !== 1) throw new InputError("name one run folder: pliant report RUN.");
  const [folder] = positionals;
  const repeated = readRepeats(folder);
  if (repeated) {
    const { repeats } = repeated;
    console.log(values.json ? JSON.stringify({ folder, ...repeats }, null, 2) : repeatsText(repeats));
    return Number(Object.values(repeats.requirements).some(({ statuses }) => statuses.violated > 0));
  }
  const { report } = finishedRun(folder);
  console.log(values.json ? JSON.stringify({ run: folder, ...report }, null, 2) : reportText(report));
  return Number(isViolated(report));
}
