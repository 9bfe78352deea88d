// Who is at work on a run: a file beside it that names the process, so that a reader can tell a run that is slow from one that
// was killed. It goes when the run is finished; where its process ends before that, it says so; after a kill it names a process that is no
// more.
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

/** It may be gone on with; nobody is at work on it now. */
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
