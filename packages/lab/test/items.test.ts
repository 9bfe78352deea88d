// The plan of all items, their small versions run for real, verdicts by rule, and the page.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "@pliant/engine/device";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { items as lab } from "../src/index.js";
import type { Claim, Comparison, Family, Item, PlannedRun } from "../src/items/item.js";
import { thinned } from "../src/items/record.js";

const { items, judge, pageOf, planOf, record, statusOf, verdictOf, work } = lab;

let out: string;
let backend: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), "pliant-items-"));
  backend = await open("cpu");
});
afterAll(async () => {
  await backend.close();
  rmSync(out, { recursive: true });
});

describe("the plan", () => {
  it("has every run once, shared between items, the most useful first", () => {
    const plan = planOf(items, "paper");
    expect(new Set(plan.map(({ folder }) => folder)).size).toBe(plan.length);
    const asked = items.flatMap((item) => item.runs("paper"));
    for (const family of ["federated", "invariance"]) {
      const of = (runs: readonly PlannedRun[]) => runs.filter((run) => run.family.name === family).length;
      expect(of(asked)).toBeGreaterThan(of(plan));
    }
    const stages = plan.map(({ stage }) => stage);
    expect(stages).toEqual(stages.toSorted((a, b) => a - b));
    const federated = plan.filter(({ family }) => family.name === "federated");
    expect(federated[0].folder).toMatch(
      /^fashion-mnist-resilient-convnet-official.*rounds-500-kept-0\.1.*seed-0$/,
    );
    expect(federated[1].folder).toMatch(
      /^fashion-mnist-constrained-convnet-official.*rounds-500-kept-0\.1.*seed-0$/,
    );
  });

  it("has CIFAR-10 and the other costs of federations in bf16, by folder and name; the small version in none but the device's own", () => {
    const plan = planOf(items, "paper").filter(({ family }) => family.name === "federated");
    const narrow = plan.filter(({ folder }) => folder.includes("precision-bf16"));
    const wanted = plan.filter(({ name }) => /^cifar-10|, (linear|power4|maximum),/.test(name));
    expect(narrow.map(({ name }) => name)).toEqual(wanted.map(({ name }) => name));
    expect(narrow.length).toBeGreaterThan(0);
    expect(narrow.length).toBeLessThan(plan.length);
    expect(narrow.every(({ name }) => name.includes(", bf16,"))).toBe(true);
    expect(planOf(items, "small").filter(({ folder }) => folder.includes("bf16"))).toEqual([]);
  });

  it("refuses what needs a GPU where there is none, in a sentence", async () => {
    const run = planOf(items, "paper").find(({ folder }) => folder.includes("precision-bf16"))!;
    await expect(run.family.train([run], { backend, out, resume: true, again: false })).rejects.toThrow(
      "This run is to be computed in bf16, on a GPU; this device computes in float32.",
    );
    expect(existsSync(join(out, run.folder))).toBe(false);
  });

  it("has names of their own for the items", () => {
    expect(new Set(items.map(({ name }) => name)).size).toBe(items.length);
  });
});

