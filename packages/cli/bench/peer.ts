// A peer in Python: a script of this folder that answers each JSON line with one.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const python = process.env.PLIANT_PYTHON ?? "python3";

/** A script by its place in this folder; the compiled benchmark lies one below. */
export const script = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The version of a package that python has, if any. */
export function version(distribution: string, module: string): string | undefined {
  const code = `import ${module}; from importlib.metadata import version; print(version(${JSON.stringify(distribution)}))`;
  const { status, stdout } = spawnSync(python, ["-c", code], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

export interface Peer {
  ask<T>(question: object): Promise<T>;
  /** Resolves when it has ended. */
  close(): Promise<void>;
}

export function startPeer(path: string): Peer {
  const process = spawn(python, [script(path)], { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  return {
    ask: async <T>(question: object) => {
      process.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`${path} ended without an answer.`);
      const answer = JSON.parse(value) as T & { error?: string };
      if (typeof answer.error === "string") throw new Error(`${path}: ${answer.error}`);
      return answer;
    },
    close: () =>
      new Promise((resolve) => {
        process.once("close", () => resolve());
        process.stdin.end();
      }),
  };
}

/** A peer that is started for every question, with the seconds of the whole process beside its answer. */
export function peerAnew(path: string): Peer {
  return {
    ask: async <T>(question: object) => {
      const [start, before] = [performance.now(), processorOfChildren()];
      const peer = startPeer(path);
      const answer = await peer.ask<T>(question);
      await peer.close();
      const process = {
        seconds: (performance.now() - start) / 1000,
        ...(before !== undefined && { processor: processorOfChildren()! - before }),
      };
      return { ...answer, process };
    },
    close: async () => {},
  };
}

/** Seconds of processors that children took which have ended: cutime and cstime of proc(5), in hundredths. */
export function processorOfChildren(): number | undefined {
  const file = "/proc/self/stat";
  if (!existsSync(file)) return undefined;
  const [, after] = readFileSync(file, "utf8").split(") ");
  const [user, system] = after.split(" ").slice(13, 15).map(Number);
  return (user + system) / 100;
}
