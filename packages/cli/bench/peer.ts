// A peer in Python: a script of this folder that answers each JSON line with one.
import { spawn, spawnSync } from "node:child_process";
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
  close(): void;
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
    close: () => process.stdin.end(),
  };
}
