// A measured price is the slope of the whole value f + h(u): others give way anew at the level beside, and what that costs counts.
import {
  atMost,
  createSolver,
  equals,
  measurePrice,
  minimise,
  newton,
  onNumbers,
  quadratic,
  sgd,
  solve,
  solveWith,
} from "@pliant/core";
import { array, random, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";
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
});

test.each([
  [3, 1],
  [-1, -1],
])("of an equality that gives way to either side it is the price, towards %d", async (towards, price) => {
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
});

test("of a count that must hold it is the slope of what solves of their own come to, loss and giving way together", async () => {
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

test("steps are told from question to question; where its own level does not settle the others are not asked", async () => {
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
