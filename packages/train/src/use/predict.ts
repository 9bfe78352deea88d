// What a run's model says of the rows of a table. A number that is missing stands at its mean of training; a
// category that is missing or was never seen in training is none of those known.

import { InputError } from "@pliant/core";
import { categoryColumn, encode, encodedKinds, readTable, type Table } from "@pliant/data";
import { compile, NdArray, type Tensor } from "@pliant/engine";
import { openProcessor } from "@pliant/engine/device";
import type { Params, Traced } from "@pliant/learn";
import { apart, together } from "../data/groups.js";
import { givenBy, signOf } from "../problem/decision.js";
import type { Trained } from "../run/trained.js";

/**
 * One row's answer: the class that is decided on, of two classes the score of the positive one (its log odds), and the probability of
 * each; or a number. Before it what was to be kept of the row.
 */
export type Prediction = { readonly kept?: Readonly<Record<string, string>> } & (
  | {
      readonly class: string;
      readonly score?: number;
      readonly probabilities: Readonly<Record<string, number>>;
    }
  | { readonly prediction: number }
);

/** What of each row stands beside its answer. */
export interface PredictOptions {
  /** Columns of the rows, several with commas between them, that stand before the answers as they are written; `all` for every one. */
  readonly keep?: readonly string[];
  onRows?(rows: number): void;
}

/** What a trained model answers to the rows of a file, in their order. */
export async function predictions(
  { asked, params, answer, predictor, decision }: Trained,
  file: string,
  { keep = [], onRows }: PredictOptions = {},
): Promise<Prediction[]> {
  const { encoding, target } = asked.data;
  if (!encoding)
    throw new InputError(
      `the run is about images (${asked.spec.data.dataset}), and predict reads rows of columns; use pliant export.`,
    );
  const { missing } = asked.spec.data;
  const groups = decision.by ? apart(decision.by.column) : [];
  const table = await readTable(file, {
    ...{
      columns: { ...encodedKinds(encoding), ...Object.fromEntries(groups.map(asGroup)) },
      missing,
      onRows,
    },
  });
  const groupOf = groupsIn(table, groups);
  const kept = await keptCells(table, file, namesIn(keep, table.names));
  const { values, shape } = encode(table, encoding);
  const backend = await openProcessor();
  try {
    const model = compile(
      (weights: Traced<Params>, x: Tensor) => ({
        answer: answer(weights, x),
        scores: predictor.score ? predictor.score(weights, x) : predictor.logits(weights, x),
      }),
      { backend },
    );
    const found = await model(params as never, new NdArray(values, [...shape]));
    const [{ data }, { data: scores }] = await Promise.all([found.answer.read(), found.scores.read()]);
    if (target.kind === "number") return Array.from(data, (prediction, i) => ({ ...kept(i), prediction }));
    const { classes } = target;
    const width = predictor.score ? 1 : classes.length;
    return Array.from({ length: table.rows }, (_, i) => {
      const row = Array.from(data.subarray(i * classes.length, (i + 1) * classes.length));
      const own = scores.subarray(i * width, (i + 1) * width);
      return {
        ...kept(i),
        class: classes[givenBy(decision, own, groupOf(i))],
        ...(width === 1 && { score: signOf(target) * own[0] }),
        probabilities: Object.fromEntries(classes.map((name, k) => [name, row[k]])),
      };
    });
  } finally {
    await backend.close();
  }
}

const asGroup = (column: string): [string, "category"] => [column, "category"];

/** The group of each row by some columns together; null where one of them is missing. */
function groupsIn(table: Table, names: readonly string[]): (row: number) => string | null {
  if (names.length === 0) return () => null;
  const columns = names.map((name) => categoryColumn(table, name));
  return (row) => {
    const values = columns.map(({ codes, categories }) => (codes[row] < 0 ? null : categories[codes[row]]));
    return values.includes(null) ? null : together(values as string[]);
  };
}

/** What is to be kept: a column of that name, else a list of some, or all. */
function namesIn(keep: readonly string[], names: readonly string[]): string[] {
  const listed = keep.flatMap((text) =>
    names.includes(text) ? [text] : text.split(",").map((name) => name.trim()),
  );
  return [...new Set(listed.includes("all") && !names.includes("all") ? names : listed)];
}

/** The cells of some columns by row, as the file has them. */
async function keptCells(
  { names }: Table,
  file: string,
  keep: readonly string[],
): Promise<(row: number) => { kept?: Record<string, string> }> {
  if (keep.length === 0) return () => ({});
  const columns = Object.fromEntries(
    [...new Set([...names, ...keep])].map((name) => [
      name,
      keep.includes(name) ? ("category" as const) : ("ignore" as const),
    ]),
  );
  const texts = await readTable(file, { columns, missing: [""] });
  return (row) => ({
    kept: Object.fromEntries(
      keep.map((name) => {
        const { codes, categories } = categoryColumn(texts, name);
        return [name, codes[row] < 0 ? "" : categories[codes[row]]];
      }),
    ),
  });
}

const quoted = (cell: string): string => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** The fewest digits that are read as the same single precision number: nine at most. */
function digits(x: number): string {
  for (let n = 1; n < 9; n++) {
    const text = Number(x.toPrecision(n));
    if (Math.fround(text) === Math.fround(x)) return String(text);
  }
  return String(Number(x.toPrecision(9)));
}

/** A row for each row: what is kept of it, then the class and the probability of each, or the number. */
export function predictionsCsv(rows: readonly Prediction[]): string {
  const [first] = rows;
  const keep = Object.keys(first.kept ?? {});
  // An answer has a name that no kept column has.
  const free = (name: string): string => (keep.includes(name) ? free(`${name}_`) : name);
  const answers =
    "prediction" in first
      ? ["prediction"]
      : [
          "class",
          ...("score" in first ? ["score"] : []),
          ...Object.keys(first.probabilities).map((name) => `probability of ${name}`),
        ];
  const lines = rows.map((row) => [
    ...keep.map((name) => quoted(row.kept![name])),
    ...("prediction" in row
      ? [digits(row.prediction)]
      : [
          quoted(row.class),
          ...(row.score === undefined ? [] : [digits(row.score)]),
          ...Object.values(row.probabilities).map(digits),
        ]),
  ]);
  const head = [...keep, ...answers.map(free)].map(quoted);
  return [head, ...lines].map((line) => line.join(",")).join("\n");
}
