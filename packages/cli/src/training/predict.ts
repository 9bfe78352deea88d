// pliant predict: what a run's model says of the rows of a CSV file.

import { InputError } from "@pliant/core";
import { progress } from "@pliant/learn/runs";
import { predictions, predictionsCsv, rowsShown, trainedModel, writeWhole } from "@pliant/train";
import { readArgs } from "../arguments.js";
import { shared } from "../options.js";

export async function predictCommand(args: string[]): Promise<void> {
  const { values, positionals } = readArgs(args, {
    usage: "predict RUN ROWS",
    about:
      "What a run's model says of the rows of a table: the class and the probability of each, or a number.",
    options: {
      keep: {
        type: "string",
        value: "A,B,…",
        multiple: true,
        default: [],
        about: "columns of the rows that stand before the answers, such as an id; all keeps every one",
      },
      out: { type: "string", value: "FILE", about: "where the answers go; standard output unless given" },
      json: shared.json,
    },
  });
  if (positionals.length !== 2)
    throw new InputError("name a run folder and a table: pliant predict RUN rows.csv.");
  const [folder, file] = positionals;
  const trained = trainedModel(folder);
  const line = progress();
  const found = await predictions(trained, file, {
    keep: values.keep,
    onRows: rowsShown(file, line.show),
  }).finally(() => line.end());
  const text = values.json ? JSON.stringify({ rows: found }, null, 2) : predictionsCsv(found);
  // A reader that closes the pipe early is no failure, and the console takes none.
  if (values.out === undefined) console.log(text);
  else {
    writeWhole(values.out, `${text}\n`);
    console.log(`Wrote the predictions of ${found.length} rows to ${values.out}.`);
  }
}
