// Runs in every state that a page can show, made by the real commands.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { command, pliant as pliantIn } from "./pliant.js";
import { writeRuns } from "./runs.js";

const spec = join(".example", "spec.yaml");
const endless = ["budget.steps=1000000", "budget.tolerance=1e-12"].flatMap((setting) => ["--set", setting]);

/** Made once: those that end by themselves, and one that is killed. */
export async function makeRuns(runs: string): Promise<void> {
  mkdirSync(runs, { recursive: true });
  const pliant = (...args: string[]): void => pliantIn(runs, ...args);
  const train = (name: string, ...more: string[]) =>
    pliant("train", spec, "--device", "cpu", "--out", name, ...more);
  pliant("example", "loans", "--out", ".example");
  train("loans");
  train("violated", "--hard", "missed defaults [group=B]", "--set", "budget.steps=100");
  train("uncertified", "--set", "budget.steps=5", "--no-insist");
  train("failed", "--set", "budget.rate=1e30", "--set", "objective.decay=0", "--no-insist");
  for (const seed of [2, 3])
    train(`seed-${seed}`, "--set", `seed=${seed}`, "--set", "budget.steps=200", "--no-insist");
  train("sweep", "--sweep", "cost=0.5,2,8", "--set", "budget.steps=100", "--no-insist");
  train("folds", "--set", "data.test={ folds: 3 }", "--set", "budget.steps=100", "--no-insist");
  writeGroups(join(runs, ".example"), 40);
  train("many", "--set", "data.file=many.csv", "--set", "budget.steps=75", "--no-insist");
  const asked = "--dataset strokes --device cpu".split(" ");
  pliant("reproduce", "federated", ...asked, ..."--clients 12 --rounds 20 --out federated".split(" "));
  pliant("reproduce", "invariance", ...asked, ..."--subset 100 --epochs 5 --out invariance".split(" "));
  await kill(await beginRun(runs, "killed"));
}

/** Each group has a requirement of its own. */
function writeGroups(folder: string, count: number): void {
  const [head, ...rows] = readFileSync(join(folder, "loans.csv"), "utf8").trim().split("\n");
  const at = head.split(",").indexOf("group");
  const grouped = rows.map((row, i) =>
    row
      .split(",")
      .with(at, `g${i % count}`)
      .join(","),
  );
  writeFileSync(join(folder, "many.csv"), [head, ...grouped, ""].join("\n"));
}

/** A run that trains until it is killed; over once its first evaluation is there. */
export async function beginRun(runs: string, name: string): Promise<ChildProcess> {
  rmSync(join(runs, name), { recursive: true, force: true });
  const child = spawn(
    process.execPath,
    [command, "train", spec, "--device", "cpu", "--out", name, ...endless],
    { cwd: runs, stdio: "ignore" },
  );
  while (!existsSync(join(runs, name, "metrics.jsonl"))) {
    if (child.exitCode !== null) throw new Error(`the run ${name} ended with exit code ${child.exitCode}.`);
    await setTimeout(100);
  }
  return child;
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** A folder of nothing but many runs. */
export function makeMany(folder: string, count: number): string {
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    writeRuns(folder, count, 50);
  }
  return join(folder, "runs");
}
