// Costs against independent answers: sorting for the maximum, closed forms for derived functions, and limits.
import { array, cast, compile, evaluate, type Tensor } from "@pliant/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { float64, numbersOf } from "../src/costs/numbers.js";
import {
  customCost,
  free,
  hard,
  huber,
  linear,
  maximum,
  onNumbers,
  power,
  proxConjugate,
  quadratic,
} from "../src/index.js";
import { allClose, signed, type Vector, vectors } from "./cost-families.js";

describe("maximum", () => {
  /** The level where Σ [v − s]₊/t = α, from the sorted heights. */
  function sortedLevel(v: Vector, t: Vector, alpha: number): number {
    const order = v.map((_, i) => i).sort((a, b) => v[b] - v[a]);
    let [mass, rate] = [-alpha, 0];
    for (const [k, i] of order.entries()) {
      mass += v[i] / t[i];
      rate += 1 / t[i];
      const next = order[k + 1];
      if (next === undefined || mass / rate >= v[next]) return Math.max(0, mass / rate);
    }
    throw new Error("no heights");
  }
  const expected = (v: Vector, t: Vector, alpha: number) => {
    const wanted = v.map((x) => Math.max(0, x));
    const s = sortedLevel(wanted, t, alpha);
    return wanted.map((x) => Math.min(x, s));
  };

  test("prox is what sorting gives, ties, zeros and unequal steps included", () => {
    const tied = fc.array(fc.constantFrom(-1, 0, 0.5, 1, 1 + 1e-13, 2), { minLength: 1, maxLength: 40 });
    const anyVector = fc.oneof(
      tied,
      fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 1, maxLength: 40 }),
    );
    const property = fc.property(
      anyVector,
      fc.double({ min: 0.01, max: 50, noNaN: true }),
      fc.boolean(),
      (v, alpha, equal) => {
        const t = v.map((_, i) => (equal ? 0.7 : 0.1 + (i % 5)));
        allClose(onNumbers(maximum(alpha)).prox(v, t), expected(v, t, alpha));
      },
    );
    fc.assert(property, { numRuns: 500, seed: 1 });
  });

  test("stays exact beyond the sizes at which all pairs are compared, with heights at every distance", () => {
    const heights = [
      Array.from({ length: 1000 }, (_, i) => (i * Math.SQRT2) % 1),
      Array.from({ length: 1000 }, (_, i) => 1 + 2 ** -(i % 50)),
      Array.from({ length: 1000 }, () => 3),
      Array.from({ length: 1000 }, (_, i) => (i === 7 ? 1e6 : (i * Math.E) % 1)),
    ];
    for (const v of heights) {
      for (const alpha of [1e-3, 1, 100, 1e9]) {
        const t = v.map((_, i) => 0.5 + (i % 3));
        const [got, want] = [onNumbers(maximum(alpha)).prox(v, t), expected(v, t, alpha)];
        for (const [i, x] of got.entries())
          expect(Math.abs(x - want[i])).toBeLessThan(1e-12 * Math.max(1, v[7]));
      }
    }
  });

  test("projects prices onto the budget to relative precision, however far outside they are", () => {
    for (const size of [3, 1000]) {
      const lambda = Array.from({ length: size }, (_, i) => 1e6 + ((i * Math.SQRT2) % 1));
      const got = onNumbers(maximum(1e-3)).projectDual(lambda);
      expect(Math.abs(got.reduce((a, b) => a + b) / 1e-3 - 1)).toBeLessThan(1e-6);
      expect(onNumbers(maximum(1e-3)).conjugate(got)).toBe(0);
    }
  });

  test("treats rows as groups of their own, and one number as a group of one", () => {
    const rows = [
      [1, 2, 2],
      [0, -1, 5],
    ];
    const h = maximum(0.5);
    const stacked = cast(array(rows, { dtype: "float64" }), "float64");
    const separately = rows.map((v) => onNumbers(h).prox(v, 2));
    expect(evaluate(h.prox(stacked, 2)).toNested()).toEqual(separately);
    expect(evaluate(h.value(stacked.relu())).item()).toBe(0.5 * (2 + 5));
    expect(evaluate(h.prox(cast(array(3, { dtype: "float64" }), "float64"), 2)).item()).toBe(2);
    expect(onNumbers(h).gradient([2, 1, 2, 2])).toEqual([0.5 / 3, 0, 0.5 / 3, 0.5 / 3]);
  });
});

test("power's prox solves u + αβt u^(β−1) = v to rounding, whatever the sizes", () => {
  const sizes = [1e-6, 1e-2, 1, 1e3];
  for (const beta of [1.05, 1.2, 1.5, 1.9, 2.5, 3, 4, 10, 100]) {
    for (const [alpha, t] of sizes.flatMap((a) => sizes.map((b) => [a, b]))) {
      const u = onNumbers(power(beta, alpha)).prox(sizes, t);
      for (const [i, v] of sizes.entries()) {
        const residual = u[i] + alpha * beta * t * u[i] ** (beta - 1) - v;
        expect(Math.abs(residual)).toBeLessThan(1e-13 * v);
      }
    }
  }
});

