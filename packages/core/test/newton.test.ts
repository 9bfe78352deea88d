// Newton's step by hand on bowls that are known, and where a whole solve ends with it.

import {
  adam,
  atLeast,
  atMost,
  chain,
  createSolver,
  hard,
  minimise,
  newton,
  type Optimizer,
  quadratic,
  sgd,
  solve,
} from "@pliant/core";
import {
  array,
  compile,
  constant,
  mapTree,
  NdArray,
  random,
  readAll,
  reference,
  type Tensor,
} from "@pliant/engine";
import { describe, expect, test } from "vitest";

/** What is added to (x, y) at a gradient, where H times v is given. */
async function update(
  optimizer: Optimizer,
  { at = [0, 0], gradient, bent }: { at?: number[]; gradient: number[]; bent(v: Tensor): Tensor },
): Promise<number[]> {
  const params = { x: array(at, { dtype: "float64" }) };
  const step = compile((p: { x: Tensor }, g: { x: Tensor }) => {
    const around = { curvature: (v: unknown) => ({ x: bent((v as { x: Tensor }).x) }) };
    const first = mapTree(optimizer.init(params), (x: NdArray) => constant(x));
    return optimizer.update(g, first as never, p, around).updates as { x: Tensor };
  });
  const found = await readAll(await step(params, { x: array(gradient, { dtype: "float64" }) }));
  return Array.from((found.x as NdArray).data);
}

describe("newton", () => {
  const matrix = new NdArray(Float64Array.of(4, 1, 1, 3), [2, 2]);
  const bent = (v: Tensor): Tensor => v.reshape([1, 2]).matmul(matrix).reshape([2]);

  test("is at the minimum of a bowl in as many products as it has directions", async () => {
    // H d = −g with H = [[4, 1], [1, 3]] and g = (−0.1, −0.2): d = (0.1, 0.7)/11.
    const found = await update(newton({ products: 2 }), { gradient: [-0.1, -0.2], bent });
    expect(found).toEqual([0.1 / 11, 0.7 / 11].map((x) => expect.closeTo(x, 12)));
    expect(await update(newton(), { gradient: [-0.1, -0.2], bent })).toEqual(
      found.map((x) => expect.closeTo(x, 12)),
    );
  });

  test("takes no step longer than one, or than the parameters are", async () => {
    const flat = (v: Tensor): Tensor => v.mul(1e-3);
    expect(await update(newton(), { gradient: [3, 4], bent: flat })).toEqual([-0.6, -0.8].map(near));
    expect(await update(newton(), { at: [0, 10], gradient: [3, 4], bent: flat })).toEqual([-6, -8].map(near));
  });
  const near = (x: number) => expect.closeTo(x, 10);

  test("goes down the slope where nothing bends, and stays where it bends down or nothing is left to go", async () => {
    const slope = [3, 4];
    expect(await update(newton(), { gradient: slope, bent: (v) => v.mul(0) })).toEqual(
      [-0.6, -0.8].map(near),
    );
    expect(await update(newton(), { gradient: slope, bent: (v) => v.mul(-1) })).toEqual([0, 0].map(near));
    expect(await update(newton(), { gradient: [0, 0], bent })).toEqual([0, 0].map(near));
    // So little that a step by it is no number.
    expect(await update(newton(), { gradient: slope, bent: (v) => v.mul(1e-300) })).toEqual(
      [-0.6, -0.8].map(near),
    );
  });

  test("leaves alone what only rounding tells apart: columns that say the same", async () => {
    // The slope of (x + y)²/2 − x − y, with what rounding makes of it.
    const same = (v: Tensor): Tensor =>
      v
        .sum()
        .add(v.mul(0))
        .add(v.slice([[0, 1]]).mul(1e-16));
    const [x, y] = await update(newton(), { gradient: [-1 - 1e-15, -1], bent: same });
    expect([x, y]).toEqual([0.5, 0.5].map((z) => expect.closeTo(z, 9)));
  });

  test("ends what goes to and fro: a slope that moves as the parameters do, and whole steps that overshoot by half", async () => {
    // x − c with c = −1.5 x, which the curvature does not know of: whole steps take x to −1.5 x.
    const task = minimise({
      params: { x: array([0.3, -0.2]) },
      forward: (p: { x: Tensor }) => p.x,
      objective: (x: Tensor) => x.sub(x.mul(-1.5).stopGradient()).pow(2).mul(0.5).sum(),
    }).subjectTo({ far: atMost(100, (x: Tensor) => x.sum()) });
    const { params } = await solve(task, { data: array([0]), optimizer: newton(), steps: 40, every: 40 });
    for (const x of params.x.data) expect(Math.abs(x)).toBeLessThan(1e-6);
  });

  test("is told the curvature in a chain, and asks for it where it is not", async () => {
    const halved = chain(newton(), sgd(0.5));
    expect(await update(halved, { gradient: [-0.1, -0.2], bent })).toEqual(
      [-0.05 / 11, -0.35 / 11].map(near),
    );
    expect(halved.strides).toBe(newton().strides);
    expect(() => newton().update([], {} as never, [])).toThrow("it needs the curvature");
    expect(() => newton({ products: 0 })).toThrow("whole number from 1");
  });
});

