// Whether the process that trains a run is still there, from the file that training leaves beside it.
import { hostname, uptime } from "node:os";
import type { Json } from "./files.js";

export const workFile = "at-work.json";

/** Undefined where nobody says, or the process is on another machine. */
export function isAtWork(mark: Json | undefined): boolean | undefined {
  const { process: id, host, since, left } = mark?.value ?? {};
  if (left === true) return false;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 1 || host !== hostname()) return undefined;
  // Numbers of processes are given again after the machine was started again.
  const started = Date.now() - 1000 * uptime();
  if (!(Date.parse(String(since)) >= started)) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (reason) {
    return (reason as NodeJS.ErrnoException).code === "EPERM";
  }
}
