// Scores and decisions apart, from a table to predictions: a rate is a threshold's work, and the loss does not pay for it.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import {
  evaluateRun,
  predictions,
  readSpec,
  reportText,
  type TrainReport,
  trainedModel,
  trainInFolder,
} from "@pliant/train";
import { beforeAll, describe, expect, it } from "vitest";
import type { HeldOutScores } from "../src/explain/held-out.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-decisions-"));

/** Rows of two groups: what is known of B tells less, and B is called less often. The kind is chance, or nearly the group. */
function table(rows: number, seed: number, kind: "chance" | "nearly the group" = "chance"): string {
  const z = random.normal(random.key(seed), [rows, 4]).data;
  const u = random.uniform(random.key(seed + 1), [rows, 2]).data;
  const lines = ["group,a,b,kind,sick"];
  for (let i = 0; i < rows; i++) {
    const b = u[2 * i] < 0.4;
    const risk = z[4 * i] - (b ? 0.5 : 0);
    const seen = [1, 2].map((k) => (risk + (b ? 1.2 : 0.6) * z[4 * i + k]).toFixed(3));
    const own = u[2 * i + 1] < 0.5 ? "x" : "y";
    const told = u[2 * i + 1] < 0.9 === b ? "x" : "y";
    const sick = risk + 0.5 * z[4 * i + 3] > 0.8 ? "yes" : "no";
    lines.push([b ? "B" : "A", ...seen, kind === "chance" ? own : told, sick].join(","));
  }
  return `${lines.join("\n")}\n`;
}

const head = (
  file: string,
): string => `data: { file: ${file}, target: sick, positive: yes, columns: { group: group } }
model: { kind: linear }
`;

async function trained(
  name: string,
  rest: string,
  file = "rows.csv",
): Promise<{ report: TrainReport; run: string }> {
  const spec = join(folder, `${name}.yaml`);
  writeFileSync(spec, `${head(file)}${rest}`);
  const out = join(folder, name);
  const { report } = await trainInFolder(readSpec(spec), {
    name,
    out,
    device: "cpu",
    insist: true,
    progress: { show: () => {}, end: () => {} },
  });
  return { report, run: out };
}

const rows = 1200;
beforeAll(() => {
  writeFileSync(join(folder, "rows.csv"), table(rows, 3));
  writeFileSync(join(folder, "many.csv"), table(3000, 3, "nearly the group"));
  writeFileSync(join(folder, "new.csv"), table(800, 9));
});

