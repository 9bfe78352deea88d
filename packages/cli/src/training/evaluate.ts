// pliant evaluate: a run's model judged on new rows.

import { InputError } from "@pliant/core";
import { progress } from "@pliant/learn/runs";
import { evaluateRun, evaluationText, isMissed, rowsShown } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";

/** 1 where something that must hold does not, beyond chance. */
export async function evaluateCommand(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    usage: "evaluate RUN ROWS",
    about:
      "A run's model on new rows: all requirements with intervals, and which columns are not as in training. The exit code is 1 where\na requirement that must hold is missed beyond chance.",
    options: { json: shared.json },
  });
  if (positionals.length !== 2)
    throw new InputError("name a run folder and a table: pliant evaluate RUN rows.csv.");
  const [run, rows] = positionals;
  const line = progress();
  const found = await evaluateRun(run, rows, { onRows: rowsShown(rows, line.show) }).finally(() =>
    line.end(),
  );
  console.log(values.json ? JSON.stringify(found, null, 2) : evaluationText(found));
  return Number(isMissed(found));
}
