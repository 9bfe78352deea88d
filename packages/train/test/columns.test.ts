// Columns as training sees them: which feature a column became, and classes too rare to be in both parts.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { prepare } from "../src/problem/prepare.js";
import { readSpec } from "../src/spec/spec-file.js";

function prepared(lines: readonly string[], more = "", data = "limit: {}") {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  writeFileSync(join(folder, "rows.csv"), `${lines.join("\n")}\n`);
  writeFileSync(
    join(folder, "spec.yaml"),
    `data: { file: rows.csv, target: y, ${data} }\nmodel: { kind: linear }\nrequirements: { small: { metric: size, level: 1 } }\n${more}`,
  );
  return prepare(readSpec(join(folder, "spec.yaml")));
}

describe("features", () => {
  test("a column called like the mark of a missing value is itself", async () => {
    const rows = Array.from({ length: 40 }, (_, i) => [i % 5 === 0 ? "" : i % 7, i % 11, i % 2]);
    const { prepared: found } = await prepared(["age,age missing,y", ...rows.map((row) => row.join(","))]);
    const { numeric, encoding, train } = found;
    expect([...numeric]).toEqual([
      ["age", 0],
      ["age missing", 2],
    ]);
    const { mean, std } = encoding!.columns[1] as { mean: number; std: number };
    const values = Array.from({ length: train.count }, (_, i) => train.x.data[3 * i + 2] * std + mean);
    for (const value of values) expect(value).toBeCloseTo(Math.round(value), 4);
    expect(new Set(values.map(Math.round)).size).toBe(11);
  });
});

test("an empty cell is missing, whatever else is said to be", async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `${["", "-9", i][i % 3]},${i % 2}`);
  const { prepared: found } = await prepared(["x,y", ...rows], "", "missing: [-9]");
  expect(found.encoding!.columns).toMatchObject([{ kind: "number", indicator: true }]);
});

describe("classes", () => {
  const rows = Array.from({ length: 30 }, (_, i) => `${i % 7},${i === 3 ? "rare" : i % 2 ? "yes" : "no"}`);

  test("one of a single row is a class whichever part the row falls to", async () => {
    const parts = new Set<boolean>();
    for (let seed = 1; seed <= 6; seed++) {
      const { prepared: found } = await prepared(["x,y", ...rows], `seed: ${seed}\n`);
      expect(found.target).toMatchObject({ classes: ["no", "rare", "yes"] });
      parts.add(found.train.groups.y.includes("rare"));
    }
    expect(parts.size).toBe(2);
  });
});
