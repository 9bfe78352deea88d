// Classes that a model never answers.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { readSpec, reportText, trainInFolder } from "@pliant/train";
import { expect, test } from "vitest";
import { unansweredIn, unansweredWords } from "../src/evaluate/unanswered.js";

test("a class that is never predicted is reported, with its number of rows", () => {
  const found = unansweredIn([0, 0, 2], [1, 1, 0], ["green", "amber", "red", "black"]);
  expect(found).toEqual([{ class: "amber", examples: 2 }]);
  expect(unansweredWords({ examples: 3, unanswered: found }, "test rows")).toEqual([
    "The model never predicts amber (2 of the 3 test rows).",
  ]);
  const two = [...found, { class: "red", examples: 1 }];
  expect(unansweredWords({ examples: 3, unanswered: two }, "rows")).toEqual([
    "The model never predicts amber (2 of the 3 rows) or red (1).",
  ]);
  expect(unansweredWords({ examples: 3 }, "rows")).toEqual([]);
});

test.each([
  ["green", "red"],
  ["green", "amber", "red"],
])(
  "a model that rows say nothing to answers what most are, and its report says so: %s, %s",
  async (...classes) => {
    const folder = mkdtempSync(join(tmpdir(), "pliant-unanswered-"));
    const draws = random.uniform(random.key(1), [200, 2]).data;
    const lines = Array.from({ length: 200 }, (_, i) => {
      const k = draws[2 * i + 1] < 0.8 ? 0 : 1 + (i % (classes.length - 1));
      return `${draws[2 * i].toFixed(3)},${classes[k]}`;
    });
    writeFileSync(join(folder, "rows.csv"), ["a,class", ...lines, ""].join("\n"));
    const spec = `data: { file: rows.csv, target: class }
model: { kind: linear }
requirements: { loss: { metric: loss, level: 5 } }
budget: { steps: 50 }
`;
    writeFileSync(join(folder, "spec.yaml"), `name: rows\n${spec}`);
    const out = join(folder, "run");
    const { report } = await trainInFolder(readSpec(join(folder, "spec.yaml"), []), {
      name: "rows",
      out,
      device: "cpu",
      insist: false,
      progress: { show: () => {}, end: () => {} },
    });
    const { unanswered = [], error, examples } = report.test;
    expect(unanswered.map((one) => one.class)).toEqual(classes.slice(1));
    const others = unanswered.reduce((sum, one) => sum + one.examples, 0);
    expect(others).toBe(Math.round(error!.value * examples));
    expect(reportText(report)).toContain(`\nThe model never predicts ${classes[1]} (`);
  },
);
