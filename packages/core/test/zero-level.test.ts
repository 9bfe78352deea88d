// A level of 0 that a requirement begins at says nothing of what it is measured in, and neither does 1: 10^k of it changes nothing but its
// numbers, and what is certified is the truth.
import { array, constant, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import {
  atLeast,
  atMost,
  createSolver,
  equals,
  minimise,
  newton,
  quadratic,
  type Requirement,
  sgd,
  solve,
} from "../src/index.js";

const backend = reference();
type DType = "float32" | "float64";
const orders = Array.from({ length: 13 }, (_, i) => i - 6);

/** ½‖x − (3, 2, −1)‖², and a constant that tells of nothing, with requirements on x that begin at their level of 0. */
const statement = (
  dtype: DType,
  requirements: Record<string, Requirement<Tensor, Tensor>>,
  { from = [0, 0, 0], constant = 0 } = {},
) =>
  minimise({
    params: { x: array(from, { dtype }) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x, target: Tensor) => x.sub(target).pow(2).mul(0.5).sum().add(constant),
  }).subjectTo(requirements);
const target = (dtype: DType) => array([3, 2, -1], { dtype });
const at = (x: Tensor, i: number): Tensor => x.slice([[i, i + 1]]);

describe.each(["float32", "float64"] as const)("in %s", (dtype) => {
  test.each(orders)("a requirement of 10^%d", async (order) => {
    const k = 10 ** order;
    const { report, params, certificate } = await solve(
      statement(dtype, {
        firm: atMost(0, (x) => at(x, 0).mul(k), { hard: true }),
        // λ = u/2 in units of one: 2 − u = λ.
        bent: atMost([0], (x) => at(x, 1).mul(k), { cost: quadratic(0.25 / k ** 2) }),
        same: equals(0, (x) => at(x, 2).mul(k), { hard: true }),
      }),
      { data: target(dtype), backend, optimizer: sgd(0.1), steps: 3000 },
    );
    expect(certificate).toMatchObject({ holds: true, short: [] });
    const { firm, bent, same } = report.requirements;
    const off = (found: number, is: number): number => Math.abs(found - is);
    expect(off(params.x.data[0] as number, 0)).toBeLessThan(4e-3);
    expect(off(firm.price * k, 3)).toBeLessThan(1e-2);
    expect(off(bent.relaxation / k, 4 / 3)).toBeLessThan(1e-2);
    expect(off(bent.price * k, 2 / 3)).toBeLessThan(1e-2);
    expect(off(same.price * k, -1)).toBeLessThan(1e-2);
  });
});

const scaleOf = async (
  loss: (x: Tensor) => Tensor,
  how: { from?: number[]; constant?: number } = {},
): Promise<number> => {
  const solver = await createSolver(statement("float64", { r: atMost(0, loss) }, how), {
    data: target("float64"),
    backend,
  });
  const [scale] = solver.arranged.byName(solver.arranged.scales).r;
  solver.release();
  return scale;
};

test.each([
  ["of any size", (k: number) => (x: Tensor) => at(x, 0).mul(k)],
  ["on every example", (k: number) => (x: Tensor) => x.mul(k)],
])("the scale of a requirement %s is as large as it is", async (_, loss) => {
  const [one, small, large] = await Promise.all([1, 2 ** -20, 2 ** 20].map((k) => scaleOf(loss(k))));
  expect([small * 2 ** 20, large / 2 ** 20]).toEqual([one, one]);
  // The way from 0 to (3, 2, −1) is √14 long.
  expect(one).toBeGreaterThan(1);
  expect(one).toBeLessThan(14);
});

test("a constant in the objective changes nothing of it, and neither does a start that is next to it", async () => {
  const loss = (x: Tensor): Tensor => at(x, 0).mul(1e-4);
  const one = await scaleOf(loss);
  expect(await scaleOf(loss, { constant: 1e4 })).toBeCloseTo(one, 9);
  const beside = await scaleOf(loss, { from: [1e-9, 0, 0] });
  expect(beside / one).toBeGreaterThan(0.3);
  expect(beside / one).toBeLessThan(3);
});

// Returns of 10⁻⁴ a day. By the conditions of the two equalities: Σw = α·1 − λμ, 1·w = 1, μ·w = 0.
test("the least variance of daily returns that are not below 0", async () => {
  const dtype = "float64";
  const mu = [-6e-4, -2e-4, 1e-4, 5e-4];
  const spread = [1, 1.2, 1.5, 3];
  const covariance = array(
    spread.map((a, i) => spread.map((b, j) => a * b * (i === j ? 1 : 0.3))),
    { dtype },
  );
  const { report, params, certificate } = await solve(
    minimise({
      params: { w: array([0, 0, 0, 0], { dtype }) },
      forward: ({ w }: { w: Tensor }, _: Tensor) => w,
      objective: (w, c: Tensor) => w.mul(c.matmul(w)).sum().mul(0.5),
    }).subjectTo({
      invested: equals(1, (w) => w.sum(), { hard: true }),
      excess: atLeast(0, (w) => w.mul(constant(array(mu, { dtype }))).sum(), { hard: true }),
    }),
    { data: covariance, backend, optimizer: newton(), steps: 2000 },
  );
  expect(certificate).toMatchObject({ holds: true, short: [] });
  const earned = Array.from(params.w.data, (w, i) => Number(w) * mu[i]).reduce((a, b) => a + b);
  expect(Math.abs(earned)).toBeLessThan(1e-6);
  expect(Math.abs(report.requirements.excess.price / 1345 - 1)).toBeLessThan(1e-2);
});
