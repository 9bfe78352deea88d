// The defining properties of relaxation costs, for every built-in with random parameters, in float64.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { float64, numbersOf } from "../src/costs/numbers.js";
import { fenchelGap, hard, type NumericCost, onNumbers, proxConjugate } from "../src/index.js";
import { allClose, atLeast, close, dot, families, minus, signed, steps, vectors } from "./cost-families.js";

/** PLIANT_RUNS and PLIANT_SEED ask for more and others. Costs that have to be inverted by bisection take a hundred times longer to evaluate. */
const runs = Number(process.env.PLIANT_RUNS ?? 100);
const seed = Number(process.env.PLIANT_SEED ?? 1);
const zeros = [0, 0, 0, 0];

describe.each(Object.entries(families))("%s", (_, { costs, smooth, derived }) => {
  const holds = <T extends unknown[]>(
    arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
    predicate: (h: NumericCost, ...values: T) => void,
  ) => {
    const property = fc.property(costs, fc.tuple(...arbitraries), (cost, values) => {
      predicate(onNumbers(cost), ...(values as T));
    });
    fc.assert(property, { numRuns: derived ? runs / 5 : runs, seed });
  };

  test("is 0 without relaxation and never negative", () => {
    holds([vectors], (h, u) => {
      expect(h.value(zeros)).toBe(0);
      atLeast(h.value(u), 0);
    });
  });

  test("does not fall as any relaxation rises", () => {
    holds([vectors, vectors], (h, u, more) => {
      atLeast(h.value(u.map((x, i) => x + more[i])), h.value(u));
    });
  });

  test("lies below its chords", () => {
    holds([vectors, vectors, fc.double({ min: 0.01, max: 0.99, noNaN: true })], (h, a, b, s) => {
      const [ha, hb] = [h.value(a), h.value(b)];
      atLeast((1 - s) * ha + s * hb, h.value(a.map((x, i) => (1 - s) * x + s * b[i])), ha, hb);
    });
  });

  test("lies above its tangents", () => {
    holds([vectors, vectors], (h, u, w) => {
      if (h.value(u) === Infinity) return;
      const slope = dot(h.gradient(u), minus(w, u));
      atLeast(h.value(w), h.value(u) + slope, slope);
    });
  });

  const whereSmooth = smooth ? test : () => {};
  whereSmooth("has the gradient that differences of its values approach", () => {
    holds([vectors], (h, u) => {
      for (const [i, slope] of h.gradient(u).entries()) {
        if (u[i] < 1e-3) continue;
        const width = 1e-5 * u[i];
        const moved = (by: number) => h.value(u.map((x, k) => (k === i ? x + by : x)));
        const [ahead, behind] = [moved(width), moved(-width)];
        const rounding = (1e-15 * Math.max(1, ahead)) / width;
        expect(Math.abs((ahead - behind) / (2 * width) - slope)).toBeLessThan(1e-4 * slope + 4 * rounding);
      }
    });
  });

  test("has a conjugate: h(u) + h*(λ) ≥ λ·u, with equality at its minimiser", () => {
    holds([vectors, signed], (h, u, price) => {
      const lambda = h.projectDual(price);
      atLeast(h.value(u) + h.conjugate(lambda), dot(lambda, u), h.value(u), h.conjugate(lambda));
      const w = h.conjugateGradient(lambda);
      close(h.value(w) + h.conjugate(lambda), dot(lambda, w), h.value(w));
    });
  });

  test("admits its own gradients as prices, and they lead back to relaxations as good", () => {
    holds([vectors], (h, u) => {
      const lambda = h.gradient(u);
      if (!lambda.every(Number.isFinite)) return;
      allClose(h.projectDual(lambda), lambda);
      close(h.value(u) + h.conjugate(lambda), dot(lambda, u), h.value(u), h.conjugate(lambda));
    });
  });

  test("conjugateGradient minimises h(u) − λ·u over u ≥ 0", () => {
    holds([vectors, signed], (h, other, price) => {
      const lambda = price.map((x, i) => (x < 0 ? x : h.projectDual(price)[i]));
      const w = h.conjugateGradient(lambda);
      for (const x of w) expect(x).toBeGreaterThanOrEqual(0);
      const [least, there] = [h.value(w) - dot(lambda, w), h.value(other) - dot(lambda, other)];
      atLeast(there, least, h.value(w), h.value(other));
    });
  });

  test("prox is optimal: (v − p)/t is a subgradient of h at p over u ≥ 0", () => {
    holds([signed, steps, vectors], (h, v, t, other) => {
      const p = h.prox(v, t);
      for (const x of p) expect(x).toBeGreaterThanOrEqual(0);
      const pull = v.map((x, i) => (x - p[i]) / (Array.isArray(t) ? t[i] : (t as number)));
      const bound = h.value(p) + dot(pull, minus(other, p));
      atLeast(h.value(other), bound, h.value(p), ...pull.map((x) => 10 * x));
    });
  });

  test("projectDual gives the nearest admissible price", () => {
    holds([signed, vectors], (h, price, another) => {
      const lambda = h.projectDual(price);
      for (const x of lambda) expect(x).toBeGreaterThanOrEqual(0);
      expect(h.conjugate(lambda)).toBeLessThan(Infinity);
      allClose(h.projectDual(lambda), lambda);
      const towards = dot(minus(price, lambda), minus(h.projectDual(another), lambda));
      atLeast(0, towards, 100);
    });
  });
});

