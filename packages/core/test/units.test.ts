// What a requirement is counted in changes nothing but the numbers: the same model and steps, levels and prices in its own units.

import {
  atMost,
  between,
  createSolver,
  insist,
  measurePrice,
  minimise,
  perturbation,
  quadratic,
  sgd,
  solveWith,
} from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { float64 } from "./float64.js";

/** ½(x − 3)² with x asked to be at most 1, and between −1 and 2, in units of so much. */
const statement = (unit: number) =>
  minimise({
    params: { x: float64([0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo(
    {
      low: atMost(unit, (x) => x.mul(unit), { unit }),
      within: between(-unit, 2 * unit, (x) => x.mul(unit), { unit, cost: quadratic(4) }),
    },
    { cost: quadratic(0.5) },
  );
const options = { data: float64([0]), optimizer: sgd(0.2), tolerance: 1e-6, steps: 3000 };
const close = (x: number) => expect.closeTo(x, 6 - Math.ceil(Math.log10(Math.abs(x) + 1)));

describe.each([1000, 0.001])("in units of %d", (unit) => {
  test("the model, the steps and the certificate are the same; relaxations and prices are of those units", async () => {
    const [plain, counted] = await Promise.all(
      [1, unit].map(async (by) => solveWith(await createSolver(statement(by), options), options)),
    );
    expect(plain.certificate.holds && counted.certificate.holds).toBe(true);
    expect(counted.steps).toBe(plain.steps);
    expect(counted.params.x.data[0]).toBeCloseTo(plain.params.x.data[0], 9);
    for (const name of ["low", "within"] as const) {
      const [a, b] = [plain, counted].map(({ report }) => report.requirements[name]);
      expect([b.reached / unit, b.relaxation / unit, b.price * unit, b.allowance / unit]).toEqual(
        [a.reached, a.relaxation, a.price, a.allowance].map((x) => expect.closeTo(x, 8)),
      );
      expect(b.status).toBe(a.status);
    }
  });

  test("insisting, a measured price and the perturbation function are too", async () => {
    const found = await Promise.all(
      [1, unit].map(async (by) => {
        const solver = await createSolver(statement(by), options);
        const solution = await solveWith(solver, options);
        const { costs, reached } = await insist(solver, solution, "low");
        const { price } = await measurePrice(solver, solution, "low", { by: 0.1 * by });
        const curve = await perturbation(statement(by), "low", [0.5 * by], options);
        const [{ at, price: slope, cost, costSlope }] = curve.points;
        return [costs, reached / by, price! * by, at / by, slope * by, cost, costSlope * by];
      }),
    );
    expect(found[1]).toEqual(found[0].map(close));
  });
});

test("a unit that is none is refused", () => {
  expect(() => statement(0)).toThrow("low: the unit must be a positive number, got 0.");
});
