// The paper's propositions and Theorem 1, on random small convex problems and against solvers that know nothing of Pliant.

import { atMost, type Cost, hard, minimise, onNumbers, perturbation, quadratic, solve } from "@pliant/core";
import { random, type Tensor } from "@pliant/engine";
import fc from "fast-check";
import { solveQP } from "quadprog";
import { describe, expect, test } from "vitest";
import { type Convex, convex, exactly, type Point, problemOf } from "../../core/test/convex.js";
import { float64 } from "../../core/test/float64.js";
import {
  finiteDeviation,
  insistingAlpha,
  linearComplexity,
  rademacherDeviation,
  valueBound,
  vcDeviation,
  yieldingAlpha,
} from "../src/theory/index.js";

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, v, i) => sum + v * b[i], 0);
const either = fc.boolean().chain(convex);
const runs = { numRuns: 25, seed: 11 };

async function equilibriumOf(sides: Convex, alpha: number, start?: readonly number[]) {
  const { report, params, certificate } = await solve(
    problemOf(sides, { cost: quadratic(alpha), start }),
    exactly,
  );
  expect(certificate.holds).toBe(true);
  const each = (key: "relaxation" | "price") => sides.rows.map((_, i) => report.requirements[`r${i}`][key]);
  return {
    u: each("relaxation"),
    prices: each("price"),
    objective: report.objective,
    x: Array.from(params.x.data),
  };
}

const from1 = <T>(list: readonly T[]): T[] => [undefined as T, ...list];

/** By quadprog: min Σ ½wᵢ(zᵢ − cᵢ)² where rows·z ≤ levels. */
function quadraticProgram(weights: number[], centre: number[], rows: number[][], levels: readonly number[]) {
  const { solution, Lagrangian, message } = solveQP(
    from1(weights.map((w, i) => from1(weights.map((_, j) => (i === j ? w : 0))))),
    from1(weights.map((w, i) => w * centre[i])),
    from1(weights.map((_, j) => from1(rows.map((row) => -row[j])))),
    from1(levels.map((level) => -level)),
  );
  expect(message).toBe("");
  const z = solution.slice(1);
  const value = weights.reduce((sum, w, i) => sum + (w * (z[i] - centre[i]) ** 2) / 2, 0);
  return { z, value, prices: Lagrangian.slice(1) };
}

/** P*(u) and its prices. */
const insisting = ({ centre, rows, levels }: Convex, u: readonly number[]) =>
  quadraticProgram(
    centre.map(() => 1),
    [...centre],
    rows.map((row) => [...row]),
    levels.map((level, i) => level + u[i]),
  );

describe("Proposition 1: the equilibrium exists and, the cost being strictly convex, is one", () => {
  test("wherever the model and the prices start", async () => {
    await fc.assert(
      fc.asyncProperty(
        either,
        fc.double({ min: 0.1, max: 5, noNaN: true }),
        fc.double({ min: 0, max: 9, noNaN: true }),
        async (sides, alpha, far) => {
          const { u } = await equilibriumOf(sides, alpha);
          const moved = problemOf(sides, {
            cost: quadratic(alpha),
            start: sides.centre.map((_, i) => far * (-1) ** i),
          });
          const { state } = await solve(moved, { ...exactly, steps: 0 });
          const prices = [float64(sides.rows.map(() => far))];
          const again = await solve(moved, { ...exactly, state: { ...state, prices } });
          expect(again.certificate.holds).toBe(true);
          for (const [i, value] of u.entries())
            expect(again.report.requirements[`r${i}`].relaxation).toBeCloseTo(value, 5);
        },
      ),
      runs,
    );
  });
});

