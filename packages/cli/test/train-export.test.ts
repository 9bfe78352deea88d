// An exported model in ONNX Runtime on raw CSV rows, compared with pliant predict.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadDataset } from "@pliant/data";
import type { Prediction } from "@pliant/train";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, test } from "vitest";
import { exportCommand } from "../src/training/export.js";
import { predictCommand } from "../src/training/predict.js";
import { trainCommand } from "../src/training/train.js";
import { smallLoans } from "./fixtures/loans.js";
import { printed } from "./fixtures/output.js";

/** What `pliant export` writes beside the model. */
interface Described {
  inputs: { name: string; type: string; categories?: string[] }[];
  outputs: string[];
  classes?: string[];
}

async function exported(run: string) {
  const file = join(mkdtempSync(join(tmpdir(), "pliant-")), "model.onnx");
  await printed(() => exportCommand([run, file]));
  const described: Described = JSON.parse(readFileSync(file.replace(".onnx", ".json"), "utf8"));
  return { session: await InferenceSession.create(readFileSync(file)), described, bytes: readFileSync(file) };
}

/** The rows as a caller with nothing but the file and the description gives them to the model. */
function feeds({ inputs }: Described, csv: string): Record<string, Tensor> {
  const [header, ...rows] = csv
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  return Object.fromEntries(
    inputs.map(({ name, categories }) => {
      const cells = rows.map((row) => row[header.indexOf(name)]);
      return [
        name,
        categories
          ? new Tensor("string", cells, [rows.length])
          : new Tensor(
              "float64",
              Float64Array.from(cells, (cell) => (cell === "" ? Number.NaN : Number(cell))),
              [rows.length],
            ),
      ];
    }),
  );
}

const predicted = async (run: string, file: string): Promise<Prediction[]> =>
  JSON.parse(await printed(() => predictCommand([run, file, "--json"]))).rows;

describe("a classifier of columns", () => {
  const { folder, spec, csv } = smallLoans({ rows: 400 });
  const run = join(folder, "run");
  const trained = printed(() =>
    trainCommand([spec, "--device", "cpu", "--out", run, "--set", "budget.steps=60"]),
  );

  test("has the probabilities and classes of predict to 1e-5, with missing and unknown values", async () => {
    await trained;
    const { session, described, bytes } = await exported(run);
    expect(described.classes).toEqual(["no", "yes"]);
    // The same description is in the model itself.
    expect(bytes.includes(JSON.stringify(described))).toBe(true);
    const rows = `${readFileSync(csv, "utf8")}401,A,,,,,,,\n402,C,30,0.4,2.5,1,600,yacht,no\n`;
    const file = join(folder, "rows.csv");
    writeFileSync(file, rows);
    const found = await session.run(feeds(described, rows));
    const expected = await predicted(run, file);
    expect(expected).toHaveLength(402);
    for (const [i, row] of expected.entries()) {
      const { class: name, probabilities } = row as Extract<Prediction, { class: string }>;
      for (const [k, p] of Object.values(probabilities).entries())
        expect(Math.abs((found.probabilities.data[2 * i + k] as number) - p)).toBeLessThan(1e-5);
      if (Math.abs(probabilities.yes - 0.5) > 1e-5)
        expect([described.classes![Number(found.class.data[i])], found.label.data[i]]).toEqual([name, name]);
    }
  });

  test("takes a single row", async () => {
    await trained;
    const { session, described } = await exported(run);
    const [header, first] = readFileSync(csv, "utf8").split("\n");
    const { probabilities } = await session.run(feeds(described, `${header}\n${first}\n`));
    expect(probabilities.dims).toEqual([1, 2]);
  });

  test("predict writes a column for each class", async () => {
    await trained;
    const out = join(folder, "predictions.csv");
    await printed(() => predictCommand([run, csv, "--out", out]));
    const [header, ...rows] = readFileSync(out, "utf8").trim().split("\n");
    expect(header).toBe("class,score,probability of no,probability of yes");
    expect(rows).toHaveLength(400);
    for (const row of rows) {
      const [name, score, no, yes] = row.split(",");
      expect(1 / (1 + Math.exp(-Number(score)))).toBeCloseTo(Number(yes), 5);
      expect(Number(no) + Number(yes)).toBeCloseTo(1, 5);
      if (no !== yes) expect(name).toBe(Number(yes) > Number(no) ? "yes" : "no");
    }
  });
});

