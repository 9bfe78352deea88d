// pliant report: the report of a finished run.

import { InputError } from "@pliant/core";
import { finishedRun, isViolated, readRepeats, repeatsText, reportText } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { paintReport } from "../colours.js";
import { shared } from "../options.js";

/** Returns 1 if a hard requirement is violated, as `pliant train` does. */
export async function reportCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "report RUN",
    about: "Prints the report of a finished run, or the summary of several seeds or folds.",
    options: { json: shared.json },
  });
  if (positionals.length !== 1) throw new InputError("name one run folder: pliant report RUN.");
  const [folder] = positionals;
  const repeated = readRepeats(folder);
  if (repeated) {
    const { repeats } = repeated;
    console.log(
      values.json ? JSON.stringify({ folder, ...repeats }, null, 2) : paintReport(repeatsText(repeats)),
    );
    return Number(Object.values(repeats.requirements).some(({ statuses }) => statuses.violated > 0));
  }
  const { report } = finishedRun(folder);
  console.log(
    values.json ? JSON.stringify({ run: folder, ...report }, null, 2) : paintReport(reportText(report)),
  );
  return Number(isViolated(report));
}
