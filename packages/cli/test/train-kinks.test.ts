// Losses with kinks, from a spec to its certificate.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { random } from "@pliant/engine";
import type { TrainReport } from "@pliant/train";
import { expect, test } from "vitest";
import { trainCommand } from "../src/training/train.js";
import { printed } from "./fixtures/output.js";

test.each([
  ["absolute-error", "mean-absolute-error"],
  ["quantile, quantile: 0.9", "quantile-loss, quantile: 0.9"],
])("a linear model of least %s is certified where it is at a minimum", async (loss, metric) => {
  const folder = mkdtempSync(join(tmpdir(), "pliant-kinks-"));
  const draws = random.normal(random.key(4), [200, 3]).data;
  const rows = Array.from({ length: 200 }, (_, i) => {
    const [x, z, noise] = draws.slice(3 * i, 3 * i + 3);
    return i % 3 ? [x, z, "N", 2 * x + z + noise] : [x, z, "S", 2 * x - z + 3 * noise];
  });
  writeFileSync(join(folder, "rows.csv"), ["x,z,region,y", ...rows.map((row) => row.join(","))].join("\n"));
  writeFileSync(
    join(folder, "spec.yaml"),
    `data: { file: rows.csv, target: y, columns: { region: group } }
model: { kind: linear }
objective: { loss: ${loss} }
requirements:
  off: { metric: ${metric}, by: region, level: 0.6 }
`,
  );
  const text = await printed(() =>
    trainCommand([join(folder, "spec.yaml"), "--out", join(folder, "run"), "--no-insist", "--json"]),
  );
  expect((JSON.parse(text) as TrainReport).certificate).toMatchObject({ holds: true, short: [] });
});
