// One published file from one of its sources into a folder. It grows as `.part` beside its place, goes on where a cut
// connection left it, and takes its name only when size and checksum are right.
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as startTimer } from "node:timers";
import { setTimeout } from "node:timers/promises";
import { InputError } from "@pliant/core";
import type { KnownFile } from "./catalogue.js";
import { isPublished, sumMistake, sumOf } from "./checksum.js";

export interface DownloadOptions {
  /** Addresses of the same file, tried in order. */
  urls: readonly string[];
  /** Called with the bytes that are there, again and again. */
  onProgress?: (received: number) => void;
  /** Milliseconds without a byte after which a source is given up. */
  timeout?: number;
  /** Milliseconds between two rounds over the sources. */
  pause?: number;
}

/** What failed at a source; another may do better. */
class SourceError extends Error {}

export const isSourceError = (reason: unknown): reason is Error => reason instanceof SourceError;

export async function download(known: KnownFile, target: string, options: DownloadOptions): Promise<void> {
  const { urls, onProgress, timeout = 30_000, pause = 1_000 } = options;
  const part = `${target}.part`;
  const failures = new Map<string, string>();
  // Rounds over the sources go on while they bring the file further, and end with the second that does not.
  for (let most = await sizeOf(part), idle = 0; idle < 2; ) {
    for (const url of urls) {
      try {
        await complete(url, known, part, { onProgress, timeout });
        await writing(target, rename(part, target));
        return;
      } catch (reason) {
        if (!isSourceError(reason)) throw reason;
        failures.set(url, reason.message);
      }
    }
    const size = await sizeOf(part);
    idle = size > most ? 0 : idle + 1;
    most = Math.max(most, size);
    if (idle < 2) await setTimeout(pause);
  }
  throw new SourceError([...failures].map(([url, why]) => `${url} ${why}`).join("; "));
}

type Receiving = Required<Pick<DownloadOptions, "timeout">> & Pick<DownloadOptions, "onProgress">;

/** Fetches what the part lacks and checks it; a part that turns out wrong is removed. */
async function complete(url: string, known: KnownFile, part: string, receiving: Receiving): Promise<void> {
  const have = await sizeOf(part);
  if (have < known.bytes) await receive(url, known, part, have, receiving);
  const now = await sizeOf(part);
  if (now < known.bytes) throw new SourceError(`broke off after ${now} of ${known.bytes} bytes`);
  const sum = await sumOf(part, known);
  if (isPublished(sum, known)) return;
  await writing(part, rm(part));
  throw new SourceError(`gave a wrong file: ${sumMistake(sum, known)}`);
}

async function receive(
  url: string,
  known: KnownFile,
  part: string,
  have: number,
  { onProgress, timeout }: Receiving,
): Promise<void> {
  const giveUp = new AbortController();
  const silence = startTimer(() => giveUp.abort(), timeout);
  let handle: FileHandle | undefined;
  try {
    // Asked for as they are: the files are packed already.
    const headers = { "accept-encoding": "identity", ...(have > 0 && { range: `bytes=${have}-` }) };
    const response = await asking(fetch(url, { signal: giveUp.signal, headers }), timeout);
    let received = startOf(response, have, known);
    const chunks = response.body!.getReader();
    for (;;) {
      const { done, value } = await asking(chunks.read(), timeout, received);
      if (done) return;
      silence.refresh();
      // Only now, so that a source without an answer leaves nothing behind.
      handle ??= await openPart(part, received);
      received += value.length;
      await writing(part, handle.writeFile(value));
      onProgress?.(received);
      // Too long, which the check will tell: what is more need not be waited for.
      if (received > known.bytes) return;
    }
  } finally {
    clearTimeout(silence);
    giveUp.abort();
    await handle?.close();
  }
}

async function openPart(part: string, from: number): Promise<FileHandle> {
  await writing(part, mkdir(dirname(part), { recursive: true }));
  return writing(part, open(part, from > 0 ? "a" : "w"));
}

/** How many of the bytes there are kept: all where the source goes on from them, none where it begins again. */
function startOf(response: Response, have: number, { bytes }: KnownFile): number {
  if (!response.ok || response.body === null)
    throw new SourceError(`answered ${response.status} ${response.statusText}`.trimEnd());
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "");
  if (response.status === 206 && Number(range?.[1]) !== have)
    throw new SourceError("answered with another range than the one asked for");
  const announced = response.status === 206 ? range![2] : response.headers.get("content-length");
  if (announced !== null && announced !== "*" && Number(announced) !== bytes)
    throw new SourceError(`announced ${announced} bytes where ${bytes} were expected`);
  return response.status === 206 ? have : 0;
}

const sizeOf = async (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

/** A network error is a failure of the source. */
async function asking<T>(answer: Promise<T>, timeout: number, received = 0): Promise<T> {
  try {
    return await answer;
  } catch (reason) {
    const { name, message, cause } = reason as Error & { cause?: Error & { code?: string } };
    if (name === "AbortError") throw new SourceError(`was silent for ${timeout / 1000} s`);
    const why = cause?.message || cause?.code || message;
    throw new SourceError(received > 0 ? `broke off (${why})` : `could not be reached (${why})`);
  }
}

/** No other source can fix an error of the disk. */
async function writing<T>(file: string, done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (reason) {
    throw new InputError(`${file} cannot be written: ${(reason as Error).message}.`);
  }
}
