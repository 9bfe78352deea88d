// The README's chart is the record, drawn.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chartRecord, comparisonSvg } from "../src/chart.js";
import { home } from "../src/place.js";

const drawn = readFileSync(join(home, "comparison.svg"), "utf8");

test("the chart shows the recorded benchmark (npm run chart)", () => {
  expect(drawn).toBe(comparisonSvg(chartRecord()));
});

test("another measurement is another chart", () => {
  const record = chartRecord();
  const [first, ...rest] = record.reductions;
  const worse = { ...first, pliant: { test: { error: first.pliant.test.error + 0.01 } } };
  expect(comparisonSvg({ ...record, reductions: [worse, ...rest] })).not.toBe(drawn);
});
