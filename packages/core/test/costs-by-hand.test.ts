// Every function of every cost, at points where it can be worked out on paper.
import { array, cast, evaluate, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { isBuiltIn } from "../src/costs/cost.js";
import { float64, numbersOf } from "../src/costs/numbers.js";
import {
  type Cost,
  customCost,
  fenchelGap,
  free,
  hard,
  huber,
  linear,
  maximum,
  onNumbers,
  power,
  proxConjugate,
  quadratic,
  scaled,
} from "../src/index.js";

type Vector = readonly number[];
interface Worked {
  /** Made where it is tried. */
  readonly cost: () => Cost;
  readonly name: string;
  readonly separable?: boolean;
  /** Each as what goes in and what comes out. */
  readonly value: readonly (readonly [Vector, number])[];
  readonly gradient: readonly (readonly [Vector, Vector])[];
  readonly conjugateGradient: readonly (readonly [Vector, Vector])[];
  readonly conjugate: readonly (readonly [Vector, number])[];
  readonly prox: readonly (readonly [Vector, number | Vector, Vector])[];
  readonly projectDual: readonly (readonly [Vector, Vector])[];
}

// biome-ignore format: a table
const worked: readonly Worked[] = [
  {
    cost: () => quadratic([1, 0.5, 2]),
    name: "quadratic([1, 0.5, 2])",
    value: [[[1, 2, 3], 1 + 2 + 18]],
    gradient: [[[1, 2, 3], [2, 2, 12]]],
    conjugateGradient: [[[2, -1, 8], [1, 0, 2]]],
    conjugate: [[[2, -1, 8], 1 + 0 + 8]],
    prox: [[[3, -1, 10], [1, 1, 1], [1, 0, 2]], [[4, 3, 6], 0.5, [2, 2, 2]]],
    projectDual: [[[-1, 2, 1e9], [0, 2, 1e9]]],
  },
  {
    cost: () => linear([1, 2, 3]),
    name: "linear([1, 2, 3])",
    value: [[[1, 2, 3], 14]],
    gradient: [[[5, 0, 7], [1, 2, 3]]],
    conjugateGradient: [[[1, 2, 3], [0, 0, 0]], [[-1, 2.5, 0], [0, Infinity, 0]]],
    conjugate: [[[1, 2, 3], 0], [[1, 2, 3.5], Infinity]],
    prox: [[[3, 1, 7], 2, [1, 0, 1]], [[3, 1, 7], [1, 0.25, 2], [2, 0.5, 1]]],
    projectDual: [[[-1, 5, 3], [0, 2, 3]]],
  },
  {
    cost: () => free,
    name: "free",
    value: [[[5, 7], 0]],
    gradient: [[[5, 7], [0, 0]]],
    conjugateGradient: [[[0, 1], [0, Infinity]]],
    conjugate: [[[0, -1], 0], [[0, 1], Infinity]],
    prox: [[[3, -1], 2, [3, 0]]],
    projectDual: [[[3, -1], [0, 0]]],
  },
  {
    cost: () => hard,
    name: "hard",
    value: [[[0, 0], 0], [[0, 1], Infinity]],
    gradient: [[[0, 1], [0, Infinity]]],
    conjugateGradient: [[[3, -1], [0, 0]]],
    conjugate: [[[3, 9], 0]],
    prox: [[[3, -1], 2, [0, 0]]],
    projectDual: [[[3, -1], [3, 0]]],
  },
  {
    // ∇h = 3αu², and u + u² = v at αt = ⅓
    cost: () => power(3, [1, 2]),
    name: "power(3, [1, 2])",
    value: [[[2, 1], 8 + 2]],
    gradient: [[[2, 1], [12, 6]]],
    conjugateGradient: [[[12, 6], [2, 1]], [[-1, 24], [0, 2]]],
    conjugate: [[[12, 6], 24 + 6 - 10], [[-12, 6], 6 - 2]],
    prox: [[[6, 2], [1 / 3, 1 / 6], [2, 1]], [[-6, 12], [1 / 3, 1 / 6], [0, 3]]],
    projectDual: [[[-1, 1e9], [0, 1e9]]],
  },
  {
    // ∇h = 1.5√u, and u + 3√u = v at t = 2
    cost: () => power(1.5, 1),
    name: "power(1.5, 1)",
    value: [[[4, 9], 8 + 27]],
    gradient: [[[4, 9], [3, 4.5]]],
    conjugateGradient: [[[3, 4.5, -3], [4, 9, 0]]],
    conjugate: [[[3, 4.5], 12 + 40.5 - 35]],
    prox: [[[10, 4, -1], 2, [4, 1, 0]]],
    projectDual: [[[-1, 1e9], [0, 1e9]]],
  },
  {
    // 4·10⁶ u³ + u = v
    cost: () => power(4, 1e6),
    name: "power(4, 1000000)",
    value: [[[0.01, 0.1], 0.01 + 100]],
    gradient: [[[0.01, 0.1], [4, 4000]]],
    conjugateGradient: [[[4, 4000], [0.01, 0.1]]],
    conjugate: [[[4, 4000], 0.04 + 400 - 100.01]],
    prox: [[[4.01, 4000.1, 0], 1, [0.01, 0.1, 0]]],
    projectDual: [[[-1, 1e9], [0, 1e9]]],
  },
  {
    cost: () => maximum(2),
    name: "maximum(2)",
    separable: false,
    value: [[[1, 3, 2], 6]],
    gradient: [[[1, 3, 2], [0, 2, 0]], [[3, 1, 3], [1, 0, 1]]],
    conjugateGradient: [
      [[1, 1, 0], [0, 0, 0]],
      [[1, 1.5, 0], [Infinity, Infinity, 0]],
      [[1, -5, 1.5], [Infinity, 0, Infinity]],
    ],
    conjugate: [[[1, 1, -5], 0], [[1, 1.5, -5], Infinity]],
    // (5 − s) + (4 − s) = 2; (5 − s) / ½ + (4 − s) / 2 = 2
    prox: [[[5, 4, 1], 1, [3.5, 3.5, 1]], [[5, 4, -1], [0.5, 2, 1], [4, 4, 0]], [[0.5, 1, -3], 1, [0, 0, 0]], [[2, 1.5], 1, [0.75, 0.75]]],
    projectDual: [[[3, 2, -1], [1.5, 0.5, 0]], [[0.5, 1, -1], [0.5, 1, 0]]],
  },
  {
    cost: () => huber([1, 2, 0.5], [2, 2, 3]),
    name: "huber([1, 2, 0.5], [2, 2, 3])",
    value: [[[1, 3, 5], 1 + 16 + 10.5]],
    gradient: [[[1, 3, 5], [2, 8, 3]]],
    conjugateGradient: [[[2, 8, -1], [1, 2, 0]], [[2, 9, 3], [1, Infinity, 3]]],
    conjugate: [[[2, 8, -3], 1 + 8 + 0], [[2, 9, 3], Infinity]],
    prox: [[[3, 12, -1], 1, [1, 4, 0]], [[3, 10, 10], [0.25, 0.5, 1], [2, 6, 7]]],
    projectDual: [[[-1, 9, 5], [0, 8, 3]]],
  },
  {
    // 3u² from u²
    cost: () => scaled(quadratic(1), 3),
    name: "3 × quadratic(1)",
    value: [[[1, 2], 15]],
    gradient: [[[1, 2], [6, 12]]],
    conjugateGradient: [[[6, -1], [1, 0]]],
    conjugate: [[[6, -1], 3]],
    prox: [[[7, 14], 1, [1, 2]], [[7, 4], [1, 0.5], [1, 1]]],
    projectDual: [[[-1, 9], [0, 9]]],
  },
  {
    cost: () => scaled(linear(2), 3),
    name: "3 × linear(2)",
    value: [[[1, 2], 18]],
    gradient: [[[1, 2], [6, 6]]],
    conjugateGradient: [[[6, 7], [0, Infinity]]],
    conjugate: [[[6, 6], 0], [[6, 7], Infinity]],
    prox: [[[7, 2], 1, [1, 0]]],
    projectDual: [[[5, 7], [5, 6]]],
  },
];

const near = (found: number | Vector, expected: number | Vector) => {
  const [a, b] = [found, expected].map((x) => (typeof x === "number" ? [x] : x));
  expect(a).toHaveLength(b.length);
  for (const [i, x] of a.entries()) {
    if (Number.isFinite(b[i]))
      expect(Math.abs(x - b[i])).toBeLessThanOrEqual(4e-15 * Math.max(1, Math.abs(b[i])));
    else expect(x).toBe(b[i]);
  }
};

describe.each(worked)("$name", ({ cost, name, separable = true, ...of }) => {
  test("is named and marked", () => {
    const made = cost();
    expect([made.name, made.separable, isBuiltIn(made)]).toEqual([name, separable, true]);
  });
  test.each(["value", "gradient", "conjugateGradient", "conjugate", "projectDual"] as const)("%s", (what) => {
    for (const [given, expected] of of[what]) near(onNumbers(cost())[what](given), expected);
  });
  test("prox", () => {
    for (const [v, t, expected] of of.prox) near(onNumbers(cost()).prox(v, t as number), expected);
  });
});

describe("a factor", () => {
  test("leaves hard and free as they are, and a user's cost a user's", () => {
    expect(scaled(hard, 2)).toBe(hard);
    expect(scaled(free, 2)).toBe(free);
    const mine = customCost({ name: "mine", value: (u) => u.mul(u).sum() });
    expect(isBuiltIn(mine)).toBe(false);
    expect(isBuiltIn(scaled(mine, 2))).toBe(false);
    expect(scaled(maximum(1), 2).separable).toBe(false);
  });

  test("may be traced, and then is not in the name", () => {
    const twice = scaled(quadratic(1), float64([2]));
    expect(twice.name).toBe("quadratic(1)");
    expect(onNumbers(twice).gradient([1, 2])).toEqual([4, 8]);
  });

  test.each([0, -1, Number.NaN, Infinity])("of %d is refused", (factor) => {
    expect(() => scaled(quadratic(1), factor)).toThrow(
      `scaled: the factor must be a positive number, got ${factor}.`,
    );
  });
});

describe("weights", () => {
  test("are shown, the first three of many", () => {
    expect(linear(0.5).name).toBe("linear(0.5)");
    expect(linear([1, 2, 3, 4]).name).toBe("linear([1, 2, 3, 4])");
    expect(linear([1, 2, 3, 4, 5]).name).toBe("linear([1, 2, 3, … 5])");
    expect(quadratic(float64([1])).name).toBe("quadratic(traced)");
    expect([power(1, 2).name, power(2, [1, 2]).name]).toEqual(["linear(2)", "quadratic([1, 2])"]);
  });

  test("may be tensors, of another dtype too", () => {
    expect(onNumbers(quadratic(cast(array([1, 2]), "float32"))).gradient([1, 1])).toEqual([2, 4]);
  });

  test("are as many as the requirements", () => {
    expect(() => onNumbers(quadratic([1, 2])).value([1, 2, 3])).toThrow(
      "A cost with 2 weights was given 3 requirements; give one weight for each.",
    );
    const one = cast(array(3, { dtype: "float64" }), "float64");
    expect(evaluate(quadratic([2]).value(one)).item()).toBe(18);
    expect(() => quadratic([1, 2]).value(one)).toThrow("A cost with 2 weights was given 1 requirements");
  });
});

describe("groups along the last axis", () => {
  const stacked = (rows: readonly Vector[]) =>
    cast(array(rows as number[][], { dtype: "float64" }), "float64");
  const nested = (tensor: Tensor) => evaluate(tensor).toNested();

  test("share a maximum, and rows do not", () => {
    const h = maximum(2);
    const rows = stacked([
      [5, 4, 1],
      [0.5, 1, -3],
    ]);
    expect(nested(h.prox(rows, 1))).toEqual([
      [3.5, 3.5, 1],
      [0, 0, 0],
    ]);
    expect(nested(h.projectDual(rows))).toEqual([
      [1.5, 0.5, 0],
      [0.5, 1, 0],
    ]);
    expect(nested(h.gradient(rows))).toEqual([
      [2, 0, 0],
      [0, 2, 0],
    ]);
    expect(nested(h.conjugateGradient(rows))).toEqual([
      [Infinity, Infinity, Infinity],
      [0, 0, 0],
    ]);
    expect(evaluate(h.value(rows.relu())).item()).toBe(2 * (5 + 1));
    expect(evaluate(h.conjugate(rows)).item()).toBe(Infinity);
    expect(
      evaluate(
        h.conjugate(
          stacked([
            [1, 1],
            [2, 0],
          ]),
        ),
      ).item(),
    ).toBe(0);
  });

  test("with one element, the group is that element", () => {
    const one = (x: number) => cast(array(x, { dtype: "float64" }), "float64");
    const h = maximum(2);
    const found = [h.value(one(3)), h.gradient(one(3)), h.prox(one(3), 0.5), h.projectDual(one(3))];
    expect(found.map((tensor) => evaluate(tensor).item())).toEqual([6, 2, 2, 2]);
    expect([1, 3].map((x) => evaluate(h.conjugateGradient(one(x))).item())).toEqual([0, Infinity]);
  });

  test("are not lost beside larger ones", () => {
    const rows = stacked([
      [1e16, 0],
      [3, 2],
    ]);
    expect(Array.from(evaluate(maximum(2).prox(rows, 1)).data).slice(2)).toEqual([1.5, 1.5]);
  });

  test("give the same result for large and small groups", () => {
    // 300 heights, of which 200 are above 3.5, by 0.5 and 1.5.
    const heights = Array.from({ length: 300 }, (_, i) => 3 + (i % 3));
    const level = (mass: number) => onNumbers(maximum(mass)).prox(heights, 1);
    const upTo = (s: number) => heights.map((x) => Math.min(x, s));
    near(level(200), upTo(3.5));
    near(level(50), upTo(4.5));
    near(level(300), upTo(3));
    near(level(1200), upTo(0));
    near(
      onNumbers(maximum(200)).projectDual(heights),
      heights.map((x) => Math.max(0, x - 3.5)),
    );
    const two = maximum(200).prox(stacked([heights, heights.map((x) => x + 1)]), 1);
    near(Array.from(evaluate(two).data), [...upTo(3.5), ...upTo(3.5).map((x) => x + 1)]);
  });

  test("with many elements at all distances, the level has the right mass", () => {
    const heights = Array.from({ length: 300 }, (_, i) => 1 - 2 ** -(i % 50));
    for (const level of [1 - 1.5 * 2 ** -45, 1 - 1.5 * 2 ** -30, 1 - 1.5 * 2 ** -10, 0.25]) {
      const mass = heights.reduce((sum, x) => sum + Math.max(0, x - level), 0);
      near(
        onNumbers(maximum(mass)).prox(heights, 1),
        heights.map((x) => Math.min(x, level)),
      );
    }
  });

  test("keep to their budget but for the rounding of a sum of so many", () => {
    const spent = (steps: number, dtype: "float32" | "float64", others = 0) => {
      const [step, part] = [dtype === "float64" ? 2 ** -52 : 2 ** -23, 1 / Math.max(1, others)];
      // In sums of powers of 2 nothing is rounded.
      const prices = [...Array(others).fill(part), steps * step + (others === 0 ? 1 : 0)];
      return evaluate(maximum(1).conjugate(cast(array(Float64Array.from(prices)), dtype))).item();
    };
    for (const dtype of ["float32", "float64"] as const) {
      expect([0, 10, 20, 21, 30].map((steps) => spent(steps, dtype))).toEqual([0, 0, 0, Infinity, Infinity]);
      // 16 + 4·√257
      expect([70, 80, 81].map((steps) => spent(steps, dtype, 256))).toEqual([0, 0, Infinity]);
    }
  });

  test("in float32 have the level that they have", () => {
    const many = cast(array(Array.from({ length: 300 }, (_, i) => 3 + (i % 3))), "float32");
    const found = Array.from(evaluate(maximum(200).prox(many, 1)).data);
    for (const [i, x] of found.entries()) expect(Math.abs(x - Math.min(3 + (i % 3), 3.5))).toBeLessThan(1e-6);
  });
});

describe("duality", () => {
  test("the proximal dual step, one rate for all or one for each", () => {
    // λ' with λ'²/4 + (λ' − 3)²/4 least is 1.5, and u = λ'/2.
    const { price, relaxation } = proxConjugate(quadratic(1), float64([3, -1]), 2);
    near(numbersOf(price), [1.5, 0]);
    near(numbersOf(relaxation), [0.75, 0]);
    const each = proxConjugate(linear(2), float64([3, 3, 1]), float64([1, 2, 4]));
    near(numbersOf(each.price), [2, 2, 1]);
    near(numbersOf(each.relaxation), [1, 0.5, 0]);
  });

  test("the Fenchel gap", () => {
    // 1 + 4 + 4²/4 + 0 − 4
    near(numbersOf(fenchelGap(quadratic(1), float64([1, 2]), float64([4, 0]))), [5 + 4 - 4]);
  });
});
