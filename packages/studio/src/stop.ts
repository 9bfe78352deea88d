// Ending the process that trains a run: it is told once, saves the run and ends. A file says which process that is, and files may be
// wrong, so it has to be one of ours.
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isAtWork, workFile } from "./at-work.js";
import type { JsonReader } from "./files.js";
import { refuse } from "./places.js";

/** The process at work on a run; undefined where there is none, or it is not one of pliant's on this machine. */
async function workerOf(folder: string, read: JsonReader): Promise<number | undefined> {
  const mark = read(join(folder, workFile));
  const id = mark?.value?.process;
  if (isAtWork(mark) !== true || typeof id !== "number" || id === process.pid) return undefined;
  if (process.platform !== "linux") return id;
  const since = Date.parse(String(mark?.value?.since));
  return (await trains(id)) && (await begun(id)) <= since + leeway ? id : undefined;
}

/** Clocks of processes are kept in hundredths of a second, and the start of the machine in seconds. */
const leeway = 2000;
/** What trains, of the commands. */
const commands: ReadonlySet<string> = new Set(["train", "reproduce", "federate", "work", "start"]);

/** Whether it is pliant, by the program that it runs and the word after it, and trains. */
async function trains(id: number): Promise<boolean> {
  const words = (await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")).split("\0");
  const at = words.slice(0, 2).findIndex((word) => /^(pliant|pliant\.js|main\.js)$/.test(basename(word)));
  return at >= 0 && /pliant/.test(words[at]) && commands.has(words[at + 1]);
}

/** When it began, in milliseconds: a number that was given to another process since is of one that began later. */
async function begun(id: number): Promise<number> {
  const [own, all] = await Promise.all(
    [`/proc/${id}/stat`, "/proc/stat"].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  // The name of the program, in brackets, may have spaces.
  const ticks = Number(own.slice(own.lastIndexOf(")") + 2).split(" ")[19]);
  const boot = Number(/^btime (\d+)$/m.exec(all)?.[1]);
  const found = 1000 * boot + 10 * ticks;
  return Number.isFinite(found) ? found : Number.POSITIVE_INFINITY;
}

export const canStop = async (folder: string, read: JsonReader): Promise<boolean> =>
  (await workerOf(folder, read)) !== undefined;

export async function stop(folder: string, read: JsonReader): Promise<void> {
  const id = await workerOf(folder, read);
  if (id === undefined) throw refuse(409, "No process of pliant on this machine is at work on this run.");
  process.kill(id, "SIGINT");
}
