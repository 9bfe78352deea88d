// Models and updates in a folder.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Blobs, checkedBlob } from "./blobs.js";
import { fileDraft, isLeftover, readIfThere } from "./files.js";

const isHash = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

/** One file each. */
export function folderBlobs(folder: string): Blobs {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft: Blobs["draft"] = () => {
    const file = fileDraft(folder);
    const hashed = createHash("sha256");
    let hash: string | undefined;
    return {
      add: async (bytes) => {
        hashed.update(bytes);
        await file.write(bytes);
      },
      hash: () => {
        hash ??= hashed.digest("hex");
        return hash;
      },
      keep() {
        return file.keepAs(this.hash());
      },
      drop: file.drop,
    };
  };
  return {
    draft,
    put: async (bytes) => {
      const one = draft();
      try {
        await one.add(bytes);
        await one.keep();
      } catch (error) {
        await one.drop();
        throw error;
      }
      return one.hash();
    },
    get: async (hash) => checkedBlob(hash, readIfThere(join(folder, hash))),
    length: async (hash) => statSync(join(folder, hash), { throwIfNoEntry: false })?.size,
    hashes: async () => readdirSync(folder).filter(isHash),
    // Nor what a process that is no more had half written.
    keepOnly: async (hashes) => {
      for (const name of readdirSync(folder))
        if (isHash(name) ? !hashes.includes(name) : isLeftover(name))
          rmSync(join(folder, name), { force: true });
    },
  };
}
