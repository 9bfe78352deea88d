// A point without a slope may be a maximum or a saddle: a little off it there is lower, and it is no equilibrium.
import { array, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { atMost, minimise, sgd, solve } from "../src/index.js";

const backend = reference();
const at = (x: Tensor, i: number): Tensor => x.slice([[i, i + 1]]);
const solved = (
  dtype: "float32" | "float64",
  from: number[],
  objective: (x: Tensor) => Tensor,
  level = 1e9,
  steps = 200,
) =>
  solve(
    minimise({
      params: { x: array(from, { dtype }) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective,
    }).subjectTo({ r: atMost(level, (x) => at(x, 0).sum()) }),
    {
      data: array([0], { dtype }),
      backend,
      ...(steps === 200 && from[0] !== 0 && { optimizer: sgd(0.1) }),
      steps,
    },
  );

/** Σ x⁴ − x²: a maximum at 0, and minima of −¼ at ±√½. */
const humps = (x: Tensor): Tensor => x.pow(4).sub(x.pow(2)).sum();

describe.each(["float32", "float64"] as const)("in %s", (dtype) => {
  test.each([
    ["a maximum", [0], (x: Tensor) => humps(x)],
    ["a maximum beside a constant", [0], (x: Tensor) => humps(x).add(1)],
    ["a maximum in units of 10⁻⁶", [0], (x: Tensor) => humps(x.mul(1e6))],
    ["a maximum in units of 10⁶", [0], (x: Tensor) => humps(x.mul(1e-6)).add(1)],
    ["a saddle", [0, 0], (x: Tensor) => humps(at(x, 1)).add(at(x, 0).pow(2).sum().mul(0.1))],
  ])("%s is not certified, and the run goes on to a minimum", async (_, from, objective) => {
    const there = await solved(dtype, from, objective, 1e9, 0);
    expect(there.certificate.holds).toBe(false);
    expect(there.certificate.short.join()).toMatch(/saddle|lower nearby/);
    const after = await solved(dtype, from, objective, 1e9, 200);
    if (after.certificate.holds) expect(after.report.objective).toBeLessThan(there.report.objective - 0.2);
  });

  test("from a little off it the minimum is", async () => {
    const { certificate, params } = await solved(dtype, [1e-3], (x) => humps(x).add(1));
    expect(certificate).toMatchObject({ holds: true, short: [] });
    expect(Math.abs(params.x.data[0] as number)).toBeCloseTo(Math.SQRT1_2, 2);
  });

  test.each([0, 0.5])("a minimum of one of several is, at a level of %d", async (level) => {
    const { certificate } = await solved(dtype, [-0.6], (x) => humps(x).add(x.sum().mul(0.1)), level);
    expect(certificate).toMatchObject({ holds: true, short: [] });
  });
});
