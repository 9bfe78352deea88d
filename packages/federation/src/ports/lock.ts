// A file that one process has: for a moment, to append to the ledger, or as long as it coordinates.
import {
  linkSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { clock } from "../run/clock.js";

/** Who has a lock. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Since the machine was started: a number of a process means nothing after that. */
  readonly boot: string;
  readonly since: string;
  /** The process by more than its number, which another may have had, and among whose processes the number counts. */
  readonly start?: string;
  readonly space?: string;
}

/** Nothing where the system does not tell. */
function told(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

const boot = told(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
/** A container has numbers of its own. */
const space = told(() => readlinkSync("/proc/self/ns/pid"));
/** When a process began, in ticks since the machine was started: the 22nd field, after a name that may have spaces. */
const startOf = (pid: number | "self"): string =>
  told(() => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")[19]);
const start = startOf("self");

/** A holder shows so often that it is there, and whoever saw nothing of it for so long takes it for gone, in ms. */
const beat = 2_000;
const silence = 15_000;

/** By file: when its last sign was seen first, by this process's own clock. */
const signs = new Map<string, { readonly at: number; readonly since: number }>();

/** For a process whose number says nothing here, because it runs in another container. */
function isSilent(file: string, now: number): boolean {
  const at = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (at === undefined) return false;
  const known = signs.get(file);
  if (known?.at === at) return now - known.since > silence;
  signs.set(file, { at, since: now });
  return false;
}

/** In another container of this machine. */
const isElsewhere = (holder: Holder): boolean =>
  holder.host === hostname() && holder.boot === boot && holder.space !== undefined && holder.space !== space;

/** Whether its process is known to be gone; of another machine nobody can tell. */
function isGone(holder: Holder, file: string, now: number): boolean {
  const { pid, host, boot: then } = holder;
  if (host !== hostname()) return false;
  if (then !== boot) return true;
  if (isElsewhere(holder)) return isSilent(file, now);
  // An earlier release wrote no start; with this process's number it was another one.
  if (holder.start === undefined && pid === process.pid) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "ESRCH";
  }
  const begun = startOf(pid);
  return begun !== "" && holder.start !== undefined && begun !== holder.start;
}

function holderIn(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder;
  } catch {
    // Gone by now.
    return undefined;
  }
}

interface Lock {
  release(): void;
}

/** Takes the lock, or says who has it. */
export function tryLock(file: string, now = clock()): Lock | { holder: Holder | undefined } {
  // Whole before it is there under its name: who finds it can read whose it is, also on a full disk.
  const own: Holder = {
    ...{ pid: process.pid, host: hostname(), boot, since: new Date().toISOString() },
    ...{ start, space },
  };
  const beside = `${file}.${process.pid}.own`;
  for (let tries = 0; tries < 2; tries++) {
    try {
      writeFileSync(beside, JSON.stringify(own), { mode: 0o600 });
      linkSync(beside, file);
      return { release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
    } finally {
      rmSync(beside, { force: true });
    }
    const holder = holderIn(file);
    if (!holder || !isGone(holder, file, now)) return { holder };
    // If two processes find an abandoned lock, one removes it. The lock that it removed may be a newer one.
    const aside = `${file}.${process.pid}.left`;
    try {
      renameSync(file, aside);
    } catch {
      continue;
    }
    const taken = holderIn(aside);
    if (taken && JSON.stringify(taken) !== JSON.stringify(holder)) renameSync(aside, file);
    else rmSync(aside, { force: true });
  }
  return { holder: holderIn(file) };
}

/** Takes the lock for long, and shows that it is held; of a holder that cannot be asked for, a sign is waited for. */
export async function heldLock(file: string): Promise<Lock | { holder: Holder | undefined }> {
  for (let first: number | undefined; ; ) {
    const lock = tryLock(file);
    if ("release" in lock) {
      const beating = setInterval(() => {
        told(() => {
          utimesSync(file, new Date(), new Date());
          return "";
        });
      }, beat);
      beating.unref();
      return {
        release: () => {
          clearInterval(beating);
          lock.release();
        },
      };
    }
    const at = signs.get(file)?.at;
    if (!lock.holder || !isElsewhere(lock.holder) || at !== (first ?? at)) return lock;
    first = at;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Waits for it. */
export async function locked<T>(file: string, act: () => T): Promise<T> {
  for (;;) {
    const lock = tryLock(file);
    if ("release" in lock) {
      try {
        return act();
      } finally {
        lock.release();
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
