// Files that are there whole or not at all, also after a crash.
import { createHash, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PliantError } from "@pliant/core";

/** Another process may have had this one's number. */
const life = randomBytes(8).toString("hex");
let count = 0;

/** Written beside, brought to the disk, and renamed. */
export function writeDurably(file: string, bytes: string | Uint8Array): void {
  // Nobody else's file, nor a link to one.
  const beside = `${file}.${life}-${count++}.part`;
  const handle = openSync(beside, "wx", 0o600);
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

/** A file of another process that was never whole. */
export const isLeftover = (name: string): boolean => name.endsWith(".part") && !name.startsWith(life);

/** A file that is written part by part, beside other work. */
export interface FileDraft {
  write(bytes: Uint8Array): Promise<void>;
  /** Brings it to the disk, under its name. */
  keepAs(name: string): Promise<void>;
  drop(): Promise<void>;
}

/** Opens nothing before the first part. */
export function fileDraft(folder: string): FileDraft {
  const beside = join(folder, `${life}-${count++}.part`);
  let handle: FileHandle | undefined;
  const opened = async () => {
    handle ??= await open(beside, "wx", 0o600);
    return handle;
  };
  const drop = async () => {
    await handle?.close();
    handle = undefined;
    await rm(beside, { force: true });
  };
  return {
    write: async (bytes) => {
      const file = await opened();
      for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
    },
    keepAs: async (name) => {
      try {
        await (await opened()).sync();
      } catch (error) {
        await drop();
        throw error;
      }
      await handle!.close();
      handle = undefined;
      await rename(beside, join(folder, name));
      await syncFolder(folder);
    },
    drop,
  };
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

/** With its hash in a line before it: a bit that flips is found. */
export const sealed = (text: string): string => `${hashOf(text)}\n${text}`;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The way back from `sealed`; earlier releases wrote the text alone. */
export function unsealed(bytes: Buffer, file: string): string {
  const text = bytes.toString();
  if (text.startsWith("{")) return text;
  const [hash] = text.split("\n", 1);
  const rest = text.slice(hash.length + 1);
  if (hash !== hashOf(rest))
    throw new PliantError(
      `${file} is damaged: it is not what was written. Never restore an older copy, which has forgotten what this site revealed: have the site removed and invited anew.`,
    );
  return rest;
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
