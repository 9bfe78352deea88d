// A case in a process of its own: one that throws or takes too long is a case that failed, not the end of the others.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { saidLast } from "../pliant.js";
import type { Case } from "./case.js";
import { failed, type Result } from "./result.js";

const one = fileURLToPath(new URL("./one.js", import.meta.url));
const alive = new Set<ChildProcess>();

/** With what it started itself: each case is the head of a group of processes. */
function end(run: ChildProcess): void {
  try {
    process.kill(-run.pid!, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
process.once("exit", () => alive.forEach(end));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

export function apart(
  { rows: draw, ...of }: Case,
  { settings, minutes, command = one }: { settings: readonly string[]; minutes: number; command?: string },
): Promise<Result> {
  const [rows, test] = draw();
  const start = performance.now();
  return new Promise((resolve) => {
    const run = spawn(process.execPath, [command], { stdio: ["pipe", "pipe", "pipe"], detached: true });
    alive.add(run);
    let [out, err, ranOut] = ["", "", false];
    run.stdout.on("data", (text) => {
      out += text;
    });
    run.stderr.on("data", (text) => {
      err += text;
    });
    // A child that no longer reads is known by how it ended.
    run.stdin.on("error", () => {});
    run.stdin.end(JSON.stringify({ of, rows, test, settings }));
    const limit = setTimeout(() => {
      ranOut = true;
      end(run);
    }, minutes * 60_000);
    run.on("close", (code) => {
      clearTimeout(limit);
      alive.delete(run);
      const seconds = (performance.now() - start) / 1000;
      if (code === 0) return resolve(JSON.parse(out) as Result);
      const mistake = ranOut ? `not done after ${minutes} minutes` : (saidLast(err) ?? `exit code ${code}`);
      resolve(failed(of, mistake, { seconds }));
    });
  });
}
