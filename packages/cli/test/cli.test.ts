// The command as a person runs it: its output and its exit code; as a process where that is the point.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { builtCommand } from "./fixtures/command.js";
import { type CommandResult, pliant } from "./fixtures/said.js";

let main: string;
beforeAll(async () => {
  main = await builtCommand();
});

/** As a process of its own. */
function started(...args: string[]): CommandResult {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), "pliant-")), "run");

describe("pliant reproduce", () => {
  const asked = ["reproduce", "invariance", "--dataset", "strokes", "--method", "unconstrained,resilient"];
  const small = [...asked, "--subset", "100", "--epochs", "4", "--device", "cpu"];
  /** All but the seconds, which no two runs share. */
  const rowsIn = (folder: string): unknown => {
    const { rows } = JSON.parse(readFileSync(join(folder, "rows.json"), "utf8"));
    return rows.map(({ seconds: _, ...row }: { seconds: number }) => row);
  };

  test("killed at any moment and resumed, produces the same rows", async () => {
    const whole = newFolder();
    const start = performance.now();
    const { status, stdout } = started(...small, "--out", whole, "--json");
    const duration = performance.now() - start;
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(join(whole, "rows.json"), "utf8")));
    expect(JSON.parse(stdout).rows[1]).toMatchObject({
      recipe: { dataset: "strokes", variant: "rotated-180", method: "resilient", model: "mlp" },
      seeds: [1],
      seconds: expect.any(Number),
      accuracy: { mean: expect.any(Number), std: 0 },
      requirements: { scale: { level: 0.1, relaxation: expect.any(Number), price: expect.any(Number) } },
    });
    for (let trial = 0; trial < 2; trial++) {
      const folder = newFolder();
      const child = spawn(process.execPath, [main, ...small, "--out", folder], { stdio: "ignore" });
      const ended = once(child, "exit");
      const delay = (0.2 + 0.7 * Math.random()) * duration;
      await setTimeout(delay);
      child.kill("SIGKILL");
      await ended;
      expect((await pliant(...small, "--out", folder, "--resume")).status).toBe(0);
      expect(rowsIn(folder), `killed after ${delay} ms`).toEqual(rowsIn(whole));
    }
  });

  test("lists every recipe", async () => {
    const { stdout } = await pliant("reproduce", "--list");
    for (const name of ["invariance", "federated --recipe ranks", "federated --recipe alpha"])
      expect(stdout).toContain(`pliant reproduce ${name}`);
  });
});

describe("the paper's examples", () => {
  test("equilibrium prints one JSON object and writes the figure", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "pliant-")), "figure.svg");
    const { equilibria } = JSON.parse((await pliant("equilibrium", "--json", "--svg", file)).stdout);
    expect(equilibria.map((e: { u: number }) => e.u.toFixed(3))).toEqual(["0.244", "0.627", "0.891"]);
    expect(readFileSync(file, "utf8")).toMatch(/^<svg /);
  });

  test("learnability prints one JSON object", async () => {
    const said = await pliant("learnability", "--trials", "200", "--seed", "3", "--json");
    const { rows } = JSON.parse(said.stdout);
    expect(rows.map((r: { n: number }) => r.n)).toEqual([10, 30, 100, 300]);
  });
});

describe("mistakes", () => {
  test.each([
    [["start", "--loud"], /unknown option --loud/],
    [["equilibrium", "--svg", "/dev/null/figure.svg"], /\/dev\/null\/figure\.svg cannot be written/],
    [["learnability", "--trials", "0"], /--trials must be a whole number of at least 1, not 0/],
    [["reproduce", "invariance", "--variant", "rotatd-90"], /is not a variant; did you mean "rotated-90"\?/],
    [["reproduce", "invariance", "--method", "resilent"], /is not a method; did you mean "resilient"\?/],
    [["reproduce", "invariance", "--epochs", "0"], /--epochs must be a whole number of at least 1, not 0/],
    [["reproduce", "invarience"], /is not an experiment; did you mean "invariance"\?/],
    [["reproduce"], /Name an experiment, invariance, federated, all, page/],
    [["dance"], /there is no command "dance"\.\n/],
    [["trian", "x.yaml"], /there is no command "trian"; did you mean "train"\?\n/],
  ])("%j is refused with a sentence and exit code 2", async (args, sentence) => {
    const { status, stderr } = await pliant(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test("a process ends with the same exit code and message", async () => {
    const args = ["learnability", "--seed", "x"];
    expect(started(...args)).toEqual(await pliant(...args));
  });
});
