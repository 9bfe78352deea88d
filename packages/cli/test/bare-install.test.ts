// An installation without native runtime and without optional packages: Alpine, Intel Macs, or `npm install --omit=optional`.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { optionalParts } from "../src/optional.js";
import { builtModules } from "./fixtures/command.js";
import { smallLoans } from "./fixtures/loans.js";

const absent = new Set([
  "onnxruntime-node",
  "onnxruntime-web",
  ...optionalParts.flatMap(({ packages }) => packages.map((name) => name.split("/")[0])),
]);
const place = mkdtempSync(join(tmpdir(), "pliant-bare-"));
const modules = join(place, "node_modules");
afterAll(() => rmSync(place, { recursive: true, force: true }));

beforeAll(async () => {
  const whole = await builtModules();
  mkdirSync(modules);
  for (const name of readdirSync(whole))
    if (name === "pliant") cpSync(join(whole, name), join(modules, name), { recursive: true });
    else if (!absent.has(name)) symlinkSync(join(whole, name), join(modules, name));
});

function command(...args: string[]) {
  const { PATH } = process.env;
  const main = join(modules, "pliant/dist/main.js");
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...args], {
    cwd: place,
    encoding: "utf8",
    env: { PATH, HOME: place, TMPDIR: place },
  });
  return { stdout, stderr, status };
}

const warning = /ONNX Runtime is not installed here.* Device "auto" uses plain TypeScript/g;

describe("without ONNX Runtime", () => {
  const { folder, spec, csv } = smallLoans({ rows: 300 });
  const run = join(folder, "run");

  test("pliant train runs in plain TypeScript and warns once", () => {
    const { stderr, status } = command(
      "train",
      spec,
      "--out",
      run,
      "--set",
      "budget.steps=20",
      "--no-insist",
    );
    expect(status, stderr).toBe(0);
    expect(stderr.match(warning)).toHaveLength(1);
    expect(existsSync(join(run, "report.json"))).toBe(true);
  });

  test("pliant predict does too, and pliant report needs no device at all", () => {
    const predicted = command("predict", run, csv);
    expect(predicted.status, predicted.stderr).toBe(0);
    expect(predicted.stderr.match(warning)).toHaveLength(1);
    const reported = command("report", run);
    expect(reported.status, reported.stderr).toBe(0);
    expect(reported.stderr).toBe("");
  });

  test("pliant doctor reports the fallback, and --device cpu is refused", () => {
    const { auto } = JSON.parse(command("doctor", "--json").stdout);
    expect(auto).toBe("reference");
    const refused = command("train", spec, "--device", "cpu", "--out", join(folder, "other"));
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("npm install onnxruntime-node");
  });
});

describe("without the optional packages", () => {
  test("Parquet and JSON Lines are still read", () => {
    const bad = (file: string) => command("inspect", join(import.meta.dirname, "fixtures/bad", file));
    const cut = bad("67-parquet-cut.parquet");
    expect(cut.status).toBe(2);
    expect(cut.stderr).toContain("cannot be read as Parquet");
    writeFileSync(join(place, "rows.jsonl"), '{"age": 31, "town": "Oslo"}\n{"age": 44, "town": "Rome"}\n');
    const { stdout, status } = command("inspect", "rows.jsonl");
    expect([status, stdout]).toEqual([0, expect.stringContaining("town")]);
  });

  test("a queue names the missing NATS packages", () => {
    const { stderr, status } = command("work", "nats://127.0.0.1:1");
    expect(status).toBe(2);
    expect(stderr).toContain("npm install @nats-io/transport-node @nats-io/jetstream @nats-io/obj");
    expect(stderr).not.toContain("    at ");
  });
});
