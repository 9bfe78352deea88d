// Small files of a run, read again only when they changed, and the last lines of long ones.
import { randomBytes } from "node:crypto";
import { closeSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { type FileHandle, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { openFile, plainly } from "./places.js";

export interface Json {
  /** The object in the file; undefined where there is none. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly changed: number;
  /** Why there is none although there is a file. */
  readonly problem?: string;
}

const largest = 64 << 20;

export type JsonReader = (path: string) => Json | undefined;

/** Reads JSON objects and remembers them by the file's time and size. Without a turn for each: lists are made of many. */
export function jsonReader(): JsonReader {
  const known = new Map<string, { stamp: string; json: Json }>();
  return (path) => {
    const stats = statsOf(path);
    if (!stats) {
      known.delete(path);
      return undefined;
    }
    const stamp = `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.json;
    const json = { ...parse(path, stats.size), changed: stats.mtimeMs };
    known.set(path, { stamp, json });
    return json;
  };
}

function parse(path: string, size: number): Omit<Json, "changed"> {
  if (size > largest) return { value: undefined, problem: "is too large to be shown" };
  try {
    const value: unknown = JSON.parse(readNow(path, size));
    if (isDeep(value)) return { value: undefined, problem: "is nested too deeply to be read" };
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
  } catch {}
  return { value: undefined, problem: "is damaged: it is not a JSON object" };
}

/** Deeper than anything that training writes: what walks through it would run out of stack. */
const deepest = 100;
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** So many bytes of what was just seen to be a file. */
function readNow(path: string, size: number): string {
  const file = openSync(path, plainly);
  try {
    const bytes = Buffer.allocUnsafe(size);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, size, 0));
  } finally {
    closeSync(file);
  }
}

/** Written beside and put in place whole: whoever reads has the old text or the new one. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}-${randomBytes(4).toString("hex")}`);
  await writeFile(beside, text, { flag: "wx" });
  await rename(beside, path);
}

export function statsOf(path: string): Stats | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a file of at most so many bytes. */
export async function textOf(path: string, limit: number): Promise<string | undefined> {
  const handle = await openFile(path);
  if (!handle) return undefined;
  try {
    if ((await handle.stat()).size > limit) return undefined;
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** A line of metrics is shorter: ten thousand clients take about a megabyte. */
export const longestLine = 32 << 20;

/** The last whole lines of a file that are JSON objects, the last one last. */
export async function lastLines(path: string, count: number): Promise<Record<string, unknown>[]> {
  const handle = await openFile(path);
  if (!handle) return [];
  try {
    const { size } = await handle.stat();
    for (let span = 16 << 10; ; span *= 4) {
      const from = Math.max(0, size - span);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
      const lines = buffer
        .toString("utf8", 0, bytesRead)
        .split("\n")
        .slice(from > 0 ? 1 : 0, -1);
      if (lines.length >= count || from === 0 || span >= longestLine)
        return lines.slice(-count).flatMap(objectsIn);
    }
  } finally {
    await handle.close();
  }
}

function objectsIn(line: string): Record<string, unknown>[] {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null ? [value] : [];
  } catch {
    return [];
  }
}

/** Bytes of a file, fewer where it ends before. */
export async function bytesAt(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
