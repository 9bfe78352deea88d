// Units change nothing: an objective s times as large and requirements r times as large have relaxations r times, and prices s/r times, as
// large. What is certified follows that; what float32 cannot hold is not certified.
import { array, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import {
  atLeast,
  atMost,
  createSolver,
  equals,
  linear,
  minimise,
  newton,
  quadratic,
  solve,
} from "../src/index.js";

type Model = { x: Tensor; y: Tensor; z: Tensor; w: Tensor };
const backend = reference();
const at = (x: Tensor, i: number): Tensor => x.slice([[i, i + 1]]);

/** ½‖θ − (3, 3, −1, 1)‖² with x ≤ 1, y ≤ 1 at α = ¼, z ≥ 1 at γ = 0.7, and w = 2. */
const scaled = (s: number, r: number, dtype: "float32" | "float64") =>
  minimise({
    params: { p: array([0, 0, 0, 0], { dtype }) },
    forward: ({ p }: { p: Tensor }, target: Tensor) => ({
      x: at(p, 0).mul(r),
      y: at(p, 1).mul(r),
      z: at(p, 2).mul(r),
      w: at(p, 3).mul(r),
      off: p
        .sub(target)
        .pow(2)
        .sum()
        .mul(s / 2),
    }),
    objective: ({ off }) => off,
  }).subjectTo({
    firm: atMost(r, ({ x }: Model) => x, { hard: true }),
    bent: atMost(r, ({ y }: Model) => y, { cost: quadratic((0.25 * s) / r ** 2) }),
    paid: atLeast(r, ({ z }: Model) => z, { cost: linear((0.7 * s) / r) }),
    same: equals(2 * r, ({ w }: Model) => w, { hard: true }),
  });

/** 3 − x = λ; 2 − u = λ = u/2; γ, with z = −1 + 0.7; w − 1 = −λ. */
const known = {
  firm: { relaxation: 0, price: 2 },
  bent: { relaxation: 4 / 3, price: 2 / 3 },
  paid: { relaxation: 1.3, price: 0.7 },
  same: { relaxation: 0, price: -1 },
} as const;

describe.each(["float32", "float64"] as const)("in %s", (dtype) => {
  // Rates begin where they do in any units, so that prices in far larger or smaller ones may need more steps than these.
  test.each([
    [0, 0, true],
    [8, 0, true],
    [0, -6, true],
    [-6, -6, true],
    [-8, -8, true],
    [-8, 0, false],
    [0, 4, false],
    [6, 6, false],
    [-6, 6, false],
    [8, -8, false],
  ])("an objective of 10^%d times, requirements of 10^%d", async (so, ro, certified) => {
    const [s, r] = [10 ** so, 10 ** ro];
    const { report, certificate } = await solve(scaled(s, r, dtype), {
      data: array([3, 3, -1, 1], { dtype }),
      backend,
      optimizer: newton(),
      steps: 400,
    });
    if (certified) expect(certificate).toMatchObject({ holds: true, short: [] });
    if (!certificate.holds) return;
    // To the tolerance in units of the scale of each, and of the objective, 3.3 of s, for a scale.
    for (const [name, { relaxation, price }] of Object.entries(known)) {
      const found = report.requirements[name as keyof typeof known];
      expect(Math.abs(found.relaxation / r - relaxation), name).toBeLessThan(4e-3);
      expect(Math.abs((found.price * r) / s - price), name).toBeLessThan(8e-3);
    }
  });
});

// At any price λ the Lagrangian is least at x = 3 − λ. Where that is far away the objective is so large that no price is beside it.
test.each([1e2, 1e4, 1e8, 1e13])("a price of %d of what is far below its level is none", async (price) => {
  const dtype = "float64";
  const task = minimise({
    params: { x: array([0], { dtype }) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo({ x: atMost(1, (x) => x, { hard: true }) });
  const solver = await createSolver(task, { data: array([0], { dtype }), backend });
  const state = {
    ...solver.initial,
    params: { x: array([3 - price], { dtype }) },
    prices: [array([price], { dtype })],
  };
  const { certificate } = await solver.inspect(state);
  expect(certificate).toMatchObject({
    holds: false,
    short: expect.arrayContaining(['prices have not settled: "x"']),
  });
  solver.release();
});
