// Requirements on rates are counted: strict values at their levels by default, and infeasible ones reported as such.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TrainReport } from "@pliant/train";
import { describe, expect, test } from "vitest";
import { exportCommand } from "../src/training/export.js";
import { insistCommand } from "../src/training/insist.js";
import { predictCommand } from "../src/training/predict.js";
import { reportCommand } from "../src/training/report.js";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";
import { screening } from "./fixtures/screening.js";

async function trained(spec: string, ...args: string[]) {
  let code: unknown;
  const text = await printed(async () => {
    code = await trainCommand([
      spec,
      "--device",
      "cpu",
      "--out",
      join(dirname(spec), "run"),
      "--json",
      ...args,
    ]);
  });
  // A finished run is not overwritten: another has a folder of its own.
  const report = JSON.parse(text) as TrainReport & { run: string };
  return { code, run: report.run, report };
}
const textOf = (run: string): Promise<string> => printed(() => reportCommand([run]));

describe("a hard rate", () => {
  test("ends at its level as counted, not far below it, by default", async () => {
    const { report, code } = await trained(
      screening("missed: { metric: false-negative-rate, level: 0.1, hard: true }"),
      "--no-insist",
    );
    const { strict } = report.requirements.missed.train!;
    expect(report.certificate.holds).toBe(true);
    expect(code).toBe(0);
    // The last example that may be missed is.
    expect(strict.value * strict.examples).toBeCloseTo(Math.floor(0.1 * strict.examples), 4);
  }, 60_000);

  test("also for gaps between groups", async () => {
    const { report } = await trained(
      screening("called: { metric: positive-rate, by: group, gap: true, level: 0.02, hard: true }"),
      "--no-insist",
    );
    expect(report.certificate.holds).toBe(true);
    const gap = report.requirements["called [group=B]"];
    expect(0.02 - gap.train!.strict.value).toBeLessThanOrEqual(2 * gap.allowance);
    expect(gap.train!.strict.value).toBeLessThanOrEqual(0.02);
  }, 60_000);

  test("also for gaps of both error rates, by default: prices converge, and none ends above its level", async () => {
    const odds = ["false-negative-rate", "false-positive-rate"].map(
      (metric) => `${metric}: { metric: ${metric}, by: group, gap: true, level: 0.02, hard: true }`,
    );
    const { report } = await trained(screening(odds.join("\n")), "--no-insist");
    expect(report.certificate.holds).toBe(true);
    for (const r of Object.values(report.requirements))
      expect(r.train!.strict.value).toBeLessThanOrEqual(0.02);
    expect(Object.values(report.requirements).some(({ price }) => price > 0)).toBe(true);
  }, 60_000);

  test("costs nothing if it holds anyway", async () => {
    const { report } = await trained(screening("wrong: { metric: error, level: 0.3 }"), "--no-insist");
    expect(report.certificate.holds).toBe(true);
    expect(report.requirements.wrong).toMatchObject({ status: "met", price: 0, relaxation: 0 });
  }, 60_000);

  test("that is infeasible is called violated, first, with exit code 1, and the model still predicts", async () => {
    const { report, code, run } = await trained(
      screening(
        `missed: { metric: false-negative-rate, level: 0.02, hard: true }
alarms: { metric: false-positive-rate, level: 0.02, hard: true }`,
        "budget: { steps: 150 }\n",
      ),
    );
    expect(code).toBe(1);
    expect(report.certificate.holds).toBe(false);
    expect(Object.values(report.requirements).map(({ status }) => status)).toContain("violated");
    let again: unknown;
    const text = await printed(async () => {
      again = await reportCommand([run]);
    });
    expect(again).toBe(1);
    expect(text.split("\n")[0]).toMatch(
      /^Violated: "missed" and "alarms" conflict\. Each can be met alone, but not both together\. The best found together is "missed" 0\.\d+ \(must be at most 0\.020\) and "alarms"/,
    );
    expect(text).toMatch(/^missed +at most 0\.02, hard +0\.\d+ +violated +\?$/m);
    await expect(insistCommand([run, "missed"])).rejects.toThrow("is already hard in the run in");
    // The best model seen is kept, and predictions are made with it.
    const rows = JSON.parse(
      await printed(() => predictCommand([run, join(dirname(run), "people.csv"), "--json"])),
    ).rows;
    expect(rows).toHaveLength(600);
    if (report.keptStep !== undefined) expect(existsSync(join(run, "best.safetensors"))).toBe(true);
  }, 60_000);
});

