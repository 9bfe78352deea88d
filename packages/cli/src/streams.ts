// `-` instead of a file name: read standard input, or write to standard output.
import { createWriteStream, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { InputError, unreadable } from "@pliant/core";
import { writeWhole } from "@pliant/train";

/** The text of a file that a person named. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (reason) {
    throw unreadable(file, reason);
  }
}

interface InputOptions {
  readonly input?: NodeJS.ReadableStream & { isTTY?: boolean };
  /** A file in the current folder to keep the input in, if relative paths inside it start there. */
  readonly name?: string;
}

/** Runs with the path of a file. Standard input goes to a temporary file first, because tables are read more than once. */
export async function withInput<T>(
  path: string,
  use: (file: string) => Promise<T>,
  { input = process.stdin, name }: InputOptions = {},
): Promise<T> {
  if (path !== "-") return use(path);
  if (input.isTTY) throw new InputError("- reads standard input, and nothing is piped into it.");
  const folder = name === undefined ? await mkdtemp(join(tmpdir(), "pliant-stdin-")) : undefined;
  const file = folder === undefined ? `${name}` : join(folder, "stdin");
  try {
    await pipeline(input, createWriteStream(file, { flags: "wx" }));
    return await use(file);
  } finally {
    await rm(folder ?? file, { recursive: true, force: true });
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
