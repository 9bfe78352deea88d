// Problems that are hard for first-order steps: one direction much flatter than another, or a kink. Where steps stall short of the
// minimum nothing is certified; by default they are solved.
import { adam, atMost, minimise, type Optimizer, settling, sgd, solve } from "@pliant/core";
import { array, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";

type Rows = { x: Tensor; y: Tensor };

describe("a line through points far from 0, where a constant and x are as good as one column", () => {
  const fitted = async (dtype: "float32" | "float64", from: number, optimizer?: Optimizer) => {
    const xs = Array.from({ length: 50 }, (_, i) => from + i / 50);
    const ys = xs.map((x, i) => 3 * (x - from) + Math.sin(i * 7) + 1);
    const task = minimise({
      params: { a: array([0], { dtype }), b: array([0], { dtype }) },
      forward: ({ a, b }: Record<"a" | "b", Tensor>, { x, y }: Rows) => x.mul(b).add(a).sub(y),
      objective: (error) => error.pow(2).mean(),
    }).subjectTo({ mean: atMost(1, (error) => error.mean()) });
    const data = { x: array(xs, { dtype }), y: array(ys, { dtype }) };
    const { certificate, report } = await solve(task, { data, optimizer, steps: 1000 });
    return { holds: certificate.holds, objective: report.objective };
  };
  /** Of least squares, by hand. */
  const best = 0.48545;

  test("is fitted by default, and certified", async () => {
    const { holds, objective } = await fitted("float64", 1000);
    expect(holds).toBe(true);
    expect(objective).toBeCloseTo(best, 4);
  });

  test("is not certified where gradient steps stall far above the minimum, and is where the column is centred", async () => {
    const stalled = await fitted("float64", 1000, sgd(5e-7));
    expect(stalled.objective).toBeGreaterThan(1.5 * best);
    expect(stalled.holds).toBe(false);
    const centred = await fitted("float64", -0.5, sgd(0.3));
    expect(centred.holds).toBe(true);
    expect(centred.objective).toBeCloseTo(best, 3);
  });

  test("is right in float32 where it is certified there", async () => {
    for (const from of [-0.5, 1000]) {
      const { holds, objective } = await fitted("float32", from);
      if (from === -0.5) expect(holds).toBe(true);
      if (holds) expect(Math.abs(objective / best - 1)).toBeLessThan(3e-3);
    }
  });
});

test("a declared kink is certified; an undeclared one is never certified at a wrong minimum", async () => {
  const data = array([0], { dtype: "float64" });
  const task = minimise({
    params: { x: array([0], { dtype: "float64" }) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3.3).abs().sum(),
  }).subjectTo({ x: atMost(5, (x) => x, { hard: true }) });
  const found = (kinks: boolean) =>
    solve(task, { data, optimizer: settling(adam(0.03)), kinks, steps: 1500 });
  const told = await found(true);
  expect(told.certificate).toMatchObject({ holds: true, short: [] });
  expect(Math.abs(told.report.objective)).toBeLessThanOrEqual(told.certificate.objectiveError + 3e-3);
  expect(told.params.x.item()).toBeCloseTo(3.3, 2);
  expect((await found(false)).certificate.holds).toBe(false);
});