describe("Proposition 2: relaxing one requirement, the others as they are", () => {
  test("makes more of it cost no less and gain no more", async () => {
    await fc.assert(
      fc.asyncProperty(either, async (sides) => {
        const task = problemOf(sides);
        const { report } = await solve(task, exactly);
        const start = report.requirements.r0.relaxation;
        const grid = [0.1, 0.4, 1, 2].map((more) => start + more);
        const { points, equilibrium } = await perturbation(task, "r0", grid, exactly);
        let before = equilibrium;
        for (const point of points) {
          expect(point.certificate.holds).toBe(true);
          expect(point.costSlope).toBeGreaterThanOrEqual(before.costSlope);
          expect(point.price).toBeLessThanOrEqual(before.price + 1e-5);
          expect(point.objective).toBeLessThanOrEqual(before.objective + 1e-5);
          // Convex: above the line with the slope −price.
          expect(point.objective).toBeGreaterThanOrEqual(
            before.objective - before.price * (point.at - before.at) - 1e-5,
          );
          before = point;
        }
      }),
      runs,
    );
  });

  test("P* is that of a QP solver", async () => {
    await fc.assert(
      fc.asyncProperty(convex(false), async (sides) => {
        const { u } = await equilibriumOf(sides, 0.5);
        const grid = [0, 0.5, 1.5];
        const { points } = await perturbation(problemOf(sides), "r0", grid, exactly);
        for (const [i, at] of grid.entries()) {
          expect(points[i].certificate.holds).toBe(true);
          expect(points[i].objective).toBeCloseTo(insisting(sides, [at, ...u.slice(1)]).value, 5);
        }
      }),
      runs,
    );
  });
});

describe("Propositions 3 and 4", () => {
  test("λ* = ∇h(u*), and λ* are multipliers of the problem relaxed by u*", async () => {
    await fc.assert(
      fc.asyncProperty(either, fc.double({ min: 0.1, max: 5, noNaN: true }), async (sides, alpha) => {
        const { u, prices, objective } = await equilibriumOf(sides, alpha);
        const slopes = onNumbers(quadratic(alpha)).gradient(u);
        for (const [i, price] of prices.entries()) expect(price).toBeCloseTo(slopes[i], 6);
        // Strong duality at u*: min over x of ½‖x − c‖² + λ·(Ax − b − u*), at x = c − Aᵀλ, is P*(u*).
        const { centre, rows, levels } = sides;
        const pull = centre.map((_, j) => rows.reduce((sum, row, i) => sum + prices[i] * row[j], 0));
        const dual =
          -dot(pull, pull) / 2 +
          rows.reduce((sum, row, i) => sum + prices[i] * (dot(row, centre) - levels[i] - u[i]), 0);
        const best = insisting(
          sides,
          u.map((x) => x + 1e-7),
        ).value;
        expect(dual).toBeCloseTo(best, 4);
        expect(objective).toBeCloseTo(best, 4);
      }),
      runs,
    );
  });

  test("the equilibrium solves the joint problem in model and relaxations", async () => {
    await fc.assert(
      fc.asyncProperty(either, fc.double({ min: 0.1, max: 5, noNaN: true }), async (sides, alpha) => {
        const { centre, rows, levels } = sides;
        const n = centre.length;
        const unit = (i: number, value: number) => rows.map((_, j) => (i === j ? value : 0));
        const joint = quadraticProgram(
          [...centre.map(() => 1), ...rows.map(() => 2 * alpha)],
          [...centre, ...rows.map(() => 0)],
          [
            ...rows.map((row, i) => [...row, ...unit(i, -1)]),
            ...rows.map((_, i) => [...centre.map(() => 0), ...unit(i, -1)]),
          ],
          [...levels, ...rows.map(() => 0)],
        );
        const { u, x } = await equilibriumOf(sides, alpha);
        for (const [i, value] of x.entries()) expect(value).toBeCloseTo(joint.z[i], 5);
        for (const [i, value] of u.entries()) expect(value).toBeCloseTo(joint.z[n + i], 5);
      }),
      runs,
    );
  });
});

