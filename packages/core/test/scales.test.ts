// Natural sizes: by hand on small problems, covariant under any change of units, and the same from few random products as from matrices.
import { atMost, hard, minimise, type Requirement } from "@pliant/core";
import type { Tensor } from "@pliant/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kktStep } from "../src/certificate/newton-kkt.js";
import { vector } from "../src/certificate/vectors.js";
import { float64 } from "./float64.js";
import { inUnits, plain, type Units } from "./in-units.js";
import { modelOf, near, pointOf } from "./models.js";

const at = { x: [0.2, 0.3, -0.1], prices: [0.8, 0.5, -0.3], relaxations: [0, 0.25, 0] };

async function scalesIn(units: Units, penalty?: number) {
  const { model, point } = await inUnits(units);
  return (await kktStep(model, point(at.x, at.prices, at.relaxations), penalty)).scales;
}

describe("natural sizes", () => {
  // ½(3x² + 8y²) + 2x − y with 2x + y ≤ 1 at a price of 4.
  const task = minimise({
    params: { x: float64([0, 0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) =>
      x
        .pow(2)
        .mul(float64([1.5, 4]))
        .add(x.mul(float64([2, -1])))
        .sum(),
  }).subjectTo({ sum: atMost(1, (x) => x.mul(float64([2, 1])).sum(), { hard: true }) });

  test("of a quadratic problem match the formulas", async () => {
    const { model } = await modelOf(task);
    const { scales } = await kktStep(model, pointOf(model, [1, -2], [4]));
    // ∇ℓ₀ = (5, −17), θ·∇ℓ₀ = 39, λ|Jθ| = 0, ½θᵀHθ = 17.5: the worth is 39, and d = |H| + λ²J²/worth.
    const d = [3 + (16 * 4) / 39, 8 + 16 / 39];
    expect([...scales.slope]).toEqual(near([5, -17]));
    expect([scales.bent, scales.worth]).toEqual(near([17.5, 39]));
    expect([...scales.d]).toEqual(near(d));
    expect([...scales.t]).toEqual(near([4 / d[0] + 1 / d[1]]));
    // Jᵀλ = (8, 4).
    expect(scales.gain).toBeCloseTo(0.5 * (64 / d[0] + 16 / d[1]), 9);
    expect(scales.bends).toBe(true);
  });

  test("have no part of a constant in the objective, nor of the first parameters", async () => {
    const shifted = { ...task, objective: (x: Tensor, d: Tensor) => task.objective(x, d).add(1e5) };
    const far = { ...task, params: { x: float64([1e4, -1e4]) } };
    const of = async (given: typeof task) => {
      const { model } = await modelOf(given);
      const { d, t, worth, gain, bent } = (await kktStep(model, pointOf(model, [1, -2], [4]))).scales;
      return [...d, ...t, worth, gain, bent];
    };
    const known = near(await of(task), 8);
    expect(await of(shifted)).toEqual(known);
    expect(await of(far)).toEqual(known);
  });

  test("a parameter that bends nowhere has those of the others, and nothing bends where none does", async () => {
    const flat = minimise({
      params: { x: float64([1, 1, 1]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) =>
        x
          .pow(2)
          .mul(float64([2, 4.5, 0]))
          .add(x)
          .sum(),
    }).subjectTo({ any: atMost(9, (x) => x.sum()) });
    const { model } = await modelOf(flat);
    const { scales } = await kktStep(model, pointOf(model, [1, 1, 1]));
    // The geometric mean of 4 and 9.
    expect([...scales.d]).toEqual(near([4, 9, 6]));
    const line = { ...flat, objective: (x: Tensor) => x.sum() };
    const { model: straight } = await modelOf(line);
    expect((await kktStep(straight, pointOf(straight, [1, 1, 1]))).scales.bends).toBe(false);
  });
});

describe("units", () => {
  const unit = fc.integer({ min: -4, max: 4 }).map((k) => 10 ** k);
  const anyUnits: fc.Arbitrary<Units> = fc.record({
    parameters: fc.tuple(unit, unit, unit),
    ceiling: unit,
    soft: unit,
    fixed: unit,
    objective: unit,
  });

  test.each([undefined, 0.01])(
    "change natural sizes by their known powers, with a penalty of %s",
    async (penalty) => {
      const one = await scalesIn(plain, penalty);
      const relative = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
        Math.max(...Array.from(a, (x, i) => Math.abs(x / b[i] - 1)));
      await fc.assert(
        fc.asyncProperty(anyUnits, async (units) => {
          const { parameters, objective: c, ...requirements } = units;
          const other = await scalesIn(units, penalty);
          const each = Object.values(requirements);
          expect(
            relative(
              other.d,
              one.d.map((d, j) => d * c * parameters[j] ** 2),
            ),
          ).toBeLessThan(1e-6);
          expect(
            relative(
              other.t,
              one.t.map((t, i) => (t * each[i] ** 2) / c),
            ),
          ).toBeLessThan(1e-6);
          expect(relative([other.gain, other.worth], [one.gain * c, one.worth * c])).toBeLessThan(1e-6);
        }),
        { numRuns: 25 },
      );
    },
  );
});

describe("many parameters", () => {
  const n = 150;
  /** Curvatures over four decades, weakly coupled; elements that see some of the parameters each. */
  const bend = vector(n, (j) => 10 ** ((4 * ((j * 37) % n)) / n - 2));
  const row = (i: number): number[] =>
    Array.from({ length: n }, (_, j) => ((j + i) % 3 === 0 ? 1 + (i % 2) : 0));
  const wide = (elements: number) => {
    const requirements: Record<string, Requirement<Tensor, Tensor>> = {};
    for (let i = 0; i < elements; i++)
      requirements[`r${i}`] = atMost(1, (x) => x.mul(float64(row(i))).sum(), { cost: hard });
    return minimise({
      params: { x: float64(new Array(n).fill(0)) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => {
        const scaled = x.mul(float64([...bend.map(Math.sqrt)]));
        return scaled.pow(2).sum().mul(0.5).add(scaled.mean().pow(2).mul(0.5));
      },
    }).subjectTo(requirements);
  };

  test.each([3, 20])("have the sizes of matrices within a factor, with %d requirements", async (m) => {
    const { model } = await modelOf(wide(m));
    const { scales } = await kktStep(model, pointOf(model, new Array(n).fill(0.1)));
    const d = bend.map((b) => b * (1 + 1 / n ** 2));
    for (let j = 0; j < n; j++) {
      expect(scales.d[j] / d[j]).toBeGreaterThan(0.5);
      expect(scales.d[j] / d[j]).toBeLessThan(2);
    }
    for (let i = 0; i < m; i++) {
      const t = row(i).reduce((sum, J, j) => sum + J ** 2 / d[j], 0);
      expect(scales.t[i] / t).toBeGreaterThan(0.2);
      expect(scales.t[i] / t).toBeLessThan(5);
    }
  });
});
