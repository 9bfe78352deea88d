// The price curve and the perturbation function, on problems whose curves are known in closed form.

import {
  atMost,
  equals,
  linear,
  minimise,
  perturbation,
  priceCurve,
  quadratic,
  scaled,
  sgd,
  solve,
} from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { onNumbers } from "../src/costs/numbers.js";
import { checkCost } from "../src/index.js";
import { convex, exactly, type Point, problemOf } from "./convex.js";
import { float64 } from "./float64.js";

/** ½‖x − (3, 2)‖² where x₁ is asked to be at most 0, x₂ at most 1: P*(u) = ½(3 − u₁)² + ½(1 − u₂)². */
const two = minimise({
  params: { x: float64([0, 0]) },
  forward: ({ x }: Point, _: Tensor) => x,
  objective: (x) =>
    x
      .sub(float64([3, 2]))
      .pow(2)
      .mul(0.5)
      .sum(),
}).subjectTo({
  first: atMost(0, (x) => x.mul(float64([1, 0])).sum()),
  second: atMost(1, (x) => x.mul(float64([0, 1])).sum(), { cost: quadratic(2) }),
});

describe("a cost times a factor", () => {
  test.each([
    ["quadratic", scaled(quadratic(1), 3), quadratic(3)],
    ["linear", scaled(linear(0.5), 4), linear(2)],
  ])("is the %s cost with that weight", (_, made, direct) => {
    checkCost(made);
    const [a, b] = [onNumbers(made), onNumbers(direct)];
    const prices = [0, 0.3, 1.7];
    expect(a.value(prices)).toBeCloseTo(b.value(prices), 12);
    for (const key of ["gradient", "conjugateGradient", "projectDual"] as const)
      expect(a[key](prices)).toEqual(b[key](prices).map((v) => (v === Infinity ? v : expect.closeTo(v, 12))));
    expect(a.conjugate(prices)).toBeCloseTo(b.conjugate(prices), 12);
    expect(a.prox([0.1, 1, 9], 0.7)).toEqual(b.prox([0.1, 1, 9], 0.7).map((v) => expect.closeTo(v, 12)));
  });

  test("refuses a factor that is none", () => {
    expect(() => scaled(quadratic(1), 0)).toThrow(/^scaled: the factor must be a positive number, got 0/);
  });
});

describe("the price curve", () => {
  const factors = [0.1, 0.2, 0.5, 1, 2, 5, 10];

  test("follows the closed form, for shared and own costs", async () => {
    const points = await priceCurve(two, factors, exactly);
    expect(points.map(({ factor }) => factor)).toEqual(factors);
    for (const { factor, relaxations, prices, objective, certificate } of points) {
      expect(certificate.holds).toBe(true);
      // 3 − u = 2αu
      const [u1, u2] = [3 / (1 + 2 * factor), 1 / (1 + 4 * factor)];
      expect(relaxations.first).toBeCloseTo(u1, 6);
      expect(relaxations.second).toBeCloseTo(u2, 6);
      expect(prices.first).toBeCloseTo(3 - u1, 6);
      expect(prices.second).toBeCloseTo(1 - u2, 6);
      expect(objective).toBeCloseTo(((3 - u1) ** 2 + (1 - u2) ** 2) / 2, 6);
    }
  });

  test("is warm started: a point costs fewer steps than from nothing", async () => {
    const close = [1, 1.0001, 1.0002];
    const options = { ...exactly, optimizer: sgd(0.05), dualRate: 0.05, every: 10 };
    const warm = await priceCurve(two, close, options);
    const [, cold] = await Promise.all([1, 1.0001].map((factor) => priceCurve(two, [factor], options)));
    expect(warm[1].steps).toBeLessThan(cold[0].steps);
    expect(warm[1].relaxations.first).toBeCloseTo(cold[0].relaxations.first, 6);
  });

  test("dearer relaxing buys less of it and a worse objective", async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean().chain(convex), async (sides) => {
        const points = await priceCurve(problemOf(sides), [0.2, 1, 5], exactly);
        for (const [i, next] of points.slice(1).entries()) {
          const before = points[i];
          expect(next.certificate.holds).toBe(true);
          const h = (p: typeof next) => Object.values(p.relaxations).reduce((sum, u) => sum + u * u, 0);
          expect(h(next)).toBeLessThanOrEqual(h(before) + 1e-6);
          expect(next.objective).toBeGreaterThanOrEqual(before.objective - 1e-6);
        }
      }),
      { numRuns: 15, seed: 3 },
    );
  });
});

