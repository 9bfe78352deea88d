// pliant evaluate: a run's model on new rows.

import { InputError } from "@pliant/core";
import { progress } from "@pliant/learn/runs";
import { evaluateRows, evaluationText, isMissed, rowsShown, unlabelledText } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";
import { withInput } from "../streams.js";

/** Returns 1 if a hard requirement is missed by more than chance would explain. */
export async function evaluateCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "evaluate RUN ROWS",
    about:
      "Evaluates a run's model on new rows: every requirement with its interval, and the columns that drifted since training. Rows without the target are compared with the training rows only.\nThe exit code is 1 if a hard requirement is missed by more than chance would explain. Use - for standard input.",
    options: { json: shared.json },
  });
  if (positionals.length !== 2)
    throw new InputError("name a run folder and a table: pliant evaluate RUN rows.csv.");
  const [run, rows] = positionals;
  const line = progress();
  const found = await withInput(rows, (file) =>
    evaluateRows(run, file, { onRows: rowsShown(rows, line.show) }),
  ).finally(() => line.end());
  const unlabelled = "lacks" in found;
  const text = values.json
    ? JSON.stringify(found, null, 2)
    : unlabelled
      ? unlabelledText(found)
      : evaluationText(found);
  console.log(text);
  return Number(!unlabelled && isMissed(found));
}
