// Wrong costs and wrong parameters are refused with a sentence that says what is wrong and where.
import type { Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import {
  checkCost,
  customCost,
  free,
  hard,
  huber,
  linear,
  maximum,
  onNumbers,
  PliantError,
  power,
  quadratic,
} from "../src/index.js";

const half = { value: (u: Tensor) => u.mul(u).mul(0.5).sum() };

test.each([
  quadratic(2),
  quadratic([1, 2, 3]),
  linear(0.1),
  power(4, 1),
  power(1.01, 1),
  maximum(2),
  huber(1, 0.5),
  hard,
  free,
  customCost({ name: "exp", value: (u) => u.exp().sub(u).sub(1).sum() }),
  customCost({ name: "pseudo-Huber", value: (u) => u.mul(u).add(1).sqrt().sub(1).sum() }),
])("$name is a cost", (cost) => {
  expect(checkCost(cost)).toBe(cost);
});

describe("checkCost refuses", () => {
  const cases: [string, Parameters<typeof customCost>[0], string][] = [
    [
      "a concave value",
      { value: (u) => u.sqrt().sum() },
      "not convex: h([0.25, 0, 0]) = 0.5, above 0.353553, the mean of h([0, 0, 0]) = 0 and h([0.5, 0, 0]) = 0.707107",
    ],
    ["a small dent", { value: (u) => u.mul(2).add(u.mul(3).sin().mul(0.1)).sum() }, "not convex"],
    [
      "a saddle",
      {
        value: (u) => u.sum().pow(2).sub(u.mul(u).sum()),
        separable: false,
        prox: (v) => v,
        conjugateGradient: (l) => l,
      },
      "not convex",
    ],
    [
      "a falling value",
      { value: (u) => u.neg().sum() },
      "not increasing: h([0, 0, 0]) = 0, but h([0.25, 0, 0]) = -0.25",
    ],
    ["a value that falls at first", { value: (u) => u.sub(1).pow(2).sub(1).sum() }, "not increasing"],
    [
      "a value at no relaxation",
      { value: (u) => u.add(1).sum() },
      "not 0 without relaxation: h([0, 0, 0]) = 3",
    ],
    ["NaN", { value: (u) => u.sub(1).log().sum() }, "is NaN at u = [0, 0, 0]"],
    [
      "NaN in the gradient only",
      { ...half, gradient: (u) => u.mul(NaN) },
      "has the gradient [NaN, NaN, NaN] at u = ",
    ],
    ["a value of many numbers", { value: (u) => u.mul(u) }, "value of shape [3] where it needs one number"],
    [
      "another function's gradient",
      { ...half, gradient: (u) => u.mul(2) },
      "gradient that disagrees with its value: element 0 at u = ",
    ],
    [
      "a gradient of another size",
      { ...half, gradient: (u) => u.sum().reshape([1]) },
      "has a gradient of 1 elements",
    ],
    ["requirements that depend on each other", { value: (u) => u.sum().pow(2) }, "not separable as it says"],
    ["a wrong prox", { ...half, prox: (v) => v.relu() }, "wrong prox at v = "],
    [
      "a negative prox",
      { ...half, prox: (v, t) => v.div(typeof t === "number" ? 1 + t : t.add(1)) },
      "wrong prox",
    ],
    [
      "a wrong conjugateGradient",
      { ...half, conjugateGradient: (l) => l.mul(2) },
      "wrong conjugateGradient at λ = ",
    ],
    ["a wrong conjugate", { ...half, conjugate: (l) => l.mul(l).sum() }, "wrong conjugate: h*("],
    ["a wrong projectDual", { ...half, projectDual: (l) => l.clip(0, 1) }, "wrong projectDual"],
  ];
  test.each(cases)("%s", (_, given, sentence) => {
    const run = () => checkCost(customCost({ name: "mine", ...given }));
    expect(run).toThrow(PliantError);
    expect(run).toThrow(sentence);
    expect(run).toThrow(/^The cost mine .*\.$/);
  });
});

describe("parameters", () => {
  test.each([
    [
      () => quadratic(0),
      "quadratic: α must be a positive, finite number, got 0; what must not bend is `hard`, what may bend for nothing is `free`.",
    ],
    [() => quadratic(Number.NaN), "got NaN"],
    [() => linear([1, -2]), "linear: γ[1] must be a positive, finite number, got -2"],
    [() => linear([]), "linear: γ is an empty list"],
    [() => linear(Infinity), "what must not bend is `hard`"],
    [() => power(0.5, 1), "power: β must be a finite number of at least 1, got 0.5."],
    [() => power(Infinity, 1), "β = ∞ is `maximum(α)`"],
    [() => power(3, 0), "power: α must be"],
    [() => maximum(-1), "maximum: α must be"],
    [() => maximum([1, 2] as unknown as number), "one number for the whole group"],
    [() => huber(1, 0), "huber: δ must be"],
    [() => huber("1" as unknown as number, 1), "huber: a must be a positive, finite number, got 1"],
    [() => onNumbers(linear([1, 2, 3])).value([1, 2]), "A cost with 3 weights was given 2 requirements"],
    [() => customCost({} as Parameters<typeof customCost>[0]), "customCost: `value`"],
    [
      () => customCost({ ...half, separable: false }),
      "is not separable, so its `conjugateGradient` cannot be derived",
    ],
  ])("%s", (run, sentence) => {
    expect(run).toThrow(PliantError);
    expect(run).toThrow(sentence);
  });
});
