// `-` in the place of a file: rows come from standard input, and answers go to standard output.
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { InputError } from "@pliant/core";
import { writeWhole } from "@pliant/train";

/** Runs with the path of a file. Standard input is kept in a temporary file meanwhile, since tables are read more than once. */
export async function withInput<T>(
  path: string,
  use: (file: string) => Promise<T>,
  input: NodeJS.ReadableStream & { isTTY?: boolean } = process.stdin,
): Promise<T> {
  if (path !== "-") return use(path);
  if (input.isTTY) throw new InputError("- reads standard input, and nothing is piped into it.");
  const folder = await mkdtemp(join(tmpdir(), "pliant-stdin-"));
  try {
    const file = join(folder, "stdin");
    await pipeline(input, createWriteStream(file));
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether an answer goes to standard output: no file is named, or `-` is. */
export const toStdout = (path: string | undefined): path is undefined | "-" =>
  path === undefined || path === "-";

/** Writes an answer to a file, whole or not at all, or to standard output as it is. */
export function writeAnswer(path: string | undefined, answer: string | Uint8Array): void {
  if (toStdout(path)) process.stdout.write(answer);
  else writeWhole(path, answer);
}