describe("a small version of every item", { timeout: 600_000 }, () => {
  it.each(items.map((item) => [item.name, item] as const))("%s runs, and is shown", async (_, item) => {
    const plan = planOf([item], "small");
    const { failed, stopped } = await work(plan, { backend, out });
    expect([failed, stopped]).toEqual([[], false]);
    const { items: statuses, done, next } = statusOf([item], { out, size: "small", device: "cpu" });
    expect(statuses[0]).toMatchObject({ name: item.name, runs: plan.length, done: plan.length, failed: 0 });
    expect(statuses[0].seconds).toBeGreaterThan(0);
    expect([done, next]).toEqual([plan.length, undefined]);
    const { text, figures } = pageOf([item], { runs: out, link: "runs", size: "small" });
    expect(text).toContain(`## ${item.name}`);
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
    for (const svg of Object.values(figures)) expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("is recorded small, and the page from the record is the page from the runs", () => {
    const into = join(out, "recorded");
    const plan = planOf(items.slice(0, 1), "small");
    expect(record(plan, out, into)).toBe(plan.length);
    const lines = readFileSync(join(into, plan[0].folder, "metrics-thinned.jsonl"), "utf8").trimEnd();
    expect(lines.split("\n").length).toBeGreaterThan(0);
    const page = (runs: string) => pageOf(items.slice(0, 1), { runs, link: "runs", size: "small" }).text;
    expect(page(into)).toBe(page(out));
  });
});

describe("working", () => {
  /** A run that takes no time, or fails. */
  const trained: string[] = [];
  const family: Family = {
    name: "pretended",
    together: "one",
    secondsOf: (report) => (report as { seconds?: number } | undefined)?.seconds,
    train: async (runs, { out: place }) => {
      const { PliantError } = await import("@pliant/core");
      const { mkdirSync } = await import("node:fs");
      for (const { folder } of runs) {
        trained.push(folder);
        if (folder.endsWith("bad")) throw new PliantError("the loss was not a number.");
        mkdirSync(join(place, folder), { recursive: true });
        writeFileSync(join(place, folder, "run.json"), JSON.stringify({ device: "cpu" }));
        writeFileSync(join(place, folder, "report.json"), JSON.stringify({ seconds: 30 }));
      }
    },
  };
  const run = (name: string, stage: number): PlannedRun => ({
    folder: `pretended-${name}`,
    name,
    stage,
    family,
    seconds: () => 10,
  });
  const item = (name: string, ...runs: PlannedRun[]): Item => ({
    name,
    place: "nowhere",
    summary: "nothing",
    command: `pliant reproduce all --item ${name}`,
    runs: () => runs,
    show: () => ({ tables: [], figures: [], comparisons: [], claims: [], reasons: [] }),
  });
  const both = [item("one", run("a", 2), run("bad", 1)), item("two", run("a", 1), run("b", 3), run("c", 3))];

  it("does shared runs once, goes on after one that fails, and does neither again", async () => {
    const place = join(out, "pretended");
    const plan = planOf(both, "paper");
    expect(plan.map(({ name }) => name)).toEqual(["a", "bad", "b", "c"]);
    const worked = await work(plan, { backend, out: place });
    expect(worked.failed.map(({ name }) => name)).toEqual(["bad"]);
    expect(trained).toEqual(["pretended-a", "pretended-bad", "pretended-b", "pretended-c"]);
    await work(plan, { backend, out: place });
    expect(trained).toHaveLength(4);
    const status = statusOf(both, { out: place, size: "paper", device: "cpu" });
    expect(status.items.map(({ runs, done, failed, seconds }) => [runs, done, failed, seconds])).toEqual([
      [2, 1, 1, 30],
      [3, 3, 0, 90],
    ]);
    // Runs took three times the estimate here.
    expect(status.items[0].secondsLeft).toBeCloseTo(30, 9);
    await work(plan, { backend, out: place, again: true });
    expect(trained).toHaveLength(5);
  });

  it("begins nothing once its time is over", async () => {
    const place = join(out, "late");
    const worked = await work(planOf(both, "paper"), { backend, out: place, until: Date.now() - 1 });
    expect(worked).toEqual({ done: [], failed: [], stopped: true });
    expect(existsSync(place)).toBe(false);
  });
});

describe("a verdict", () => {
  const comparison = (ours: number[], paper: number, more: Partial<Comparison> = {}): Comparison => ({
    quantity: "accuracy",
    of: "a run",
    ours,
    paper,
    resolution: 0.05,
    ...more,
  });
  const withins = (...comparisons: Comparison[]) => judge(comparisons).map(({ within }) => within);

  it("is within spread up to two standard deviations of both sides", () => {
    // Deviation 1.
    expect(withins(comparison([9, 10, 11], 12))).toEqual([true]);
    expect(withins(comparison([9, 10, 11], 12.1))).toEqual([false]);
    expect(withins(comparison([9, 10, 11], 12.1, { paperDeviation: 0.5 }))).toEqual([true]);
  });

  it("of fewer than three seeds takes the spread of its quantity elsewhere, or is open", () => {
    const several = comparison([9, 10, 11], 10);
    expect(withins(several, comparison([10], 11.9), comparison([10], 12.1))).toEqual([true, true, false]);
    expect(withins(comparison([10], 10.04), comparison([10], 10.1))).toEqual([true, undefined]);
    // Two that agree by chance say nothing of how much varies.
    expect(withins(comparison([10, 10], 10.1))).toEqual([undefined]);
    expect(withins(several, comparison([10, 10], 11.9), comparison([10, 10], 12.1))).toEqual([
      true,
      true,
      false,
    ]);
    expect(withins(several, comparison([10], 11, { quantity: "another" }))).toEqual([true, undefined]);
  });

  it("counts, and names the known differences where some are beyond", () => {
    const reasons = ["500 rounds for 5000"];
    const close = comparison([9, 10, 11], 10);
    const said = (comparisons: Comparison[], claims: Claim[] = [], why = reasons) =>
      verdictOf({ comparisons, claims, reasons: why });
    expect(said([close])).toBe("1 of 1 numbers within spread");
    expect(said([close, comparison([9, 10, 11], 20)])).toBe(
      "1 of 2 numbers within spread, 1 beyond it; known differences: 500 rounds for 5000",
    );
    expect(said([comparison([1], 2)], [], [])).toBe(
      "0 of 1 numbers within spread, 1 of fewer than three seeds, whose spread is not known",
    );
    expect(said([])).toBe("the paper has no number for these runs");
    const claim = (holds: boolean): Claim => ({ text: "it is so", holds, found: "1 of 1" });
    expect(said([close], [claim(true)])).toBe("1 of 1 numbers within spread, 1 of 1 claims hold");
    expect(said([], [claim(true), claim(false)])).toBe(
      "1 of 2 claims hold; known differences: 500 rounds for 5000",
    );
  });
});

it("the page in the repository is the one that its recorded runs make", () => {
  const results = fileURLToPath(new URL("../results", import.meta.url));
  const page = pageOf(items, {
    runs: join(results, "runs"),
    link: "runs",
    size: "paper",
    others: "OTHER.md",
  });
  expect(readFileSync(join(results, "README.md"), "utf8")).toBe(page.text);
  for (const [file, svg] of Object.entries(page.figures))
    expect(readFileSync(join(results, file), "utf8")).toBe(svg);
});

it("a thinned course keeps its last line, and at most twenty", () => {
  const course = Array.from({ length: 101 }, (_, step) => JSON.stringify({ step, loss: 1 / 3 })).join("\n");
  const kept = thinned(`${course}\n`)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(kept.length).toBeLessThanOrEqual(20);
  expect(kept.length).toBeGreaterThan(15);
  expect(kept.at(-1)).toEqual({ step: 100, loss: 0.333333 });
});

it("no two runs of the plan go by one name", () => {
  for (const size of ["paper", "small"] as const) {
    const names = planOf(items, size).map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  }
});
