// Loss plus costs of a solution, by the spec, beside a model without requirements.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { insistOn } from "../src/run/insist.js";
import { trainInFolder } from "../src/run/run.js";
import { readSpec } from "../src/spec/spec-file.js";
import { reportText, verdictOf } from "../src/text/report-text.js";

/** One feature, which two groups have more and less of: their rates come nearer only as the model forgets it. */
function rows(n: number): string {
  const [x, e] = [1, 2].map((key) => random.normal(random.key(key), [n]).data);
  const lines = Array.from(x, (value, i) => {
    const at = value + (i % 2);
    return `${at.toFixed(4)},${i % 2 ? "f" : "m"},${2 * at - 1 + 1.7 * e[i] > 0 ? "yes" : "no"}`;
  });
  return ["x,sex,y", ...lines, ""].join("\n");
}

async function trained(cost: string, { more = "", insist = false, folder = newFolder(), n = 600 } = {}) {
  writeFileSync(join(folder, "rows.csv"), rows(n));
  const file = join(folder, "spec.yaml");
  writeFileSync(
    file,
    `name: totals
data: { file: rows.csv, target: y, positive: yes, columns: { sex: group } }
model: { kind: linear }
decision: { threshold: 0.5 }
requirements:
  gap: { metric: positive-rate, by: sex, gap: true, level: 0.1 }
${more}
cost: ${cost}
seed: 1
`,
  );
  return (await trainedOf(file, { insist })).report;
}

const trainedOf = (file: string, more: { insist?: boolean; resume?: boolean }) =>
  trainInFolder(readSpec(file), {
    name: "totals",
    out: file.replace("spec.yaml", "run"),
    device: "cpu",
    progress: { show: () => {}, end: () => {} },
    ...more,
  });

const newFolder = (): string => mkdtempSync(join(tmpdir(), "pliant-totals-"));

/** h, as the spec has it, of how far the gap is beyond its level. */
const beyond = ({ requirements }: Awaited<ReturnType<typeof trained>>): number =>
  Math.max(0, Math.abs(requirements["gap [sex=f]"].train!.strict.value) - 0.1);

const worse = /By the spec's own loss and costs, .*no requirements would be better \(0\.\d+ against 0\.\d+\)/;

