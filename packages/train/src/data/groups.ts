// Groups of rows by one column, or by several together: `sex × age`.
import type { Examples } from "./examples.js";

const times = " × ";

/** The name of several columns together. */
export const together = (columns: readonly string[]): string => columns.join(times);

/** The columns behind a name. */
export const apart = (name: string): string[] => name.split(times);

const joined = new WeakMap<object, Map<string, readonly (string | null)[]>>();

/** The group each example is of, null where a column of it is missing. */
export function groupCells(
  examples: Pick<Examples, "groups" | "count">,
  name: string,
): readonly (string | null)[] {
  if (Object.hasOwn(examples.groups, name)) return examples.groups[name];
  const known = joined.get(examples) ?? new Map<string, readonly (string | null)[]>();
  joined.set(examples, known);
  const found = known.get(name);
  if (found) return found;
  const columns = apart(name).map((column) => examples.groups[column]);
  const cells = Array.from({ length: examples.count }, (_, i) => {
    const values = columns.map((column) => column[i]);
    return values.includes(null) ? null : together(values as string[]);
  });
  known.set(name, cells);
  return cells;
}
