// Metrics from files of one's own: TypeScript and JavaScript, asked for like any other, and what is wrong with one in words.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { prepare } from "../src/problem/prepare.js";
import { trainInFolder } from "../src/run/run.js";
import { trainedModel } from "../src/run/trained.js";
import { readSpec } from "../src/spec/spec-file.js";
import { evaluateRun } from "../src/use/evaluate.js";
import { predictions } from "../src/use/predict.js";

/** The one in docs/spec.md: the share of yes that is given less than a third. */
const docs = readFileSync(new URL("../../../docs/spec.md", import.meta.url), "utf8");
const far = /```ts\n(.*?)```/s.exec(docs)![1];

function specWith(file: string, text: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  const x = random.normal(random.key(2), [300, 2]).data;
  const rows = Array.from(
    { length: 300 },
    (_, i) => `${x[2 * i].toFixed(4)},${x[2 * i] + x[2 * i + 1] > 0.5 ? "yes" : "no"}`,
  );
  writeFileSync(join(folder, "rows.csv"), `x,y\n${rows.join("\n")}\n`);
  if (text !== undefined) writeFileSync(join(folder, file), text);
  writeFileSync(
    join(folder, "spec.yaml"),
    `data: { file: rows.csv, target: y }
model: { kind: linear }
requirements:
  no far. misses: { metric: own, use: ./${file}, level: 0.05 }
budget: { steps: 300 }
`,
  );
  return join(folder, "spec.yaml");
}

const quiet = { show: () => {}, end: () => {} };

// As a person's project has it: vitest runs in the workspace, where esbuild is.
test.each([
  ["far.ts", far],
  [
    "far.mjs",
    far
      .replace(/import type.*\n/, "")

      .replace(": OwnMetric", ""),
  ],
])("%s is counted on all rows as it says, and gone on with from the run's folder", async (file, text) => {
  const spec = specWith(file, text);
  const out = join(spec, "..", "runs", "one");
  const { report } = await trainInFolder(readSpec(spec), { name: "r", out, device: "cpu", progress: quiet });
  const { "no far. misses": r } = report.requirements;
  expect(r.strictly).toBe("far misses");
  expect(r.pricedBy).toBe("strict");
  const rows = join(spec, "..", "rows.csv");
  const found = await predictions(trainedModel(out), rows, { keep: ["y"] });
  const counted = found.filter(
    (row) => "class" in row && row.kept!.y === "yes" && row.probabilities.yes < 1 / 3,
  );
  const { requirements } = await evaluateRun(out, rows);
  expect(requirements["no far. misses"].outcome!.strict.value).toBeCloseTo(counted.length / 300, 6);
  // The copy of the spec finds the file from where it is.
  expect(readFileSync(join(out, "spec.yaml"), "utf8")).toContain(`use: ../../${file}`);
  await prepare(readSpec(join(out, "spec.yaml")));
});

test("another file is another run", async () => {
  const spec = specWith("far.ts", far);
  const out = join(spec, "..", "run");
  await trainInFolder(readSpec(spec), { name: "r", out, device: "cpu", progress: quiet });
  writeFileSync(join(spec, "..", "far.ts"), far.replace("1 / 3", "1 / 4"));
  await expect(
    trainInFolder(readSpec(spec), { name: "r", out, device: "cpu", progress: quiet, resume: true }),
  ).rejects.toThrow(/far\.ts changed since the run/);
});

describe("a mistake in the file is named", () => {
  test.each([
    ["gone.ts", undefined, /requirements\.no far\. misses\.use: there is no file .*gone\.ts\./],
    ["empty.mjs", "export const x = 1;", /empty\.mjs has no default export with a function called trained\./],
    ["nameless.mjs", "export default { trained: (look) => look.logits };", /has no name/],
    [
      "odd.mjs",
      "export default { name: 'a', kind: 'sum', trained: () => 0 };",
      /should be mean, rate or statistic/,
    ],
    ["broken.mjs", "export default {", /broken\.mjs cannot be used: /],
  ])("%s", async (file, text, sentence) => {
    await expect(prepare(readSpec(specWith(file, text)))).rejects.toThrow(sentence);
  });
});
