// Precision, or what mistakes cost, that must hold beside misses that may give way: no worse than the best threshold of a plain logistic regression.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { type Run, trainInFolder } from "../src/run/run.js";
import { trainedModel } from "../src/run/trained.js";
import { readSpec } from "../src/spec/spec-file.js";
import { predictions } from "../src/use/predict.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-precise-"));
const n = 1200;

/** One in ten is positive, and three columns tell of it a little. */
function rows(): { header: string; lines: string[]; truth: number[] } {
  const z = random.normal(random.key(3), [n, 3]).data;
  const u = random.uniform(random.key(4), [n]).data;
  const truth = Array.from({ length: n }, (_, i) => {
    const score = -2.7 + 0.9 * z[3 * i] + 0.6 * z[3 * i + 1];
    return Number(u[i] < 1 / (1 + Math.exp(-score)));
  });
  const lines = truth.map(
    (y, i) => `${[0, 1, 2].map((j) => z[3 * i + j].toFixed(4)).join()},${y ? "yes" : "no"}`,
  );
  return { header: "a,b,c,y", lines, truth };
}
const { header, lines, truth } = rows();
const data = join(folder, "rows.csv");
writeFileSync(data, [header, ...lines].join("\n"));

const [misses, factor] = [0.4, 2];
const quiet = { show: () => {}, end: () => {} };
const run = (name: string, requirements: string): Promise<Run> => {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(
    path,
    `data: { file: rows.csv, target: y, positive: yes, test: 0.2, seed: 1 }
model: { kind: linear }
requirements: { ${requirements} }
cost: quadratic(${factor})
decision: { threshold: 0.5 }
`,
  );
  return trainInFolder(readSpec(path), { name, out: join(folder, name), device: "cpu", progress: quiet });
};

/** The scores of a plain logistic regression at the rows that were learnt from, with the truth. */
let plain: { score: number; y: number }[];

beforeAll(async () => {
  const { folder: at } = await run("plain", "watched: { metric: error, level: 0, cost: free }");
  const said = await predictions(trainedModel(at), data);
  const parts = readFileSync(join(at, "rows.csv"), "utf8").trim().split("\n").slice(1);
  plain = parts.flatMap((text) => {
    const [part, line] = text.split(",");
    if (part !== "train") return [];
    const i = Number(line) - 2;
    const { yes } = (said[i] as { probabilities: Record<string, number> }).probabilities;
    return [{ score: Math.log(yes / (1 - yes)), y: truth[i] }];
  });
});

interface Counted {
  readonly given: number;
  readonly right: number;
  readonly positives: number;
}

/** The least loss, with what misses cost, over all thresholds of the plain model whose counts hold. */
function bestThreshold(holds: (counted: Counted) => boolean): number {
  const positives = plain.filter(({ y }) => y === 1).length;
  const found = plain.map(({ score: cut }) => {
    const chosen = plain.filter(({ score }) => score >= cut);
    const right = chosen.filter(({ y }) => y === 1).length;
    if (!holds({ given: chosen.length, right, positives })) return Number.POSITIVE_INFINITY;
    const loss =
      plain.reduce((sum, { score, y }) => sum + Math.log1p(Math.exp((y === 1 ? -1 : 1) * (score - cut))), 0) /
      plain.length;
    return loss + factor * Math.max(0, 1 - right / positives - misses) ** 2;
  });
  return Math.min(...found);
}

describe("precision of at least", () => {
  test.each([
    [0.2, "precision"],
    [0.3, "false-discovery-rate"],
    [0.4, "precision"],
  ])("%d, as %s", async (level, metric) => {
    const bound = metric === "precision" ? level : 1 - level;
    const asked = `precise: { metric: ${metric}, level: ${bound}, hard: true }, missed: { metric: false-negative-rate, level: ${misses} }`;
    const { report } = await run(`precise-${level}`, asked);
    expect(report.certificate.short).toEqual([]);
    const { precise, missed } = report.requirements;
    const held = precise.train!.strict.value;
    expect(metric === "precision" ? held : 1 - held).toBeGreaterThanOrEqual(level - precise.allowance);
    const total = report.train.loss.value + factor * Math.max(0, missed.train!.strict.value - misses) ** 2;
    expect(total).toBeLessThan(bestThreshold(({ given, right }) => right / given >= level) + 0.01);
  });
});

describe("what mistakes cost, where a miss costs five times a false alarm", () => {
  test("with a level of at most 0.38", async () => {
    const level = 0.38;
    const costs = "{ yes: { no: 5 }, no: { yes: 1 } }";
    const { report } = await run(
      `costs-${level}`,
      `costs: { metric: expected-cost, costs: ${costs}, level: ${level}, hard: true }, missed: { metric: false-negative-rate, level: ${misses} }`,
    );
    const { costs: asked, missed } = report.requirements;
    const total = report.train.loss.value + factor * Math.max(0, missed.train!.strict.value - misses) ** 2;
    const best = bestThreshold(
      ({ given, right, positives }) => (5 * (positives - right) + given - right) / plain.length <= level,
    );
    expect(report.certificate.short).toEqual([]);
    expect(asked.train!.strict.value).toBeLessThanOrEqual(level + asked.allowance);
    expect(total).toBeLessThan(best + 0.01);
  });
});
