// Equalities, levels for each element, what a batch lacks, an inner loop, keys: each against what it must come to.

import {
  adam,
  atLeast,
  atMost,
  between,
  createSolver,
  equals,
  groupMeans,
  linear,
  minimise,
  normalFrom,
  priceCurve,
  quadratic,
  sgd,
  solve,
  solveWith,
} from "@pliant/core";
import { array, type NdArray, random, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { float64 } from "./float64.js";
import { backend as native } from "./native.js";

type Point = { x: Tensor };
/** ½(x − 3)² + ½y². */
const near = (start: number[], dtype: "float32" | "float64" = "float64") =>
  minimise({
    params: { x: array(start, { dtype }) },
    forward: ({ x }: Point, _: Tensor) => x,
    objective: (x) =>
      x
        .sub(array([3, 0], { dtype }))
        .pow(2)
        .mul(0.5)
        .sum(),
  });
const exact = { data: float64([0]), optimizer: sgd(0.2), tolerance: 1e-8, steps: 5000 };

describe("an equality", () => {
  // x + y = 1 at (2, −1): the price is the slope 1, from wherever.
  test.each([[[0, 0]], [[5, 5]], [[-3, 9]]])("has one price with a sign, from %j", async (start) => {
    for (const asked of [
      equals<Tensor, Tensor>(1, (x) => x.sum(), { hard: true }),
      between<Tensor, Tensor>(1, 1, (x) => x.sum(), { hard: true }),
    ]) {
      const { report, params } = await solve(near(start).subjectTo({ sum: asked }), exact);
      expect(report.certificate.holds).toBe(true);
      expect(report.requirements.sum.price).toBeCloseTo(1, 6);
      expect(Array.from(params.x.data)).toEqual([2, -1].map((v) => expect.closeTo(v, 6)));
    }
  });

  test("below what is wanted has a negative price", async () => {
    const { report } = await solve(
      near([0, 0]).subjectTo({ sum: equals(5, (x) => x.sum(), { hard: true }) }),
      exact,
    );
    expect(report.requirements.sum.price).toBeCloseTo(-1, 6);
    expect(report.requirements.sum.status).toBe("at its level");
  });

  test("gives way where it may: |loss − level| ≤ u with |λ| the cost's slope", async () => {
    const task = near([0, 0]).subjectTo({ sum: equals(1, (x) => x.sum()) }, { cost: quadratic(0.5) });
    const { report } = await solve(task, exact);
    // x + y − 1 = u = λ and (x, y) = (3 − λ, −λ): u = 2/3.
    expect(report.requirements.sum.relaxation).toBeCloseTo(2 / 3, 6);
    expect(report.requirements.sum.price).toBeCloseTo(2 / 3, 6);
    expect(report.requirements.sum.status).toBe("gave way");
  });

  test("settles with Adam at its defaults too", async () => {
    const task = near([5, 5], "float32").subjectTo({ sum: equals(1, (x) => x.sum(), { hard: true }) });
    const { report } = await solve(task, { data: array([0]), steps: 4000, backend: native });
    expect(report.certificate.holds).toBe(true);
    expect(report.requirements.sum.price).toBeCloseTo(1, 2);
  });
});

test("levels may differ from element to element, and the report has each", async () => {
  const task = near([0, 0]).subjectTo({ each: atMost([1, -1], (x) => x) }, { cost: quadratic(0.5) });
  const { report } = await solve(task, exact);
  // (3 − x) = x − 1 at x = 2; −y = y + 1 at y = −½.
  expect(report.requirements.each.elements).toEqual([
    {
      level: 1,
      reached: expect.closeTo(2, 6),
      relaxation: expect.closeTo(1, 6),
      price: expect.closeTo(1, 6),
    },
    {
      level: -1,
      reached: expect.closeTo(-0.5, 6),
      relaxation: expect.closeTo(0.5, 6),
      price: expect.closeTo(0.5, 6),
    },
  ]);
  await expect(solve(near([0, 0]).subjectTo({ each: atMost([1, 2, 3], (x) => x) }), exact)).rejects.toThrow(
    "each: it has 3 levels, but its loss has 2 elements; give one level for each, or one for all.",
  );
});

test("at other terms nothing is compiled again", async () => {
  const task = near([0, 0]).subjectTo({ low: atMost(1, (x) => x.sum()), high: atLeast(0, (x) => x.sum()) });
  const compiled = { programs: 0 };
  const { reference } = await import("@pliant/engine");
  const plain = reference();
  const backend = {
    ...plain,
    compile: (program: Parameters<typeof plain.compile>[0]) => {
      compiled.programs++;
      return plain.compile(program);
    },
  };
  const points = await priceCurve(task, [0.1, 0.3, 1, 3, 10, 30], { ...exact, backend });
  expect(points.map(({ certificate }) => certificate.holds)).toEqual(new Array(6).fill(true));
  const once = compiled.programs;
  await priceCurve(task, [1], { ...exact, backend });
  // The first look, two for the size of what begins at a level of 0, the slope at the start, the parts of a slope, the step, whether its state is sound, the inspection, and of what it
  // would certify whether it falls without end and what is left to gain.
  expect(once).toBeLessThanOrEqual(10);
  expect(points[0].relaxations.low).toBeGreaterThan(points[5].relaxations.low);
  expect((points[0].params as { x: NdArray }).x.shape).toEqual([2]);
  const solver = await createSolver(task, { ...exact, backend });
  const before = compiled.programs;
  const base = await solveWith(solver, exact);
  for (const level of [0.5, 0.7, 0.9]) {
    const { report } = await solveWith(
      solver,
      { ...exact, state: base.state },
      solver.terms({ levels: { low: level }, insist: ["low"] }),
    );
    expect(report.requirements.low).toMatchObject({ level, hard: true, status: "at its level" });
  }
  expect(compiled.programs - before).toBeLessThanOrEqual(4);
});

test("a group that nobody in the data is of is refused: it would be certified as 0", async () => {
  type Rows = { v: Tensor; m: Tensor };
  const task = (members: number[][]) =>
    solve(
      minimise({
        params: { x: float64([0]) },
        forward: ({ x }: Point, { v }: Rows) => x.sub(v).pow(2),
        objective: (error) => error.mean(),
      }).subjectTo({ each: atMost(0.5, (error, { m }) => groupMeans(error, m.transpose())) }),
      {
        data: { v: float64([0, 1, 3]), m: array(members, { dtype: "float64" }) },
        optimizer: sgd(0.1),
        steps: 0,
      },
    );
  await expect(
    task([
      [1, 1, 0],
      [0, 0, 0],
      [0, 0, 1],
    ]),
  ).rejects.toThrow(
    "each: no row of the data is in its group 2 of 3, so it cannot be measured; leave it out.",
  );
  await expect(task([[0, 0, 0]])).rejects.toThrow("each: no row of the data is in its group, so");
  const judged = minimise({
    params: { x: float64([0]) },
    forward: ({ x }: Point, { v }: Rows) => x.sub(v).pow(2),
    objective: (error) => error.mean(),
  }).subjectTo({
    each: atMost(0.5, (error) => error.mean(), {
      strict: (error, { m }) => groupMeans(error, m.transpose()),
      pricedBy: "strict",
    }),
  });
  const none = { v: float64([0, 1, 3]), m: array([[0, 0, 0]], { dtype: "float64" }) };
  await expect(solve(judged, { data: none, optimizer: sgd(0.1), steps: 0 })).rejects.toThrow(
    "each: no row of the data is in its group, so",
  );
  await expect(
    task([
      [1, 1, 0],
      [0, 0, 1],
    ]),
  ).resolves.toBeDefined();
});

describe("minibatches", () => {
  const rows = 64;
  const values = Float64Array.from({ length: rows }, (_, i) => (i < 4 ? 5 : 1));
  const members = Float64Array.from({ length: rows }, (_, i) => Number(i < 4));

  test("that lack a group leave its price alone: rare groups get the price they have on all data", async () => {
    type Rows = { v: Tensor; m: Tensor };
    const task = minimise({
      params: { x: float64([0]) },
      forward: ({ x }: Point, { v, m }: Rows) => ({ error: x.sub(v).pow(2), m }),
      objective: ({ error }) => error.mean(),
    }).subjectTo({
      rare: atMost(4, ({ error, m }) => groupMeans(error, m), { hard: true }),
    });
    const data = { v: array(values), m: array(members) };
    const whole = await solve(task, { data, optimizer: sgd(0.05), tolerance: 1e-6, steps: 20_000 });
    expect(whole.certificate.holds).toBe(true);
    const { price } = whole.report.requirements.rare;
    // At x = 3 the objective's slope is 3.5, that of the rare error −4.
    expect(price).toBeCloseTo(0.875, 5);
    // A quarter of the batches of 4 has somebody of the group.
    const batched = await solve(task, {
      data,
      batch: { size: 4, seed: 1 },
      optimizer: sgd(0.005),
      dualRate: 0.01,
      steps: 20_000,
      every: 1000,
      tolerance: 0,
    });
    expect(batched.report.requirements.rare.price / price).toBeGreaterThan(0.8);
    expect(batched.report.requirements.rare.price / price).toBeLessThan(1.25);
  });

  test("pass what is no longer than they are whole and in order, and what is named", async () => {
    type Rows = { v: Tensor; weights: Tensor; long: Tensor };
    const task = minimise({
      params: { x: float64([0]) },
      forward: ({ x }: Point, { weights, long }: Rows) => ({ x, weights, long }),
      objective: ({ x }) => x.pow(2).sum(),
    }).subjectTo({
      first: atMost(0, ({ weights }) => weights.slice([[0, 1]])),
      last: atMost(0, ({ long }) => long.slice([[99, 100]])),
    });
    const data = {
      v: array(values),
      weights: float64([7, 8, 9]),
      long: array(Float64Array.from({ length: 100 }, (_, i) => i)),
    };
    const batch = { size: 8, whole: ["long"] };
    const solver = await createSolver(task, { data, batch, dualRate: 1, optimizer: sgd(0.1) });
    const state = await solver.advance(solver.initial, 1);
    const [prices] = await Promise.all(state.prices.map((p) => p.read()));
    // λ⁺ = 2α(η g)/(2α + η) with α = η = 1.
    expect(Array.from(prices.data)).toEqual([7, 99].map((g) => expect.closeTo((2 * g) / 3, 9)));
    await expect(createSolver(task, { data, batch: { size: 8, whole: ["lang"] } })).rejects.toThrow(
      'batch.whole: the data has no "lang"; it has long, v, weights.',
    );
  });

  test.each([1, 2, 16])("of %d have the price of each of their examples, and of no other", async (size) => {
    const task = minimise({
      params: { x: float64([0]) },
      forward: ({ x }: Point, v: Tensor) => x.sub(v),
      objective: (gap) => gap.pow(2).mean().mul(0.5),
    }).subjectTo({ near: atLeast(-1, (gap) => gap) }, { cost: linear(0.02) });
    const given = { data: array(values), optimizer: sgd(0.05), dualRate: 0.05 };
    const solver = await createSolver(task, { ...given, batch: { size, seed: 3 } });
    const after = await solver.advance(solver.initial, 1);
    const [prices] = await Promise.all(after.prices.map((p) => p.read()));
    // At x = 0 the gap is −v: only the four examples of 5 exceed, by 4 each.
    const touched = Array.from(prices.data).filter((p) => p > 0);
    expect(touched.length).toBeLessThanOrEqual(Math.min(4, size));
    const whole = await solve(task, { ...given, tolerance: 1e-6, steps: 20_000 });
    const batched = await solve(task, {
      ...given,
      optimizer: sgd(0.01),
      batch: { size, seed: 3 },
      steps: 12_000,
      every: 1000,
      tolerance: 0,
    });
    expect(whole.report.requirements.near.price).toBeCloseTo(4 * 0.02, 4);
    expect(batched.report.requirements.near.price).toBeCloseTo(4 * 0.02, 2);
    expect(batched.params.x.item()).toBeCloseTo(whole.params.x.item(), 1);
  });
});

test("the inner loop of Algorithm 1: N steps of θ, then u and λ by the mean loss of θ before them", async () => {
  const points = [1, 2, 3, 4];
  const task = minimise({
    params: { x: float64([0]) },
    forward: ({ x }: Point, v: Tensor) => ({ x, v }),
    objective: ({ x, v }) => x.sub(v).pow(2).mean().mul(0.5),
  }).subjectTo({ low: atMost(1, ({ x, v }) => x.mul(v).mean()) }, { cost: quadratic(1) });
  const [eta, etaU, etaL] = [0.1, 0.2, 0.3];
  const batch = { size: 1, seed: 5 };
  const given = {
    data: array(Float64Array.from(points)),
    algorithm: "paper" as const,
    inner: 2,
    batch,
    optimizer: sgd(eta),
    dualRate: etaL,
    relaxationRate: etaU,
  };
  const solver = await createSolver(task, given);
  // The same rows, by hand.
  const order = random.permutation(random.foldIn(random.foldIn(random.key(5), 4), 0), 4).data;
  let [x, u, price, anchor, sum] = [0, 0, 0, 0, 0];
  let state = await solver.advance(solver.initial, 1);
  for (let i = 0; i < 4; i++) {
    const v = points[order[i]];
    sum += anchor * v - 1;
    x -= eta * (x - v + price * v);
    if (i % 2 === 1) {
      const mean = sum / 2;
      [u, price] = [Math.max(0, u - etaU * (2 * u - price)), Math.max(0, price + etaL * (mean - u))];
      [anchor, sum] = [x, 0];
    }
    if (i > 0) state = await solver.advance(state, 1);
    const [params, prices, relaxations] = await Promise.all([
      (state.params as { x: NdArray }).x.read(),
      state.prices[0].read(),
      state.relaxations[0].read(),
    ]);
    expect([params.item(), relaxations.item(), prices.item()], `step ${i + 1}`).toEqual(
      [x, u, price].map((value) => expect.closeTo(value, 12)),
    );
  }
});

test("a resumed run repeats the random draws of every step, bit by bit", async () => {
  const task = minimise({
    params: { x: array([0]) },
    forward: ({ x }: Point, _: Tensor, key: Tensor) => x.add(normalFrom(key, [1])),
    objective: (x) => x.sub(1).pow(2).sum(),
  }).subjectTo({ low: atMost(0.5, (x) => x.sum()) });
  const given = { data: array([0]), optimizer: sgd(0.05), tolerance: 0, seed: 9, backend: native };
  const whole = await solve(task, { ...given, steps: 60, every: 20 });
  const half = await solve(task, { ...given, steps: 17, every: 17 });
  const rest = await solve(task, { ...given, steps: 43, every: 43, state: half.state });
  expect(rest.state).toEqual(whole.state);
  const other = await solve(task, { ...given, seed: 10, steps: 60 });
  expect(other.params.x.item()).not.toBe(whole.params.x.item());
});

describe("mistakes", () => {
  const task = near([0, 0]).subjectTo({ sum: atMost(1, (x) => x.sum()) });
  test.each([
    [{ every: 0 }, "every must be a whole number from 1, got 0."],
    [
      { algorithm: "Paper" },
      '"Paper" is not an algorithm; did you mean "paper"? Choose from: resilient, paper, extragradient.',
    ],
    [{ inner: 3 }, 'inner is the inner loop of algorithm: "paper"; leave out one of them.'],
    [{ steps: 1.5 }, "steps must be a whole number from 0, got 1.5."],
    [
      { state: { step: 1 } },
      "The given state does not fit this problem: it is of other parameters: it has no params.x.",
    ],
  ])("%j", async (given, sentence) => {
    await expect(solve(task, { ...exact, ...(given as object) })).rejects.toThrow(sentence);
  });

  test("a state of another optimiser or other requirements says so", async () => {
    const { state } = await solve(task, { ...exact, steps: 1 });
    await expect(solve(task, { ...exact, optimizer: adam(0.1), state })).rejects.toThrow(
      /of another optimiser/,
    );
    const two = near([0, 0]).subjectTo({ sum: atMost(1, (x) => x) });
    await expect(solve(two, { ...exact, state })).rejects.toThrow(
      /of other requirements: prices\[0\] is float64 \[1\] where float64 \[2\] is needed/,
    );
  });

  test.each([
    ["Newton's steps", undefined],
    ["steps of an optimiser", sgd(0.2)],
  ])(
    "a state of other costs is gone on from by %s, though equal costs share a vector",
    async (_, optimizer) => {
      const options = { ...exact, optimizer, tolerance: 1e-6 };
      const asked = (costs: object[]) =>
        near([0, 0]).subjectTo({
          x: atMost(1, (x) => x.slice([[0, 1]]).sum(), costs[0]),
          "minus y": atMost(
            -1,
            (x) =>
              x
                .slice([[1, 2]])
                .neg()
                .sum(),
            costs[1],
          ),
        });
      const insisted = asked([{ hard: true }, { hard: true }]);
      const bending = asked([{ hard: true }, { cost: quadratic(1) }]);
      for (const [from, to] of [
        [insisted, bending],
        [bending, insisted],
      ]) {
        const { state } = await solve(from, options);
        const wanted = await solve(to, options);
        const found = await solve(to, { ...options, state: { ...state, step: 0 } });
        expect(found.certificate.holds).toBe(true);
        for (const name of ["x", "minus y"] as const)
          expect(found.report.requirements[name].price).toBeCloseTo(
            wanted.report.requirements[name].price,
            5,
          );
        expect(found.steps).toBeLessThanOrEqual(wanted.steps);
      }
    },
  );

  test("a step that leaves a non-finite value is an error", async () => {
    const wild = minimise({
      params: { x: float64([1]) },
      forward: ({ x }: Point, _: Tensor) => x,
      objective: (x) => x.sub(1).abs().sqrt().sum(),
    }).subjectTo({ sum: atMost(1, (x) => x.sum()) });
    await expect(solve(wild, { ...exact, steps: 1 })).rejects.toThrow(/not a finite number/);
  });

  test("a cost that is not convex is refused before a step is taken", async () => {
    const { customCost } = await import("@pliant/core");
    const concave = near([0, 0]).subjectTo(
      { sum: atMost(1, (x) => x.sum()) },
      { cost: customCost({ name: "root", value: (u) => u.add(1).log().sum() }) },
    );
    await expect(solve(concave, exact)).rejects.toThrow(/^The cost root is not convex/);
  });

  test("hard beside a cost", () => {
    expect(() =>
      near([0, 0]).subjectTo({ sum: atMost(1, (x) => x.sum(), { hard: true, cost: quadratic(1) }) }),
    ).toThrow("sum: it is hard, so its cost quadratic(1) has no effect; leave out hard or the cost.");
  });

  test("a shape error names the requirement and the user's line", async () => {
    const odd = near([0, 0]).subjectTo({ odd: atMost(1, (x) => x.matmul(float64([1, 2, 3]))) });
    await expect(solve(odd, exact)).rejects.toThrow(
      /^odd: matmul: .*\(at .*test\/terms\.test\.ts:\d+:\d+\)$/,
    );
  });
});
