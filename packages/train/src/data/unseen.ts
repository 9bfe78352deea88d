// Values of categories that new rows have and the training rows had not: the model knows nothing of them, and no requirement by group asks
// about theirs.
import { categoryColumn, type Encoding, type Table, withParts } from "@pliant/data";

export interface Unseen {
  readonly column: string;
  /** Whether the model sees the column, or requirements are by its groups; or both. */
  readonly of: "model" | "groups" | "both";
  readonly rows: number;
  /** The commonest first. */
  readonly values: readonly string[];
}

export function unseenIn(
  given: Table,
  encoding: Encoding,
  groups: Readonly<Record<string, readonly string[]>>,
): Unseen[] {
  const table = withParts(given, encoding.parts ?? {});
  const seen = new Map<string, { of: Unseen["of"]; values: ReadonlySet<string> }>();
  for (const column of encoding.columns)
    if (column.kind === "category")
      seen.set(column.name, { of: "model", values: new Set(column.categories) });
  for (const [name, values] of Object.entries(groups))
    if (Object.hasOwn(table.columns, name))
      seen.set(name, { of: seen.has(name) ? "both" : "groups", values: new Set(values) });
  return [...seen].flatMap(([column, { of, values }]) => {
    const { codes, categories } = categoryColumn(table, column);
    const counts = new Int32Array(categories.length);
    for (const code of codes) if (code >= 0) counts[code]++;
    const found = categories
      .map((text, code) => ({ text, count: counts[code] }))
      .filter(({ text, count }) => count > 0 && !values.has(text))
      .sort((a, b) => b.count - a.count);
    if (found.length === 0) return [];
    const rows = found.reduce((sum, { count }) => sum + count, 0);
    return [{ column, of, rows, values: found.map(({ text }) => text) }];
  });
}
