// Models and updates in a folder.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { digest } from "../sums/index.js";
import { type Blobs, checkedBlob } from "./blobs.js";
import { readIfThere, writeDurably } from "./files.js";

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