describe("insisting", () => {
  const spec = screening(
    `missed: { metric: false-negative-rate, level: 0.05 }
alarms: { metric: false-positive-rate, level: 0.08 }`,
    "cost: quadratic(0.5)\n",
  );

  test("is measured after a certified run for all that gave way, and on request", async () => {
    const { report, run } = await trained(spec);
    expect(report.certificate.holds).toBe(true);
    const gave = Object.entries(report.requirements).filter(([, r]) => r.status === "gave way");
    expect(gave.length).toBeGreaterThan(0);
    for (const [name, { insisting, level }] of gave) {
      expect(insisting!.level).toBeCloseTo(level as number, 6);
      expect(insisting!.had).toBe(true);
      expect(await textOf(run)).toMatch(
        new RegExp(`^${name}: .* Insisting would (raise|lower) the loss by 0\\.\\d+`, "m"),
      );
    }
    const [name] = gave.sort(([, a], [, b]) => b.insisting!.costs - a.insisting!.costs)[0];
    const asked = JSON.parse(await printed(() => insistCommand([run, name, "--json"])));
    expect(asked).toMatchObject({ name, ...gave[0][1].insisting });
    // Of less, less.
    const half = (report.requirements[name].level as number) + report.requirements[name].relaxation / 2;
    const words = await printed(() => insistCommand([run, name, String(half)]));
    expect(words).toMatch(
      /^\w+: made hard \(at most 0\.\d+\), it reaches 0\.\d{3}; in the run it reached 0\.\d+\. Insisting would raise the loss by 0\.\d+/,
    );
    const cost = (text: string): number => Number(/loss by (0\.\d+)/.exec(text)![1]);
    expect(cost(words)).toBeLessThan(gave[0][1].insisting!.costs);
  }, 120_000);

  test("ends where a run with the hard requirement ends, up to the resolution of the count, and says so", async () => {
    const run = join(dirname(spec), "run");
    const before = JSON.parse(readFileSync(join(run, "report.json"), "utf8")) as TrainReport;
    const { costs, within = 0 } = before.requirements.missed.insisting!;
    const { report } = await trained(spec, "--no-insist", "--hard", "missed");
    expect(report.certificate.holds).toBe(true);
    expect(Math.abs(report.objective - before.objective - costs)).toBeLessThan(within + 0.02 * costs);
    expect(await printed(() => insistCommand([run, "missed"]))).toMatch(
      /\(± 0\.\d+.*\)\. Many models have the same count, .*\.\n?$/,
    );
  });

  test("is refused for unknown requirements", async () => {
    const run = join(dirname(spec), "run");
    await expect(insistCommand([run, "mised"])).rejects.toThrow(/did you mean "missed"\?/);
    await expect(insistCommand([run, "missed", "much"])).rejects.toThrow(/"much" is not a level of missed/);
    await expect(insistCommand([run])).rejects.toThrow(/name a run, a requirement/);
  });
});

describe("with validation rows", () => {
  const level = 0.15;
  const spec = screening(
    `missed: { metric: false-negative-rate, level: ${level}, hard: true }`,
    "model: { kind: mlp, hidden: [24] }\n",
    { rows: 700, noise: 10, data: "validation: 0.3" },
  );

  test("rates are counted and the decay is chosen on them, and the threshold ends at the level", async () => {
    const { report, run } = await trained(spec, "--no-insist");
    expect(report.judgedOn).toBe("validation");
    const { strict } = report.requirements.missed.validation!;
    expect(strict.value * strict.examples).toBeCloseTo(Math.floor(level * strict.examples), 4);
    expect(report.overfitted).toBeUndefined();
    expect(report.tried!.length).toBeGreaterThan(2);
    expect(report.without).toBe(report.tried!.find(({ decay }) => decay === report.decay)?.loss);
    expect(report.decay).toBeGreaterThan(0);
    const { capacity } = JSON.parse(readFileSync(join(run, "run.json"), "utf8"));
    expect(capacity).toEqual({ decay: report.decay, tried: report.tried });
    // Exports and predictions use the model with its moved threshold.
    const { rows } = JSON.parse(
      await printed(() => predictCommand([run, join(dirname(spec), "people.csv"), "--json"])),
    );
    const ill = readFileSync(join(dirname(spec), "people.csv"), "utf8")
      .trim()
      .split("\n")
      .slice(1);
    const missed = ill.filter((line, i) => line.endsWith("yes") && rows[i].class === "no").length;
    const counted = (["train", "validation", "test"] as const)
      .map((part) => report.requirements.missed[part]!.strict)
      .reduce((sum, { value, examples }) => sum + value * examples, 0);
    expect(missed).toBe(Math.round(counted));
    await printed(() => exportCommand([run, join(dirname(spec), "model.onnx")]));
  }, 240_000);

  test("an overfitted run with a fixed decay is not certified", async () => {
    const { report, run } = await trained(
      spec,
      "--no-insist",
      "--set",
      "objective.decay=0",
      "--set",
      "budget.steps=400",
    );
    expect(report.certificate.holds).toBe(false);
    expect((await textOf(run)).split("\n")[0]).toMatch(/overfit.*missed.*larger objective\.decay/);
  }, 120_000);
});
