// Categories of many values: a network learns a vector for each value instead of taking a feature for each.
import { hint } from "@pliant/core";
import { type Encoding, featureNames } from "@pliant/data";
import type { SpecFile } from "../spec/spec-file.js";

/** With more values a network has a vector for each. */
const many = 100;

/** Growing slowly with the number of values. */
const widthFor = (values: number): number => Math.min(16, Math.round(1.6 * values ** 0.3));

/** The encoding with the categories that the model embeds marked so, with the length of their vectors. */
export function withEmbeddings(
  { columns, ...rest }: Encoding,
  { spec: { model }, mistake }: Pick<SpecFile, "spec" | "mistake">,
): Encoding {
  if (model.kind !== "mlp") return { columns, ...rest };
  const { embeddings = {} } = model;
  const categories = columns.filter(({ kind }) => kind === "category").map(({ name }) => name);
  const unknown = Object.keys(embeddings).find((name) => !categories.includes(name));
  if (unknown !== undefined)
    throw mistake(
      ["model", "embeddings", unknown],
      `model.embeddings: "${unknown}" is not a category column that the model sees${hint(unknown, categories)}`,
    );
  return {
    ...rest,
    columns: columns.map((column) => {
      if (column.kind !== "category") return column;
      const asked = Object.hasOwn(embeddings, column.name) ? embeddings[column.name] : undefined;
      const { length } = column.categories;
      const width = asked ?? (length > many ? widthFor(length) : undefined);
      return width === undefined ? column : { ...column, embedded: width };
    }),
  };
}

/** The features that are places of values. */
export function embeddedFeatures({ columns }: Encoding): { input: number; values: number; width: number }[] {
  const found: { input: number; values: number; width: number }[] = [];
  let input = 0;
  for (const column of columns) {
    if (column.kind === "category" && column.embedded !== undefined)
      found.push({ input, values: column.categories.length, width: column.embedded });
    input += featureNames({ columns: [column] }).length;
  }
  return found;
}
