// Ending the process that trains a run: it is told once, saves the run and ends. A file says which process that is, and files may be
// wrong, so it has to be one of ours.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isAtWork, workFile } from "./at-work.js";
import type { JsonReader } from "./files.js";
import { refuse } from "./places.js";

/** The process at work on a run; undefined where there is none, or it is not one of pliant's on this machine. */
async function workerOf(folder: string, read: JsonReader): Promise<number | undefined> {
  const mark = read(join(folder, workFile));
  const id = mark?.value?.process;
  if (isAtWork(mark) !== true || typeof id !== "number" || id === process.pid) return undefined;
  if (process.platform !== "linux") return id;
  const line = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
  return line.includes("pliant") ? id : undefined;
}

export const canStop = async (folder: string, read: JsonReader): Promise<boolean> =>
  (await workerOf(folder, read)) !== undefined;

export async function stop(folder: string, read: JsonReader): Promise<void> {
  const id = await workerOf(folder, read);
  if (id === undefined) throw refuse(409, "No process of pliant on this machine is at work on this run.");
  process.kill(id, "SIGINT");
}
