// Wrong costs and wrong parameters are refused with a sentence that says what is wrong and where.
import { array, cast, type Tensor, where } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import {
  checkCost,
  customCost,
  free,
  hard,
  huber,
  linear,
  maximum,
  PliantError,
  power,
  quadratic,
} from "../src/index.js";

type Given = Parameters<typeof customCost>[0];

/** ½u², with all that follows from it. */
const half = {
  value: (u: Tensor) => u.mul(u).mul(0.5).sum(),
  gradient: (u: Tensor) => u,
  conjugateGradient: (l: Tensor) => l.relu(),
  conjugate: (l: Tensor) => l.relu().pow(2).mul(0.5).sum(),
  prox: (v: Tensor, t: number | Tensor) => v.relu().div(typeof t === "number" ? 1 + t : t.add(1)),
  projectDual: (l: Tensor) => l.relu(),
};

function refusalOf(given: Given): string {
  try {
    checkCost(customCost({ name: "mine", ...given }));
  } catch (error) {
    expect(error).toBeInstanceOf(PliantError);
    return (error as Error).message;
  }
  return "none";
}

describe("checkCost refuses", () => {
  const cases: [string, Given, string][] = [
    [
      "a concave value",
      { value: (u) => u.sqrt().sum() },
      "is not convex: h([0.25, 0, 0]) = 0.5, above 0.353553, the mean of h([0, 0, 0]) = 0 and h([0.5, 0, 0]) = 0.707107.",
    ],
    [
      "a falling value",
      { value: (u) => u.neg().sum() },
      "is not increasing: h([0, 0, 0]) = 0, but h([0.25, 0, 0]) = -0.25.",
    ],
    [
      "a value that falls at first",
      { value: (u) => u.sub(1).pow(2).sub(1).sum() },
      "is not increasing: h([0, 0, 0]) = 0, but h([0.25, 0, 0]) = -0.4375.",
    ],
    [
      "a value at no relaxation",
      { value: (u) => u.add(1).sum() },
      "is not 0 without relaxation: h([0, 0, 0]) = 3.",
    ],
    ["NaN", { value: (u) => u.sub(1).log().sum() }, "is NaN at u = [0, 0, 0]."],
    ["a value below all numbers", { value: (u) => u.log().sum() }, "is -Infinity at u = [0, 0, 0]."],
    [
      "a value of many numbers",
      { value: (u) => u.mul(u) },
      "has a value of shape [3] where it needs one number; take its sum.",
    ],
  ];
  test.each(cases)("%s", (_, given, sentence) => {
    expect(refusalOf(given)).toBe(`The cost mine ${sentence}`);
  });
});

