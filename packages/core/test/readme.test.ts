// The README's example, run as it is written there.

import { atLeast, atMost, minimise, quadratic, solve } from "@pliant/core";
import { array, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";

test("the README's example gives the README's report", async () => {
  const task = minimise({
    params: { x: array([0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo({ low: atMost(-1, (x) => x), high: atLeast(1, (x) => x) }, { cost: quadratic(0.5) });

  const { report } = await solve(task, { data: array([0]) });
  expect(report.certificate.holds).toBe(true);
  expect(report.requirements.low.price).toBeCloseTo(2, 2);
  expect(report.text.split("\n").slice(0, 3)).toEqual([
    "requirement  asked       reached                gave  price",
    "low          at most -1        1  gave way         2      2",
    "high         at least 1        1  at its level     0      0",
  ]);
});
