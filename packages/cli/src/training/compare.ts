// pliant compare: runs side by side.

import { InputError } from "@pliant/core";
import {
  type Compared,
  compareRuns,
  compareText,
  differencesText,
  finishedRun,
  readRepeats,
  type Unlike,
} from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";

export async function compareCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "compare RUN RUN …",
    about:
      "Compares finished runs, requirement by requirement, and tests whether the others differ significantly from the first, row by\nrow if they share test rows. Runs with different targets, classes, losses or data are not ranked.",
    options: { json: shared.json },
  });
  const runs = positionals.flatMap((run) => readRepeats(run)?.reports ?? { run, ...finishedRun(run).report });
  if (runs.length < 2) throw new InputError("name two runs or more: pliant compare RUN RUN.");
  const [first, ...others] = runs;
  const differences: (Compared | Unlike)[] = [];
  for (const { run } of others) differences.push(await compareRuns(first.run, run));
  console.log(
    values.json
      ? JSON.stringify({ runs, differences }, null, 2)
      : [differencesText(differences), compareText(runs)].join("\n\n"),
  );
}
