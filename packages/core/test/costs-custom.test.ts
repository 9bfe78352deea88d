// What is derived from a value alone, at points where it can be worked out on paper.
import { array, cast, evaluate, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { customCost, onNumbers } from "../src/index.js";

type Vector = readonly number[];

describe("what follows from a value", () => {
  /** h = u², but for nothing known of it. */
  const square = () => customCost({ value: (u) => u.mul(u).sum() });
  /** No slope above 1: √(1 + u²) − 1. */
  const rising = () => customCost({ name: "rising", value: (u) => u.mul(u).add(1).sqrt().sub(1).sum() });
  const close = (found: number | Vector, expected: number | Vector, tolerance = 1e-12) => {
    const [a, b] = [found, expected].map((x) => (typeof x === "number" ? [x] : x));
    expect(a).toHaveLength(b.length);
    for (const [i, x] of a.entries())
      if (Number.isFinite(b[i]))
        expect(Math.abs(x - b[i])).toBeLessThanOrEqual(tolerance * Math.max(1, b[i]));
      else expect(x).toBe(b[i]);
  };

  test("for a square", () => {
    const h = onNumbers(square());
    expect([square().name, square().separable]).toEqual(["custom", true]);
    close(h.gradient([1, 3]), [2, 6]);
    close(h.conjugateGradient([2, 0, -1, 1e6, 1e-6]), [1, 0, 0, 5e5, 5e-7]);
    close(h.conjugate([2, 6, -1]), 1 + 9);
    close(h.prox([3, -1, 0], 1), [1, 0, 0]);
    close(h.prox([3, 4], [1, 0.5]), [1, 2]);
    close(h.projectDual([-1, 1e6]), [0, 1e6]);
  });

  test("for a cost with a largest slope, which bounds admissible prices", () => {
    const h = onNumbers(rising());
    // u/√(1 + u²) = 0.6 at ¾, where λu − h is 0.45 − 0.25.
    close(h.conjugateGradient([0.6, 1.5]), [0.75, Infinity]);
    close(h.conjugate([0.6, 0.6]), 0.4);
    expect(h.conjugate([0.6, 1.5])).toBe(Infinity);
    close(h.projectDual([0.6, 1.5, -1]), [0.6, 1, 0]);
  });

  test("in float32 as far as that can tell numbers apart", () => {
    const single = (values: Vector) => cast(array(Float32Array.from(values)), "float32");
    const found = evaluate([
      square().conjugateGradient(single([2, 6, -1])),
      square().prox(single([3, 9, -1]), 1),
      rising().projectDual(single([0.5, 2])),
    ]).map(({ data }) => Array.from(data));
    close(found[0], [1, 3, 0], 3e-7);
    close(found[1], [1, 3, 0], 3e-7);
    close(found[2], [0.5, 1], 3e-7);
  });

  test("for a constant slope: at that price nothing gives way", () => {
    const h = onNumbers(customCost({ value: (u) => u.mul(2).sum() }));
    expect(h.conjugateGradient([2, 1, 2.5])).toEqual([0, 0, Infinity]);
    expect(h.prox([1, 0.5], 0.5)).toEqual([0, 0]);
    expect(h.projectDual([2, 3])).toEqual([2, 2]);
  });

  test("over all sizes that a dtype has squares and cubes of", () => {
    const h = onNumbers(square());
    for (const u of [1e-15, 1e12])
      expect(Math.abs(h.conjugateGradient([2 * u])[0] / u - 1)).toBeLessThan(1e-12);
    // u³ / (1 + u³), no slope above 1
    const cubes = customCost({
      value: (u) => u.sum(),
      gradient: (u) => u.pow(3).div(u.pow(3).add(1)),
    });
    expect(Array.from(evaluate(cubes.projectDual(cast(array([0.5, 2]), "float32"))).data)).toEqual([0.5, 1]);
  });

  test("in float32 to its last digits, whatever the size", () => {
    const lambda = Float32Array.from({ length: 40 }, (_, i) => 1e-4 * 1.5 ** i);
    const found = evaluate(square().conjugateGradient(cast(array(lambda), "float32"))).data;
    for (const [i, x] of found.entries()) expect(Math.abs(x - lambda[i] / 2)).toBeLessThan(2 ** -22 * x);
  });

  test("is not asked for where it is given", () => {
    const given = {
      gradient: (u: Tensor) => u.mul(0).add(1),
      conjugateGradient: (u: Tensor) => u.mul(0).add(2),
      conjugate: (u: Tensor) => u.mul(0).add(3).sum(),
      prox: (u: Tensor) => u.mul(0).add(4),
      projectDual: (u: Tensor) => u.mul(0).add(5),
    };
    const h = onNumbers(customCost({ value: (u) => u.sum(), separable: false, ...given }));
    const found = [
      h.gradient([9]),
      h.conjugateGradient([9]),
      h.conjugate([9]),
      h.prox([9], 1),
      h.projectDual([9]),
    ];
    expect(found.flat()).toEqual([1, 2, 3, 4, 5]);
    const { projectDual: _, ...rest } = given;
    const open = onNumbers(customCost({ value: (u) => u.sum(), separable: false, ...rest }));
    expect(open.projectDual([9, -1])).toEqual([9, 0]);
  });
});
