// pliant evaluate: a run's model on new rows.

import { InputError } from "@pliant/core";
import { progress } from "@pliant/learn/runs";
import { evaluateRun, evaluationText, isMissed, rowsShown } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";
import { withInput } from "../streams.js";

/** Returns 1 if a hard requirement is violated beyond chance. */
export async function evaluateCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "evaluate RUN ROWS",
    about:
      "Evaluates a run's model on new rows: every requirement with its interval, and the columns that drifted since training.\nThe exit code is 1 if a hard requirement is violated beyond chance. - reads rows from standard input.",
    options: { json: shared.json },
  });
  if (positionals.length !== 2)
    throw new InputError("name a run folder and a table: pliant evaluate RUN rows.csv.");
  const [run, rows] = positionals;
  const line = progress();
  const found = await withInput(rows, (file) =>
    evaluateRun(run, file, { onRows: rowsShown(rows, line.show) }),
  ).finally(() => line.end());
  console.log(values.json ? JSON.stringify(found, null, 2) : evaluationText(found));
  return Number(isMissed(found));
}
