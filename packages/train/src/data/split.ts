// The rows of a table for learning, for validation and for testing. Those that a column names go first; shares are of all
// rows, drawn from the others in an order that the seed gives.
import { categoryColumn, type Table, takeRows } from "@pliant/data";
import { random } from "@pliant/engine";
import { InputError } from "pliant";
import { hint } from "../spec/near.js";
import type { Spec } from "../spec/spec.js";
import type { SpecFile } from "../spec/spec-file.js";

/** A share of the rows, a file of their own, or those with a value of a column. */
export type Kept = NonNullable<Spec["data"]["test"]>;

/** In the order in which shares are drawn. */
export const keptParts = ["test", "validation"] as const;
export type KeptPart = (typeof keptParts)[number];

const purpose: Record<KeptPart, string> = { test: "testing", validation: "validation" };

/** The column that says which rows are kept, if one does. */
export const keptColumn = (kept: Kept | undefined): string | undefined =>
  typeof kept === "object" ? kept.column : undefined;

export type Split = { readonly train: Table } & { readonly [Part in KeptPart]?: Table };

export function splitRows(
  table: Table,
  kept: Readonly<Partial<Record<KeptPart, Kept>>>,
  seed: number,
  mistake: SpecFile["mistake"],
): Split {
  const rows: Partial<Record<KeptPart, number[]>> = {};
  let left = Array.from({ length: table.rows }, (_, i) => i);
  for (const part of keptParts) {
    const how = kept[part];
    if (typeof how !== "object") continue;
    const { codes, categories } = categoryColumn(table, how.column);
    const wrong = (sentence: string): InputError =>
      mistake(["data", part], `data.${part}: "${how.value}" ${sentence}`);
    if (!categories.includes(how.value))
      throw wrong(`is not a value of "${how.column}"${hint(how.value, categories)}`);
    const code = categories.indexOf(how.value);
    const own = left.filter((i) => codes[i] === code);
    if (own.length === 0) throw wrong(`of "${how.column}": all such rows are kept for testing already.`);
    rows[part] = own;
    left = left.filter((i) => codes[i] !== code);
  }
  const order = random.permutation(random.foldIn(random.key(seed), 11), left.length).data;
  left = Array.from(order, (i) => left[i]);
  const shares = keptParts.flatMap((part) =>
    typeof kept[part] === "number" ? [{ part, share: kept[part] }] : [],
  );
  for (const { part, share } of shares) {
    const count = Math.round(table.rows * share);
    if (count < 1 || count >= left.length) throw tooFew(table, shares);
    rows[part] = left.slice(0, count);
    left = left.slice(count);
  }
  // With no share drawn the rows stay as they are in the file.
  const taken = (list: readonly number[] | undefined) => list && takeRows(table, list);
  const train = shares.length === 0 ? [...left].sort((a, b) => a - b) : left;
  if (train.length === 0) throw new InputError(`${table.source}: no row is left to learn from.`);
  return { train: takeRows(table, train), test: taken(rows.test), validation: taken(rows.validation) };
}

function tooFew({ source, rows }: Table, shares: readonly { part: KeptPart; share: number }[]): InputError {
  const what = shares.map(({ part, share }) => `a share of ${share} of them for ${purpose[part]}`);
  return new InputError(`${source} has ${rows} rows, too few to keep ${what.join(" and ")}.`);
}
