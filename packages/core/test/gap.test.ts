// The duality gap, ℓ₀ + h([g]₊) less ℓ₀ + λ·g − h*(λ), against its definition element by element.
import {
  atMost,
  type Cost,
  createSolver,
  equals,
  hard,
  linear,
  minimise,
  quadratic,
  sgd,
} from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { float64 } from "./float64.js";

/** The gap at slacks x with these prices. */
async function gapAt(
  x: readonly number[],
  prices: readonly number[],
  { cost, either = false, insist = false }: { cost: Cost; either?: boolean; insist?: boolean },
): Promise<number> {
  const task = minimise({
    params: { x: float64(x) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.pow(2).sum().add(7),
  }).subjectTo({ each: (either ? equals : atMost)(0, (x) => x, { cost, scale: 1 }) });
  const solver = await createSolver(task, { data: float64([0]), optimizer: sgd(0.1) });
  const terms = solver.terms({ insist: insist ? ["each"] : [] });
  const { certificate } = await solver.inspect({ ...solver.initial, prices: [float64(prices)] }, terms);
  solver.release();
  return certificate.gap;
}
const sum = (...each: number[]): number => each.reduce((a, b) => a + b);

describe("the gap", () => {
  const bent = quadratic(0.5);

  test("for a quadratic cost is u²/2 + λ²/2 − λg per element, and 0 at an equilibrium", async () => {
    const gap = await gapAt([3, -1, 0.5], [0.8, 0.6, 0.5], { cost: bent });
    expect(gap).toBeCloseTo(sum(4.5 + 0.32 - 2.4, 0 + 0.18 + 0.6, 0), 12);
    expect(await gapAt([0.5, -1, 2], [0.5, 0, 2], { cost: bent })).toBeCloseTo(0, 12);
  });

  test("for an equality counts both sides and the sign of the price", async () => {
    const gap = await gapAt([-3, -1, 0.5], [-0.8, 0.6, -0.5], { cost: bent, either: true });
    expect(gap).toBeCloseTo(sum(4.5 + 0.32 - 2.4, 0.5 + 0.18 + 0.6, 0.125 + 0.125 + 0.25), 12);
  });

  test("for a linear cost is the difference between the price paid and the value asked", async () => {
    const cost = linear(0.5);
    expect(await gapAt([3, -1, 0], [0.5, 0.5, 0.25], { cost })).toBeCloseTo(0.5, 12);
    expect(await gapAt([-3, 0, 0], [-0.25, 0, 0], { cost, either: true })).toBeCloseTo(1.5 - 0.75, 12);
  });

  test("for a hard or insisted requirement is |λg|, on either side of its level", async () => {
    for (const how of [{ cost: hard }, { cost: bent, insist: true }])
      expect(await gapAt([1e-3, -1, 0], [0.5, 0.25, 2], how)).toBeCloseTo(0.5e-3 + 0.25, 12);
  });
});