test("a counted rate ends at its level with newton in a fraction of adam's steps, at the same price", async () => {
  // 1,000 rows of correlated columns; of the positives at most 0.1 may be missed.
  const [forX, forY] = random.split(random.key(5), 2);
  const [n, d] = [1000, 4];
  const raw = random.normal(forX, [n, d]).data;
  const x = Float32Array.from({ length: n * d }, (_, i) => raw[i] + 2 * raw[i - (i % d)]);
  const draws = random.uniform(forY, [n]).data;
  const y = Float32Array.from({ length: n }, (_, i) =>
    Number(draws[i] < 1 / (1 + Math.exp(-raw[i * d + 1]))),
  );
  const params = { w: new NdArray(new Float32Array(d), [d, 1]), b: array([0]) };
  interface Rows {
    x: Tensor;
    y: Tensor;
  }
  const task = minimise({
    params,
    forward: (p: { w: Tensor; b: Tensor }, { x }: Rows) => x.matmul(p.w).add(p.b).reshape([n]),
    objective: (z: Tensor, { y }: Rows) => z.softplus().sub(z.mul(y)).mean(),
  }).subjectTo({
    misses: atMost(0.1, (z: Tensor, { y }: Rows) => z.neg().softplus().mul(y).sum().div(y.sum()), {
      hard: true,
      strict: (z: Tensor, { y }: Rows) => z.le(0).cast("float32").mul(y).sum().div(y.sum()),
      pricedBy: "strict",
      scale: 1,
      resolution: 1 / y.reduce((a, b) => a + b),
    }),
  });
  const data = { x: new NdArray(x, [n, d]), y: array(y) };
  const by = (optimizer: Optimizer) => solve(task, { data, optimizer, every: 5, steps: 1000 });
  const [slow, quick] = [await by(adam(0.1)), await by(newton())];
  for (const { certificate } of [slow, quick]) expect(certificate.holds).toBe(true);
  expect(quick.steps).toBeLessThan(slow.steps / 2);
  expect(quick.steps).toBeLessThanOrEqual(60);
  const [a, b] = [slow, quick].map(({ report }) => report.requirements.misses);
  expect(Math.abs(b.reached - 0.1)).toBeLessThan(0.005);
  expect(Math.abs(b.price / a.price - 1)).toBeLessThan(0.05);
});

describe("a logistic regression", () => {
  const n = 300;
  const z = random.normal(random.key(1), [n, 2]).data;
  const u = random.uniform(random.key(2), [n]).data;
  const y = array(
    Float32Array.from(u, (v, i) => Number(v < 1 / (1 + Math.exp(-z[2 * i] - 0.5 * z[2 * i + 1])))),
  );
  interface Rows {
    x: Tensor;
    y: Tensor;
  }

  /** Where 60 steps end, from weights so large, with columns of a row. */
  async function solved(columns: (a: number, b: number) => number[], size: number) {
    const rows = Array.from({ length: n }, (_, i) => columns(z[2 * i], z[2 * i + 1]));
    const d = rows[0].length;
    const start = random.normal(random.key(7), [d, 1]).data.map((v) => v * size) as Float32Array;
    const task = minimise({
      params: { w: new NdArray(start, [d, 1]), b: array([0]) },
      forward: ({ w, b }: { w: Tensor; b: Tensor }, { x }: Rows) => x.matmul(w).add(b).reshape([n]),
      objective: (s: Tensor, { y }: Rows) => s.softplus().sub(s.mul(y)).mean(),
    }).subjectTo({ loose: atMost(1e6, (s: Tensor) => s.mean()) });
    const data = { x: new NdArray(Float32Array.from(rows.flat()), [n, d]), y };
    const { params, report } = await solve(task, { data, optimizer: newton(), steps: 60, every: 20 });
    return { objective: report.objective, length: Math.hypot(...params.w.data) };
  }
  const plain = (a: number, b: number): number[] => [a, b];
  const alike = (a: number, b: number): number[] => [a, a, 2 * a + b, b, 1, 1];

  test("is solved from weights at which all answers are sure and nothing bends", async () => {
    const { objective } = await solved(plain, 0);
    for (const size of [10, 1000, 1e5])
      expect(Math.abs((await solved(plain, size)).objective - objective)).toBeLessThan(1e-4);
  });

  test("with columns that say the same has the same loss, and weights that do not run away", async () => {
    const { objective } = await solved(plain, 0);
    for (const size of [0, 10]) {
      const found = await solved(alike, size);
      expect(Math.abs(found.objective - objective)).toBeLessThan(1e-4);
      expect(found.length).toBeLessThan(1 + 3 * size);
    }
  });
});

