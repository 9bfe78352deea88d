// Files that are there whole or not at all, also after a crash.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Written beside, brought to the disk, and renamed. */
export function writeDurably(file: string, bytes: string | Uint8Array): void {
  const beside = `${file}.${process.pid}.part`;
  const handle = openSync(beside, "w", 0o600);
  try {
    const buffer = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    for (let done = 0; done < buffer.length; ) done += writeSync(handle, buffer, done);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(beside, file);
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Nothing where there is no file. */
export function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