describe("what customCost derives from a value", () => {
  const cases = [
    { known: quadratic(0.3), value: (u: Tensor) => u.mul(u).mul(0.3).sum() },
    { known: power(4, 2), value: (u: Tensor) => u.pow(4).mul(2).sum() },
    { known: power(1.5, 2), value: (u: Tensor) => u.pow(1.5).mul(2).sum() },
    { known: linear([1, 2, 3, 4]), value: (u: Tensor) => u.mul(cast(array([1, 2, 3, 4]), u.dtype)).sum() },
    { known: huber(1, 2), value: (u: Tensor) => huber(1, 2).value(u) },
    { known: free, value: (u: Tensor) => u.mul(0).sum() },
  ];
  test.each(cases)("is the closed form of $known.name", ({ known, value }) => {
    const [ours, theirs] = [onNumbers(customCost({ value })), onNumbers(known)];
    const property = fc.property(signed, vectors, (v, lambda) => {
      allClose(ours.gradient(lambda), theirs.gradient(lambda));
      allClose(ours.prox(v, 0.5), theirs.prox(v, 0.5));
      allClose(ours.projectDual(lambda), theirs.projectDual(lambda));
      allClose(ours.conjugateGradient(lambda), theirs.conjugateGradient(lambda));
      allClose([ours.conjugate(lambda)], [theirs.conjugate(lambda)]);
    });
    fc.assert(property, { numRuns: 15, seed: 1 });
  });
});

describe("limits", () => {
  const some = [0.3, 2, 0, 7];
  const price = (cost: typeof hard) => numbersOf(proxConjugate(cost, float64(some), 0.5).price);
  const within = (a: Vector, b: Vector, tolerance = 1e-8) => {
    for (const [i, x] of a.entries()) expect(Math.abs(x - b[i])).toBeLessThan(tolerance);
  };

  test("quadratic(α) is hard as α → ∞ and free as α → 0", () => {
    within(onNumbers(quadratic(1e12)).prox(some, 1), onNumbers(hard).prox(some, 1));
    within(price(quadratic(1e12)), price(hard));
    within(onNumbers(quadratic(1e-12)).prox(some, 1), onNumbers(free).prox(some, 1));
    within(price(quadratic(1e-12)), price(free));
  });

  test("huber(a, δ) is quadratic(a) as δ → ∞ and linear(2aδ) as δ → 0", () => {
    const [wide, narrow] = [onNumbers(huber(0.7, 1e9)), onNumbers(huber(3 / 2e-10, 1e-10))];
    for (const f of ["gradient", "conjugateGradient", "projectDual"] as const) {
      expect(wide[f](some)).toEqual(onNumbers(quadratic(0.7))[f](some));
    }
    within(wide.prox(some, 2), onNumbers(quadratic(0.7)).prox(some, 2), 1e-12);
    within([narrow.value(some)], [onNumbers(linear(3)).value(some)]);
    within(narrow.prox(some, 0.4), onNumbers(linear(3)).prox(some, 0.4));
    within(narrow.projectDual(some), onNumbers(linear(3)).projectDual(some));
  });

  test("power(β, α) is linear at β = 1, quadratic at β = 2, and comes near them between", () => {
    expect([power(1, 3).name, power(2, 3).name]).toEqual(["linear(3)", "quadratic(3)"]);
    within(onNumbers(power(2 + 1e-9, 3)).prox(some, 0.4), onNumbers(quadratic(3)).prox(some, 0.4), 1e-6);
    within(onNumbers(power(1 + 1e-3, 3)).prox(some, 0.4), onNumbers(linear(3)).prox(some, 0.4), 0.02);
  });

  test("the paper's ablation: α/(βC) Σ u^β at β = 2 is the federated code's cost, u = λ/α, prices divided by C", () => {
    const [alpha, clients] = [2, 100];
    const u = onNumbers(power(2, alpha / (2 * clients))).conjugateGradient([3 / clients]);
    expect(u[0]).toBeCloseTo(3 / alpha, 14);
  });
});

test("a traced weight changes without compiling again", async () => {
  const relax = compile((alpha: Tensor, v: Tensor) => quadratic(alpha).prox(v, 1));
  const v = array([3, 6]);
  expect((await (await relax(array(1), v)).read()).toNested()).toEqual([1, 2]);
  expect((await (await relax(array(0.25), v)).read()).toNested()).toEqual([2, 4]);
  expect(relax.compilations).toBe(1);
});
