// pliant federate simulate: a federation from a file of TypeScript, in a run folder.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { afterAll, describe, expect, test } from "vitest";
import { goingOn, simulateCommand, tableOf } from "../src/federate-simulate.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-simulate-"));
afterAll(() => rmSync(folder, { recursive: true }));
const bin = new URL("../bin/pliant.js", import.meta.url).pathname;
const file = new URL("./fixtures/federation.ts", import.meta.url).pathname;
const pliant = (...args: string[]) =>
  spawnSync(process.execPath, [bin, "federate", "simulate", ...args, "--device", "reference"], {
    encoding: "utf8",
  });
const lines = (out: string) =>
  readFileSync(join(out, "metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("the README shows the file that this test runs", () => {
  const readme = readFileSync(new URL("../../federated/README.md", import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`typescript\n${readFileSync(file, "utf8")}\`\`\``);
});

test("the client that contradicts the others gives way, in the report and the run folder", () => {
  const out = join(folder, "run");
  const { status, stdout, stderr } = pliant(file, "--out", out, "--json");
  expect(stderr).toContain("round 8/8");
  expect(status).toBe(0);
  const report = JSON.parse(stdout);
  expect(report).toEqual(JSON.parse(readFileSync(join(out, "report.json"), "utf8")));
  const { clients } = report;
  expect(clients).toHaveLength(6);
  for (const { relaxation } of clients.slice(0, 5))
    expect(relaxation).toBeLessThan(clients[5].relaxation / 2);
  // After steps of its own the model is its own.
  expect(clients[5].ownTrainLoss).toBeLessThan(clients[5].trainLoss - 0.1);
  const [run, metrics] = [JSON.parse(readFileSync(join(out, "run.json"), "utf8")), lines(out)];
  expect(run).toMatchObject({
    command: "federate simulate",
    name: "resilient",
    seed: 0,
    settings: { rounds: 8 },
  });
  expect(metrics.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(metrics.at(-1).clients.price).toEqual(clients.map(({ price }: { price: number }) => price));

  // A run that was stopped before its report is taken up where it was.
  rmSync(join(out, "report.json"));
  const resumed = JSON.parse(pliant(file, "--out", out, "--resume", "--json").stdout);
  expect(resumed).toEqual({ ...report, bytes: { down: 0, up: 0 } });

  const again = pliant(file, "--out", out, "--resume");
  expect([again.status, again.stderr]).toEqual([
    2,
    `pliant federate: the run in ${out} is finished; start another without --resume.\n`,
  ]);
  const other = pliant(file, "--out", join(folder, "other"), "--seed", "1", "--rounds", "2");
  expect(other.stdout).toContain("2 rounds, mean training loss");
});

test("columns cover all clients, even if the first has no test rows", () => {
  const clients: Record<string, number>[] = [{ samples: 3 }, { samples: 4, testLoss: 0.5 }];
  const text = tableOf({ kind: "federated", rounds: 1, objective: 1, bytes: { down: 0, up: 0 }, clients });
  expect(
    text
      .split("\n")
      .slice(0, 3)
      .map((line) => line.trim().split(/ +/)),
  ).toEqual([
    ["client", "samples", "testLoss"],
    ["0", "3"],
    ["1", "4", "0.5000"],
  ]);
});

test("a stopped run resumes with its own settings", () => {
  const asked = { out: "runs/a", device: "auto" };
  expect(goingOn("f.ts", asked)).toBe("pliant federate simulate f.ts --resume --out runs/a");
  expect(goingOn("my f.ts", { ...asked, out: "my runs/a" })).toBe(
    'pliant federate simulate "my f.ts" --resume --out "my runs/a"',
  );
  expect(goingOn("f.ts", { ...asked, rounds: "5", seed: "3", device: "cpu" })).toBe(
    "pliant federate simulate f.ts --resume --out runs/a --rounds 5 --seed 3 --device cpu",
  );
});

describe("mistakes are reported in one sentence", () => {
  const attempt = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return simulateCommand([path, "--out", join(folder, "bad")]);
  };
  test.each([
    ["none.mjs", "export const a = 1;", "must be the options of simulate in pliant/federated"],
    [
      "wrong.mjs",
      "export default { modle: 1 };",
      '"modle" is not an option of simulate (/wrong.mjs); did you mean "model"?',
    ],
    ["short.mjs", "export default { model: 1, data: 1 };", "has no local"],
    ["endless.mjs", "export default { model: 1, data: 1, local: 1 };", "sets no rounds; add --rounds N."],
    ["broken.mjs", "export default {", "cannot be used"],
  ])("%s", async (name, text, sentence) => {
    const reason = (await attempt(name, text).catch((error: unknown) => error)) as Error;
    expect(reason).toBeInstanceOf(InputError);
    expect(reason.message.replaceAll(folder, "")).toContain(sentence);
  });

  test("no file", async () => {
    await expect(simulateCommand([join(folder, "gone.ts")])).rejects.toThrow("there is no file");
    await expect(simulateCommand([])).rejects.toThrow("name one file");
  });
});
