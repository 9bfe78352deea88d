// The command as a person runs it: its output and its exit code; as a process where that is the point.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { sgd, solve } from "@pliant/core";
import { random } from "@pliant/engine";
import { open } from "@pliant/engine/device";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { people, screening } from "../src/demo.js";
import { chosen } from "../src/doctor.js";
import { pliant as command } from "../src/pliant.js";
import { builtCommand } from "./fixtures/command.js";

let main: string;
beforeAll(async () => {
  main = await builtCommand();
});

interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** As a process of its own. */
function started(...args: string[]): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** The same in this process, which need not start. */
async function pliant(...args: string[]): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  const into = (stream: keyof typeof said) => (text: unknown) => {
    said[stream] += String(text);
    return true;
  };
  const line = (stream: keyof typeof said) => (text: unknown) => void into(stream)(`${text}\n`);
  const spies = [
    vi.spyOn(console, "log").mockImplementation(line("stdout")),
    vi.spyOn(console, "error").mockImplementation(line("stderr")),
    vi.spyOn(process.stdout, "write").mockImplementation(into("stdout")),
    vi.spyOn(process.stderr, "write").mockImplementation(into("stderr")),
  ];
  try {
    return { status: await command(args), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

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

  test("says what runs here", async () => {
    const { status, stdout } = await pliant("doctor");
    expect(status).toBe(0);
    expect(stdout).toMatch(/✓ reference/);
    expect(stdout).toMatch(/✓ onnx/);
    expect(stdout).toMatch(/Device "auto" is (onnx|xla|onnx and xla) here: .+\./);
  });

  test("prints one JSON object and nothing else with --json", async () => {
    const { findings } = JSON.parse((await pliant("doctor", "--json")).stdout);
    expect(findings.map((f: { name: string }) => f.name)).toEqual(["node", "reference", "onnx", "xla"]);
  });

  test("tells how to get what is missing", async () => {
    vi.stubEnv("PLIANT_PJRT_PLUGIN", "/nowhere/plugin.so");
    const { stdout } = await pliant("doctor").finally(() => vi.unstubAllEnvs());
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
    const { status, stdout, stderr } = started("demo", "--device", "cpu", "--out", whole);
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

  test("of fewer people reaches the same answer in plain TypeScript", async () => {
    const [data, params] = random.split(random.key(1), 2);
    const solved = async (device: "cpu" | "reference") => {
      const backend = await open(device);
      const optimizer = sgd(0.3, { momentum: 0.9 });
      const options = { data: people(data, 200), optimizer, dualRate: 0.5, steps: 4000, every: 100, backend };
      const { report } = await solve(screening(params, 8), options);
      await backend.close();
      return report;
    };
    const [a, b] = [await solved("cpu"), await solved("reference")];
    expect([a.certificate.holds, b.certificate.holds]).toEqual([true, true]);
    expect(b.objective).toBeCloseTo(a.objective, 3);
    for (const name of ["misses in A", "misses in B", "false alarms"] as const)
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
      const { status, stderr } = await pliant("demo", "--resume", "--out", folder);
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
    expect((await pliant("demo", "--resume", "--out", folder)).status).toBe(0);
    expect(reportIn(folder)).toBe(reportIn(whole));
  });

  test("a finished run resumed says the same again", async () => {
    const before = reportIn(whole);
    const { status, stdout } = await pliant("demo", "--resume", "--out", whole);
    expect(status).toBe(0);
    expect(stdout).toMatch(/certified to 0\.0001/);
    expect(reportIn(whole)).toBe(before);
  });

  test("a run that cannot be resumed as asked is refused with a sentence and exit code 2", async () => {
    const folder = newFolder();
    cpSync(whole, folder, { recursive: true });
    const refusal = async (...args: string[]): Promise<string> => {
      const { status, stderr } = await pliant("demo", "--resume", "--out", folder, ...args);
      expect(status).toBe(2);
      expect(stderr).not.toMatch(/\n\s+at /);
      return stderr;
    };
    expect(await refusal("--seed", "2")).toMatch(/was started with --seed 1, not 2/);
    truncateSync(join(folder, "checkpoint.safetensors"), 1000);
    expect(await refusal()).toMatch(/checkpoint\.safetensors is damaged/);
    rmSync(join(folder, "checkpoint.safetensors"));
    expect(await refusal()).toMatch(/no checkpoint\.safetensors in /);
    truncateSync(join(folder, "run.json"), 20);
    expect(await refusal()).toMatch(/run\.json is damaged: it is not JSON/);
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
  ])("%j is refused with a sentence and exit code 2", async (args, sentence) => {
    const { status, stderr } = await pliant(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test("a process ends with the same code and the same sentence", async () => {
    const args = ["demo", "--seed", "x"];
    expect(started(...args)).toEqual(await pliant(...args));
  });
});
