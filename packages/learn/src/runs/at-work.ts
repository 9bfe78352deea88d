// Who is at work on a run: a file beside it that names the process, so that a reader can tell a run that is slow from one that
// was killed. It goes when the run is finished or its process ends; after a kill it stays and names a process that is no more.
import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

const file = "at-work.json";
const worked = new Set<string>();
let listening = false;

export function beginWork(path: string): void {
  writeFileSync(
    join(path, file),
    `${JSON.stringify({ process: process.pid, host: hostname(), since: new Date().toISOString() })}\n`,
  );
  if (!listening) process.once("exit", () => worked.forEach(endWork));
  listening = true;
  worked.add(path);
}

export function endWork(path: string): void {
  worked.delete(path);
  rmSync(join(path, file), { force: true });
}
