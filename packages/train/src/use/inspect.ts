// A look at a table by itself, without a spec.
import { readTable } from "@pliant/data";
import { type Summary, summaryOf } from "../data/summary.js";
import { guessedTarget } from "../data/target.js";

/** The options of a summary. */
export interface InspectOptions {
  /** The column that would be predicted. */
  readonly target?: string;
  /** Columns that requirements would ask about. */
  readonly groups?: readonly string[];
  /** Told how many rows are read. */
  onRows?(rows: number): void;
}

/** Reads and summarises a table, with warnings; by default the target is guessed. */
export async function inspect(
  file: string,
  { target, groups = [], onRows }: InspectOptions = {},
): Promise<Summary> {
  const columns = Object.fromEntries(groups.map((group) => [group, "category" as const]));
  const nested: string[] = [];
  const table = await readTable(file, {
    ...{ columns, target, onRows },
    dropWithoutTarget: true,
    onNested: (name, example) =>
      nested.push(
        `${name}: holds lists or objects (${example}), and a table has one text or number in a cell; it is left out here, and by a spec with data.columns.${name}: ignore.`,
      ),
  });
  const column = target === undefined ? undefined : table.columns[target];
  // A mistake about the target is among the warnings.
  const wrong = column?.kind === "category" ? column.trouble !== undefined : column?.rounded !== undefined;
  const summary = summaryOf(target === undefined || wrong ? table : guessedTarget(table, target), {
    target,
    groups,
  });
  return { ...summary, warnings: [...nested, ...summary.warnings] };
}
