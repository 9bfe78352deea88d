// The plan of all items, their small versions run for real, verdicts by rule, and the page.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "@pliant/engine/device";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { items as lab } from "../src/index.js";
import type { Claim, Comparison, Family, Item, PlannedRun } from "../src/items/item.js";
import { thinned } from "../src/items/record.js";
import { judgedClaims } from "../src/page/claims-page.js";
import { paperClaims } from "../src/paper/claims.js";
import { paperItems } from "../src/paper/labels.js";

const { items, judge, missingOf, pagesOf, planOf, record, statusOf, verdictOf, work } = lab;

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
    const pages = pagesOf([item], { runs: out, link: "runs", size: "small" });
    expect(pages[`items/${item.name}.md`]).toContain(`# ${item.name}`);
    for (const text of Object.values(pages)) expect(text).not.toMatch(/NaN|undefined|Infinity/);
  });

  it("is recorded small, and the page from the record is the page from the runs", () => {
    const into = join(out, "recorded");
    const plan = planOf(items.slice(0, 1), "small");
    expect(record(plan, out, into)).toBe(plan.length);
    const lines = readFileSync(join(into, plan[0].folder, "metrics-thinned.jsonl"), "utf8").trimEnd();
    expect(lines.split("\n").length).toBeGreaterThan(0);
    const pages = (runs: string) => pagesOf(items.slice(0, 1), { runs, link: "runs", size: "small" });
    expect(pages(into)).toEqual(pages(out));
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
    labels: [],
    summary: "nothing",
    recipe: "none",
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
    expect(status.waiting).toEqual([
      { name: "invariance accuracies, each method by its network", runs: ["bad"], secondsLeft: 30 },
    ]);
    // Runs took three times the estimate here.
    expect(status.items[0].secondsLeft).toBeCloseTo(30, 9);
    await work(plan, { backend, out: place, again: true });
    expect(trained).toHaveLength(5);
  });

  it("counts what is on record as well as what is done here", async () => {
    const [place, records] = [join(out, "here"), join(out, "records")];
    const plan = planOf(both, "paper");
    await work(plan.slice(0, 1), { backend, out: place });
    await work(plan.slice(2, 3), { backend, out: records });
    const done = (more: object) => statusOf(both, { out: place, size: "paper", device: "cpu", ...more }).done;
    expect([done({}), done({ records })]).toEqual([1, 2]);
    const names = missingOf(plan, { out: place, records }).map(({ name }) => name);
    expect(names).toEqual(["bad", "c"]);
    expect(
      statusOf(both, { out: place, records, size: "paper", device: "cpu" }).waiting.map((s) => s.runs),
    ).toEqual([["bad"], ["c"]]);
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
    ...{ label: "table:imp:fl", row: "a", column: "b", source: "table", runs: [] },
    quantity: "accuracy",
    of: "a run",
    ours,
    paper,
    resolution: 0.05,
    ...more,
  });
  const outcome = (...given: Parameters<typeof comparison>) => judge(comparison(...given)).outcome;

  it("is by Welch's interval where both sides repeat their runs", () => {
    // Deviations of 1: t of 4 degrees is 2.776, the half-width 2.776·√(2/3) = 2.267, and 0.05 of rounding.
    expect(outcome([9, 10, 11], 12.31, { paperDeviation: 1 })).toBe("within");
    expect(outcome([9, 10, 11], 12.32, { paperDeviation: 1 })).toBe("outside");
    // The paper's alone: 2 degrees, 4.303·√(1/3) = 2.484.
    expect(outcome([10, 10, 10], 12.53, { paperDeviation: 1 })).toBe("within");
    expect(outcome([10, 10, 10], 12.54, { paperDeviation: 1 })).toBe("outside");
  });

  it("is by the prediction interval where one side is one run", () => {
    // 4.303·√(4/3) = 4.968.
    expect(outcome([10], 15.01, { paperDeviation: 1 })).toBe("within");
    expect(outcome([10], 15.02, { paperDeviation: 1 })).toBe("outside");
    expect(outcome([9, 10, 11], 15.01)).toBe("within");
    expect(outcome([9, 10, 11], 15.02)).toBe("outside");
  });

  it("is unknown for one run beside one run, unless the paper's digits are the same", () => {
    expect(outcome([10], 10.05)).toBe("within");
    expect(outcome([10], 10.06)).toBe("unknown");
    // The spread of another quantity, or of another dataset, says nothing.
    expect(verdictOf({ comparisons: [comparison([9, 10, 11], 10), comparison([10], 11)], claims: [] })).toBe(
      "1 of 2 numbers within the interval, 1 of unknown spread",
    );
    expect(outcome([], 10, { paperDeviation: 1 })).toBe("not run");
  });

  it("counts numbers and claims", () => {
    const claim = (holds: boolean): Claim => ({ id: "range", holds, found: "1 of 1" });
    const comparisons = [comparison([9, 10, 11], 10), comparison([9, 10, 11], 20), comparison([], 1)];
    expect(verdictOf({ comparisons, claims: [claim(true), claim(false)] })).toBe(
      "1 of 3 numbers within the interval, 1 outside, 1 not run, 1 of 2 claims hold",
    );
    expect(verdictOf({ comparisons: [], claims: [] })).toBe("the paper has no number for these runs");
  });
});

