// Models and updates, by the hash of their bytes.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PliantError } from "pliant";
import { digest } from "../sums/index.js";
import { readIfThere, writeDurably } from "./files.js";

export interface Blobs {
  /** Answers with the hash. */
  put(bytes: Buffer): Promise<string>;
  get(hash: string): Promise<Buffer>;
  /** What is not needed any more; nothing happens where it is gone. */
  remove(hash: string): Promise<void>;
}

/** What was asked for, whoever sent it. */
export function checkedBlob(hash: string, bytes: Buffer | undefined): Buffer {
  if (!bytes) throw new PliantError(`There is nothing with the hash ${hash.slice(0, 16)}….`);
  if (digest(bytes) !== hash) throw new PliantError(`What came for ${hash.slice(0, 16)}… has another hash.`);
  return bytes;
}

export function memoryBlobs(): Blobs {
  const kept = new Map<string, Buffer>();
  return {
    put: async (bytes) => {
      const hash = digest(bytes);
      kept.set(hash, Buffer.from(bytes));
      return hash;
    },
    get: async (hash) => checkedBlob(hash, kept.get(hash)),
    remove: async (hash) => void kept.delete(hash),
  };
}

/** One file each. */
export function folderBlobs(folder: string): Blobs {
  mkdirSync(folder, { recursive: true });
  return {
    put: async (bytes) => {
      const hash = digest(bytes);
      writeDurably(join(folder, hash), bytes);
      return hash;
    },
    get: async (hash) => checkedBlob(hash, readIfThere(join(folder, hash))),
    remove: async (hash) => rmSync(join(folder, hash), { force: true }),
  };
}
