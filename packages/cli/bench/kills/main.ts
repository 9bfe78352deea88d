// npm run bench -- kills [--json] [--kills N] [--seed N]: `pliant train` killed by SIGKILL at random moments and resumed. Every file of
// the run must end with the bytes of a run that was left alone; only what depends on the clock is left out.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { random } from "@pliant/engine";
import { pliant, saidLast } from "../pliant.js";
import { classes, part, writeCsv } from "../table.js";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    kills: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
  },
});
const say = (line: string): void => (options.json ? console.error(line) : console.log(line));
const command = fileURLToPath(new URL("../../../bin/pliant.js", import.meta.url));

/** A gap that retrains the scores, on folds; and a network judged on validation rows. */
const specs = {
  "a gap, linear, folds": {
    data: { file: "rows.csv", target: "y", positive: "1", columns: { group: "group", y: "category" } },
    model: { kind: "linear" },
    objective: { decay: 0.001 },
    requirements: { parity: { metric: "demographic-parity", by: "group", level: 0.05, hard: true } },
  },
  "a rate, mlp, validation": {
    data: {
      ...{ file: "rows.csv", target: "y", positive: "1", columns: { group: "group", y: "category" } },
      validation: 0.2,
    },
    model: { kind: "mlp", hidden: [4] },
    objective: { decay: 0.01 },
    budget: { steps: 200 },
    requirements: {
      misses: { metric: "false-negative-rate", level: 0.2, hard: true },
      loss: { metric: "loss", by: "group", level: 0.4 },
    },
  },
};

/** By file, all that does not depend on the clock. */
function timeless(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const name = join(path, entry.name);
      if (entry.isDirectory()) visit(name);
      else found.set(name, withoutClock(name, readFileSync(join(folder, name))));
    }
  };
  visit("");
  return found;
}

function withoutClock(name: string, bytes: Buffer): string {
  if (name === "report.json") {
    const { seconds: _, ...rest } = JSON.parse(bytes.toString()) as Record<string, unknown>;
    return JSON.stringify(rest);
  }
  if (name === "run.json") {
    const { started: _, ...rest } = JSON.parse(bytes.toString()) as Record<string, unknown>;
    return JSON.stringify(rest);
  }
  if (name === "metrics.jsonl") return bytes.toString().replaceAll(/"time":"[^"]*",/g, "");
  return bytes.toString("base64");
}

const root = mkdtempSync(join(tmpdir(), "pliant-kills-"));
const table = classes({ rows: 300, seed: 5, features: 4, positives: 0.35, groups: [6, 4], shift: 0.8 });
const train = (folder: string, out: string, ...more: string[]): string[] => [
  ...["train", join(folder, "spec.json"), "--out", join(folder, out), "--device", "cpu", "--no-insist"],
  ...more,
];
const differing: string[] = [];
const moments: { spec: string; after: number; at: string }[] = [];
let kills = 0;
try {
  const draws = random.uniform(random.key(Number(options.seed)), [Number(options.kills)]).data;
  for (const [s, [name, spec]] of Object.entries(specs).entries()) {
    const folder = join(root, String(s));
    mkdirSync(folder);
    writeCsv(join(folder, "rows.csv"), part(table, 0));
    writeFileSync(join(folder, "spec.json"), JSON.stringify(spec));
    const start = performance.now();
    const { exit, err } = await pliant(train(folder, "alone"));
    if (exit !== 0 && exit !== 1) throw new Error(`${name}: ${saidLast(err)}`);
    const whole = performance.now() - start;
    const alone = timeless(join(folder, "alone"));
    const own = [...draws].filter((_, i) => i % Object.keys(specs).length === s);
    for (const [k, draw] of own.entries()) {
      const out = `killed-${k}`;
      const after = Math.round(draw * whole);
      const child = spawn(process.execPath, [command, ...train(folder, out)], { stdio: "ignore" });
      const ended = once(child, "exit");
      await Promise.race([setTimeout(after), ended]);
      if (child.exitCode === null) child.kill("SIGKILL");
      await ended;
      kills++;
      const there = existsSync(join(folder, out)) ? readdirSync(join(folder, out)) : [];
      const begun = there.includes("run.json");
      const at = there.includes("report.json") ? "finished" : begun ? "begun" : "not begun";
      moments.push({ spec: name, after, at });
      const again = await pliant(train(folder, out, ...(begun ? ["--resume"] : ["--force"])));
      const found = again.exit === 0 || again.exit === 1 ? timeless(join(folder, out)) : undefined;
      const unlike = found
        ? [...new Set([...alone.keys(), ...found.keys()])].filter(
            (file) => alone.get(file) !== found.get(file),
          )
        : [saidLast(again.err) ?? `exit code ${again.exit}`];
      if (unlike.length > 0)
        differing.push(`${name}, killed after ${after} ms (${at}): ${unlike.join(", ")}`);
      say(
        `${kills}. ${name}, killed after ${after} ms (${at}): ${unlike.length === 0 ? "the same bytes" : unlike.join(", ")}`,
      );
      rmSync(join(folder, out), { recursive: true, force: true });
    }
  }
  say(`${kills - differing.length} of ${kills} ended with the same bytes`);
  if (options.json)
    console.log(JSON.stringify({ kills, same: kills - differing.length, differing, moments }));
} finally {
  rmSync(root, { recursive: true, force: true });
}
if (differing.length > 0) process.exitCode = 1;
