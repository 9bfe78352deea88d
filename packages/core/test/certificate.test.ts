// Certificates that mean something: what must not be certified is not, what is certified is so, in whatever units.

import {
  atMost,
  createSolver,
  free,
  hard,
  measurePrice,
  minimise,
  paperStep,
  scaled,
  sgd,
  solve,
  solveWith,
} from "@pliant/core";
import { array, type NdArray, random, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { defaultBackend } from "../src/solver/backend.js";

type Rows<T = Tensor> = { readonly x: T; readonly y: T; readonly g: T };
const n = 400;
const d = 5;

/** A regression whose two groups want different slopes. */
function regression(): Rows<NdArray> {
  const x = random.normal(random.key(1), [n, d]);
  const noise = random.normal(random.key(2), [n]);
  const g = Float32Array.from({ length: n }, (_, i) => i % 2);
  const y = Float32Array.from(g, (own, i) => {
    const second = x.data[i * d + 1] * (own ? 0.8 : -0.2);
    return x.data[i * d] + second + noise.data[i] * (own ? 0.8 : 0.5);
  });
  return { x, y: array(y), g: array(g) };
}
const data = regression();

/** Its losses times a unit; each group's at most a level, and hard. */
const grouped = ([first, second]: readonly [number, number], unit = 1) =>
  minimise({
    params: { w: array(new Float32Array(d + 1), { shape: [d + 1, 1] }) },
    forward: ({ w }: { w: Tensor }, { x, y }: Rows) =>
      x
        .matmul(w.slice([[0, d]]))
        .reshape([n])
        .add(w.slice([[d, d + 1]]).reshape([1]))
        .sub(y)
        .pow(2)
        .mul(unit),
    objective: (losses) => losses.mean(),
  }).subjectTo({
    first: atMost(first * unit, (l, { g }) => l.mul(g.neg().add(1)).mean().mul(2), { hard: true }),
    second: atMost(second * unit, (l, { g }) => l.mul(g).mean().mul(2), { hard: true }),
  });

describe("hard requirements of a convex regression, by default", () => {
  test.each([
    [[0.45, 10], "first"],
    [[0.4, 10], "first"],
    [[10, 0.85], "second"],
  ] as const)(
    "at %j: the price is the slope that differences measure, and what does not bind has none",
    async (levels, name) => {
      const solver = await createSolver(grouped(levels), { data });
      const found = await solveWith(solver, {});
      expect(found.certificate.short).toEqual([]);
      const { [name]: binding, ...others } = found.report.requirements;
      expect(binding.status).toBe("at its level");
      const { price = Number.NaN } = await measurePrice(solver, found, name, { by: 0.01 });
      // What is certified to 1e-3 is known to about as much of a unit.
      expect(Math.abs(binding.price - price)).toBeLessThan(0.04 * price + 2e-3);
      for (const other of Object.values(others)) expect(other).toMatchObject({ price: 0, status: "met" });
    },
  );

  test("that cannot both hold are called violated, first, with no price for a fact", async () => {
    const { report } = await solve(grouped([0.35, 0.8]), { data, steps: 250 });
    expect(report.certificate.holds).toBe(false);
    const violated = Object.values(report.requirements).filter(({ status }) => status === "violated");
    expect(violated.length).toBeGreaterThan(0);
    expect(report.text.split("\n")[1]).toMatch(/ violated /);
    expect(report.text).toMatch(/\(\d[\d.]*\)/);
    expect(report.text).toContain("not certified to 0.003; numbers in brackets are not known yet");
  });

  test.each([1e-3, 1e3])("means the same for losses %d times as large", async (unit) => {
    const [one, other] = [
      await solve(grouped([0.4, 10]), { data }),
      await solve(grouped([0.4, 10], unit), { data }),
    ];
    expect(other.certificate.short).toEqual([]);
    expect(other.report.requirements.first.price / one.report.requirements.first.price).toBeCloseTo(1, 1);
    expect(other.report.requirements.first.reached / unit).toBeCloseTo(0.4, 2);
  });
});

describe("not certified", () => {
  test("data that can be separated, with nothing to hold the parameters", async () => {
    const task = minimise({
      params: { w: array([0]) },
      forward: ({ w }: { w: Tensor }, { x, y }: { x: Tensor; y: Tensor }) => x.mul(w).mul(y).neg().softplus(),
      objective: (losses) => losses.mean(),
    }).subjectTo({ mean: atMost(0.9, (losses) => losses.mean()) });
    const separable = { x: array([-2, -1, 1, 2]), y: array([-1, -1, 1, 1]) };
    const { certificate } = await solve(task, { data: separable, steps: 400 });
    expect(certificate.holds).toBe(false);
    expect(certificate.short.join()).toContain("the objective falls as long as the parameters grow");
  });

  test("a requirement away from its level at a small price: their product would pass, neither does", async () => {
    const task = minimise({
      params: { x: array([0], { dtype: "float64" }) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.sub(1).pow(2).mul(0.5).add(1).sum(),
    }).subjectTo({ low: atMost(1, (x) => x, { hard: true }) });
    const solver = await createSolver(task, {
      data: array([0], { dtype: "float64" }),
      optimizer: sgd(0.1),
      dualRate: 1,
    });
    // ∇(½(x − 1)² + λx) = 0 at x = 1 − λ: at λ = 0.02 the model is at rest, 0.02 below its level.
    const state = {
      ...solver.initial,
      params: { x: array([0.98], { dtype: "float64" }) },
      prices: [array([0.02], { dtype: "float64" })],
    };
    const { certificate } = await solver.inspect(state);
    expect(0.02 * 0.02).toBeLessThan(certificate.tolerance);
    expect(certificate.errors.prices).toBeGreaterThan(0.01);
    expect(certificate.holds).toBe(false);
  });
});

test("hard times anything is hard, and does not bend under the paper's steps", async () => {
  expect(scaled(hard, 3)).toBe(hard);
  expect(scaled(free, 3)).toBe(free);
  const optimizer = sgd(0.1);
  const { compile, readAll } = await import("@pliant/engine");
  const run = compile((u: Tensor) => {
    const one = u.mul(0).add(1);
    const { state } = paperStep<Tensor>(0.5)(
      {
        evaluate: (t) => ({ objective: t.sum(), slacks: [t] }),
        costs: [scaled(hard, 2)],
        rates: [one],
        optimizer,
      },
      { params: one, optimizer: optimizer.init(array([1])), relaxations: [u], prices: [one] },
    );
    return state.relaxations[0];
  });
  expect((await readAll(await run(array([0])))).item()).toBe(0);
});

test("float32 runs at native speed by default, float64 on the reference back end", async () => {
  expect((await defaultBackend("float64")).name).toBe("reference");
  expect((await defaultBackend("float32")).name).not.toBe("reference");
});
