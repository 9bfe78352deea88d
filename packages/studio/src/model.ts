// The model of a run from its held-out rows, worked out once for each version of held-out.json.
import { join } from "node:path";
import { statsOf, textOf } from "./files.js";
import { type HeldOut, heldOutFrom, type ModelView, viewOf } from "./held-out.js";
import { refuse } from "./places.js";
import { type AskedCell, linesOf, type RowsBehind, rowsBehind } from "./rows-behind.js";

/** Ten million numbers are less. */
const longest = 256 << 20;
/** Runs whose views are kept: each is some ten kilobytes. */
const most = 100;

export const noHeldOut =
  "This run keeps no held-out rows (held-out.json), so its decisions, curves and features cannot be shown.";

export type ModelReader = (folder: string) => Promise<ModelView>;

async function heldOutIn(folder: string): Promise<HeldOut> {
  const found = heldOutFrom(parsed(await textOf(join(folder, "held-out.json"), longest)));
  if ("problem" in found) throw refuse(409, found.problem);
  return found;
}

/** The rows behind a cell of the confusion matrix. */
export async function rowsIn(folder: string, asked: AskedCell): Promise<RowsBehind> {
  if (!statsOf(join(folder, "held-out.json"))) throw refuse(404, noHeldOut);
  const rows = await heldOutIn(folder);
  const lines = linesOf(await textOf(join(folder, "rows.csv"), longest), rows.of);
  return rowsBehind(rows, lines, asked);
}

export function modelReader({ shared = false }: { readonly shared?: boolean } = {}): ModelReader {
  const known = new Map<string, { readonly stamp: string; readonly view: ModelView }>();
  return async (folder) => {
    const path = join(folder, "held-out.json");
    const stats = statsOf(path);
    if (!stats) throw refuse(404, noHeldOut);
    const stamp = `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
    const before = known.get(folder);
    if (before?.stamp === stamp) return before.view;
    const view = viewOf(await heldOutIn(folder), { shared });
    if (known.size >= most) known.clear();
    known.set(folder, { stamp, view });
    return view;
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
