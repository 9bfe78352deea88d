// The log as a file: a line is the entry's hash, its length in bytes, and its text. Every byte of the file is under a hash. A
// line that a crash cut short is shorter than it says and was never acknowledged; the next append takes its place.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { InputError } from "@pliant/core";
import { heldLock, locked } from "./lock.js";
import { damaged, heldBy, type Log, linkedHash, noHash } from "./log.js";

const newline = 10;

/** Opens the file, or makes it. */
export function fileLog(file: string): Log {
  const handle = opened(file);
  /** Up to where it was read. */
  let end = 0;
  let entries = 0;
  let hash = noHash;
  /** Bytes behind the last whole line. */
  let torn = 0;

  const read = (take: (body: string) => void) => {
    const { size } = fstatSync(handle);
    if (size < end) throw damaged(`The ledger ${file}`, entries);
    if (size === end) return;
    const bytes = Buffer.alloc(size - end);
    for (let done = 0; done < bytes.length; )
      done += readSync(handle, bytes, done, bytes.length - done, end + done);
    let at = 0;
    torn = 0;
    while (at < bytes.length) {
      const line = lineAt(bytes, at);
      if (line === "torn") {
        torn = bytes.length - at;
        break;
      }
      if (!line || line.hash !== linkedHash(hash, line.body))
        throw damaged(`The ledger ${file}`, entries + 1);
      ({ hash } = line);
      entries++;
      at += line.length;
      end += line.length;
      take(line.body);
    }
  };

  /** The entry is on the disk: a note that cannot be written, as on a full one, takes nothing back. */
  const note = () => {
    try {
      writeFileSync(`${file}.head`, `${entries} ${hash}\n`, { mode: 0o600 });
    } catch {}
  };

  return {
    read: async (take) => read(take),
    append: (take, decide) =>
      locked(`${file}.lock`, () => {
        read(take);
        const body = decide();
        if (body === undefined) return;
        if (torn > 0) ftruncateSync(handle, end);
        const bytes = Buffer.from(body);
        const line = Buffer.concat([
          Buffer.from(`${linkedHash(hash, body)} ${bytes.length} `),
          bytes,
          Buffer.of(newline),
        ]);
        for (let done = 0; done < line.length; )
          done += writeSync(handle, line, done, line.length - done, end + done);
        fsyncSync(handle);
        read(take);
        note();
      }),
    noted: () => {
      if (!existsSync(`${file}.head`)) return undefined;
      const [count, last = ""] = readFileSync(`${file}.head`, "utf8").trim().split(" ");
      return { entries: Number(count), hash: last };
    },
    get head() {
      return { entries, hash };
    },
    lease: async () => {
      const lock = await heldLock(`${file}.lease`);
      if ("release" in lock)
        return { release: async () => lock.release(), lost: new Promise<string>(() => {}) };
      const { holder } = lock;
      throw heldBy(
        holder ? `process ${holder.pid} on ${holder.host}, since ${holder.since}` : "another process",
      );
    },
    close: async () => closeSync(handle),
  };
}

/** One line; "torn" where the file ends before it does, nothing where it is none. */
function lineAt(
  bytes: Buffer,
  at: number,
): { readonly hash: string; readonly body: string; readonly length: number } | "torn" | undefined {
  const stop = bytes.indexOf(newline, at);
  const head = /^([0-9a-f]{64}) (\d{1,10}) /.exec(bytes.toString("latin1", at, at + 80));
  if (!head) return stop < 0 && bytes.length - at < 76 ? "torn" : undefined;
  const from = at + head[0].length;
  const to = from + Number(head[2]);
  if (stop < 0 && to >= bytes.length) return "torn";
  if (bytes[to] !== newline || stop !== to) return undefined;
  return { hash: head[1], body: bytes.toString("utf8", from, to), length: to + 1 - at };
}

function opened(file: string): number {
  try {
    const handle = openSync(file, "a+", 0o600);
    closeSync(handle);
    const folder = openSync(dirname(file), "r");
    fsyncSync(folder);
    closeSync(folder);
    return openSync(file, "r+");
  } catch (error) {
    throw new InputError(`The ledger ${file} cannot be opened: ${(error as Error).message}.`);
  }
}
