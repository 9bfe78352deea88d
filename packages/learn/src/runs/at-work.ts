// Who is at work on a run: a file beside it that names the process, so that a reader can tell a run that is slow from one that
// was killed. It is removed when the run is finished. A process that ends before that writes so; after a kill the file names a process
// that no longer exists.
import { join, onExit, rmSync, worker, writeFileSync } from "@pliant/platform";

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
  writeFileSync(join(path, file), `${JSON.stringify(mark)}\n`);
}

/** Says why the process is about to end, for those who look at the runs it leaves unfinished. */
export function workFailed(because: string): void {
  cause = because;
}

/** It can be resumed; no process is at work on it now. */
function leaveWork(path: string): void {
  try {
    writeMark(path, { left: true, ...(cause !== undefined && { failed: cause }) });
  } catch {
    // The folder is gone, and nobody can ask.
  }
}

export function endWork(path: string): void {
  worked.delete(path);
  rmSync(join(path, file), { force: true });
}
