// The command as a person runs it: a process, its output and its exit code.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { chosen } from "../src/doctor.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));

function pliant(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

beforeAll(() => {
  const { status, stdout } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

describe("pliant doctor", () => {
  test("says which way is chosen and why", () => {
    const working = (...names: string[]) => names.map((name) => ({ name, works: true, detail: "" }));
    const xla = (platform: string) => ({ name: "xla", works: true, detail: "", platform });
    expect(chosen(working("reference")).auto).toBe("reference");
    expect(chosen(working("reference", "onnx"))).toEqual({ auto: "onnx", why: "no XLA plugin starts" });
    expect(chosen([...working("reference", "onnx"), xla("cuda")]).auto).toBe("xla");
    const both = chosen([...working("reference", "onnx"), xla("cpu")]);
    expect(both.auto).toBe("onnx and xla");
    expect(both.why).toMatch(/loops without convolutions and sorting run on it/);
  });

  test("says what runs here", () => {
    const { status, stdout } = pliant("doctor");
    expect(status).toBe(0);
    expect(stdout).toMatch(/✓ reference/);
    expect(stdout).toMatch(/✓ onnx/);
    expect(stdout).toMatch(/Device "auto" is (onnx|xla|onnx and xla) here: .+\./);
  });

  test("prints one JSON object and nothing else with --json", () => {
    const { findings } = JSON.parse(pliant("doctor", "--json").stdout);
    expect(findings.map((f: { name: string }) => f.name)).toEqual(["node", "reference", "onnx", "xla"]);
  });

  test("tells how to get what is missing", () => {
    const { stdout } = spawnSync(process.execPath, [main, "doctor"], {
      encoding: "utf8",
      env: { ...process.env, PLIANT_PJRT_PLUGIN: "/nowhere/plugin.so" },
    });
    expect(stdout).toMatch(/✗ xla .*\/nowhere\/plugin\.so/);
    expect(stdout).toMatch(/→ .*pip install "jax\[cuda13\]"/);
    expect(stdout).toMatch(/Device "auto" is onnx here: no XLA plugin starts\./);
  });
});

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), "pliant-")), "run");
const reportIn = (folder: string): string => readFileSync(join(folder, "report.json"), "utf8");

describe("pliant demo", () => {
  // On one back end, an uninterrupted run for the others to be compared with.
  const whole = newFolder();
  let duration: number;
  const interrupted = (folder: string) =>
    spawn(process.execPath, [main, "demo", "--device", "cpu", "--out", folder], {
      stdio: ["ignore", "ignore", "pipe"],
    });

  test("certifies, and says what gave way and at what price", () => {
    const start = performance.now();
    const { status, stdout, stderr } = pliant("demo", "--device", "cpu", "--out", whole);
    duration = performance.now() - start;
    expect(status).toBe(0);
    expect(stdout).toMatch(/certified to 0\.0001/);
    expect(stdout).toMatch(
      /misses in B: asked at most 0\.100, reached 0\.3\d+: gave way by 0\.2\d+, where 0\.01 costs 0\.0\d+ of loss/,
    );
    expect(stdout).toMatch(/^false alarms: .* held at its level at 0\.0\d+ of loss for 0\.01/m);
    expect(stdout).toMatch(/^misses in A: .* met with 0\.0\d+ to spare/m);
    expect(stderr).toMatch(/^step {3}100 {2}loss 0\.\d+ {2}worst misses in B \+0\.\d+ {2}residual .* left$/m);
  });

  test("reaches the same answer in plain TypeScript", () => {
    const folder = newFolder();
    expect(pliant("demo", "--device", "reference", "--out", folder).status).toBe(0);
    const [a, b] = [whole, folder].map((f) => JSON.parse(reportIn(f)));
    expect(b.objective).toBeCloseTo(a.objective, 3);
    for (const name of ["misses in A", "misses in B", "false alarms"])
      expect(b.requirements[name].reached).toBeCloseTo(a.requirements[name].reached, 2);
  });

  test("killed at any moment and resumed, ends in the same report to the bit", async () => {
    for (let trial = 0; trial < 4; trial++) {
      const folder = newFolder();
      const child = interrupted(folder);
      const ended = once(child, "exit");
      while (!existsSync(join(folder, "run.json")) && child.exitCode === null) await setTimeout(5);
      const delay = Math.random() * duration;
      await setTimeout(delay);
      child.kill("SIGKILL");
      await ended;
      const { status, stderr } = pliant("demo", "--resume", "--out", folder);
      expect(status, `killed after ${delay} ms: ${stderr}`).toBe(0);
      expect(reportIn(folder), `killed after ${delay} ms`).toBe(reportIn(whole));
      const steps = (f: string) =>
        readFileSync(join(f, "metrics.jsonl"), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).step);
      expect(steps(folder)).toEqual(steps(whole));
    }
  });

  test("an interrupt saves the run and says how to go on", async () => {
    const folder = newFolder();
    const child = interrupted(folder);
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (said === "") child.kill("SIGINT");
      said += text;
    });
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(said).toContain(`Go on with: npx pliant demo --resume --out ${folder}`);
    expect(existsSync(join(folder, "report.json"))).toBe(false);
    expect(pliant("demo", "--resume", "--out", folder).status).toBe(0);
    expect(reportIn(folder)).toBe(reportIn(whole));
  });

  test("a finished run resumed says the same again", () => {
    const before = reportIn(whole);
    const { status, stdout } = pliant("demo", "--resume", "--out", whole);
    expect(status).toBe(0);
    expect(stdout).toMatch(/certified to 0\.0001/);
    expect(reportIn(whole)).toBe(before);
  });

  test("a run that cannot be resumed as asked is refused with a sentence and exit code 2", () => {
    const folder = newFolder();
    cpSync(whole, folder, { recursive: true });
    const refusal = (...args: string[]) => {
      const { status, stderr } = pliant("demo", "--resume", "--out", folder, ...args);
      expect(status).toBe(2);
      expect(stderr).not.toMatch(/\n\s+at /);
      return stderr;
    };
    expect(refusal("--seed", "2")).toMatch(/was started with --seed 1, not 2/);
    truncateSync(join(folder, "checkpoint.safetensors"), 1000);
    expect(refusal()).toMatch(/checkpoint\.safetensors is damaged/);
    rmSync(join(folder, "checkpoint.safetensors"));
    expect(refusal()).toMatch(/no checkpoint\.safetensors in /);
    truncateSync(join(folder, "run.json"), 20);
    expect(refusal()).toMatch(/run\.json is damaged: it is not JSON/);
  });
});

