// Whether the process that trains a run is still there, from the file that training leaves beside it.
import { hostname, uptime } from "node:os";
import type { Json } from "./files.js";

export const workFile = "at-work.json";

/** How a run ended that is not at work and has no report. */
export function endOf(mark: Json | undefined): {
  readonly status: "stopped" | "failed" | "killed";
  readonly problem?: string;
} {
  const { left, failed } = mark?.value ?? {};
  if (typeof failed === "string") return { status: "failed", problem: failed };
  return { status: left === true ? "stopped" : "killed" };
}

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
