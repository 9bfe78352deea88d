// What a report says was reached.

import { between, excessOf, minimise, solve } from "@pliant/core";
import { array } from "@pliant/engine";
import { expect, test } from "vitest";

test.each([
  ["below", -3, 1],
  ["inside, nearer to the lower level", -1.5, -0.5],
  ["inside, nearer to the upper level", 0.5, -0.5],
  ["above", 4, 3],
])("of a two-sided requirement the value itself, %s", async (_, x, excess) => {
  const task = minimise({
    params: { x: array([x]) },
    forward: ({ x }, _: object) => x,
    objective: (x) => x.pow(2).sum(),
  }).subjectTo({ range: between(-2, 1, (x) => x) });
  const { report } = await solve(task, { data: {}, steps: 0 });
  expect(report.requirements.range.reached).toBeCloseTo(x, 6);
  expect(excessOf(report.requirements.range)).toBeCloseTo(excess, 6);
});
