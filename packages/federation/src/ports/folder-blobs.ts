// Models and updates in a folder.
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { digest } from "../sums/index.js";
import { type Blobs, checkedBlob } from "./blobs.js";
import { readIfThere, writeDurablyBeside } from "./files.js";

/** One file each. */
export function folderBlobs(folder: string): Blobs {
  mkdirSync(folder, { recursive: true });
  return {
    put: async (bytes) => {
      const hash = digest(bytes);
      await writeDurablyBeside(join(folder, hash), bytes);
      return hash;
    },
    get: async (hash) => checkedBlob(hash, readIfThere(join(folder, hash))),
    length: async (hash) => statSync(join(folder, hash), { throwIfNoEntry: false })?.size,
    hashes: async () => readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name)),
    // Files half written, by an upload that goes on, have other names.
    keepOnly: async (hashes) => {
      for (const name of readdirSync(folder))
        if (/^[0-9a-f]{64}$/.test(name) && !hashes.includes(name))
          rmSync(join(folder, name), { force: true });
    },
  };
}
