// How the columns of a spec become features, once their scale is known.
import type { Encoding } from "@pliant/data/table";
import type { DataSpec, Scale } from "../spec/data-spec.js";

/** The encoding of a spec's features; numbers without a scale stay as they are. */
export function encodingOf(
  { features, categories = {}, missing = [], scale }: DataSpec,
  agreed?: Scale,
): Encoding {
  const known: Scale = agreed ?? (scale === "agreed" ? {} : (scale ?? {}));
  return {
    columns: features.map((name) => {
      if (Object.hasOwn(categories, name)) return { kind: "category", name, categories: categories[name] };
      const [mean, std] = known[name] ?? [0, 1];
      return { kind: "number", name, mean, std, indicator: missing.includes(name) };
    }),
  };
}

/** How many inputs the model has: one a number, one more where it may be missing, one a category. */
export const widthOf = ({ features, categories = {}, missing = [] }: DataSpec): number =>
  features.reduce(
    (sum, name) =>
      sum + (Object.hasOwn(categories, name) ? categories[name].length : missing.includes(name) ? 2 : 1),
    0,
  );

/** Columns whose scale the survey finds: all numbers, and the label where it is one. */
export const numberColumns = ({ features, categories = {}, label, classes }: DataSpec): string[] => [
  ...features.filter((name) => !Object.hasOwn(categories, name)),
  ...(classes.length === 0 ? [label] : []),
];