describe("an answer that is dearer than asking nothing", () => {
  const loss = "  loss: { metric: loss, level: 2 }";
  test("says so beside the word certified, with both totals, and what is certified", async () => {
    const report = await trained("quadratic(20)", { more: loss });
    const dearer = { ...report, totals: { own: 0.52, without: 0.51, within: 0.005 } };
    expect(verdictOf(dearer)).toMatch(worse);
    expect(verdictOf(dearer)).toMatch(/The certificate is about an equilibrium/);
  });

  test("weighs less of all that may give way, where something is priced by its own loss", async () => {
    const report = await trained("quadratic(1)", { more: loss });
    const plain = await trained("free", { more: loss });
    const { own, without, whole, within } = report.totals!;
    expect(report.certificate.holds).toBe(true);
    expect(own).toBeCloseTo(report.train.loss.value + beyond(report) ** 2, 5);
    expect(without).toBeCloseTo(plain.train.loss.value + beyond(plain) ** 2, 4);
    expect(whole).toBeGreaterThan(without + within);
    expect(own).toBeLessThan(without + within);
    expect(verdictOf(report)).not.toContain("would be better");
    expect(reportText(report)).toContain(`requirements that may give way have ${report.share} of the weight`);
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
  const { own, without, whole, within } = report.totals!;
  expect(whole).toBeGreaterThan(without + within);
  expect(own).toBeLessThanOrEqual(without);
  expect(report.share).toBeLessThan(1);
  expect(report.certificate.holds).toBe(true);
  expect(await trained("quadratic(0.2)", one)).not.toHaveProperty("totals");
});

describe("counts alone", () => {
  const folder = newFolder();
  const asked = trained("quadratic(1)", { folder });

  /** The least of loss and cost over all models of one weight and a bias, on the training rows. */
  function leastOfAll(): number {
    const cells = (file: string) => readFileSync(join(folder, file), "utf8").trim().split("\n").slice(1);
    const table = cells("rows.csv").map((line) => line.split(","));
    const learnt = cells("run/rows.csv").map((line) => line.split(","));
    const train = learnt.filter((line) => line.includes("train")).map(([, line]) => table[Number(line) - 2]);
    const f = train.filter(([, sex]) => sex === "f").length;
    let least = Number.POSITIVE_INFINITY;
    for (let w = 0; w <= 2.5; w += 0.05)
      for (let b = -2; b <= 2; b += 0.05) {
        let [loss, gap] = [0, 0];
        for (const [x, sex, y] of train) {
          const z = w * Number(x) + b;
          loss += Math.log1p(Math.exp(y === "yes" ? -z : z)) / train.length;
          if (z > 0) gap += sex === "f" ? 1 / f : -1 / (train.length - f);
        }
        least = Math.min(least, loss + Math.max(0, Math.abs(gap) - 0.1) ** 2);
      }
    return least;
  }

  test("weigh as much as comes to least, which is near the least of all models", async () => {
    const report = await asked;
    const { own, without, whole, within } = report.totals!;
    expect(report.certificate.holds).toBe(true);
    expect(report.share).toBeLessThan(1);
    expect(own).toBeCloseTo(report.train.loss.value + beyond(report) ** 2, 5);
    expect(own).toBeLessThanOrEqual(without);
    expect(whole).toBeGreaterThan(own + within);
    expect(whole).toBeGreaterThan(leastOfAll() + 0.05);
    expect(own).toBeLessThan(leastOfAll() + 0.005);
    const { relaxation, allowance, status } = report.requirements["gap [sex=f]"];
    expect(status).toBe("gave way");
    expect(Math.abs(relaxation - beyond(report))).toBeLessThan(allowance);
    expect(verdictOf(report)).not.toContain("would be better");
    expect(reportText(report)).toMatch(
      new RegExp(
        `the lowest of those tried: surrogates of counts have ${report.share} of the weight .*\\(0\\.\\d+ at the full weight`,
      ),
    );
  });

  test("weigh nothing where giving way is cheaper than any of it", async () => {
    const [report, plain] = [await trained("quadratic(0.2)"), await trained("free")];
    expect(report.share).toBe(0);
    expect(report.train.loss.value).toBeCloseTo(plain.train.loss.value, 5);
    expect(reportText(report)).toContain("to ask for more, raise the cost or use hard");
  });

  test("are insisted on from the model that is reported, and a resumed run ends at it again", async () => {
    const report = await asked;
    const { insisting } = await insistOn(join(folder, "run"), "gap [sex=f]");
    const { steps, objective, requirements, totals, share } = (
      await trainedOf(join(folder, "spec.yaml"), { resume: true })
    ).report;
    expect(insisting.had).toBe(true);
    // The loss of a model that forgets the feature, and that of the reported one.
    expect(insisting.costs).toBeGreaterThan(0.1);
    expect(insisting.costs + report.objective).toBeLessThan(0.7);
    expect({ steps, objective, requirements, totals, share }).toEqual({
      steps: report.steps,
      objective: report.objective,
      requirements: report.requirements,
      totals: report.totals,
      share: report.share,
    });
  });

  test("are insisted on from where they weigh all, which is nearer", async () => {
    const report = await trained("linear(0.5)", { insist: true, n: 3000 });
    const { insisting } = report.requirements["gap [sex=f]"];
    expect(report.share).toBeLessThan(0.5);
    expect(insisting).toMatchObject({ had: true, missed: 0 });
    expect(insisting!.costs).toBeGreaterThan(0.1);
  });

  test("weigh all that the costs say where that is as good, and nothing is said of it", async () => {
    const report = await trained("quadratic(20)");
    expect(report).not.toHaveProperty("share");
    expect(report.totals).not.toHaveProperty("whole");
    expect(reportText(report)).not.toContain("what stands for counts weighs");
  });
});
