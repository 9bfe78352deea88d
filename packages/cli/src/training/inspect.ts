// pliant inspect: what a table holds, before anything is learnt from it.

import { InputError } from "@pliant/core";
import { progress } from "@pliant/learn/runs";
import { inspect, rowsShown, summaryText } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";

export async function inspectCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "inspect FILE",
    about:
      "What a table holds (CSV, JSON lines, Parquet): kinds of columns, gaps, ranges, and what to look at.",
    options: {
      target: { type: "string", value: "COLUMN", about: "the column that would be predicted" },
      group: {
        type: "string",
        value: "COLUMN",
        multiple: true,
        default: [],
        about: "a column that requirements would ask about",
      },
      json: shared.json,
    },
  });
  if (positionals.length !== 1) throw new InputError("name one file: pliant inspect rows.csv.");
  const line = progress();
  const [file] = positionals;
  const summary = await inspect(file, {
    target: values.target,
    groups: values.group,
    onRows: rowsShown(file, line.show),
  }).finally(() => line.end());
  console.log(values.json ? JSON.stringify(summary, null, 2) : summaryText(summary));
}
