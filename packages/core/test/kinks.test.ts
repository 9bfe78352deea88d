// Slopes at kinks: what is at its minimum is told from what is not, whichever side of a kink it is on.
import { atMost, createSolver, minimise, quadratic, solve } from "@pliant/core";
import { array, type NdArray, random, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { leastSlope, type Seen, shortestMean } from "../src/certificate/subgradient.js";
import type { Vector } from "../src/certificate/vectors.js";

test.each([
  ["of one", [[3, 4]], [3, 4]],
  [
    "between two",
    [
      [1, 0],
      [0, 1],
    ],
    [0.5, 0.5],
  ],
  [
    "at the end of two",
    [
      [1, 0],
      [2, 1],
    ],
    [1, 0],
  ],
  [
    "of three around 0",
    [
      [1, 0],
      [-1, 1],
      [-1, -1],
    ],
    [0, 0],
  ],
])("the shortest mean %s", (_, vectors, expected) => {
  shortestMean(vectors).forEach((x, i) => {
    expect(x).toBeCloseTo(expected[i], 9);
  });
});

const [n, d] = [300, 3];
const center = [0.7, -1.2, 0.4];
const [x, noise] = [random.normal(random.key(1), [n, d]).data, random.normal(random.key(2), [n]).data].map(
  (data) => Array.from(data as ArrayLike<number>),
);
/** Pairs of rows as far above the center's answers as below, and every tenth right on them: the center is the minimum. */
const rows = Array.from({ length: n }, (_, i) => {
  const own = x.slice(i * d, (i + 1) * d);
  const answer = own.reduce((sum, value, j) => sum + value * center[j], 0);
  const off = i % 10 === 0 ? 0 : Math.abs(noise[i]);
  return [1, -1].map((sign) => ({ own, y: answer + sign * off }));
}).flat();
const at = async (point: Vector): Promise<Seen & { slope: Vector }> => {
  let value = 0;
  const slope = new Float64Array(point.length);
  for (const { own, y } of rows) {
    const e = own.reduce((sum, v, j) => sum + v * point[j], 0) - y;
    value += Math.abs(e) / rows.length;
    own.forEach((v, j) => {
      slope[j] += (Math.sign(e) * v) / rows.length;
    });
  }
  return { point, value, slope, rounding: 1e-15 };
};
const away = (distance: number, seed: number): Vector => {
  const way = Array.from(random.normal(random.key(seed), [d]).data as ArrayLike<number>);
  const length = Math.hypot(...way);
  return Float64Array.from(center, (c, i) => c + (way[i] / length) * distance);
};

describe("mean absolute error, whose minimum is known", () => {
  const measures = { length: 1, along: 1, error: 1e-5, enough: 1e-3 };
  const passes = async (theta: Vector): Promise<boolean> => {
    const { slope, growth } = await leastSlope(at, theta, measures);
    return slope <= measures.enough && growth <= measures.enough;
  };

  test("beside the kinks it is a minimum, where the slope of one side says that it is none", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const theta = away(1e-6, seed);
      expect(Math.hypot(...(await at(theta)).slope)).toBeGreaterThan(0.02);
      expect(await passes(theta)).toBe(true);
    }
  });

  test("no point further above the minimum than stated is accepted", async () => {
    const { value: least } = await at(Float64Array.from(center));
    let refused = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const distance = 10 ** (-5 + (seed % 12) / 2);
      const theta = away(distance, seed);
      const above = (await at(theta)).value - least;
      if (await passes(theta)) expect(above).toBeLessThan(measures.error + measures.enough * distance);
      else refused++;
    }
    expect(refused).toBeGreaterThan(30);
  });

  test("nor is anything where rounding is as large as what could be seen", async () => {
    const coarse = async (point: Vector) => ({ ...(await at(point)), rounding: 2e-5 });
    const theta = away(1e-6, 1);
    const { slope } = await leastSlope(coarse, theta, measures);
    expect(slope).toBe(Math.hypot(...(await at(theta)).slope));
  });
});

describe("what is not convex", () => {
  const measures = { length: 1, along: 1, error: 1e-5, enough: 1e-3 };
  const least = async (of: (x: number) => { value: number; slope: number }, x: number) => {
    const seen = async ([at]: Vector): Promise<Seen> => {
      const { value, slope } = of(at);
      return { point: [at], value, slope: [slope], rounding: 1e-12 };
    };
    return (await leastSlope(seen, Float64Array.of(x), measures)).slope;
  };
  /** |x − 1|, bent down on either side. */
  const bent = (sign: number) => (x: number) => ({
    value: sign * (Math.abs(x - 1) - 0.2 * (x - 1) ** 2),
    slope: sign * (Math.sign(x - 1) - 0.4 * (x - 1)),
  });

  test("has a minimum at a kink that bends up, and none at one that bends down", async () => {
    for (const off of [1e-6, -1e-6]) {
      expect(await least(bent(1), 1 + off)).toBeLessThan(1e-3);
      expect(await least(bent(-1), 1 + off)).toBeGreaterThan(0.9);
    }
    expect(await least(bent(1), 1.3)).toBeGreaterThan(0.8);
  });
});