describe("the pages in the repository", () => {
  const results = fileURLToPath(new URL("../results", import.meta.url));
  const theory = JSON.parse(readFileSync(join(results, "theory/report.json"), "utf8"));
  const pages = pagesOf(items, {
    ...{ runs: join(results, "runs"), link: "runs", size: "paper", others: "OTHER.md" },
    theory,
  });

  it("are those that the recorded runs make", () => {
    for (const [file, text] of Object.entries(pages))
      expect(readFileSync(join(results, file), "utf8"), file).toBe(text);
  });

  it("link only to files that are there, and to every report", () => {
    for (const [file, text] of Object.entries(pages)) {
      if (!file.endsWith(".md")) continue;
      for (const [, to] of text.matchAll(/\]\(([^)#][^)]*)\)/g))
        expect(existsSync(join(results, dirname(file), decodeURI(to))), `${file}: ${to}`).toBe(true);
    }
    const finished = planOf(items, "paper").filter(({ folder }) =>
      existsSync(join(results, "runs", folder, "report.json")),
    );
    const all = Object.values(pages).join("\n");
    expect(finished.filter(({ folder }) => !all.includes(encodeURI(folder)))).toEqual([]);
  });

  it("show every label and every claim of the paper, and each number of it beside ours or as not run", () => {
    for (const { label, title } of paperItems)
      expect(pages["README.md"]).toContain(`## ${title}\n\n\`${label}\`: [`);
    for (const { text } of paperClaims)
      expect(pages["claims.md"]).toContain(`| ${text.replaceAll("|", "\\|")} |`);
    const labels = new Set(paperItems.map(({ label }) => label));
    for (const item of items)
      for (const { label } of item.show([], item.runs("paper")).comparisons) expect(labels).toContain(label);
  });

  it("say of every claim that it holds, fails or is not checked, by all runs in the paper's settings", () => {
    const of = (...claims: [boolean, boolean][]) => {
      const section = ([holds, aside]: [boolean, boolean]) => ({
        item: { ...items[0], aside },
        ...{ needed: [], done: [], judged: [] },
        shown: {
          tables: [],
          figures: [],
          comparisons: [],
          claims: [{ id: "range", holds, found: "" }],
          reasons: [],
        },
      });
      return judgedClaims(claims.map(section), []).find(({ id }) => id === "range")!.verdict;
    };
    expect([of(), of([true, false]), of([true, false], [false, false])]).toEqual([
      "not checked",
      "holds",
      "fails",
    ]);
    expect([of([false, true]), of([true, false], [false, true])]).toEqual(["not checked", "holds"]);
  });
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
