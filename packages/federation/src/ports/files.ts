// Files that are there whole or not at all, also after a crash.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
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

let count = 0;

/** The same beside other work. */
export async function writeDurablyBeside(file: string, bytes: Uint8Array): Promise<void> {
  const beside = `${file}.${process.pid}-${count++}.part`;
  const handle = await open(beside, "w", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(beside, file);
  await syncFolder(dirname(file));
}

/** For each folder, the last sync that was asked for, and whether it has begun. */
const syncs = new Map<string, { begun: boolean; readonly done: Promise<void> }>();

/** All that ask before a sync begins share it. */
function syncFolder(path: string): Promise<void> {
  const last = syncs.get(path);
  if (last && !last.begun) return last.done;
  const before = last?.done.catch(() => {}) ?? Promise.resolve();
  const sync = {
    begun: false,
    done: before.then(async () => {
      sync.begun = true;
      const folder = await open(path, "r");
      await folder.sync().finally(() => folder.close());
      if (syncs.get(path) === sync) syncs.delete(path);
    }),
  };
  syncs.set(path, sync);
  return sync.done;
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