describe("one rate", () => {
  it("is met by a threshold on held-out rows, at the loss of a model without requirements", async () => {
    const { report, run } = await trained(
      "misses",
      "requirements: { misses: { metric: false-negative-rate, level: 0.15, hard: true } }\n",
    );
    const { report: free } = await trained("nothing", "requirements: {}\n");
    expect(report.decision).toMatchObject({ rows: "folds", pressed: false, tried: false, in: "errors" });
    const { misses } = report.requirements;
    expect(misses.reached).toBeLessThanOrEqual(0.15);
    expect(misses.reached).toBeGreaterThan(0.14);
    expect(misses.status).toBe("at its level");
    expect(report.test.loss.value).toBeCloseTo(free.test.loss.value, 6);
    expect(reportText(report)).toMatch(/A threshold of 0\.\d+ meets it; the scores did not have to change\./);
    expect(reportText(free)).toContain("No requirements: this is the baseline");
    // Importance and effects are kept for all rows and for each group.
    const kept = JSON.parse(readFileSync(join(run, "held-out.json"), "utf8")) as HeldOutScores;
    expect(Object.keys(kept.byGroup)).toEqual(["group"]);
    expect(Object.keys(kept.byGroup.group)).toEqual(kept.values.group);
    for (const [place, value] of kept.values.group.entries()) {
      const own = kept.byGroup.group[value];
      expect(own.rows).toBe(kept.groups.group.filter((g) => g === place).length);
      const names = (list: readonly { feature: string }[]) => list.map(({ feature }) => feature);
      expect(names(own.importance).sort()).toEqual(names(kept.importance).sort());
      expect(names(own.effects)).toEqual(names(kept.effects));
    }
    // Predictions are these decisions: counted again on new rows, they are what evaluate says.
    const found = await predictions(trainedModel(run), join(folder, "new.csv"));
    const truth = readFileSync(join(folder, "new.csv"), "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")[4]);
    const sick = found.filter((_, i) => truth[i] === "yes") as { class: string }[];
    const counted = sick.filter((one) => one.class === "no").length / sick.length;
    const judged = await evaluateRun(run, join(folder, "new.csv"));
    expect(judged.requirements.misses.outcome!.strict.value).toBeCloseTo(counted, 6);
    // The class changes at the threshold's probability, not at 0.5.
    const at = report.decision!.probability as number;
    expect(at).toBeLessThan(0.45);
    for (const one of found as { class: string; probabilities: Record<string, number>; score: number }[]) {
      if (Math.abs(one.probabilities.yes - at) > 1e-4)
        expect(one.class === "yes").toBe(one.probabilities.yes > at);
      expect(1 / (1 + Math.exp(-one.score))).toBeCloseTo(one.probabilities.yes, 4);
    }
  });

  it("costs errors and other rates, and no loss: a neighbouring run agrees with what is printed", async () => {
    const at = async (level: number) =>
      (
        await trained(
          `at ${level}`,
          `requirements: { misses: { metric: false-negative-rate, level: ${level}, hard: true } }\n`,
        )
      ).report;
    const [own, tighter] = [await at(0.15), await at(0.14)];
    const { neighbours } = own.requirements.misses;
    expect(neighbours!.unit.size).toBeCloseTo(0.01 * Math.round(neighbours!.unit.size * 100), 9);
    const again =
      neighbours!.unit.size === 0.01 ? tighter : await at(Number((0.15 - neighbours!.unit.size).toFixed(2)));
    expect(again.decision!.cost - own.decision!.cost).toBeCloseTo(neighbours!.tighter!, 9);
    expect(again.decision!.loss).toBeCloseTo(own.decision!.loss, 6);
  });
});

const parity =
  "requirements: { parity: { metric: demographic-parity, by: group, level: 0.03, hard: true } }\n";

it("scores stay free where pressing them gains no more than chance on the rows that chose", async () => {
  const { decision } = (await trained("small gap", parity)).report;
  expect(decision).toMatchObject({ tried: true, pressed: false });
  expect(decision!.cost).toBe(decision!.free.cost);
  expect(decision!.loss).toBe(decision!.free.loss);
});

it("a gap that no threshold closes for little is closed by pressed scores, whose probabilities stay probabilities", async () => {
  const { report } = await trained("gap", parity, "many.csv");
  const { decision } = report;
  expect(decision).toMatchObject({ rows: "folds", tried: true, pressed: true, in: "balanced errors" });
  expect(decision!.cost + 0.005).toBeLessThan(decision!.free.cost);
  for (const r of Object.values(report.requirements)) expect(r.status).not.toBe("violated");
  expect(decision!.calibration!.after.error).toBeLessThanOrEqual(decision!.calibration!.before.error + 0.01);
  expect(decision!.loss).toBeLessThan(decision!.free.loss + 0.05);
  expect(reportText(report)).toMatch(
    /^Counted, not certified\. On .*, .* The scores are not certified: retraining kept/,
  );
});

it("thresholds by group are part of the model, and predictions need the column", async () => {
  const { report, run } = await trained(
    "groups",
    "requirements: { odds: { metric: false-negative-rate, by: group, level: 0.2, hard: true } }\ndecision: { threshold: by group }\n",
  );
  const { by, probability } = report.decision!;
  expect(Object.keys(by!.thresholds).sort()).toEqual(["A", "B"]);
  expect((probability as Record<string, number>).B).toBeLessThan((probability as Record<string, number>).A);
  const found = (await predictions(trainedModel(run), join(folder, "new.csv"))) as {
    class: string;
    probabilities: Record<string, number>;
  }[];
  const groups = readFileSync(join(folder, "new.csv"), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line[0]);
  for (const [i, one] of found.entries()) {
    const at = (probability as Record<string, number>)[groups[i]];
    if (Math.abs(one.probabilities.yes - at) > 1e-4)
      expect(one.class === "yes").toBe(one.probabilities.yes > at);
  }
});
