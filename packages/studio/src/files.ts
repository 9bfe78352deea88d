// Small files of a run, read again only when they changed, and the last lines of long ones.
import type { Stats } from "node:fs";
import { type FileHandle, lstat } from "node:fs/promises";
import { openFile, openFound } from "./places.js";

export interface Json {
  /** The object in the file; undefined where there is none. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly changed: number;
  /** Why there is none although there is a file. */
  readonly problem?: string;
}

const largest = 64 << 20;

/** Reads JSON objects and remembers them by the file's time and size. */
export function jsonReader() {
  const known = new Map<string, { stamp: string; json: Json }>();
  return async (path: string): Promise<Json | undefined> => {
    const stats = await statsOf(path);
    if (!stats) {
      known.delete(path);
      return undefined;
    }
    const stamp = `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.json;
    const json = { ...(await parse(path, stats.size)), changed: stats.mtimeMs };
    known.set(path, { stamp, json });
    return json;
  };
}

async function parse(path: string, size: number): Promise<Omit<Json, "changed">> {
  if (size > largest) return { value: undefined, problem: "is too large to be shown" };
  const handle = await openFound(path);
  try {
    // One read of so many bytes: lists of many runs are made of many small files.
    const value: unknown = JSON.parse(handle ? (await bytesAt(handle, 0, size)).toString("utf8") : "");
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
  } catch {
  } finally {
    await handle?.close();
  }
  return { value: undefined, problem: "is damaged: it is not a JSON object" };
}

export async function statsOf(path: string): Promise<Stats | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() ? stats : undefined;
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