test("at these prices the model settles, and prices and relaxations stay", async () => {
  const task = minimise({
    params: { x: array([0]) },
    forward: (p: { x: Tensor }) => p.x,
    objective: (x: Tensor) => x.sub(1).pow(2).sum(),
  }).subjectTo({ low: atMost(0.2, (x: Tensor) => x.sum()) });
  const solver = await createSolver(task, { data: array([0]), optimizer: newton() });
  const before = await solver.inspect(await solver.advance(solver.initial, 3));
  const after = await solver.inspect(
    await solver.advance(before.state, 4, undefined, { atThesePrices: true }),
  );
  const [was, is] = [before, after].map(({ report }) => report.requirements.low);
  expect(was.price).toBeGreaterThan(0.1);
  expect(is.price).toBeCloseTo(was.price, 6);
  // 2(x − 1) + λ = 0.
  expect(is.loss).toBeCloseTo(1 - is.price / 2, 6);
  expect(after.report.objective).toBeCloseTo((is.loss - 1) ** 2, 6);
  const moved = await solver.inspect(await solver.advance(before.state, 4));
  expect(moved.report.requirements.low.price).not.toBeCloseTo(was.price, 3);
});

describe("a direction that only requirements see, as the bias of margins, is found", () => {
  // Rows at 0 and 2, of either class: λ₁ = λ₂ for the bias, and w = 2λ. Margins of 1 − u with u = 0, or λ = u.
  test.each([
    ["that must hold", hard, [1, -1, 0, 0.5]],
    ["that give way", quadratic(0.5), [2 / 3, -2 / 3, 1 / 3, 1 / 3]],
  ])("of margins %s", async (_, cost, expected) => {
    for (const dtype of ["float32", "float64"] as const) {
      const task = minimise({
        params: { w: array([0], { dtype }), b: array([0], { dtype }) },
        forward: ({ w, b }: { w: Tensor; b: Tensor }, { x, y }: { x: Tensor; y: Tensor }) => ({
          margins: x.mul(w).add(b).mul(y),
          size: w.pow(2).sum().mul(0.5),
        }),
        objective: ({ size }) => size,
      }).subjectTo({ margins: atLeast(1, ({ margins }) => margins, { cost }) });
      const { certificate, params, report } = await solve(task, {
        data: { x: array([0, 2], { dtype }), y: array([-1, 1], { dtype }) },
        optimizer: newton(),
        backend: reference(),
        tolerance: 1e-5,
        steps: 500,
      });
      expect(certificate.holds).toBe(true);
      for (const { relaxation, price } of report.requirements.margins.elements!)
        for (const [i, found] of [params.w.item(), params.b.item(), relaxation, price].entries())
          expect(found).toBeCloseTo(expected[i], 4);
    }
  });

  test("with slacks as parameters of their own", async () => {
    // min ½w² + 0.3 Σs, margins + s ≥ 1, s ≥ 0: w = 2λ with λ at most 0.3, so that 0.8 in all is missing.
    const task = minimise({
      params: { w: array([0]), b: array([0]), s: array([0, 0]) },
      forward: ({ w, b, s }: Record<"w" | "b" | "s", Tensor>, { x, y }: { x: Tensor; y: Tensor }) => ({
        margins: x.mul(w).add(b).mul(y).add(s),
        s,
        cost: w.pow(2).sum().mul(0.5).add(s.sum().mul(0.3)),
      }),
      objective: ({ cost }) => cost,
    }).subjectTo({
      margins: atLeast(1, ({ margins }) => margins, { hard: true }),
      slacks: atLeast(0, ({ s }) => s, { hard: true, scale: 1 }),
    });
    const { certificate, params, report } = await solve(task, {
      data: { x: array([0, 2]), y: array([-1, 1]) },
      optimizer: newton(),
      backend: reference(),
      steps: 500,
    });
    expect(certificate.holds).toBe(true);
    expect(params.w.item()).toBeCloseTo(0.6, 2);
    expect(report.objective).toBeCloseTo(0.18 + 0.24, 2);
    for (const { price } of report.requirements.margins.elements!) expect(price).toBeCloseTo(0.3, 2);
  });
});