describe("checkCost says where", () => {
  const numbers = String.raw`\[[^\]]+, [^\]]+, [^\]]+\]`;
  const dependent = { separable: false, prox: (v: Tensor) => v, conjugateGradient: (l: Tensor) => l };
  const cases: [string, Given, string][] = [
    [
      "a value has a small dent",
      { ...half, value: (u) => u.mul(2).add(u.mul(3).sin().mul(0.1)).sum() },
      String.raw`is not convex: h\(${numbers}\) = \S+, above \S+, the mean of h\(${numbers}\) = \S+ and h\(${numbers}\) = \S+\.`,
    ],
    [
      "a value has a saddle",
      { ...dependent, value: (u) => u.sum().pow(2).sub(u.mul(u).sum()) },
      String.raw`is not convex: h\(${numbers}\) = \S+, above \S+, the mean of h\(${numbers}\) = \S+ and h\(${numbers}\) = \S+\.`,
    ],
    [
      "a gradient is no number",
      { ...half, gradient: (u) => u.mul(NaN) },
      String.raw`has a wrong gradient at u = ${numbers}: it answers \[NaN, NaN, NaN\]\.`,
    ],
    [
      "a gradient lies outside of the slopes on both sides",
      { ...half, gradient: (u) => u.mul(2) },
      String.raw`has a wrong gradient at u = ${numbers}: it answers ${numbers}, but h\(x\) − λ·x is less by \S+ at ${numbers}\.`,
    ],
    [
      "a gradient lies above the slope at 0",
      { ...half, gradient: (u) => where(u.eq(0), 1, u) },
      String.raw`has a wrong gradient at u = \[0, [^\]]+, 0\]: it answers \[1, [^\]]+, 1\], but h\(x\) − λ·x is less by \S+ at ${numbers}\.`,
    ],
    [
      "a gradient is of another size",
      { ...half, gradient: (u) => u.sum().reshape([1]) },
      String.raw`has a wrong gradient at u = ${numbers}: it answers \[[^,\]]+\]\.`,
    ],
    [
      "a value is not the sum of its parts",
      { ...half, value: (u) => u.sum().pow(2), gradient: (u) => u.mul(0).add(u.sum().mul(2)) },
      String.raw`is not separable as it says: h\(${numbers}\) = \S+, but its requirements one by one sum to \S+\.`,
    ],
    [
      "a prox does not minimise",
      { ...half, prox: (v) => v.relu() },
      String.raw`has a wrong prox at v = \[-\S+, \S+, \S+\], t = 0\.1: it answers \[0, [^\]]+\], but h\(x\) \+ ‖x − v‖²/2t is less by \S+ at ${numbers}\.`,
    ],
    [
      "a prox is not a relaxation",
      { ...half, prox: (v) => v },
      String.raw`has a wrong prox at v = (${numbers}), t = 0\.1: it answers \1\.`,
    ],
    [
      "a conjugateGradient does not minimise",
      { ...half, conjugateGradient: (l) => l.mul(2) },
      String.raw`has a wrong conjugateGradient at λ = ${numbers}: it answers ${numbers}, but h\(x\) − λ·x is less by \S+ at ${numbers}\.`,
    ],
    [
      "a conjugate is another's",
      { ...half, conjugate: (l) => l.mul(l).sum() },
      String.raw`has a wrong conjugate: h\*\(${numbers}\) is \S+, it answers \S+\.`,
    ],
    [
      "a price is not let be",
      { ...half, projectDual: (l) => l.clip(0, 1) },
      String.raw`has a wrong projectDual: ∇h\(${numbers}\) = ${numbers} is admissible, it answers \[[^\]]*1[^\]]*\]\.`,
    ],
    [
      "a value falls along one axis, away from 0 alone",
      {
        ...dependent,
        value: (u) =>
          u
            .slice([[0, 1]])
            .sub(u.slice([[1, 2]]))
            .abs()
            .sum(),
      },
      String.raw`is not increasing: h\(${numbers}\) = \S+, but h\(${numbers}\) = \S+\.`,
    ],
  ];
  test.each(cases)("%s", (_, given, sentence) => {
    expect(refusalOf(given)).toMatch(new RegExp(`^The cost mine ${sentence}$`));
  });
});

describe("checkCost sees a gradient that is wrong only", () => {
  const largest = (u: Tensor) => u.max();
  const smallest = (u: Tensor) => u.neg().max().neg();
  const cases: [string, (u: Tensor) => Tensor][] = [
    ["where all relaxations are the same", (u) => largest(u).eq(smallest(u))],
    ["on an axis", (u) => largest(u).eq(u.sum())],
    [
      "on the last axis",
      (u) =>
        u
          .slice([[2, 3]])
          .sum()
          .eq(u.sum()),
    ],
    [
      "where none is 0 and none is like another",
      (u) =>
        smallest(u)
          .gt(0)
          .and(largest(u).gt(smallest(u))),
    ],
    ["for a small relaxation", (u) => u.gt(0).and(u.lt(0.02))],
    ["for a large relaxation", (u) => u.gt(9)],
  ];
  test.each(cases)("%s, too large or too small", (_, wrong) => {
    for (const factor of [1.002, 0.998])
      expect(refusalOf({ ...half, gradient: (u) => where(wrong(u), u.mul(factor), u) })).toContain(
        "wrong gradient",
      );
  });
});

