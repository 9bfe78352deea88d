// Models for several kinds of columns: each is trained, resumed and exported, and predicts the same in predict, evaluate and ONNX Runtime.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import {
  evaluateRun,
  onnxModel,
  type Prediction,
  predictions,
  readRun,
  readSpec,
  reportText,
  trainedModel,
  trainInFolder,
} from "@pliant/train";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, test } from "vitest";

const cities = 150;

/** Rows of two numbers, a city of many, and an answer that follows all of them. */
function table(n: number): { csv: string; rows: { x: number; z: number; city: string }[] } {
  const noise = random.normal(random.key(1), [n, 3]).data;
  const rows = Array.from({ length: n }, (_, i) => {
    const [x, z, e] = [noise[3 * i], noise[3 * i + 1], noise[3 * i + 2]];
    const city = `c${(i * 37) % cities}`;
    const lift = ((i * 37) % cities) % 2 === 0 ? 1 : -1;
    // It falls with x where x is large: a model that must rise with it has to give that up.
    const score = Math.sin(1.5 * x) + z + lift + 0.3 * e;
    return { x: Number(x.toFixed(4)), z: Number(z.toFixed(4)), city, score };
  });
  const lines = rows.map(
    ({ x, z, city, score }) => `${x},${z},${city},${score > 0 ? "yes" : "no"},${score.toFixed(4)}`,
  );
  return { csv: `x,z,city,y,score\n${lines.join("\n")}\n`, rows };
}

const quiet = { show: () => {}, end: () => {} };

function specIn(
  model: string,
  { target = "y", requirements = "watched: { metric: loss, level: 9, cost: free }", more = "" } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  writeFileSync(join(folder, "rows.csv"), table(900).csv);
  writeFileSync(
    join(folder, "spec.yaml"),
    `data: { file: rows.csv, target: ${target}, columns: { ${target === "y" ? "score" : "y"}: ignore } }
model: ${model}
requirements:
  ${requirements}
budget: { steps: 150, tolerance: 1.0e-6 }
${more}`,
  );
  return {
    folder,
    spec: join(folder, "spec.yaml"),
    out: join(folder, "run"),
    file: join(folder, "rows.csv"),
  };
}

const train = (spec: string, out: string, more: object = {}) =>
  trainInFolder(readSpec(spec), { name: "r", out, device: "cpu", progress: quiet, ...more });

/** In ONNX Runtime, from raw rows, an unknown and a missing city among them. */
async function inRuntime(
  run: string,
  rows: readonly { x: number; z: number; city: string }[],
): Promise<number[]> {
  const session = await InferenceSession.create(onnxModel(trainedModel(run)));
  const number = (of: (row: (typeof rows)[number]) => number): Tensor =>
    new Tensor("float64", Float64Array.from(rows, of), [rows.length]);
  const found = await session.run({
    x: number(({ x }) => x),
    z: number(({ z }) => z),
    city: new Tensor(
      "string",
      rows.map(({ city }) => city),
      [rows.length],
    ),
  });
  return Array.from((found.probabilities ?? found.prediction).data as Float32Array);
}

const models = {
  "wide and deep": "{ kind: mlp, width: 12, depth: 3 }",
  normalised: "{ kind: mlp, hidden: [12, 8], normalisation: layer, activation: relu }",
  "with dropout": "{ kind: mlp, dropout: 0.2 }",
  "with vectors of three numbers": "{ kind: mlp, embeddings: { city: 3 } }",
};

describe.each(Object.entries(models))("a network %s", (name, model) => {
  test.each(["y", "score"])(
    "predicts the same in predict, evaluate and ONNX Runtime, for target %s",
    async (target) => {
      const { out, spec, file } = specIn(model, { target });
      const { report } = await train(spec, out);
      const rows = [...table(60).rows, { x: 0.5, z: -1, city: "nowhere" }, { x: 0.5, z: -1, city: "" }];
      const some = join(out, "..", "some.csv");
      writeFileSync(some, `x,z,city\n${rows.map(({ x, z, city }) => `${x},${z},${city}`).join("\n")}\n`);
      const trained = trainedModel(out);
      const expected = (await predictions(trained, some)).flatMap((row: Prediction) =>
        "class" in row ? Object.values(row.probabilities) : [row.prediction],
      );
      const found = await inRuntime(out, rows);
      expect(found).toHaveLength(expected.length);
      for (const [i, value] of found.entries()) expect(Math.abs(value - expected[i])).toBeLessThan(1e-5);
      const all = await evaluateRun(out, file);
      const parts = [report.train, report.test];
      const examples = parts.reduce((sum, part) => sum + part.examples, 0);
      const loss = parts.reduce((sum, part) => sum + part.loss.value * part.examples, 0) / examples;
      expect(all.loss.value).toBeCloseTo(loss, 4);
      const values = trained.asked.data.encoding!.columns.flatMap((c) =>
        c.kind === "category" ? [c.categories.length] : [],
      );
      expect(values[0]).toBeGreaterThan(100);
      expect(trained.params[0].weight.shape).toEqual([
        values[0],
        name === "with vectors of three numbers" ? 3 : 7,
      ]);
    },
  );
});

