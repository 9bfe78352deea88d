// A required share costs about as much loss as moving the threshold, not as much as retraining the whole model.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { predictions, type TrainReport, trainedModel } from "@pliant/train";
import { expect, test } from "vitest";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";

/** One in eight is a hit, by four columns of standard normals. */
function hits(rows = 2000) {
  const normals = random.normal(random.key(9), [rows, 4]).data;
  const chances = random.uniform(random.key(10), [rows]).data;
  return Array.from({ length: rows }, (_, i) => {
    const x = Array.from(normals.subarray(4 * i, 4 * i + 4), (v) => Number(v.toFixed(4)));
    const z = -3.2 + 1.5 * x[0] - x[1] + 0.8 * x[2] + 0.3 * x[3];
    return { x, hit: chances[i] < 1 / (1 + Math.exp(-z)) };
  });
}

async function trained(folder: string, requirement: string) {
  const spec = join(folder, "spec.yaml");
  writeFileSync(
    spec,
    `data: { file: hits.csv, target: hit, test: 0.1 }\nmodel: { kind: linear }\nrequirements:\n  share: { metric: positive-rate, ${requirement} }\ndecision: { threshold: 0.5 }\n`,
  );
  const text = await printed(() =>
    trainCommand([spec, "--out", join(folder, "run"), "--no-insist", "--json"]),
  );
  return JSON.parse(text) as TrainReport & { run: string };
}

test("predicting a class for a fifth of the rows costs at most a tenth more than moving the free model's threshold", async () => {
  const rows = hits();
  const folder = mkdtempSync(join(tmpdir(), "pliant-share-"));
  const lines = rows.map(({ x, hit }) => [...x, hit ? "yes" : "no"].join(","));
  writeFileSync(join(folder, "hits.csv"), `a,b,c,d,hit\n${lines.join("\n")}\n`);
  const plain = await trained(folder, "level: 1, cost: free");
  const asked = await trained(folder, "level: 0.2, sense: at least, hard: true");
  expect(asked.certificate.holds).toBe(true);
  expect(asked.requirements.share.train!.strict.value).toBeCloseTo(0.2, 3);

  // The scores of the model without it, with the threshold where a fifth of all rows is above it.
  const predicted = await predictions(trainedModel(plain.run), join(folder, "hits.csv"));
  const scores = predicted.map((one) =>
    "class" in one ? Math.log(one.probabilities.yes / one.probabilities.no) : Number.NaN,
  );
  const threshold = [...scores].sort((a, b) => b - a)[Math.floor(0.2 * rows.length)];
  const losses = scores.map((z, i) => Math.log1p(Math.exp((rows[i].hit ? -1 : 1) * (z - threshold))));
  const moved = losses.reduce((a, b) => a + b, 0) / losses.length;
  expect(asked.train.loss.value).toBeLessThan(1.1 * moved);
  expect(moved).toBeGreaterThan(1.1 * plain.train.loss.value);
}, 60_000);
