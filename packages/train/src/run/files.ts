// Files a command writes where a person asked for them, and their paths in the commands it tells them.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { InputError } from "@pliant/core";

/** The file and the folders above it. */
export function writeWhole(path: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  } catch (reason) {
    throw new InputError(`${path} cannot be written: ${(reason as Error).message}`);
  }
}

/** A path as one word of a command line: in single quotes where a shell reads on within double ones. */
export const word = (path: string): string => {
  if (/^[\p{L}\p{N}_./\\:+-]+$/u.test(path)) return path;
  return /["$`!]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : `"${path}"`;
};