describe("pliant reproduce", () => {
  const asked = ["reproduce", "invariance", "--dataset", "strokes", "--method", "unconstrained,resilient"];
  const small = [...asked, "--subset", "200", "--epochs", "8", "--device", "cpu"];
  /** All but the seconds, which no two runs share. */
  const rowsIn = (folder: string): unknown => {
    const { rows } = JSON.parse(readFileSync(join(folder, "rows.json"), "utf8"));
    return rows.map(({ seconds: _, ...row }: { seconds: number }) => row);
  };

  test("killed at any moment and resumed, ends in the same rows", async () => {
    const whole = newFolder();
    const start = performance.now();
    const { status, stdout } = pliant(...small, "--out", whole, "--json");
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
      expect(pliant(...small, "--out", folder, "--resume").status).toBe(0);
      expect(rowsIn(folder), `killed after ${delay} ms`).toEqual(rowsIn(whole));
    }
  });

  test("lists every recipe", () => {
    const { stdout } = pliant("reproduce", "--list");
    for (const name of ["invariance", "federated --recipe ranks", "federated --recipe alpha"])
      expect(stdout).toContain(`pliant reproduce ${name}`);
  });
});

describe("the paper's examples", () => {
  test("equilibrium prints one JSON object and writes the figure", () => {
    const file = join(mkdtempSync(join(tmpdir(), "pliant-")), "figure.svg");
    const { equilibria } = JSON.parse(pliant("equilibrium", "--json", "--svg", file).stdout);
    expect(equilibria.map((e: { u: number }) => e.u.toFixed(3))).toEqual(["0.244", "0.627", "0.891"]);
    expect(readFileSync(file, "utf8")).toMatch(/^<svg /);
  });

  test("learnability prints one JSON object", () => {
    const { rows } = JSON.parse(pliant("learnability", "--trials", "200", "--seed", "3", "--json").stdout);
    expect(rows.map((r: { n: number }) => r.n)).toEqual([10, 30, 100, 300]);
  });
});

describe("mistakes", () => {
  test.each([
    [["demo", "--device", "gpu"], /--device is one of auto, cpu, cuda, reference, not gpu/],
    [["demo", "--seed", "x"], /--seed is a whole number/],
    [["demo", "--loud"], /--loud/],
    [["demo", "--out", "/dev/null/run"], /the run folder \/dev\/null\/run cannot be used: ENOTDIR/],
    [
      ["demo", "--resume", "--out", "/nowhere"],
      /there is no run to resume in \/nowhere; start one without --resume/,
    ],
    [["equilibrium", "--svg", "/nowhere/figure.svg"], /could not be written to \/nowhere\/figure\.svg/],
    [["learnability", "--trials", "0"], /--trials is a whole number of at least 1, not 0/],
    [["reproduce", "invariance", "--variant", "rotatd-90"], /is not a variant; did you mean "rotated-90"\?/],
    [["reproduce", "invariance", "--method", "resilent"], /is not a method; did you mean "resilient"\?/],
    [["reproduce", "invariance", "--epochs", "0"], /--epochs is a whole number of at least 1, not 0/],
    [["reproduce", "invarience"], /is not an experiment; did you mean "invariance"\?/],
    [["reproduce"], /Name an experiment, invariance, federated, all, page/],
    [["dance"], /there is no command "dance"/],
  ])("%j is refused with a sentence and exit code 2", (args, sentence) => {
    const { status, stderr } = pliant(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
