// A file that one process has: for a moment, to append to the ledger, or as long as it coordinates.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";

/** Who has a lock. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Since the machine was started: a number of a process means nothing after that. */
  readonly boot: string;
  readonly since: string;
}

function bootOf(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

const boot = bootOf();

/** Whether its process is known to be gone; of another machine nobody can tell. */
function isGone({ pid, host, boot: then }: Holder): boolean {
  if (host !== hostname()) return false;
  if (then !== boot) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === "ESRCH";
  }
}

function holderIn(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder;
  } catch {
    // Gone by now.
    return undefined;
  }
}

/** Takes the lock, or says who has it. */
export function tryLock(file: string): { release(): void } | { holder: Holder | undefined } {
  // Whole before it is there under its name: who finds it can read whose it is, also on a full disk.
  const own: Holder = { pid: process.pid, host: hostname(), boot, since: new Date().toISOString() };
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
    if (!holder || !isGone(holder)) return { holder };
    // Of two that find it left behind one takes it away; what it took away is looked at again.
    const aside = `${file}.${process.pid}.left`;
    try {
      renameSync(file, aside);
    } catch {
      continue;
    }
    const taken = holderIn(aside);
    if (taken && !isGone(taken)) renameSync(aside, file);
    else rmSync(aside, { force: true });
  }
  return { holder: holderIn(file) };
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
