// pliant predict: a run's predictions for the rows of a table.

import { InputError } from "@pliant/core";
import { progress } from "@pliant/learn/runs";
import { predictions, predictionsCsv, rowsShown, trainedModel, writeWhole } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";
import { toStdout, withInput } from "../streams.js";

export async function predictCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "predict RUN ROWS",
    about:
      "Predicts the rows of a table with a run's model: the class and probability of each row, or a number. Use - for standard input.",
    options: {
      keep: {
        type: "string",
        value: "A,B,…",
        multiple: true,
        default: [],
        about: "columns of ROWS to put in front of the predictions, such as an id; `all` keeps every column",
      },
      out: { type: "string", value: "FILE", about: "the file to write (default: standard output, like -)" },
      json: shared.json,
    },
  });
  if (positionals.length !== 2)
    throw new InputError("name a run folder and a table: pliant predict RUN rows.csv.");
  const [folder, file] = positionals;
  const trained = trainedModel(folder);
  const line = progress();
  const found = await withInput(file, (rows) =>
    predictions(trained, rows, { keep: values.keep, onRows: rowsShown(file, line.show) }),
  ).finally(() => line.end());
  const text = values.json ? JSON.stringify({ rows: found }, null, 2) : predictionsCsv(found);
  // console.log ignores a reader that closes the pipe early, as in `| head`.
  if (toStdout(values.out)) console.log(text);
  else {
    writeWhole(values.out, `${text}\n`);
    const wrote = { out: values.out, rows: found.length };
    console.log(
      values.json ? JSON.stringify(wrote) : `Wrote the predictions of ${wrote.rows} rows to ${wrote.out}.`,
    );
  }
}
