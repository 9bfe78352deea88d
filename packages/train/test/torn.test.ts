// Damaged files of a run: reading one gives a sentence, and nothing continues from half a file.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PliantError } from "@pliant/core";
import { random } from "@pliant/engine";
import {
  evaluateRun,
  finishedRun,
  insistOn,
  predictions,
  type RunOptions,
  readSpec,
  trainedModel,
  trainInFolder,
  writeWhole,
} from "@pliant/train";
import { beforeAll, expect, it } from "vitest";
import { attemptsIn } from "../src/run/attempt-store.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-torn-"));
const [rows, run] = [join(folder, "rows.csv"), join(folder, "run")];

const options = (out: string, more: Partial<RunOptions> = {}): RunOptions => ({
  name: "torn",
  out,
  device: "cpu",
  insist: false,
  progress: { show: () => {}, end: () => {} },
  ...more,
});

beforeAll(async () => {
  const z = random.normal(random.key(3), [200, 2]).data;
  const lines = Array.from(
    { length: 200 },
    (_, i) => `${z[2 * i].toFixed(3)},${z[2 * i] + z[2 * i + 1] > 0.4 ? "yes" : "no"}`,
  );
  writeFileSync(rows, `a,y\n${lines.join("\n")}\n`);
  writeFileSync(
    join(folder, "spec.yaml"),
    "data: { file: rows.csv, target: y, positive: yes }\nmodel: { kind: linear }\nrequirements: { missed: { metric: false-negative-rate, level: 0.2, hard: true } }\n",
  );
  await trainInFolder(readSpec(join(folder, "spec.yaml")), options(run));
});

/** The commands that read a finished run. */
const uses: Record<string, (run: string) => unknown> = {
  report: (at) => finishedRun(at),
  predict: (at) => predictions(trainedModel(at), rows),
  evaluate: (at) => evaluateRun(at, rows),
  insist: (at) => insistOn(at, "missed"),
  resume: (at) => trainInFolder(readSpec(join(at, "spec.yaml")), options(at, { resume: true })),
};

const files = [
  "run.json",
  "report.json",
  "decision.json",
  "held-out.json",
  "checkpoint.safetensors",
  "spec.yaml",
];

it.each(files)("%s, cut in half, is answered by a sentence or not needed", async (file) => {
  expect(readdirSync(run)).toContain(file);
  const torn = join(folder, `torn-${file}`);
  cpSync(run, torn, { recursive: true });
  const bytes = readFileSync(join(run, file));
  writeFileSync(join(torn, file), bytes.subarray(0, Math.floor(bytes.length / 2)));
  let refused = 0;
  for (const use of Object.values(uses)) {
    const reason = await Promise.resolve()
      .then(() => use(torn))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    if (reason === undefined) continue;
    refused++;
    // A sentence for a person, not the parser's own words.
    expect(reason).toBeInstanceOf(PliantError);
    expect((reason as Error).message).toContain(torn);
  }
  expect(refused).toBeGreaterThan(0);
});

it("a try that was set aside and torn is named", () => {
  const at = join(folder, "tries-torn");
  writeWhole(join(at, "tries", "0.01", "try.json"), "{");
  expect(() => attemptsIn(at)).toThrow(/try\.json is damaged/);
});

it("a file is replaced atomically: new content is written beside it first", () => {
  const file = join(folder, "whole.json");
  writeWhole(file, "old");
  expect(() => writeWhole(file, { length: 3 } as never)).toThrow();
  expect(readFileSync(file, "utf8")).toBe("old");
});

it("files of runs are written by one helper, which replaces them whole", () => {
  const packages = new URL("../../", import.meta.url);
  const sources = ["train/src", "learn/src", "queue/src", "cli/src/queue"].flatMap((folder) =>
    (readdirSync(new URL(folder, packages), { recursive: true }) as string[])
      .filter((file) => file.endsWith(".ts"))
      .map((file) => `${folder}/${file}`),
  );
  expect(sources.length).toBeGreaterThan(150);
  const byHand = /\b(writeFileSync|writeFile|renameSync|copyFileSync|createWriteStream)\b/;
  expect(sources.filter((file) => byHand.test(readFileSync(new URL(file, packages), "utf8")))).toEqual([]);
});

it("rows.csv, not there yet when its run was killed, is there when it is resumed", async () => {
  const early = join(folder, "early");
  cpSync(run, early, { recursive: true });
  for (const late of ["rows.csv", "report.json"]) rmSync(join(early, late));
  await trainInFolder(readSpec(join(early, "spec.yaml")), options(early, { resume: true }));
  expect(readFileSync(join(early, "rows.csv"), "utf8")).toBe(readFileSync(join(run, "rows.csv"), "utf8"));
});
