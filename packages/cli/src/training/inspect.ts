// pliant inspect: summarises a table before a model is trained on it.

import { InputError } from "@pliant/core";
import { progress } from "@pliant/learn/runs";
import { inspect, rowsShown, summaryText } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";
import { withInput } from "../streams.js";

export async function inspectCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "inspect FILE",
    about:
      "Summarises a table (CSV, JSON Lines, Parquet, Arrow, SQLite; a file or an address): column types, missing values, ranges, and what to check. Use - for standard input.",
    options: {
      target: { type: "string", value: "COLUMN", about: "the column to predict" },
      group: {
        type: "string",
        value: "COLUMN",
        multiple: true,
        default: [],
        about: "a column that requirements group by",
      },
      json: shared.json,
    },
  });
  if (positionals.length !== 1) throw new InputError("name one file: pliant inspect rows.csv.");
  const line = progress();
  const [file] = positionals;
  const summary = await withInput(file, (path) =>
    inspect(path, { target: values.target, groups: values.group, onRows: rowsShown(file, line.show) }),
  ).finally(() => line.end());
  console.log(values.json ? JSON.stringify(summary, null, 2) : summaryText(summary));
}
