// What a run's model says of the rows of a CSV file. A number that is missing stands at its mean of training; a
// category that is missing or was never seen in training is none of those known.
import { encode, encodedKinds, readTable } from "@pliant/data";
import { compile, NdArray, type Tensor } from "@pliant/engine";
import { open } from "@pliant/engine/device";
import type { Params, Traced } from "@pliant/learn";
import { InputError } from "pliant";
import type { Trained } from "../run/trained.js";

/** One row's answer: the class with the probability of each, or a number. */
export type Prediction =
  | { readonly class: string; readonly probabilities: Readonly<Record<string, number>> }
  | { readonly prediction: number };

export async function predictions({ asked, params, answer }: Trained, file: string): Promise<Prediction[]> {
  const { encoding, target } = asked.data;
  if (!encoding)
    throw new InputError(
      `the run is about images (${asked.spec.data.dataset}), and predict reads rows of columns; use pliant export.`,
    );
  const table = await readTable(file, { columns: encodedKinds(encoding), missing: asked.spec.data.missing });
  const { values, shape } = encode(table, encoding);
  const backend = await open("cpu");
  try {
    const model = compile((weights: Traced<Params>, x: Tensor) => answer(weights, x), { backend });
    const { data } = await (await model(params as never, new NdArray(values, [...shape]))).read();
    if (target.kind === "number") return Array.from(data, (prediction) => ({ prediction }));
    const { classes } = target;
    return Array.from({ length: table.rows }, (_, i) => {
      const row = Array.from(data.subarray(i * classes.length, (i + 1) * classes.length));
      return {
        class: classes[row.indexOf(Math.max(...row))],
        probabilities: Object.fromEntries(classes.map((name, k) => [name, row[k]])),
      };
    });
  } finally {
    await backend.close();
  }
}

const quoted = (cell: string): string => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const digits = (x: number): string => String(Number(x.toPrecision(7)));

/** A row for each row: the class and the probability of each, or the number. */
export function predictionsCsv(rows: readonly Prediction[]): string {
  const lines = rows.map((row) =>
    "prediction" in row
      ? [digits(row.prediction)]
      : [quoted(row.class), ...Object.values(row.probabilities).map(digits)],
  );
  const [first] = rows;
  const head =
    "prediction" in first
      ? ["prediction"]
      : ["class", ...Object.keys(first.probabilities).map((name) => quoted(`probability of ${name}`))];
  return [head, ...lines].map((line) => line.join(",")).join("\n");
}
