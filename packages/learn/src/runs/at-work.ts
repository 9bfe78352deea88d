// Marks a run as being worked on: a file beside it names the process, so that a reader can tell a slow run from a killed one.
// The file is removed when the run finishes. A process that ends earlier records the reason; after a kill, the file names a
// process that no longer exists.
import { join, onExit, replaceFile, rmSync, worker } from "@pliant/platform";

const file = "at-work.json";
const worked = new Set<string>();
let listening = false;
let cause: string | undefined;

export function beginWork(path: string): void {
  writeMark(path);
  if (!listening) onExit(() => worked.forEach(leaveWork));
  listening = true;
  worked.add(path);
}

function writeMark(path: string, more: object = {}): void {
  const mark = { ...worker(), since: new Date().toISOString(), ...more };
  replaceFile(join(path, file), `${JSON.stringify(mark)}\n`);
}

/** Records why the process is about to end, in the runs that it leaves unfinished. */
export function workFailed(because: string): void {
  cause = because;
}

/** The run can be resumed; no process works on it. */
function leaveWork(path: string): void {
  try {
    writeMark(path, { left: true, ...(cause !== undefined && { failed: cause }) });
  } catch {
    // The folder was deleted.
  }
}

export function endWork(path: string): void {
  worked.delete(path);
  rmSync(join(path, file), { force: true });
}