test("checkCost sees what is wrong in the last place alone", () => {
  const last = (like: Tensor, first: number, third: number) => cast(array([first, first, third]), like.dtype);
  const gradient = (u: Tensor) => u.mul(last(u, 1, NaN));
  expect(refusalOf({ ...half, gradient })).toMatch(
    /wrong gradient at u = \S+ \S+ \S+ it answers \[[^N]+, [^N]+, NaN\]/,
  );
  const prox = (v: Tensor, t: number | Tensor) => half.prox(v, t).add(where(v.lt(0), last(v, 0, 1), 0));
  expect(refusalOf({ ...half, prox })).toMatch(/wrong prox at v = \[\S+, \S+, -\S+\], t = 10:/);
  const projectDual = (l: Tensor) => l.mul(last(l, 1, 0.5));
  expect(refusalOf({ ...half, projectDual })).toMatch(/wrong projectDual/);
});

test("checkCost tries the given number of requirements and the given relaxations", () => {
  expect(() => checkCost(quadratic([1, 2]))).toThrow("2 weights was given 3 requirements");
  expect(checkCost(quadratic([1, 2]), { requirements: 2 }).name).toBe("quadratic([1, 2])");
  const capped = customCost({ ...linear(1), name: "capped", value: (u) => u.minimum(9.6).sum() });
  expect(() => checkCost(capped)).toThrow(
    "The cost capped is not convex: h([9.5, 0, 0]) = 9.5, above 9.425, the mean of h([9.25, 0, 0]) = 9.25 and h([9.75, 0, 0]) = 9.6.",
  );
  expect(checkCost(capped, { largest: 4 })).toBe(capped);
});

describe("parameters", () => {
  const otherwise =
    "; use `hard` for a requirement that must not give way, and `free` for one that gives way at no cost.";
  const swapped =
    "; use `free` for a requirement that gives way at no cost, and `hard` for one that must not give way.";
  test.each([
    [() => quadratic(-1), `quadratic: α must be a positive, finite number, got -1${otherwise}`],
    [() => quadratic([1, 0]), `quadratic: α[1] must be a positive, finite number, got 0${otherwise}`],
    [() => quadratic(Number.NaN), `quadratic: α must be a positive, finite number, got NaN${otherwise}`],
    [() => quadratic("1" as never), `quadratic: α must be a positive, finite number, got 1${otherwise}`],
    [() => linear(0), `linear: γ must be a positive, finite number, got 0${swapped}`],
    [() => linear([]), "linear: γ is an empty list; give a number or one for each requirement."],
    [() => power(3, Infinity), "power: α must be a positive, finite number, got Infinity."],
    [() => power(0.99, 1), "power: β must be a finite number of at least 1, got 0.99."],
    [
      () => power(Infinity, 1),
      "power: β must be a finite number of at least 1, got Infinity; β = ∞ is `maximum(α)`.",
    ],
    [() => maximum([1] as never), "maximum: α is one number for the whole group, got a list."],
    [() => maximum(0), `maximum: α must be a positive, finite number, got 0${otherwise}`],
    [() => huber(0, 1), "huber: a must be a positive, finite number, got 0."],
    [
      () => huber(1, Infinity),
      "huber: δ must be a positive, finite number, got Infinity; without an upper end it is `quadratic(a)`.",
    ],
    [() => customCost({} as never), "customCost: `value`, a function of the relaxations, is missing."],
    [
      () => customCost({ value: (u) => u.max(), separable: false, conjugateGradient: (l) => l }),
      "customCost: custom is not separable, so its `prox` cannot be derived from `value`; write it.",
    ],
    [
      () => customCost({ name: "top", value: (u) => u.max(), separable: false, prox: (v) => v }),
      "customCost: top is not separable, so its `conjugateGradient` cannot be derived from `value`; write it.",
    ],
  ])("%s is refused in a sentence", (make, sentence) => {
    expect(make).toThrow(new PliantError(sentence));
  });
});

test.each([
  () => quadratic(2e12),
  () => quadratic([1e-6, 1e6, 1]),
  () => customCost({ ...quadratic(0.1), value: (u) => u.mul(u).sum().mul(0.1) }),
  () => linear(0.1),
  () => power(4, 1),
  () => power(1.01, 1),
  () => maximum(2),
  () => huber(1, 0.5),
  () => hard,
  () => free,
  () => customCost({ value: (u) => u.exp().sub(u).sub(1).sum() }),
  () => customCost({ value: (u) => u.mul(u).add(1).sqrt().sub(1).sum() }),
])("%s is a cost", (make) => {
  const cost = make();
  expect(checkCost(cost)).toBe(cost);
});
