// A first look at a long metrics.jsonl: some of its lines, evenly spaced, read without reading what lies between. It is
// there at once, and what it may have missed comes with the whole.
import { readSync } from "node:fs";
import { bytesAt } from "./files.js";
import { openFile } from "./places.js";
import { addLines, emptyTable, type Table } from "./table.js";
import { turns } from "./turns.js";

/** A file below this is read whole as fast. */
const small = 3 << 20;
/** One for every four pixels of a chart beside others: enough to see it by until the whole is there. */
const linesWanted = 128;

/** Undefined where the whole is as quick, or lines are too long to be skipped. */
export async function glimpse(path: string): Promise<Table | undefined> {
  const handle = await openFile(path);
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    if (size < small) return undefined;
    const length = (await bytesAt(handle, 0, 64 << 10)).indexOf(10) + 1;
    if (length === 0) return undefined;
    // Enough to hold the rest of a line and a whole one after it.
    const bytes = Buffer.alloc(4 * length);
    const last = Math.max(0, size - bytes.length);
    const table = emptyTable();
    const turn = turns();
    for (let i = 0; i < linesWanted; i++) {
      const at = Math.floor((i * last) / (linesWanted - 1));
      const read = readSync(handle.fd, bytes, 0, bytes.length, at);
      addWholeLine(table, bytes.subarray(0, read), i === 0, i === linesWanted - 1);
      await turn();
    }
    return table;
  } finally {
    await handle.close();
  }
}

/** The first line that begins in these bytes, or their last whole one. */
function addWholeLine(table: Table, bytes: Buffer, isStart: boolean, isEnd: boolean): void {
  const to = isEnd ? bytes.lastIndexOf(10) + 1 : bytes.indexOf(10, isStart ? 0 : bytes.indexOf(10) + 1) + 1;
  const from = isStart ? 0 : isEnd ? bytes.lastIndexOf(10, to - 2) + 1 : bytes.indexOf(10) + 1;
  if (to > from) addLines(table, bytes.subarray(from, to), 0);
}
