// Newton's steps: on the augmented Lagrangian at given prices, on the whole KKT system, and as a solver takes them.
import { atMost, createSolver, equals, hard, quadratic, solve, minimise as stated } from "@pliant/core";
import { array, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { kktStep } from "../src/certificate/newton-kkt.js";
import { minimise, type NewtonState, newtonStep } from "../src/newton/steps.js";
import { float64 } from "./float64.js";
import { modelOf, near, pointOf } from "./models.js";

const part = (x: Tensor, j: number): Tensor => x.slice([[j, j + 1]]);

/** ½(x − 3)² + ½(y + 1)² with x ≤ 1 (hard), y = 0 (hard) and x + y ≤ 0 (α = ½). */
const bowl = stated({
  params: { x: float64([0, 0]) },
  forward: ({ x }: { x: Tensor }, _: Tensor) => x,
  objective: (x) =>
    x
      .sub(float64([3, -1]))
      .pow(2)
      .mul(0.5)
      .sum(),
}).subjectTo({
  low: atMost(1, (x) => part(x, 0), { cost: hard }),
  fixed: equals(0, (x) => part(x, 1), { cost: hard }),
  sum: atMost(0, (x) => x.sum(), { cost: quadratic(0.5) }),
});
// x = 1, u = 1 = λ₃, λ₁ = 2 − 1, λ₂ = −1 − 1.
const solution = { x: [1, 0], prices: [1, -2, 1], relaxations: [0, 0, 1] };

const first = (m: number, x: readonly number[]): NewtonState => ({
  x: Float64Array.from(x),
  prices: new Float64Array(m),
  relaxations: new Float64Array(m),
  t: new Float64Array(m),
  shrink: 1,
  residual: 1e300,
});

test("a whole step is taken where the Lagrangian bends down across what holds: the tangent space alone matters", async () => {
  // −xy with x + y = 2: the step from (½, ½) leads to (1, 1) along a direction in which −xy bends down.
  const product = stated({
    params: { x: float64([0.5, 0.5]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => part(x, 0).mul(part(x, 1)).neg().sum(),
  }).subjectTo({ sum: equals(2, (x) => x.sum(), { cost: hard }) });
  const { model } = await modelOf(product);
  const { x, prices } = await newtonStep(model, first(1, [0.5, 0.5]), 1e-6);
  expect([...x]).toEqual(near([1, 1], 9));
  expect([...prices]).toEqual(near([1], 9));
});

test("no whole step is taken towards a saddle along a direction that bends up: a monkey saddle is left", async () => {
  // x³ − 3xy² on the disc: Newton's step from (0.3, 0.1) halves the way to the saddle at 0, and a quarter of the slope is left there.
  const monkey = stated({
    params: { x: float64([0.3, 0.1]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) =>
      part(x, 0)
        .pow(3)
        .sub(part(x, 0).mul(part(x, 1).pow(2)).mul(3))
        .sum(),
  }).subjectTo({ disc: atMost(1, (x) => x.pow(2).sum(), { cost: hard }) });
  const { certificate, report } = await solve(monkey, { data: array([0]) });
  expect(certificate.holds).toBe(true);
  expect([report.objective, report.requirements.disc.price]).toEqual(near([-1, 1.5], 5));
});

test("a minimum that only a weak penalty leaves is taken back, and the penalty grows", async () => {
  // Hock and Schittkowski's problem 71: the augmented Lagrangian of its first prices has a minimum at an objective of −313,531.
  const at = (x: Tensor, ...which: number[]): Tensor =>
    which.map((j) => part(x, j)).reduce((a, b) => a.mul(b));
  const problem = stated({
    params: { x: float64([1, 5, 5, 1]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) =>
      at(x, 0, 3)
        .mul(x.slice([[0, 3]]).sum())
        .add(part(x, 2))
        .sum(),
  }).subjectTo({
    volume: atMost(0, (x) => at(x, 0, 1, 2, 3).neg().add(25).sum(), { cost: hard }),
    sphere: equals(40, (x) => x.pow(2).sum(), { cost: hard }),
    low: atMost([-1, -1, -1, -1], (x) => x.neg(), { cost: hard }),
    high: atMost([5, 5, 5, 5], (x) => x, { cost: hard }),
  });
  const { certificate, report } = await solve(problem, { data: array([0]) });
  expect(certificate.holds).toBe(true);
  expect(report.objective).toBeCloseTo(17.014017289156303, 5);
});

describe("a minimum of the augmented Lagrangian", () => {
  test("has no slope, at prices that answer the slack", async () => {
    const { model } = await modelOf(bowl);
    const point = pointOf(model, [5, 5], [0.5, 0, 0.2]);
    const step = await kktStep(model, point, 0.01);
    const t = Float64Array.of(1, 2, 0.5);
    const { x, at, solved } = await minimise(model, point, step, t);
    expect(solved).toBe(true);
    for (const slope of at.gradient) expect(Math.abs(slope)).toBeLessThan(1e-3);
    // λ⁺ = λ + (g − w)/t: for what is tight (g + tλ)/t, for the quadratic cost (g + tλ)/(1 + t).
    const [g1, g2] = [x[0] - 1, x[1]];
    expect([...at.prices]).toEqual(near([g1 + 0.5, g2 / 2, (g1 + 1 + g2 + 0.5 * 0.2) / 1.5]));
  });

  test.each([
    ["a curved valley", [-1.2, 1], [1, 1]],
    ["far off in it", [30, -50], [1, 1]],
  ])("of %s is found", async (_, from, to) => {
    const rosenbrock = stated({
      params: { x: float64(from) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => {
        const [a, b] = [part(x, 0), part(x, 1)];
        return a
          .neg()
          .add(1)
          .pow(2)
          .add(b.sub(a.pow(2)).pow(2).mul(100))
          .sum();
      },
    }).subjectTo({ far: atMost(1e6, (x) => x.sum(), { cost: hard }) });
    const { model } = await modelOf(rosenbrock);
    let now = first(1, from);
    for (let k = 0; k < 20; k++) now = await newtonStep(model, now, 1e-6);
    expect([...now.x]).toEqual(near(to, 6));
  });

  test("is not the top of a hill that steps begin on the side of", async () => {
    const hills = stated({
      params: { x: float64([0.01]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.pow(4).sub(x.pow(2)).sum(),
    }).subjectTo({ far: atMost(1e6, (x) => x.sum(), { cost: hard }) });
    const { model } = await modelOf(hills);
    let now = first(1, [0.01]);
    for (let k = 0; k < 10; k++) now = await newtonStep(model, now, 1e-6);
    expect(Math.abs(now.x[0])).toBeCloseTo(Math.SQRT1_2, 6);
  });
});

describe("Newton's steps", () => {
  test("solve a quadratic programme in a few, with its prices and relaxations", async () => {
    const { model } = await modelOf(bowl);
    for (const from of [
      [0, 0],
      [100, -300],
    ]) {
      let now = first(3, from);
      let steps = 0;
      for (let converged = false; !converged && steps < 20; steps++) {
        const next = await newtonStep(model, now, 1e-6);
        [now, converged] = [next, next.converged];
      }
      expect(steps).toBeLessThanOrEqual(8);
      for (const name of ["x", "prices", "relaxations"] as const)
        expect([...now[name]]).toEqual(near(solution[name], 7));
    }
  });

  test("are the solver's default: few, and none after convergence", async () => {
    const data = float64([0]);
    const { certificate, steps, params, report } = await solve(bowl, { data });
    expect(certificate.holds).toBe(true);
    expect(steps).toBeLessThanOrEqual(10);
    expect([...params.x.data]).toEqual(near(solution.x, 6));
    expect(Object.values(report.requirements).map(({ price }) => price)).toEqual(near(solution.prices, 6));
    const solver = await createSolver(bowl, { data });
    const far = await solver.inspect(await solver.advance(solver.initial, 500));
    expect(far.steps).toBeLessThan(20);
  });

  test("at given prices move the parameters alone", async () => {
    const solver = await createSolver(bowl, { data: float64([0]) });
    // Both that are hard share a vector.
    const prices = [float64([0.5, 0.25]), float64([0.125])];
    const after = await solver.inspect(
      await solver.advance({ ...solver.initial, prices }, 1, undefined, { atThesePrices: true }),
    );
    // x = 3 − λ₁ − λ₃ and y = −1 − λ₂ − λ₃.
    expect([...after.params.x.data]).toEqual(near([3 - 0.625, -1 - 0.375], 6));
    expect(after.state.prices.map(({ data }) => [...data])).toEqual([[0.5, 0.25], [0.125]]);
  });

  test("go on from a saved state to the bit", async () => {
    const task = stated({
      params: { x: array([0, 0], { dtype: "float64" }) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.exp().sub(x.mul(5)).sum().add(x.sum().pow(4)),
    }).subjectTo({ low: atMost(0.5, (x) => x.pow(2).sum(), { cost: hard }) });
    const solver = await createSolver(task, { data: float64([0]) });
    const two = await solver.inspect(await solver.advance(solver.initial, 2));
    const one = await solver.inspect(await solver.advance(solver.initial, 1));
    expect([...one.params.x.data]).not.toEqual([...two.params.x.data]);
    const again = await solver.inspect(await solver.advance({ ...one.state }, 1));
    expect([...again.params.x.data]).toEqual([...two.params.x.data]);
    expect(again.state.prices.map((price) => [...price.data])).toEqual(
      two.state.prices.map((price) => [...price.data]),
    );
  });
});
