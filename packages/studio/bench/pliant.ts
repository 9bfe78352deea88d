// The command, as a person gives it in a folder.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const command = fileURLToPath(new URL("../../../cli/bin/pliant.js", import.meta.url));

export function pliant(folder: string, ...args: string[]): void {
  try {
    execFileSync(process.execPath, [command, ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  } catch (reason) {
    // What must hold and does not is exit code 1, and a run to look at.
    if ((reason as { status?: number }).status !== 1) throw reason;
  }
}