describe.each(Object.entries(families))("duality: %s", (_, { costs, derived }) => {
  test("the proximal dual step gives an optimal price and the relaxation that goes with it", () => {
    const property = fc.property(costs, signed, steps, signed, (cost, w, eta, another) => {
      const h = onNumbers(cost);
      const step = typeof eta === "number" ? eta : float64(eta);
      const made = proxConjugate(cost, float64(w), step);
      const [price, u] = [numbersOf(made.price), numbersOf(made.relaxation)];
      const rate = (i: number) => (typeof eta === "number" ? eta : eta[i]);
      expect(h.conjugate(price)).toBeLessThan(Infinity);
      // (w − λ)/η is a subgradient of h* at λ over λ ≥ 0.
      const pull = w.map((x, i) => (x - price[i]) / rate(i));
      const mu = h.projectDual(another);
      const slope = dot(pull, minus(mu, price));
      atLeast(h.conjugate(mu), h.conjugate(price) + slope, ...pull.map((x) => 1e3 * x), slope);
      const gap = h.value(u) + h.conjugate(price) - dot(price, u);
      close(
        gap,
        0,
        ...u.map((x, i) => x * (1 + rate(i)) * (1 + x)),
        h.value(u),
        ...w.map((x, i) => x * u[i]),
      );
    });
    fc.assert(property, { numRuns: derived ? runs / 5 : runs, seed });
  });

  test("u − prox(u + λ) and the Fenchel gap are 0 at an equilibrium and not elsewhere", () => {
    const property = fc.property(costs, vectors, vectors, (cost, price, other) => {
      const h = onNumbers(cost);
      const lambda = h.projectDual(price);
      const u = h.conjugateGradient(lambda);
      const at = (x: readonly number[]) => ({
        gap: numbersOf(fenchelGap(cost, float64(x), float64(lambda)))[0],
        residual: Math.max(
          ...h
            .prox(
              x.map((xi, i) => xi + lambda[i]),
              1,
            )
            .map((p, i) => Math.abs(x[i] - p)),
        ),
      });
      close(at(u).gap, 0, dot(u, lambda), h.value(u));
      close(at(u).residual, 0, ...u.map((x) => 1e2 * x), ...lambda);
      // One vanishes exactly where the other does: residual² ≤ gap for every cost.
      const there = at(other);
      atLeast(there.gap, there.residual ** 2, dot(other, lambda), h.value(other));
    });
    fc.assert(property, { numRuns: derived ? runs / 5 : runs, seed });
  });
});

test("hard never bends", () => {
  expect(onNumbers(hard).value([0, 1e-300])).toBe(Infinity);
  expect(onNumbers(hard).prox([3, -1], 10)).toEqual([0, 0]);
  expect(onNumbers(hard).conjugateGradient([3, 1e9])).toEqual([0, 0]);
});
