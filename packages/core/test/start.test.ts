// A certificate says the same wherever a solve began: large random weights are no excuse for a price that is wrong.
import {
  adam,
  atLeast,
  atMost,
  createSolver,
  hard,
  linear,
  minimise,
  newton,
  type Optimizer,
  power,
  quadratic,
  sgd,
  solve,
  solveWith,
} from "@pliant/core";
import { array, NdArray, random, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";

const [n, d] = [400, 5];
type Rows<T = Tensor> = { readonly x: T; readonly y: T; readonly g: T };
const x = random.normal(random.key(1), [n, d]);
const u = random.uniform(random.key(2), [n]).data;
const g = Float32Array.from({ length: n }, (_, i) => i % 2);
/** Two groups, the second column of which says the opposite. */
const y = Float32Array.from(g, (own, i) => {
  const score = x.data[i * d] + x.data[i * d + 1] * (own ? 1.5 : -0.8);
  return Number(u[i] < 1 / (1 + Math.exp(-score)));
});
const data = { x, y: array(y), g: array(g) };

/** A logistic regression from weights so large; one group must have a loss of 0.6 at most, and the other gives way. */
const task = (size: number) =>
  minimise({
    params: {
      w: new NdArray(random.normal(random.key(7), [d + 1, 1]).data.map((v) => v * size) as Float32Array, [
        d + 1,
        1,
      ]),
    },
    forward: ({ w }: { w: Tensor }, { x, y }: Rows) => {
      const own = x.matmul(w.slice([[0, d]])).reshape([n]);
      const z = own.add(w.slice([[d, d + 1]]).reshape([1]));
      return z.softplus().sub(z.mul(y));
    },
    objective: (losses) => losses.mean(),
  }).subjectTo({
    first: atMost(0.6, (losses, { g }) => losses.mul(g.neg().add(1)).mean().mul(2), { hard: true }),
    second: atMost(0.1, (losses, { g }) => losses.mul(g).mean().mul(2)),
  });

async function solved(size: number, optimizer: Optimizer) {
  const solver = await createSolver(task(size), { data, optimizer });
  const found = await solveWith(solver, { every: 5 });
  solver.release();
  return found;
}

test.each([
  ["newton", 1, newton()],
  ["newton", 10, newton()],
  ["newton", 100, newton()],
  ["newton", 1000, newton()],
  ["adam", 10, adam(0.1)],
])("%s from weights %d times as large: the same prices, at the same levels", async (_, size, optimizer) => {
  const [near, far] = [await solved(0, newton()), await solved(size, optimizer)];
  expect(far.certificate.short).toEqual([]);
  for (const name of ["first", "second"] as const) {
    const [a, b] = [near, far].map(({ report }) => report.requirements[name]);
    expect(b.scale).toBeCloseTo(a.scale, 6);
    expect(Math.abs(b.price / a.price - 1)).toBeLessThan(0.01);
    expect(Math.abs(b.reached - a.reached)).toBeLessThan(1e-3);
  }
});

test("an objective that is nothing at the origin has the size that it has at the start", async () => {
  const squares = minimise({
    params: { w: array([3, 4]) },
    forward: ({ w }: { w: Tensor }, _: Tensor) => w,
    objective: (w: Tensor) => w.mul(w).sum(),
  }).subjectTo({ sum: atMost(0, (w: Tensor) => w.sum().neg().add(1)) });
  const { arranged } = await createSolver(squares, { data: array([0]) });
  expect(arranged.size).toBe(25);
  // At the origin its loss is 1, at the start −6.
  expect(arranged.owned(arranged.scales).sum).toEqual([6]);
});

test.each([
  ["quadratic", quadratic(1), 1.5, 3],
  ["linear", linear(4), 2, 4],
  ["power", power(3, 1), 3 - (Math.sqrt(19) - 1) / 3, 2 * (3 - (Math.sqrt(19) - 1) / 3)],
  ["hard", hard, 3, 6],
] as const)(
  "from the minimum of an objective that is 0 there, in single precision: %s",
  async (_, cost, at, price) => {
    // x² with x at least 3, from 0: no slope and no size to compare anything with.
    const task = minimise({
      params: { x: array([0]) },
      forward: ({ x }: { x: Tensor }, _: object) => x,
      objective: (x) => x.pow(2).sum(),
    }).subjectTo({ high: atLeast(3, (x) => x, { cost }) });
    const { certificate, params, report } = await solve(task, { data: {}, optimizer: sgd(0.05) });
    expect(certificate.short).toEqual([]);
    expect(params.x.item()).toBeCloseTo(at, 2);
    expect(report.requirements.high.price).toBeCloseTo(price, 1);
  },
);

test.each([0, 10, 1000])(
  "a price is known in units of the objective, a constant of %d in it included",
  async (constant) => {
    // ½(x − 3)² with x at most 1, which must hold, at rates that overshoot: the price is 2, to 0.001 of the objective over a scale of 1.
    const task = minimise({
      params: { x: array([0]) },
      forward: ({ x }: { x: Tensor }, _: object) => x,
      objective: (x) => x.sub(3).pow(2).mul(0.5).sum().add(constant),
    }).subjectTo({ low: atMost(1, (x) => x, { hard: true }) });
    const { certificate, report } = await solve(task, {
      data: {},
      algorithm: "extragradient",
      optimizer: sgd(0.1),
      every: 5,
    });
    expect(certificate.short).toEqual([]);
    expect(Math.abs(report.requirements.low.price - 2)).toBeLessThan(1.5e-3 * (4.5 + constant));
  },
);