describe("Proposition 5: the quadratic cost between insisting and yielding", () => {
  test("with α above the bound nothing gives way by more than ε", async () => {
    await fc.assert(
      fc.asyncProperty(convex(false), fc.constantFrom(0.02, 0.1), async (sides, epsilon) => {
        const m = sides.rows.length;
        const at = m === 1 ? epsilon : epsilon / (2 * m);
        const { prices } = insisting(
          sides,
          sides.rows.map(() => at),
        );
        const alpha = insistingAlpha({ epsilon, at, prices });
        const { u } = await equilibriumOf(sides, Math.max(alpha, 0.1));
        for (const value of u) expect(value).toBeLessThanOrEqual(epsilon + 1e-6);
      }),
      runs,
    );
  });

  test("with α below the bound all give way to within ε of the unconstrained model", async () => {
    await fc.assert(
      fc.asyncProperty(either, fc.constantFrom(0.05, 0.3), async (sides, epsilon) => {
        const { centre, rows, levels } = sides;
        const slacks = rows.map((row, i) => Math.max(0, dot(row, centre) - levels[i]));
        fc.pre(slacks.some((b) => b > epsilon));
        // Rows have length 1: to give up ε of one requirement the model moves by ε.
        const rises = slacks.map((b) => (b > epsilon ? epsilon ** 2 / 2 : Infinity));
        const { u } = await equilibriumOf(sides, yieldingAlpha({ slacks, rises }));
        for (const [i, b] of slacks.entries()) expect(u[i]).toBeGreaterThanOrEqual(b - epsilon - 1e-6);
      }),
      runs,
    );
  });

  test("in the limits: none, and as much as the unconstrained model asks", async () => {
    const sides: Convex = {
      centre: [2, 1],
      rows: [
        [1, 0],
        [0.6, 0.8],
      ],
      levels: [0.5, 0.3],
    };
    const small = await equilibriumOf(sides, 1e-5);
    expect(small.u[0]).toBeCloseTo(1.5, 3);
    expect(small.u[1]).toBeCloseTo(1.7, 3);
    const large = await equilibriumOf(sides, 1e4);
    for (const value of large.u) expect(value).toBeCloseTo(0, 3);
  });

  test("the paper's bound for insisting fails with two requirements", async () => {
    // ½x·Qx − b·x, with Q near to [1 1; 1 1] and xᵢ asked to be at most `level`: the requirements are substitutes.
    const asked = (level: number, cost: Cost) =>
      minimise({
        params: { x: float64([0, 0]) },
        forward: ({ x }: Point, _: Tensor) => x,
        objective: (x) => {
          const bowl = x.sum().pow(2).add(x.pow(2).sum().mul(0.01));
          return bowl.mul(0.5).sub(x.mul(float64([2.46, 2.02])).sum());
        },
      }).subjectTo({ each: atMost(level, (x) => x) }, { cost });
    const epsilon = 1;
    const relaxed = await solve(asked(epsilon, hard), exactly);
    const prices = Array.from(relaxed.state.prices[0].data);
    expect(relaxed.certificate.holds).toBe(true);
    expect(prices).toEqual([0.45, 0.01].map((v) => expect.closeTo(v, 6)));

    const alpha = 0.25;
    expect(alpha).toBeGreaterThan(Math.max(...prices) / (2 * epsilon));
    const { state, certificate } = await solve(asked(0, quadratic(alpha)), exactly);
    expect(certificate.holds).toBe(true);
    expect(state.relaxations[0].data[0]).toBeGreaterThan(1.3 * epsilon);

    const at = epsilon / 4;
    const nearer = await solve(asked(at, hard), exactly);
    const ours = insistingAlpha({ epsilon, at, prices: Array.from(nearer.state.prices[0].data) });
    const kept = await solve(asked(0, quadratic(ours)), exactly);
    expect(nearer.certificate.holds && kept.certificate.holds).toBe(true);
    expect(Math.max(...kept.state.relaxations[0].data)).toBeLessThanOrEqual(epsilon);
  });
});

