// The paper's worked examples, from the library's own solver and simulation.

import { describe, expect, test } from "vitest";
import {
  curves,
  equilibria,
  equilibriumSvg,
  learnability,
  sensitivity,
  stitchedDual,
  stitchedPerturbation,
} from "../src/theory/index.js";

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

  test.each([
    [0.05, [0.3, 0.51, 0.88, 0.996]],
    [0.2, [0.48, 0.74, 0.95, 0.9995]],
    [0.6, [0.1, 0.02, 0.0005, 0]],
  ])(
    "relaxing by %d whatever the samples comes within 1/64 as often as the paper's problem does",
    (u, shares) => {
      for (const [i, { fixed }] of rows.entries())
        expect(Math.abs(fixed[u].within - shares[i])).toBeLessThan(0.03);
    },
  );

  test("relaxing by too much takes a worse model, the more surely the more samples there are", () => {
    for (const { n, fixed } of rows) {
      expect(fixed[0.6].picksB).toBeLessThan(n > 10 ? 0.001 : 0.05);
      expect(fixed[0.2].picksB).toBeGreaterThan(fixed[0.05].picksB - 0.01);
    }
  });

  test("depends on nothing but the seed", () => {
    expect(learnability(50, 7, [10])).toEqual(learnability(50, 7, [10]));
  });
});

describe("answers that are stitched together, of losses that are not convex", () => {
  // The second lies far above the line between the others.
  const answers = [
    { objective: 0, requirement: 1 },
    { objective: 0.9, requirement: 0.6 },
    { objective: 1, requirement: 0 },
  ];
  const levels = Array.from({ length: 41 }, (_, i) => i / 40);
  const without = (u: number) => stitchedPerturbation(answers, u, Infinity);

  test("without atoms reach a convex set, so P̃ is convex and falls", () => {
    for (const [i, u] of levels.entries()) {
      expect(without(u)).toBeCloseTo(1 - u, 12);
      for (const v of levels.slice(i))
        expect(without((u + v) / 2)).toBeLessThanOrEqual((without(u) + without(v)) / 2 + 1e-12);
    }
    expect(without(-0.1)).toBe(Infinity);
  });

  test("have no duality gap without atoms", () => {
    for (const u of levels.filter((level) => level > 0))
      expect(stitchedDual(answers, u)).toBeCloseTo(without(u), 12);
  });

  test("with n atoms miss both by at most 1/n, and by half with one", () => {
    const most = (atoms: number) =>
      Math.max(...levels.map((u) => stitchedPerturbation(answers, u, atoms) - without(u)));
    expect(most(1)).toBeGreaterThan(0.5);
    for (const atoms of [1, 2, 4, 8, 16, 32]) {
      expect(most(atoms)).toBeLessThanOrEqual(1 / atoms + 1e-9);
      expect(most(atoms)).toBeGreaterThan(0.3 / atoms);
    }
  });
});
