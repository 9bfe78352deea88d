// The paper's worked examples, from the library's own solver and simulation.
import { curves, equilibria, equilibriumSvg, learnability } from "pliant";
import { describe, expect, test } from "vitest";
import { sensitivity } from "../src/theory/equilibrium.js";

describe("the three equilibria of the first figure", async () => {
  const found = await equilibria();

  test.each([
    ["easy", 0.2436],
    ["difficult", 0.6269],
    ["infeasible", 0.8905],
  ])("%s: u* = %d", (label, u) => {
    const equilibrium = found.find((e) => e.label === label)!;
    expect(Math.abs(equilibrium.u - u)).toBeLessThan(1e-4);
  });

  test("price, slope of the cost and sensitivity of the problem are one number", () => {
    for (const [i, { u, price }] of found.entries()) {
      expect(price).toBeCloseTo(u / 2, 7);
      expect(price).toBeCloseTo(sensitivity(curves[i], u), 7);
    }
  });

  test("are drawn as an SVG that names them", () => {
    const svg = equilibriumSvg(found);
    expect(svg.match(/<circle/g)).toHaveLength(3);
    for (const { u } of found) expect(svg).toContain(`u* = ${u.toFixed(3)}`);
  });
});

describe("learnability by relaxing", () => {
  const rows = learnability(4000, 1);

  test.each([
    [10, 0.79, 0.15],
    [30, 0.94, 0.06],
    [100, 0.998, 0.001],
    [300, 1, 0],
  ])("with %d samples the resilient problem finds the best model in a share of %d", (n, picks, within) => {
    const row = rows.find((r) => r.n === n)!;
    expect(Math.abs(row.resilientPicksB - picks)).toBeLessThan(0.03);
    expect(Math.abs(row.empiricalWithin - within)).toBeLessThan(0.03);
  });

  test("insisting on the empirical requirements never does", () => {
    for (const { empiricalPicksB } of rows) expect(empiricalPicksB).toBe(0);
  });

  test("depends on nothing but the seed", () => {
    expect(learnability(50, 7, [10])).toEqual(learnability(50, 7, [10]));
  });
});
