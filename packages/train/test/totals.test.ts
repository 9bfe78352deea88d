// What an answer comes to by the spec's own loss and costs, beside a model of which nothing is asked.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { verdictOf } from "../src/report/report-text.js";
import { trainInFolder } from "../src/run/run.js";
import { readSpec } from "../src/spec/spec-file.js";

/** One feature, which two groups have more and less of: their rates come nearer only as the model forgets it. */
function rows(n = 600): string {
  const [x, e] = [1, 2].map((key) => random.normal(random.key(key), [n]).data);
  const lines = Array.from(x, (value, i) => {
    const at = value + (i % 2);
    return `${at.toFixed(4)},${i % 2 ? "f" : "m"},${2 * at - 1 + 1.7 * e[i] > 0 ? "yes" : "no"}`;
  });
  return ["x,sex,y", ...lines, ""].join("\n");
}

async function trained(cost: string, { more = "", insist = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pliant-totals-"));
  writeFileSync(join(folder, "rows.csv"), rows());
  const file = join(folder, "spec.yaml");
  writeFileSync(
    file,
    `name: totals
data: { file: rows.csv, target: y, positive: yes, columns: { sex: group } }
model: { kind: linear }
requirements:
  gap: { metric: positive-rate, by: sex, gap: true, level: 0.1 }
${more}
cost: ${cost}
seed: 1
`,
  );
  const { report } = await trainInFolder(readSpec(file), {
    name: "totals",
    out: join(folder, "run"),
    device: "cpu",
    insist,
    progress: { show: () => {}, end: () => {} },
  });
  return report;
}

/** h, as the spec has it, of how far the gap is beyond its level. */
const beyond = ({ requirements }: Awaited<ReturnType<typeof trained>>): number =>
  Math.max(0, Math.abs(requirements["gap [sex=f]"].train!.strict.value) - 0.1);

const worse = /By the spec's own loss and costs no requirement at all would be better \(0\.\d+ against 0\.\d+\)/;

describe("an answer that is dearer than asking nothing", () => {
  const loss = "  loss: { metric: loss, level: 2 }";
  test("says so beside the word certified, with both totals, and what is certified", async () => {
    const report = await trained("quadratic(1)", { more: loss });
    const plain = await trained("free", { more: loss });
    const { own, without, within } = report.totals!;
    expect(report.certificate.holds).toBe(true);
    expect(own).toBeCloseTo(report.train.loss.value + beyond(report) ** 2, 5);
    expect(without).toBeCloseTo(plain.train.loss.value + beyond(plain) ** 2, 4);
    expect(own).toBeGreaterThan(without + within);
    expect(verdictOf(report)).toMatch(worse);
    expect(verdictOf(report)).toContain("what is certified is an equilibrium of prices");
  });

  test("is told from one that is worth it", async () => {
    const report = await trained("quadratic(20)", { more: loss });
    const { own, without } = report.totals!;
    expect(without).toBeGreaterThan(own + 0.1);
    expect(verdictOf(report)).not.toContain("would be better");
  });
});

test("what is priced by its own loss needs no second total", async () => {
  const report = await trained("free", { more: "  loss: { metric: loss, level: 0.1, cost: quadratic(1) }" });
  expect(report.requirements.loss.status).toBe("gave way");
  expect(report).not.toHaveProperty("totals");
});

test("where it takes a second training it is measured with what insisting costs, and not unasked", async () => {
  const one = { more: "budget: { optimizer: adam }" };
  const report = await trained("quadratic(0.2)", { ...one, insist: true });
  expect(report.totals!.own).toBeGreaterThan(report.totals!.without + report.totals!.within);
  expect(verdictOf(report)).toMatch(worse);
  expect(await trained("quadratic(0.2)", one)).not.toHaveProperty("totals");
});
