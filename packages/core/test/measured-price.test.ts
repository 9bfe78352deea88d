// A measured price is the slope of the whole value f + h(u): others give way anew at the level beside, and what that costs counts.
import {
  atLeast,
  atMost,
  between,
  createSolver,
  equals,
  groupMeans,
  measurePrice,
  minimise,
  newton,
  onNumbers,
  quadratic,
  type Requirement,
  sgd,
  solve,
  solveWith,
} from "@pliant/core";
import { array, constant, random, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { float64 } from "./float64.js";

test.each([
  ["2 − x at most ½", atMost<Tensor, Tensor>(0.5, (x) => x.neg().add(2), { cost: quadratic(2) })],
  ["x equal to 1.5", equals<Tensor, Tensor>(1.5, (x) => x, { cost: quadratic(2) })],
])("of a convex problem it is the price, against %s that gives way", async (_, near) => {
  // ½(x − 3)² with x at most 1, hard, against what gives way by u = 1.5 − x at a cost of 2u², so 1 of price is 2 + 4u.
  const task = minimise({
    params: { x: float64([0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo({ low: atMost(1, (x) => x, { hard: true }), near });
  const options = { data: float64([0]), optimizer: sgd(0.1), tolerance: 1e-6, steps: 4000 };
  const solver = await createSolver(task, options);
  const found = await solveWith(solver, options);
  expect(found.certificate.short).toEqual([]);
  expect(found.report.requirements.low.price).toBeCloseTo(4, 4);
  const { price, looser, tighter, relieved } = await measurePrice(solver, found, "low", {
    by: 0.1,
    steps: 4000,
  });
  expect(price).toBeCloseTo(4, 4);
  // P = ½(x − 3)² + 2(1.5 − x)² is a parabola of curvature 5.
  expect(looser).toBeCloseTo(4 - 0.25, 4);
  expect(tighter).toBeCloseTo(4 + 0.25, 4);
  expect(relieved).toEqual({ near: expect.closeTo(0.1, 4) });
  // Without a distance it takes one of its own.
  const { price: own, tighter: near1 } = await measurePrice(solver, found, "low");
  expect(own).toBeCloseTo(4, 3);
  expect(near1).toBeGreaterThan(4 + 1e-3);
});

test.each([
  [3, 1],
  [-1, -1],
])(
  "for an equality that gives way to either side it equals the price, towards %d",
  async (towards, price) => {
    // ½(x − 3)² or ½(x + 1)² with x equal to 1 at a cost of ½u²: halfway, at 2 or at 0.
    const task = minimise({
      params: { x: float64([0]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.sub(towards).pow(2).mul(0.5).sum(),
    }).subjectTo({ is: equals(1, (x) => x, { cost: quadratic(0.5) }) });
    const options = { data: float64([0]), optimizer: sgd(0.1), tolerance: 1e-6, steps: 4000 };
    const solver = await createSolver(task, options);
    const found = await solveWith(solver, options);
    expect(found.report.requirements.is.price).toBeCloseTo(price, 4);
    expect(await measurePrice(solver, found, "is", { by: 0.1, steps: 4000 })).toEqual({
      price: expect.closeTo(price, 4),
      looser: expect.closeTo(0.95 * price, 4),
      tighter: expect.closeTo(1.05 * price, 4),
      relieved: {},
    });
  },
);

test("for a hard count it is the slope of loss plus cost of giving way over independent solves", async () => {
  const [n, d] = [1000, 4];
  const x = random.normal(random.key(1), [n, d]);
  const noise = random.normal(random.key(2), [n]);
  const y = array(Float32Array.from({ length: n }, (_, i) => Number(x.data[i * d] + noise.data[i] > 1.2)));
  const data = { x, y };
  type Rows = { readonly x: Tensor; readonly y: Tensor };
  const positives = Array.from(y.data).filter((own) => own === 1).length;
  const meanOf = (values: Tensor, marks: Tensor): Tensor => values.mul(marks).sum().div(marks.sum());
  const task = (level: number) =>
    minimise({
      params: { w: array(new Float32Array(d), { shape: [d, 1] }), b: array([0]) },
      forward: ({ w, b }: { w: Tensor; b: Tensor }, rows: Rows) => rows.x.matmul(w).reshape([n]).add(b),
      objective: (z: Tensor, rows: Rows) => z.softplus().sub(z.mul(rows.y)).mean(),
    }).subjectTo({
      misses: atMost(0.1, (z, rows) => meanOf(z.neg().softplus(), rows.y), {
        strict: (z, rows) => meanOf(z.le(0).cast("float32"), rows.y),
        pricedBy: "strict",
        resolution: 1 / positives,
        scale: 1,
        cost: quadratic(2),
      }),
      alarms: atMost(level, (z, rows) => meanOf(z.softplus(), rows.y.neg().add(1)), {
        strict: (z, rows) => meanOf(z.gt(0).cast("float32"), rows.y.neg().add(1)),
        pricedBy: "strict",
        resolution: 1 / (n - positives),
        scale: 1,
        hard: true,
      }),
    });
  const options = { data, optimizer: newton(), steps: 1000, every: 5 };
  const cost = onNumbers(quadratic(2));
  const whole = async (level: number): Promise<number> => {
    const { report, certificate } = await solve(task(level), options);
    expect(certificate.short).toEqual([]);
    return report.objective + cost.value([report.requirements.misses.reached - 0.1]);
  };
  const [by, level] = [0.03, 0.1];
  const solver = await createSolver(task(level), options);
  const found = await solveWith(solver, options);
  expect(found.report.requirements.misses.status).toBe("gave way");
  const { price, relieved } = await measurePrice(solver, found, "alarms", { by, steps: 1000, every: 5 });
  const slope = ((await whole(level - by)) - (await whole(level + by))) / (2 * by);
  // Each count is known to one of its steps at either end, which weighs its slope.
  const { misses, alarms } = found.report.requirements;
  expect(Math.abs(price! - slope)).toBeLessThan(
    (misses.price * misses.allowance + slope * alarms.allowance) / by,
  );
  expect(slope).toBeGreaterThan(3);
  expect(relieved!.misses).toBeGreaterThan(misses.allowance);
});

test("steps are reported question by question; if its own level does not converge, the others are not tried", async () => {
  const task = minimise({
    params: { x: float64([0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo({ low: atMost(1, (x) => x, { hard: true }) });
  const options = { data: float64([0]), optimizer: sgd(0.1), tolerance: 1e-6 };
  const solver = await createSolver(task, options);
  const asked = async (first: number, steps: number) => {
    const told: number[] = [];
    const found = await solveWith(solver, { ...options, steps: first });
    const onSteps = (done: number): unknown => told.push(done);
    return { price: await measurePrice(solver, found, "low", { by: 0.1, steps, every: 10, onSteps }), told };
  };
  expect(await asked(5, 20)).toEqual({ price: {}, told: [10, 20] });
  const { price, told } = await asked(4000, 4000);
  expect(price.price).toBeCloseTo(2, 4);
  expect(told).toEqual(told.map((_, i) => 10 * (i + 1)));
});

describe("for a requirement with several elements it is the slope when all levels move together, the sum of their prices", () => {
  const options = { data: float64([0]), optimizer: newton(), tolerance: 1e-6 };
  const towards = [3, 1];
  const squares = minimise({
    params: { x: float64([0, 0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) =>
      x
        .sub(constant(float64(towards)))
        .pow(2)
        .sum()
        .mul(0.5),
  });
  const apart = (requirement: Requirement<Tensor, Tensor>) =>
    squares.subjectTo({ both: requirement }, { cost: quadratic(0.5) });
  /** ½Σ(tᵢ − ℓᵢ)₊² at levels that hold, which are halfway to t where they are pressed. */
  const exact = (levels: readonly number[], move: number): number =>
    levels
      .map((level, i) => Math.max(level, (level + towards[i]) / 2) + move)
      .reduce((sum, held, i) => sum + Math.max(0, towards[i] - held) ** 2 / 2, 0);

  test.each<[string, number[], Requirement<Tensor, Tensor>]>([
    ["one level", [0.5, 0.5], atMost(0.5, (x) => x)],
    ["a list of levels", [1, 0], atMost([1, 0], (x) => x)],
    ["one of them pressed", [0.5, 4], atMost([0.5, 4], (x) => x)],
    ["none pressed", [4, 4], atMost(4, (x) => x)],
    ["none pressed, as stated by its negative", [4, 4], atLeast(-4, (x) => x.neg())],
    ["one that has no elements but one", [0, 4], atMost([0], (x) => x.slice([[0, 1]]))],
    ["floors", [1, 0], atLeast([-1, 0], (x) => x.neg())],
    ["two sides", [0.5, 0.5], between(-9, 0.5, (x) => x)],
    [
      "groups",
      [0.5, 0.5],
      atMost(0.5, (x) =>
        groupMeans(
          x,
          constant(
            array(
              [
                [1, 0],
                [0, 1],
              ],
              { dtype: "float64" },
            ),
          ),
        ),
      ),
    ],
  ])("%s", async (_, levels, requirement) => {
    const solver = await createSolver(apart(requirement), options);
    const found = await solveWith(solver, {});
    expect(found.certificate.short).toEqual([]);
    const here = exact(levels, 0);
    expect(found.report.requirements.both.price).toBeCloseTo(
      (exact(levels, -1e-6) - exact(levels, 1e-6)) / 2e-6,
      5,
    );
    for (const by of [0.01, 0.1, 0.3]) {
      const measured = await measurePrice(solver, found, "both", { by });
      expect(measured).toEqual({
        price: expect.closeTo((exact(levels, -by) - exact(levels, by)) / (2 * by), 4),
        looser: expect.closeTo((here - exact(levels, by)) / by, 4),
        tighter: expect.closeTo((exact(levels, -by) - here) / by, 4),
        relieved: {},
      });
    }
  });

  test("elements of an equality that pull to either side", async () => {
    const solver = await createSolver(apart(equals([1, 4], (x) => x)), options);
    const found = await solveWith(solver, {});
    // Halfway, 2 and 2.5, at prices of 1 and −1.5; ½Σ(tᵢ − ℓᵢ)² of both levels moved down, which is its side, by `by`.
    expect(found.report.requirements.both.price).toBeCloseTo(-0.5, 5);
    for (const by of [0.01, 0.3])
      expect(await measurePrice(solver, found, "both", { by })).toEqual({
        price: expect.closeTo(-0.5, 4),
        looser: expect.closeTo(-0.5 + by, 4),
        tighter: expect.closeTo(-0.5 - by, 4),
        relieved: {},
      });
  });

  test("others with elements, at a tolerance that leaves them off their levels", async () => {
    // ½(x − 3)² + ½(y − 1)² with x + y at most 1, hard, where 1 − x and ½ − y at most 0 give way at a cost of u².
    const task = squares.subjectTo({
      sum: atMost(1, (x) => x.sum(), { hard: true }),
      each: atLeast([1.5, 0.5], (x) => x, { cost: quadratic(1) }),
    });
    const loose = { data: float64([0]), optimizer: sgd(0.05), tolerance: 1e-2, steps: 4000 };
    const solver = await createSolver(task, loose);
    const found = await solveWith(solver, loose);
    expect(found.certificate.short).toEqual([]);
    // x = 1.5 − a, y = 0.5 − b, a + b = 1 + move: both are paid (1.5 + a) + 2a = (0.5 + b) + 2b at the equilibrium.
    const value = (move: number): number => {
      const a = (3 * (1 - move) - 1) / 6;
      const b = 1 - move - a;
      return (1.5 + a) ** 2 / 2 + (0.5 + b) ** 2 / 2 + a ** 2 + b ** 2;
    };
    for (const by of [0.1, 0.3]) {
      const { price, looser, tighter } = await measurePrice(solver, found, "sum", { by, steps: 4000 });
      const [l, h, t] = [value(by), value(0), value(-by)];
      for (const [is, should] of [
        [price, (t - l) / (2 * by)],
        [looser, (h - l) / by],
        [tighter, (t - h) / by],
      ])
        expect(Math.abs(is! / should! - 1)).toBeLessThan(1e-3);
    }
  });
});

test("for two identical requirements neither price is a slope: loosening one gains nothing, tightening it costs the sum", async () => {
  const low = atMost<Tensor, Tensor>(1.5, (x) => x, { hard: true });
  const task = minimise({
    params: { x: float64([0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo({ low, again: low });
  const solver = await createSolver(task, { data: float64([0]), optimizer: newton(), tolerance: 1e-6 });
  const found = await solveWith(solver, {});
  expect(found.certificate.short).toEqual([]);
  const { requirements } = found.report;
  expect(requirements.low.price + requirements.again.price).toBeCloseTo(1.5, 5);
  for (const by of [0.01, 0.1])
    expect(await measurePrice(solver, found, "low", { by })).toMatchObject({
      looser: expect.closeTo(0, 4),
      tighter: expect.closeTo(1.5 + by / 2, 4),
    });
});