describe("the perturbation function", () => {
  test.each([3, -1])("is computed on the side where an equality gave way, towards %d", async (towards) => {
    // ½(x − 3)² or ½(x + 1)² with x equal to 1: P*(u) = ½(2 − u)².
    const task = minimise({
      params: { x: float64([0]) },
      forward: ({ x }: Point, _: Tensor) => x,
      objective: (x) => x.sub(towards).pow(2).mul(0.5).sum(),
    }).subjectTo({ is: equals(1, (x) => x.sum(), { cost: quadratic(0.5) }) });
    const { points, equilibrium } = await perturbation(task, "is", [0, 0.5, 1.5], exactly);
    for (const { at, objective, price } of [...points, equilibrium]) {
      expect(objective).toBeCloseTo(0.5 * (2 - at) ** 2, 4);
      expect(price).toBeCloseTo(2 - at, 4);
    }
    expect(equilibrium).toMatchObject({ at: expect.closeTo(1, 4), costSlope: expect.closeTo(1, 4) });
  });

  test("for one requirement has its equilibrium where the price meets the slope of the cost", async () => {
    const grid = [0, 0.5, 1, 2, 3, 4];
    const { points, equilibrium } = await perturbation(two, "first", grid, exactly);
    const second = 1 / 5;
    for (const [i, at] of grid.entries()) {
      const point = points[i];
      expect(point.at).toBe(at);
      expect(point.certificate.holds).toBe(true);
      expect(point.objective).toBeCloseTo((Math.max(0, 3 - at) ** 2 + (1 - second) ** 2) / 2, 6);
      expect(point.price).toBeCloseTo(Math.max(0, 3 - at), 6);
      expect(point.costSlope).toBeCloseTo(2 * at, 6);
      expect(point.cost).toBeCloseTo(at ** 2 + 2 * second ** 2, 6);
    }
    expect(equilibrium.at).toBeCloseTo(1, 6);
    expect(equilibrium.price).toBeCloseTo(equilibrium.costSlope, 6);
  });

  test("along a direction", async () => {
    const { points, equilibrium } = await perturbation(
      two,
      { first: 1, second: 0.5 },
      [-0.2, 0, 0.2],
      exactly,
    );
    expect(points[1].objective).toBeCloseTo(equilibrium.objective, 6);
    for (const { at, objective, price } of points) {
      const [gap1, gap2] = [2 - at, 0.8 - 0.5 * at];
      expect(objective).toBeCloseTo((gap1 ** 2 + gap2 ** 2) / 2, 6);
      expect(price).toBeCloseTo(gap1 + 0.5 * gap2, 6);
    }
    expect(equilibrium.at).toBe(0);
    expect(equilibrium.price).toBeCloseTo(equilibrium.costSlope, 6);
  });

  test("has no certified value where the levels are out of reach", async () => {
    // x ≤ 0 and x ≥ 1: the two relaxations must add up to 1.
    const torn = problemOf({ centre: [0.5], rows: [[1], [-1]], levels: [0, -1] });
    const { points, equilibrium } = await perturbation(torn, "r0", [0, 0.25, 0.75, 1], {
      ...exactly,
      steps: 2000,
    });
    expect(equilibrium.at).toBeCloseTo(0.5, 6);
    expect(points.map(({ certificate }) => certificate.holds)).toEqual([false, false, true, true]);
  });

  test("moves all elements of a per-example requirement together", async () => {
    const task = minimise({
      params: { x: float64([0, 0]) },
      forward: ({ x }: Point, _: Tensor) => x,
      objective: (x) =>
        x
          .sub(float64([1, 2]))
          .pow(2)
          .mul(0.5)
          .sum(),
    }).subjectTo({ each: atMost(0, (x) => x) });
    const { points } = await perturbation(task, { each: 1 }, [0.25], exactly);
    await expect(perturbation(task, "each", [0], exactly)).rejects.toThrow(
      /^each has 2 relaxations; move them together with the direction { each: 1 }\.$/,
    );
    // At the equilibrium u = (1/3, 2/3).
    expect(points[0].objective).toBeCloseTo(((2 / 3 - 0.25) ** 2 + (4 / 3 - 0.25) ** 2) / 2, 6);
    expect(points[0].price).toBeCloseTo(2 - 0.5, 6);
  });

  test("refuses a requirement that is not there", async () => {
    await expect(perturbation(two, { third: 1 } as never, [0], exactly)).rejects.toThrow(
      /^"third" is not a requirement. Choose from: first, second\.$/,
    );
  });

  test("the whole is lowest at the equilibrium", async () => {
    const { points, equilibrium } = await perturbation(two, "first", [0.9, 0.99, 1.01, 1.1], exactly);
    for (const { objective, cost } of points)
      expect(objective + cost).toBeGreaterThan(equilibrium.objective + equilibrium.cost);
    const { report } = await solve(two, exactly);
    expect(report.objective).toBeCloseTo(equilibrium.objective, 9);
  });
});