test("a resumed run ends at the same model, dropout included", async () => {
  const { spec, out, folder } = specIn("{ kind: mlp, dropout: 0.3, embeddings: { city: 2 } }", { more: "" });
  await train(spec, out);
  const whole = readFileSync(join(out, "checkpoint.safetensors"));
  // Stopped half way: a run of fewer steps is where the longer one was then.
  const half = join(folder, "half");
  writeFileSync(join(folder, "half.yaml"), readFileSync(spec, "utf8").replace("steps: 150", "steps: 75"));
  await train(join(folder, "half.yaml"), half);
  const asked = JSON.parse(readFileSync(join(half, "run.json"), "utf8"));
  asked.spec.budget.steps = 150;
  writeFileSync(join(half, "run.json"), JSON.stringify({ ...asked, steps: 150 }));
  rmSync(join(half, "report.json"));
  await train(spec, half, { resume: true });
  expect(readFileSync(join(half, "checkpoint.safetensors")).equals(whole)).toBe(true);
});

describe("a monotone model rises at every row", () => {
  const must = "rising: { metric: monotonicity, column: x, level: 0, hard: true }";
  test.each([
    ["{ kind: linear }", "y", ""],
    ["{ kind: mlp, hidden: [12] }", "y", ""],
    ["{ kind: mlp, hidden: [8, 8], activation: relu }", "score", ""],
    ["{ kind: mlp, hidden: [12] }", "y", ", class: no, direction: decreasing"],
  ])("%s of %s%s", async (model, target, more) => {
    const { spec, out, folder } = specIn(model, { target, requirements: must.replace(" }", `${more} }`) });
    const { report } = await train(spec, out);
    const { rising } = report.requirements;
    for (const part of ["train", "test"] as const) expect(rising[part]!.strict.value).toBe(0);
    expect(rising).toMatchObject({ price: 0, reached: 0, byConstruction: true });
    expect(reportText(report)).toMatch(/rising: holds by construction on every row; .*not measured/);
    // From end to end, also where no row is, and it says something of x.
    const steps = Array.from({ length: 81 }, (_, i) => `${(i - 40) / 5},0.3,c1`);
    writeFileSync(join(folder, "line.csv"), `x,z,city\n${steps.join("\n")}\n`);
    const line = (await predictions(trainedModel(out), join(folder, "line.csv"))).map((row) =>
      "class" in row ? row.probabilities.yes : row.prediction,
    );
    for (const [i, value] of line.entries())
      if (i > 0) expect(value).toBeGreaterThanOrEqual(line[i - 1] - 1e-6);
    expect(line[80] - line[0]).toBeGreaterThan(0.05);
    expect(readRun(out).asked.data.monotone).toEqual([[0, 1]]);
    // The same in ONNX Runtime.
    const rows = table(30).rows;
    writeFileSync(
      join(folder, "some.csv"),
      `x,z,city\n${rows.map(({ x, z, city }) => `${x},${z},${city}`).join("\n")}\n`,
    );
    const expected = (await predictions(trainedModel(out), join(folder, "some.csv"))).flatMap(
      (row: Prediction) => ("class" in row ? Object.values(row.probabilities) : [row.prediction]),
    );
    for (const [i, value] of (await inRuntime(out, rows)).entries())
      expect(Math.abs(value - expected[i])).toBeLessThan(1e-5);
  });
});

describe("incompatible settings are refused with a message", () => {
  test.each([
    [
      "{ kind: mlp, hidden: [8], width: 4 }",
      "",
      /model\.hidden: it says the width of each layer; leave out width and depth\./,
    ],
    [
      "{ kind: mlp, embeddings: { x: 2 } }",
      "",
      /model\.embeddings: "x" is not a category column that the model sees/,
    ],
    [
      "{ kind: mlp, normalisation: layer }",
      "rising: { metric: monotonicity, column: x, level: 0, hard: true }",
      /model\.normalisation: .* leave out one of them\./,
    ],
    [
      "{ kind: mlp }",
      "rising: { metric: monotonicity, column: x, level: 0, hard: true }\n  falling: { metric: monotonicity, column: x, direction: decreasing, level: 0, hard: true }",
      /requirements\.falling\.direction: another requirement that must hold says the opposite of x\./,
    ],
  ])("%s", async (model, requirements, sentence) => {
    const { spec, out } = specIn(model, requirements === "" ? {} : { requirements });
    await expect(train(spec, out)).rejects.toThrow(sentence);
    expect(existsSync(join(out, "run.json"))).toBe(false);
  });
});
