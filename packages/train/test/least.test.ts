// A level that no weights of a linear model meet has no cost of insisting: the report says that it cannot be met.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { insistOn } from "../src/run/insist.js";
import { trainInFolder } from "../src/run/run.js";
import { readSpec } from "../src/spec/spec-file.js";
import { reportText } from "../src/text/report-text.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-least-"));
const n = 400;
const z = random.normal(random.key(7), [n, 3]).data;
const x = Array.from({ length: n }, (_, i) => [z[3 * i], z[3 * i + 1]].map((v) => Number(v.toFixed(4))));
const y = x.map(([a, b], i) => Number((100 + 30 * a - 20 * b + 50 * z[3 * i + 2]).toFixed(3)));
writeFileSync(
  join(folder, "all.csv"),
  ["a,b,y", ...x.map(([a, b], i) => `${a},${b},${y[i]}`), ""].join("\n"),
);

async function asked(name: string, requirement: string, model = "{ kind: linear }", more = "") {
  const spec = join(folder, `${name}.yaml`);
  writeFileSync(
    spec,
    `data: { file: all.csv, target: y, test: all.csv }\nmodel: ${model}\nrequirements: { off: { ${requirement} } }\n${more}`,
  );
  const out = join(folder, name);
  const { report } = await trainInFolder(readSpec(spec), {
    ...{ name, out, device: "cpu", insist: true, progress: { show: () => {}, end: () => {} } },
  });
  return { report, out };
}

/** By the normal equations of the two centred columns. */
function leastSquares(): number {
  const mean = (of: readonly number[]): number => of.reduce((s, v) => s + v, 0) / n;
  const [ma, mb, my] = [mean(x.map(([a]) => a)), mean(x.map(([, b]) => b)), mean(y)];
  const sum = (of: (a: number, b: number, t: number) => number): number =>
    x.reduce((s, [a, b], i) => s + of(a - ma, b - mb, y[i] - my), 0);
  const [aa, ab, bb] = [sum((a) => a * a), sum((a, b) => a * b), sum((_, b) => b * b)];
  const [ay, by] = [sum((a, _, t) => a * t), sum((_, b, t) => b * t)];
  const det = aa * bb - ab * ab;
  const [u, v] = [(ay * bb - by * ab) / det, (by * aa - ay * ab) / det];
  return Math.sqrt(sum((a, b, t) => (t - u * a - v * b) ** 2) / n);
}

test("a root mean square error below that of least squares cannot be met, and costs nothing", async () => {
  const least = leastSquares();
  const { report, out } = await asked(
    "below",
    `metric: root-mean-square-error, level: ${(least - 3).toFixed(1)}`,
  );
  const { insisting, status } = report.requirements.off;
  expect(status).toBe("gave way");
  expect(insisting!.least).toBeCloseTo(least, 2);
  const text = reportText(report);
  expect(text).toContain(
    `It cannot be met: the lowest value that this model can reach is ${least.toFixed(3)}.`,
  );
  expect(text).not.toMatch(/of loss/);
  const again = await insistOn(out, "off", (least - 1).toFixed(2));
  expect(again.insisting.least).toBeCloseTo(least, 2);
});

test("a level that can be met is insisted on, and its cost measured", async () => {
  const { report } = await asked(
    "above",
    "metric: quantile-loss, quantile: 0.9, level: 14, cost: quadratic(0.1)",
  );
  const { insisting, status } = report.requirements.off;
  expect(status).toBe("gave way");
  expect(insisting).not.toHaveProperty("least");
  expect(insisting!.had).toBe(true);
  expect(insisting!.costs).toBeGreaterThan(0.01);
});

describe("a network, whose smallest value is not known", () => {
  const network = "{ kind: mlp, hidden: [8] }";

  test("a level that is not met even when it alone is trained for is said to be so, and not to cost anything", async () => {
    const { report, out } = await asked(
      "network-below",
      "metric: root-mean-square-error, level: 5, cost: quadratic(0.01)",
      network,
      "objective: { decay: 0.01 }\n",
    );
    const { insisting, status } = report.requirements.off;
    expect(status).toBe("gave way");
    expect(insisting).toMatchObject({ alone: true, had: false, costs: 0 });
    expect(insisting).not.toHaveProperty("least");
    expect(insisting!.reached).toBeGreaterThan(30);
    expect(insisting!.missed).toBeCloseTo(insisting!.reached - 5, 9);
    const text = reportText(report);
    expect(text).toContain(
      `Training for it alone did not meet it either, and reached ${insisting!.reached.toFixed(3)}. Try another model, more steps, or another level.`,
    );
    expect(text).not.toMatch(/It cannot be met|of loss/);
    const again = await insistOn(out, "off", "6");
    expect(again.insisting).toMatchObject({ alone: true, missed: again.insisting.reached - 6 });
  });

  test("a level that it meets alone is insisted on", async () => {
    const { report } = await asked(
      "network-above",
      "metric: quantile-loss, quantile: 0.9, level: 14, cost: quadratic(0.1)",
      network,
    );
    const { insisting } = report.requirements.off;
    expect(insisting).toBeDefined();
    expect(insisting).not.toHaveProperty("alone");
  });
});
