// Reads metrics.jsonl as it grows: each line is parsed once, its numbers kept in columns. A file that was cut, replaced or
// rewritten in place is read again from its beginning, as another version.
import type { FileHandle } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import type { ClientValues, Place } from "./api.js";
import { bytesAt, longestLine } from "./files.js";
import { openFile } from "./places.js";
import { addLines, emptyTable, type Table } from "./table.js";
import { together } from "./together.js";

export interface Metrics {
  readonly table: Table;
  readonly place: Place;
  /** Whether the file has been read, and is not being read now. */
  readonly ready: boolean;
  /** Reads what was appended since. */
  refresh(): Promise<void>;
  /** What each client had in a row. */
  clientsAt(row: number): Promise<ClientValues | null>;
}

/** Parsed in a few milliseconds, so that other answers need not wait. */
const chunkSize = 256 << 10;
/** A file that keeps its size but not its last bytes is another. */
const markSize = 64;

let versions = 0;

export function readMetrics(path: string): Metrics {
  let table = emptyTable();
  let version = "";
  let file = 0;
  let offset = 0;
  let mark = Buffer.alloc(0);
  let reading = 0;

  const startOver = (): void => {
    table = emptyTable();
    version = `${Date.now().toString(36)}-${versions++}`;
    [file, offset, mark] = [0, 0, Buffer.alloc(0)];
  };
  startOver();

  const unchanged = async (handle: FileHandle, { ino, size }: { ino: number; size: number }) => {
    if (ino !== file || size < offset) return false;
    const found = await bytesAt(handle, offset - mark.length, offset);
    return found.equals(mark);
  };

  const readOn = async (): Promise<void> => {
    const handle = await openFile(path);
    if (!handle) {
      if (table.rows > 0) startOver();
      return;
    }
    try {
      const stats = await handle.stat();
      if (offset > 0 && !(await unchanged(handle, stats))) startOver();
      file = stats.ino;
      let size = chunkSize;
      while (offset < stats.size) {
        const bytes = await bytesAt(handle, offset, Math.min(offset + size, stats.size));
        const end = bytes.lastIndexOf(10) + 1;
        if (end === 0 && bytes.length < longestLine) {
          // A line longer than a chunk, or one whose end is not written yet.
          if (offset + size >= stats.size) return;
          size *= 2;
          continue;
        }
        // What is too long for a line is passed over in pieces, none of which is JSON.
        const to = end || bytes.length;
        addLines(table, bytes.subarray(0, end), offset);
        offset += to;
        mark = Buffer.from(bytes.subarray(Math.max(0, to - markSize), to));
        await setImmediate();
      }
    } finally {
      await handle.close();
    }
  };

  const readOnOnce = together(readOn);

  return {
    get table() {
      return table;
    },
    get place() {
      return { version, rows: table.rows };
    },
    get ready() {
      return reading === 0 && table.rows > 0;
    },
    refresh() {
      reading++;
      return readOnOnce().finally(() => {
        reading--;
      });
    },
    async clientsAt(row) {
      const line = table.clientLines.get(row);
      const handle = line && (await openFile(path));
      if (!handle) return null;
      try {
        const { clients } = JSON.parse((await bytesAt(handle, ...line)).toString("utf8"));
        return clientValues(clients);
      } catch {
        return null;
      } finally {
        await handle.close();
      }
    },
  };
}

/** Four digits, so that a round of ten thousand clients stays small. */
const short = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? Number(value.toPrecision(4)) : null;

export function clientValues(clients: unknown): ClientValues {
  if (typeof clients !== "object" || clients === null) return {};
  return Object.fromEntries(
    Object.entries(clients)
      .filter(([, values]) => Array.isArray(values))
      .map(([name, values]) => [name, (values as unknown[]).map(short)]),
  );
}
