// Rows with gaps in the target, dates with the day first, and values that training never saw: what is done with them, and what is said.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { prepare } from "../src/problem/prepare.js";
import { trainInFolder } from "../src/run/run.js";
import { trainedModel } from "../src/run/trained.js";
import { readSpec } from "../src/spec/spec-file.js";
import { evaluationText } from "../src/text/evaluation-text.js";
import { evaluateRun } from "../src/use/evaluate.js";
import { predictions } from "../src/use/predict.js";

/** Every tenth row has no target. Days go up to 28, so the order of day and month is known. */
const rows = Array.from({ length: 200 }, (_, i) => {
  const date = `${String(1 + (i % 28)).padStart(2, "0")}/${String(1 + (i % 12)).padStart(2, "0")}/2024`;
  return `${i % 7},${date},${["Lyon", "Paris"][i % 2]},${["a", "b"][i % 3 === 0 ? 0 : 1]},${i % 10 === 0 ? "" : i % 7 > 3 ? "yes" : "no"}`;
});
const folder = mkdtempSync(join(tmpdir(), "pliant-"));
const header = "x,since,city,ward,y";
writeFileSync(join(folder, "rows.csv"), `${header}\n${rows.join("\n")}\n`);

function specWith(more: string): string {
  const path = join(folder, `spec${more.length}.yaml`);
  writeFileSync(
    path,
    `data: { file: rows.csv, target: y, columns: { ward: group }${more} }
model: { kind: linear }
requirements: { wrong: { metric: error, by: ward, level: 0.3 } }
budget: { steps: 100 }
`,
  );
  return path;
}

test("rows without a target are refused with the remedy, or left out and counted", async () => {
  await expect(prepare(readSpec(specWith("")))).rejects.toThrow(
    /line 2: the target column "y" has no value here, nor in 19 other rows; fill it in, or leave such rows out with data\.withoutTarget: drop\./,
  );
  const { prepared } = await prepare(readSpec(specWith(", withoutTarget: drop")));
  expect(prepared.train.count + prepared.test.count).toBe(180);
  expect(prepared.summary!.warnings[0]).toBe(
    "y: 20 rows have no value, and are left out (data.withoutTarget: drop).",
  );
  expect(prepared.summary!.warnings).toContain(
    "since: dates have the day first (31/01/2024), as their numbers tell or the spec says; they are days since 1970-01-01.",
  );
});

describe("new rows", () => {
  const run = join(folder, "run");
  beforeAll(async () => {
    const progress = { show: () => {}, end: () => {} };
    const spec = readSpec(specWith(", withoutTarget: drop"));
    await trainInFolder(spec, { name: "r", out: run, device: "cpu", progress });
  });

  test("have their dates read as in training, whatever they alone would tell", async () => {
    const [day, other] = [join(folder, "day.csv"), join(folder, "iso.csv")];
    writeFileSync(day, "x,since,city\n3,05/04/2024,Lyon\n");
    writeFileSync(other, "x,since,city\n3,2024-04-05,Lyon\n");
    const trained = trainedModel(run);
    expect(await predictions(trained, day)).toEqual(await predictions(trained, other));
  });

  test("with values unseen in training are reported, and missing cells are left out there too", async () => {
    const file = join(folder, "new.csv");
    const some = rows
      .slice(0, 60)
      .map((row, i) =>
        i < 3 ? row.replace(/Lyon|Paris/, "Oslo") : i === 5 ? row.replace(",b,", ",z,") : row,
      );
    writeFileSync(file, `${header}\n${some.join("\n")}\n`);
    const found = await evaluateRun(run, file);
    expect(found.examples).toBe(54);
    // The first of them has no answer.
    expect(found.unseen).toEqual([
      { column: "city", of: "model", rows: 2, values: ["Oslo"] },
      { column: "ward", of: "groups", rows: 1, values: ["z"] },
    ]);
    const text = evaluationText(found);
    expect(text).toContain(
      "city: 2 rows have values that were not in the training rows (Oslo); the model treats them as unknown.",
    );
    expect(text).toContain(
      "ward: 1 row has a value that was not in the training rows (z); requirements by this column do not count these rows.",
    );
  });
});

test("a setting without a value leaves its key out", () => {
  const spec = specWith(", withoutTarget: drop");
  const set = (key: string) => readSpec(spec, [{ key, value: "" }]).spec;
  expect(readSpec(spec).spec.budget.steps).toBe(100);
  expect(set("budget.steps").budget.steps).toBeUndefined();
  expect(set("requirements.wrong.by").requirements.wrong).not.toHaveProperty("by");
  expect(() => set("budget.epochs")).toThrow(
    "--set budget.epochs=: there is no budget.epochs in the spec to leave out.",
  );
  expect(set("requirements.wrong").requirements).toEqual({});
});