describe("Theorem 1", () => {
  const delta = 0.001;

  test("in the learnability example the bound shrinks with samples and is all generalisation", () => {
    const bounds = [10, 30, 100, 300, 1e6].map((samples) =>
      valueBound({
        cost: quadratic(0.5),
        relaxations: [0, 0],
        // λ̂ = û, and no requirement gives way by more than |t̄| ≤ ½.
        prices: [
          [0, 0],
          [0.5, 0.5],
        ],
        lipschitz: 1,
        parametrisation: 0,
        deviation: finiteDeviation(4, { samples, delta }),
        delta,
      }),
    );
    for (const [i, { approximation, generalisation, total, confidence }] of bounds.entries()) {
      expect(approximation).toBe(0);
      expect(total).toBe(generalisation);
      expect(confidence).toBeCloseTo(1 - 8 * delta, 12);
      if (i > 0) expect(total).toBeLessThan(bounds[i - 1].total);
    }
    expect(bounds.at(-1)!.total).toBeLessThan(0.005);
  });

  test("its parts are the formula's", () => {
    const { approximation, generalisation, total } = valueBound({
      cost: quadratic(2),
      relaxations: [1, 0],
      prices: [
        [4, 0],
        [3, 2],
      ],
      lipschitz: 2,
      parametrisation: 0.05,
      deviation: 0.1,
      delta: 0.01,
    });
    expect(approximation).toBeCloseTo(2 * (1.1 ** 2 + 0.1 ** 2) - 2 + 0.1, 12);
    expect(generalisation).toBeCloseTo((1 + 5) * 0.1, 12);
    expect(total).toBeCloseTo(approximation + generalisation, 12);
  });

  test("holds for as many draws as it says", () => {
    // θ in [0, 1], E[θx₀] with requirement E[(1 − θ)x₁] ≤ c and x uniform on [0, 1]: convex, and known from two means.
    const [alpha, level, samples, share] = [1, 0.1, 50, 0.02];
    const value = (a: number, b: number) => {
      const theta = Math.min(1, Math.max(0, 1 - (level + a / (2 * alpha * b)) / b));
      const u = Math.max(0, b * (1 - theta) - level);
      return { value: a * theta + alpha * u * u, u: [u], prices: [2 * alpha * u] };
    };
    const truth = value(0.5, 0.5);
    const mean = (key: random.Key) =>
      Array.from(random.uniform(key, [samples], { dtype: "float64" }).data).reduce((a, b) => a + b, 0) /
      samples;
    let held = 0;
    for (let draw = 0; draw < 500; draw++) {
      const [first, second] = random.split(random.foldIn(random.key(2), draw));
      const found = value(mean(first), mean(second));
      const { total, confidence } = valueBound({
        cost: quadratic(alpha),
        relaxations: truth.u,
        prices: [truth.prices, found.prices],
        lipschitz: 1,
        parametrisation: 0,
        // Losses are θ or 1 − θ times one variable: no model deviates more than that.
        deviation: finiteDeviation(1, { samples, delta: share }),
        delta: share,
      });
      expect(confidence).toBeCloseTo(0.9, 12);
      if (Math.abs(truth.value - found.value) <= total) held += 1 / 500;
    }
    expect(held).toBeGreaterThanOrEqual(0.9);
  });

  test("ξ(N, δ) falls like 1/√N, and with δ grows only by a logarithm", () => {
    const kinds = [
      (samples: number, delta: number) => finiteDeviation(100, { samples, delta }),
      (samples: number, delta: number) =>
        rademacherDeviation(linearComplexity(samples, { norm: 2, radius: 1 }), { samples, delta }),
    ];
    for (const xi of kinds) {
      expect(xi(400, 0.01)).toBeCloseTo(xi(100, 0.01) / 2, 12);
      expect(xi(100, 0.001)).toBeGreaterThan(xi(100, 0.01));
      expect(xi(100, 1e-6)).toBeLessThan(3 * xi(100, 0.01));
    }
    expect(finiteDeviation(1, { samples: 200, delta: 0.05, range: 2 })).toBeCloseTo(
      2 * Math.sqrt(Math.log(40) / 400),
      12,
    );
    expect(vcDeviation(3, { samples: 1e4, delta: 0.01 })).toBeLessThan(
      vcDeviation(3, { samples: 1e3, delta: 0.01 }),
    );
    expect(vcDeviation(30, { samples: 1e4, delta: 0.01 })).toBeGreaterThan(
      vcDeviation(3, { samples: 1e4, delta: 0.01 }),
    );
  });

  test("meaningless arguments are refused with a sentence", () => {
    const input = {
      cost: quadratic(1),
      relaxations: [0, 0],
      prices: [],
      lipschitz: 1,
      parametrisation: 0,
      deviation: 0.1,
      delta: 0.2,
    };
    expect(() => valueBound(input)).toThrow(
      /^valueBound: with 2 requirements δ must be between 0 and 1\/8, got 0\.2\.$/,
    );
    expect(() => valueBound({ ...input, lipschitz: Number.NaN })).toThrow(
      /^valueBound: lipschitz must be a number/,
    );
    expect(() => finiteDeviation(4, { samples: 0, delta })).toThrow(/N must be at least 1, got 0/);
    expect(() => vcDeviation(10, { samples: 5, delta })).toThrow(/between 1 and N = 5, got 10/);
    expect(() => insistingAlpha({ epsilon: 0.1, at: 0.1, prices: [1, 1] })).toThrow(
      /less than ε\/2 = 0\.05, got 0\.1/,
    );
  });
});
