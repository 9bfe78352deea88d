// `pliant train` as a person runs it: a spec and a CSV file in a folder, a process, and the report in the run's folder.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { processorOfChildren } from "./peer.js";

const command = fileURLToPath(new URL("../../bin/pliant.js", import.meta.url));

export interface Measure {
  readonly value: number;
  readonly interval?: readonly [number, number];
  readonly examples: number;
}

/** What is read of a requirement in report.json. */
export interface Reported {
  readonly of: string;
  readonly metric: string;
  readonly sense: "at most" | "at least" | "between";
  readonly level: number | readonly [number, number];
  readonly relaxation: number;
  readonly price: number;
  readonly cost: string;
  /** Validation rows that were too few to go by. */
  readonly few?: number;
  readonly train?: { readonly strict: Measure; readonly asked?: { readonly strict?: number } };
  readonly validation?: { readonly strict: Measure; readonly asked?: { readonly strict?: number } };
  readonly test?: { readonly strict: Measure; readonly asked?: { readonly strict?: number } };
  /** What insisting on it came to, where the run measured it. */
  readonly insisting?: { readonly had: boolean; readonly costs: number };
}

export interface Report {
  readonly objective: number;
  readonly steps: number;
  readonly certificate: { readonly holds: boolean } & Readonly<Record<string, unknown>>;
  readonly requirements: Readonly<Record<string, Reported>>;
  /** The rows on which what is counted was counted while solving. */
  readonly judgedOn?: "train" | "validation";
  readonly train: { readonly examples: number; readonly loss: Measure; readonly error?: Measure };
  readonly test: {
    readonly examples: number;
    readonly loss: Measure;
    readonly error?: Measure;
    /** For regression: in the units of the target. */
    readonly rootMeanSquare?: number;
  };
}

export interface Ran {
  readonly folder: string;
  readonly exit: number;
  readonly seconds: number;
  /** Processor time of all threads, which other work on the machine affects less; known on Linux. */
  readonly processor?: number;
  /** The part from the parsed rows to the report: compiling, solving, checking, saving and evaluating. */
  readonly solving?: number;
  readonly report?: Report;
  /** What the process said last on standard error, where it left no report. */
  readonly mistake?: string;
}

/** Runs `pliant` with these arguments; what it wrote and how it ended. */
export function pliant(args: readonly string[]): Promise<{ exit: number; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    run.stdout.on("data", (text) => {
      out += text;
    });
    run.stderr.on("data", (text) => {
      err += text;
    });
    run.on("error", reject);
    run.on("close", (code) => resolve({ exit: code ?? 1, out, err }));
  });
}

/** What ended a process: its error where it threw one, else its last line. */
export const saidLast = (err: string): string | undefined =>
  err.split("\n").find((line) => /^\s*\w*Error\b/.test(line)) ?? (err.trim().split("\n").at(-1) || undefined);

/** Trains the spec of a folder into a run beside it; `more` are further arguments of the command. */
export async function train(folder: string, run: string, more: readonly string[] = []): Promise<Ran> {
  const out = join(folder, run);
  const [start, before] = [performance.now(), processorOfChildren()];
  const asked = ["train", join(folder, "spec.json"), "--out", out, "--device", "cpu", ...more];
  const { exit, err } = await pliant(asked);
  const seconds = (performance.now() - start) / 1000;
  const processor = before === undefined ? undefined : processorOfChildren()! - before;
  const file = join(out, "report.json");
  const done = exit === 0 || exit === 1;
  if (done && existsSync(file))
    return {
      folder: out,
      exit,
      seconds,
      processor,
      solving: (statSync(file).mtimeMs - statSync(join(out, "run.json")).mtimeMs) / 1000,
      report: JSON.parse(readFileSync(file, "utf8")) as Report,
    };
  return { folder: out, exit, seconds, mistake: saidLast(err) ?? `exit code ${exit}` };
}