describe("a solver with declared kinks", () => {
  type Rows<T = Tensor> = { readonly x: T; readonly y: T };
  const data: Rows<NdArray> = {
    x: array(
      rows.flatMap(({ own }) => own),
      { shape: [rows.length, d] },
    ),
    y: array(rows.map(({ y }) => y)),
  };
  const task = minimise({
    params: { w: array([0, 0, 0], { shape: [d, 1] }) },
    forward: ({ w }: { w: Tensor }, { x: each, y }: Rows) =>
      each.matmul(w).reshape([rows.length]).sub(y).abs(),
    objective: (off) => off.mean(),
  }).subjectTo({ mean: atMost(10, (off) => off.mean()) });
  const certified = async (kinks: boolean, distance: number) => {
    const solver = await createSolver(task, { data, kinks });
    const w = array([...away(distance, 3)], { shape: [d, 1] });
    const { certificate } = await solver.inspect({ ...solver.initial, params: { w } });
    solver.release();
    return certificate;
  };

  test("certifies a minimum at kinks, and says of no other point that it is one", async () => {
    expect(await certified(true, 1e-6)).toMatchObject({ holds: true, short: [] });
    expect((await certified(false, 1e-6)).holds).toBe(false);
    for (const distance of [0.03, 0.1, 1]) expect((await certified(true, distance)).holds).toBe(false);
  });

  test("a slope of one side of a kink is not said to fall for ever", async () => {
    expect((await certified(false, 1e-6)).short.join()).not.toContain("falls");
  });
});

describe("least squares in an L1 ball", () => {
  // min ½|x − c|² with |x₁| + |x₂| + |x₃| ≤ 1, c = (2, 1.5, 0.1): x = (0.75, 0.25, 0) at the price 1.25.
  const task = minimise({
    params: { x: array([0.5, 0.1, 0.1], { dtype: "float64" }) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x, c) => x.sub(c).pow(2).sum().mul(0.5),
  }).subjectTo({ ball: atMost(1, (x) => x.abs().sum(), { hard: true }) });
  const data = array([2, 1.5, 0.1], { dtype: "float64" });

  test("is certified with an error for its price, on both sides of which the price is", async () => {
    const { certificate, report } = await solve(task, { data, kinks: true, steps: 5000 });
    expect(certificate.holds).toBe(true);
    const { price, errors } = report.requirements.ball;
    expect(errors!.price).toBeLessThan(1e-2);
    expect(Math.abs(price - 1.25)).toBeLessThan(2 * errors!.price!);
    expect(Math.abs(report.objective - 1.5675)).toBeLessThan(2 * certificate.objectiveError);
  });

  test("is not certified short of its level, and its errors say by how much", async () => {
    const solver = await createSolver(task, { data, kinks: true });
    const { state } = await solve(task, { data, kinks: true, steps: 5000 });
    for (const [params, price] of [
      [[0.74, 0.24, 0], 1.25],
      [[0.75, 0.25, 0], 1.2],
    ] as const) {
      const at = { ...state, params: { x: array([...params], { dtype: "float64" }) } };
      const prices = [array([price], { dtype: "float64" })] as never;
      const { certificate, report } = await solver.inspect({ ...at, prices });
      expect(certificate.holds).toBe(false);
      const { errors } = report.requirements.ball;
      expect(2 * errors!.price!).toBeGreaterThan(Math.abs(price - 1.25));
      expect(2 * certificate.objectiveError).toBeGreaterThan(Math.abs(report.objective - 1.5675));
    }
    solver.release();
  });
});

test("a price that its cost sets while a kink holds the parameters is off by what the error says", async () => {
  // 3|x − 1| with x ≤ 0 at a quadratic cost: x = 1, which the kink holds, and the relaxation of 1 sets the price.
  const task = minimise({
    params: { x: array([0.5], { dtype: "float64" }) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(1).abs().sum().mul(3).add(1),
  }).subjectTo({ low: atMost(0, (x) => x.sum(), { cost: quadratic(1) }) });
  const data = array([0], { dtype: "float64" });
  const solver = await createSolver(task, { data, kinks: true });
  const { state, certificate, report } = await solve(task, {
    data,
    kinks: true,
    steps: 5000,
    tolerance: 1e-6,
  });
  expect(certificate.holds).toBe(true);
  expect(report.requirements.low.relaxation).toBeCloseTo(1, 4);
  const right = report.requirements.low.price;
  for (const off of [1e-2, 0.1]) {
    const prices = [array([right + off], { dtype: "float64" })] as never;
    const seen = await solver.inspect({ ...state, prices });
    expect(seen.certificate.holds).toBe(false);
    expect(seen.report.requirements.low.errors!.price! / off).toBeCloseTo(1, 3);
  }
  solver.release();
});

test("a price of which kinks leave a range has no error stated", async () => {
  // 3|x − 1| + 3|y − 1| with x + y ≤ 2, which must hold: any price from 0 to 3 is right.
  const task = minimise({
    params: { x: array([1 - 1e-9, 1 + 1e-9], { dtype: "float64" }) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(1).abs().sum().mul(3).add(1),
  }).subjectTo({ most: atMost(2, (x) => x.sum(), { hard: true }) });
  const solver = await createSolver(task, { data: array([0], { dtype: "float64" }), kinks: true });
  const prices = [array([1], { dtype: "float64" })] as never;
  const { certificate, report } = await solver.inspect({ ...solver.initial, prices });
  expect(certificate.holds).toBe(true);
  expect(report.requirements.most.price).toBe(1);
  expect(report.requirements.most.errors).not.toHaveProperty("price");
  solver.release();
});
