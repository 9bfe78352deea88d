// What a report says was reached.

import {
  atLeast,
  atMost,
  between,
  createSolver,
  equals,
  excessOf,
  insist,
  minimise,
  sgd,
  solve,
  solveWith,
} from "@pliant/core";
import { array, concat, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";

test.each([
  ["below", -3, 1],
  ["inside, nearer to the lower level", -1.5, -0.5],
  ["inside, nearer to the upper level", 0.5, -0.5],
  ["above", 4, 3],
])("a two-sided requirement reports the value itself, %s", async (_, x, excess) => {
  const task = minimise({
    params: { x: array([x]) },
    forward: ({ x }, _: object) => x,
    objective: (x) => x.pow(2).sum(),
  }).subjectTo({ range: between(-2, 1, (x) => x) });
  const { report } = await solve(task, { data: {}, steps: 0 });
  expect(report.requirements.range.reached).toBeCloseTo(x, 6);
  expect(excessOf(report.requirements.range)).toBeCloseTo(excess, 6);
});

test.each([
  ["at most", atMost, [1, 9], 4],
  ["at least", atLeast, [9, 1], 4],
  ["equal to", equals, [4, 9], 4],
] as const)(
  "with a level per element the excess is that of the worst element: %s",
  async (_, asked, levels, excess) => {
    const task = minimise({
      params: { x: array([5, 5]) },
      forward: ({ x }: { x: Tensor }, _: object) => x,
      objective: (x) => x.pow(2).sum(),
    }).subjectTo({ each: asked([...levels], (x) => x) });
    const { report } = await solve(task, { data: {}, steps: 0 });
    expect(excessOf(report.requirements.each)).toBeCloseTo(excess, 6);
  },
);

test("insisting on something else says by how much it breaks the worst of several levels", async () => {
  const task = minimise({
    params: { x: array([0]) },
    forward: ({ x }: { x: Tensor }, _: object) => x,
    objective: (x) => x.pow(2).sum(),
  }).subjectTo({
    each: atMost([5, 1], (x) => concat([x, x]), { hard: true }),
    high: atLeast(3, (x) => x),
  });
  const options = { data: {}, optimizer: sgd(0.05), steps: 2000 };
  const solver = await createSolver(task, options);
  const found = await solveWith(solver, options);
  expect(found.certificate.short).toEqual([]);
  const { others } = await insist(solver, found, "high", { steps: 100 });
  expect(others.each).toBeGreaterThan(0.1);
});