describe("learnt decisions", () => {
  const { folder, spec, csv } = smallLoans({ rows: 600 });

  test.each([
    ["one threshold", "learnt"],
    ["thresholds by group", "by group"],
  ])("are those of predict, with the scores: %s", async (name, threshold) => {
    const run = join(folder, name);
    const settings = [
      "model={ kind: linear }",
      "objective.decay=",
      "cost=quadratic(20)",
      `decision.threshold=${threshold}`,
    ];
    await printed(() =>
      trainCommand([spec, "--device", "cpu", "--out", run, ...settings.flatMap((set) => ["--set", set])]),
    );
    const { session, described } = await exported(run);
    const rows = `${readFileSync(csv, "utf8")}601,C,30,0.4,2.5,1,600,yacht,no\n`;
    const file = join(folder, "rows.csv");
    writeFileSync(file, rows);
    const found = await session.run(feeds(described, rows));
    const all = (await predicted(run, file)) as Extract<Prediction, { class: string }>[];
    // A column of the table is called score, so that the output is not.
    for (const [i, { class: given, score }] of all.entries()) {
      expect(found.label.data[i]).toBe(given);
      expect(Math.abs((found.score_.data[i] as number) - score!)).toBeLessThan(1e-4);
    }
    const moved = all.filter(
      ({ class: given, probabilities }) => (given === "yes") !== probabilities.yes > 0.5,
    );
    expect(moved.length).toBeGreaterThan(5);
  });
});

test("a regression predicts in the units of its target", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  // Times in seconds, which float32 holds to 128 of them.
  const rows = Array.from({ length: 200 }, (_, i) => [
    i % 17,
    (i * 7) % 11,
    1000 + 30 * (i % 17) - 12 * ((i * 7) % 11),
    1_700_000_000 + ((i * 97) % 600),
  ]);
  const csv = `size,age,price,sold\n${rows.map((row) => row.join(",")).join("\n")}\n`;
  writeFileSync(join(folder, "homes.csv"), csv);
  writeFileSync(
    join(folder, "spec.yaml"),
    "data: { file: homes.csv, target: price }\nmodel: { kind: linear }\n" +
      "requirements:\n  older is cheaper: { metric: monotonicity, column: age, direction: decreasing, level: 0 }\n" +
      "budget: { steps: 400 }\n",
  );
  const run = join(folder, "run");
  await printed(() => trainCommand([join(folder, "spec.yaml"), "--device", "cpu", "--out", run]));
  const { session, described } = await exported(run);
  const found = await session.run(feeds(described, csv));
  const expected = await predicted(run, join(folder, "homes.csv"));
  for (const [i, row] of expected.entries()) {
    const { prediction } = row as Extract<Prediction, { prediction: number }>;
    expect(Math.abs((found.prediction.data[i] as number) / prediction - 1)).toBeLessThan(1e-5);
    expect(Math.abs(prediction - rows[i][2])).toBeLessThan(15);
  }
});

test("images are passed as pixels from 0 to 255", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  writeFileSync(
    join(folder, "spec.yaml"),
    "data: { dataset: strokes, limit: { train: 200, test: 100 } }\nmodel: { kind: mlp, hidden: [16] }\n" +
      "requirements:\n  wrong: { metric: error, level: 0.1 }\nbudget: { steps: 60 }\n",
  );
  const run = join(folder, "run");
  const report = JSON.parse(
    await printed(() => trainCommand([join(folder, "spec.yaml"), "--device", "cpu", "--out", run, "--json"])),
  );
  const { session } = await exported(run);
  const { test: images } = await loadDataset("strokes");
  const pixels = Float32Array.from(images.pixels.subarray(0, 100 * 784));
  const found = await session.run({ image: new Tensor("float32", pixels, [100, 1, 28, 28]) });
  const wrong = Array.from({ length: 100 }, (_, i) =>
    Number(Number(found.class.data[i]) !== images.labels[i]),
  );
  expect(wrong.reduce((a, b) => a + b) / 100).toBeCloseTo(report.test.error.value, 6);
});
