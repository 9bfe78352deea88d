// pliant train as a person runs it: a process, its exit code, and a kill.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { builtCommand } from "./fixtures/command.js";
import { smallLoans } from "./fixtures/loans.js";
import { pliant as said } from "./fixtures/said.js";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
let main: string;
const { folder, spec } = smallLoans({ rows: 800 });
const pliant = (...args: string[]) =>
  spawnSync(process.execPath, [main, ...args], { encoding: "utf8", cwd: folder });
const reportIn = (run: string): string => readFileSync(join(folder, run, "report.json"), "utf8");
/** All that does not depend on the clock. */
const timeless = (run: string): string => {
  const { seconds: _, ...rest } = JSON.parse(reportIn(run));
  return JSON.stringify(rest);
};

beforeAll(async () => {
  main = await builtCommand();
});

describe("pliant train", () => {
  test("shows progress, prints the report and names the run folder", () => {
    const { status, stdout, stderr } = pliant("train", spec, "--device", "cpu", "--no-insist");
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^step +25 {2}loss 0\.\d+ {2}"missed defaults \[group=B\]" misses its level by 0\.\d+ {2}residual .* left$/m,
    );
    expect(stdout).toMatch(
      /^Training a model \(mlp\) on 560 examples of loans\.csv; 240 are kept for testing/m,
    );
    expect(stdout).toMatch(/certified \(tolerance 0\.01\)/);
    expect(stdout).toContain("The run is in runs/loans.");
    const { versions } = JSON.parse(readFileSync(join(folder, "runs/loans/run.json"), "utf8"));
    expect(versions).toEqual({ pliant: version, node: process.version });
  });

  test("killed at any moment and resumed, produces the same report to the bit", async () => {
    for (const delay of [100, 600, 1500]) {
      const run = `killed-${delay}`;
      const child = spawn(
        process.execPath,
        [main, "train", spec, "--device", "cpu", "--no-insist", "--out", run],
        {
          cwd: folder,
          stdio: "ignore",
        },
      );
      const ended = once(child, "exit");
      while (!existsSync(join(folder, run, "spec.yaml")) && child.exitCode === null) await setTimeout(5);
      await setTimeout(delay);
      child.kill("SIGKILL");
      await ended;
      const { status, stderr } = pliant("train", spec, "--resume", "--no-insist", "--out", run);
      expect(status, stderr).toBe(0);
      expect(timeless(run)).toBe(timeless("runs/loans"));
    }
  });

  test("an interrupt saves the run and prints how to resume it", async () => {
    const args = [main, "train", spec, "--device", "cpu", "--no-insist", "--out", "interrupted"];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (!said.includes("step") && text.includes("step")) child.kill("SIGINT");
      said += text;
    });
    const [code] = await once(child, "close");
    expect(code).toBe(130);
    expect(said).toContain("Go on with: npx pliant train interrupted/spec.yaml --resume --out interrupted");
    expect(existsSync(join(folder, "interrupted", "report.json"))).toBe(false);
    const resumed = pliant(
      "train",
      "interrupted/spec.yaml",
      "--resume",
      "--no-insist",
      "--out",
      "interrupted",
    );
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(timeless("interrupted")).toBe(timeless("runs/loans"));
  });

  test("an interrupt after the training stops the run too, to be resumed", async () => {
    const args = [main, "train", spec, "--device", "cpu", "--out", "asking"];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore" });
    const ended = once(child, "exit");
    const metrics = join(folder, "asking", "metrics.jsonl");
    const trained = () => existsSync(metrics) && readFileSync(metrics, "utf8").includes('"holds":true');
    while (!trained() && child.exitCode === null) await setTimeout(5);
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    const mark = JSON.parse(readFileSync(join(folder, "asking", "at-work.json"), "utf8"));
    expect(mark).toMatchObject({ left: true });
    expect(mark).not.toHaveProperty("failed");
  });

  test("resuming a finished run prints its report again", () => {
    const before = reportIn("runs/loans");
    const { status, stdout } = pliant("train", spec, "--resume", "--no-insist", "--out", "runs/loans");
    expect(status).toBe(0);
    expect(stdout).toMatch(/certified \(tolerance 0\.01\)/);
    expect(reportIn("runs/loans")).toBe(before);
  });

  test("a run that cannot be resumed or started is refused with a sentence and exit code 2", async () => {
    const broken = join(folder, "broken");
    cpSync(join(folder, "runs/loans"), broken, { recursive: true });
    const refusal = async (...args: string[]): Promise<string> => {
      const { status, stderr } = await said("train", spec, "--no-insist", "--out", ...args);
      expect(status).toBe(2);
      expect(stderr).not.toMatch(/\n\s+at /);
      return stderr;
    };
    expect(await refusal(broken, "--resume", "--seed", "2")).toMatch(/was started with another seed/);
    truncateSync(join(broken, "checkpoint.safetensors"), 1000);
    expect(await refusal(broken, "--resume")).toMatch(/checkpoint\.safetensors is damaged/);
    rmSync(join(broken, "checkpoint.safetensors"));
    expect(await refusal(broken, "--resume")).toMatch(/no checkpoint\.safetensors in /);
    truncateSync(join(broken, "run.json"), 20);
    expect(await refusal(broken, "--resume")).toMatch(/run\.json is damaged: it is not JSON/);
    expect(await refusal("/dev/null/run", "--device", "cpu")).toMatch(
      /the run folder \/dev\/null\/run cannot be made, as \/dev\/null is a file/,
    );
    expect(await refusal("/nowhere", "--resume")).toMatch(
      /there is no run to resume in \/nowhere; start one without --resume/,
    );
  });

  test("a second run of the same name gets a new folder, and --resume continues the last one", () => {
    expect(pliant("train", spec, "--device", "cpu", "--set", "budget.steps=50").stdout).toContain(
      "The run is in runs/loans-2.",
    );
    const { stdout } = pliant("train", spec, "--set", "budget.steps=50", "--resume");
    expect(stdout).toContain("Resuming at step 50 from runs/loans-2.");
  });

  test("a second sweep of the same name gets new folders, and --resume continues the last ones", () => {
    const swept = (...args: string[]): string =>
      pliant("train", spec, "--device", "cpu", "--set", "budget.steps=10", "--sweep", "cost=1,2", ...args)
        .stdout;
    expect(swept()).toContain("runs/loans-cost-2");
    expect(swept()).toContain("runs/loans-2-cost-2");
    expect(swept("--resume")).toContain("Resuming at step 10 from runs/loans-2-cost-1.");
  });

  test("a reader of predictions may close the pipe early", async () => {
    const [header, ...rows] = readFileSync(join(folder, "loans.csv"), "utf8").trim().split("\n");
    const many = Array.from({ length: 5 }, () => rows).flat();
    writeFileSync(join(folder, "many.csv"), [header, ...many].join("\n"));
    const child = spawn(process.execPath, [main, "predict", "runs/loans", "many.csv"], { cwd: folder });
    let said = "";
    child.stderr.on("data", (text) => {
      said += text;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const [status] = await once(child, "close");
    // Reading may report its progress on a slow machine; nothing else is printed.
    expect(said.replace(/^reading many\.csv: [\d,]+ rows so far\n/gm, "")).toBe("");
    expect(status).toBe(0);
  });

  test("a violated hard requirement comes first, and the exit code is 1", () => {
    const { status, stdout } = pliant(
      ...[
        "train",
        spec,
        "--device",
        "cpu",
        "--hard",
        "missed defaults",
        "--hard",
        "false alarms",
        "--out",
        "impossible",
      ],
      ...[
        "--set",
        "requirements.missed defaults.level=0.01",
        "--set",
        "requirements.false alarms.level=0.01",
      ],
      ...["--set", "budget.steps=50"],
    );
    expect(status).toBe(1);
    const lines = stdout.split("\n");
    const verdict = lines[lines.findIndex((line) => line.startsWith("Training a model")) + 2];
    expect(verdict).toMatch(/^Violated: .* must be at most 0\.010 and is 0\.\d+/);
  });

  test("a mistake in a spec prints one line and exits with 2", () => {
    const bad = fileURLToPath(new URL("fixtures/bad/02-unknown-inner-key.yaml", import.meta.url));
    const { status, stdout, stderr } = pliant("train", bad);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain('did you mean "level"?');
  });
});
