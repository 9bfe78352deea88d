// Models and updates, by the hash of their bytes.
import { PliantError } from "@pliant/core";
import { digest } from "../sums/index.js";

/** A place for models and updates. */
export interface Blobs {
  /** Answers with the hash. */
  put(bytes: Buffer): Promise<string>;
  /** One that comes in parts. */
  draft(): Draft;
  get(hash: string): Promise<Buffer>;
  /** In bytes; nothing where there is none. */
  length(hash: string): Promise<number | undefined>;
  /** Of all that there are. */
  hashes(): Promise<string[]>;
  /** Removes all but these. */
  keepOnly(hashes: readonly string[]): Promise<void>;
}

/** Parts of a blob, which is kept or dropped once all have come. */
export interface Draft {
  add(bytes: Buffer): Promise<void>;
  /** The hash of all parts together. */
  hash(): string;
  keep(): Promise<void>;
  drop(): Promise<void>;
}

/** In memory until it is kept. */
export function gathered(put: Blobs["put"]): Draft {
  const parts: Buffer[] = [];
  const whole = () => Buffer.concat(parts);
  return {
    add: async (bytes) => void parts.push(bytes),
    hash: () => digest(whole()),
    keep: async () => void (await put(whole())),
    drop: async () => void parts.splice(0),
  };
}

/** What was asked for, whoever sent it. */
export function checkedBlob(hash: string, bytes: Buffer | undefined): Buffer {
  if (!bytes) throw new PliantError(`There is nothing with the hash ${hash.slice(0, 16)}….`);
  if (digest(bytes) !== hash) throw new PliantError(`What came for ${hash.slice(0, 16)}… has another hash.`);
  return bytes;
}

/** Within one process. */
export function memoryBlobs(): Blobs {
  const kept = new Map<string, Buffer>();
  const put = async (bytes: Buffer) => {
    const hash = digest(bytes);
    kept.set(hash, Buffer.from(bytes));
    return hash;
  };
  return {
    put,
    draft: () => gathered(put),
    get: async (hash) => checkedBlob(hash, kept.get(hash)),
    length: async (hash) => kept.get(hash)?.length,
    hashes: async () => [...kept.keys()],
    keepOnly: async (hashes) => {
      for (const hash of kept.keys()) if (!hashes.includes(hash)) kept.delete(hash);
    },
  };
}
