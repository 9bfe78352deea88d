// The command as a person runs it: a process, its output and its exit code.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";

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
  test("says what runs here", () => {
    const { status, stdout } = pliant("doctor");
    expect(status).toBe(0);
    expect(stdout).toMatch(/✓ reference/);
    expect(stdout).toMatch(/✓ onnx/);
    expect(stdout).toMatch(/Device "auto" is (onnx|xla) here\./);
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
  });
});

describe("pliant demo", () => {
  test.each(["cpu", "reference"])("learns two spirals on %s", (device) => {
    const { status, stdout } = pliant("demo", "--device", device);
    expect(status).toBe(0);
    const accuracy = Number(stdout.match(/accuracy ([\d.]+)%\s*$/)?.[1]);
    expect(accuracy).toBeGreaterThan(97);
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
    [["equilibrium", "--svg", "/nowhere/figure.svg"], /could not be written to \/nowhere\/figure\.svg/],
    [["learnability", "--trials", "0"], /--trials is a whole number of at least 1, not 0/],
    [["dance"], /there is no command "dance"/],
  ])("%j is refused with a sentence and exit code 2", (args, sentence) => {
    const { status, stderr } = pliant(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
