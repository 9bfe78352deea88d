// The Studio as a process of its own, so that its memory is its alone.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { command } from "./pliant.js";

/** Milliseconds that /proc counts in. */
const ticks = 10;

export interface ServerProcess {
  readonly url: string;
  /** The most memory it ever had, in megabytes; undefined where the system does not tell. */
  mostMemory(): number | undefined;
  /** Milliseconds that processors worked for it; undefined where the system does not tell. */
  work(): number | undefined;
  close(): Promise<void>;
}

export async function startServer(runs: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, [command, "studio", "--runs", runs, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  const url = await new Promise<string>((done, failed) => {
    child.stdout.on("data", (text) => {
      said += text;
      const found = / is at (\S+)/.exec(said);
      if (found) done(found[1].replace(/#.*/, ""));
    });
    child.once("exit", () => failed(new Error(`the Studio did not start: ${said}`)));
  });
  return {
    url,
    mostMemory() {
      try {
        const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
        return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
      } catch {
        return undefined;
      }
    },
    work() {
      try {
        const after = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1].split(" ");
        return ticks * (Number(after[11]) + Number(after[12]));
      } catch {
        return undefined;
      }
    },
    async close() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
