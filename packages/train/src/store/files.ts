// Files of a run or those a command writes where a person asked for them, and their paths in the commands it tells them.

import { InputError } from "@pliant/core";
import { dirname, mkdirSync, readFileSync, replaceFile } from "@pliant/platform";

/** The file and the folders above it; readers see the old one or the new one, never half of one. */
export function writeWhole(path: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, content);
  } catch (reason) {
    throw new InputError(`${path} cannot be written: ${(reason as Error).message}`);
  }
}

/** A file of JSON that a run has written; one that is torn is answered by a sentence. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (reason) {
    const why = reason instanceof SyntaxError ? "it is not JSON" : (reason as Error).message;
    throw new InputError(`${path} is damaged and cannot be read: ${why}; train the run again.`);
  }
}

/** A path as one word of a command line: in single quotes where a shell reads on within double ones. */
export const word = (path: string): string => {
  if (/^[\p{L}\p{N}_./\\:+-]+$/u.test(path)) return path;
  return /["$`!]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : `"${path}"`;
};
