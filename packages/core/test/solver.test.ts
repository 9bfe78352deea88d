// The solver on problems whose equilibrium is known in closed form.

import {
  adam,
  atLeast,
  atMost,
  between,
  createSolver,
  DivergedError,
  free,
  hard,
  linear,
  maximum,
  minimise,
  type Optimizer,
  type PliantError,
  quadratic,
  sgd,
  solve,
} from "@pliant/core";
import { array, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import { describe, expect, expectTypeOf, test } from "vitest";

const nothing = array([0], { dtype: "float64" });
type Point = { x: Tensor };

/** ½(x − a)² where x is asked to be at most −1 and at least 1. */
const torn = (a: number, cost = quadratic(0.5)) =>
  minimise({
    params: { x: array([0], { dtype: "float64" }) },
    forward: ({ x }: Point, _: Tensor) => x,
    objective: (x) => x.sub(a).pow(2).mul(0.5).sum(),
  }).subjectTo({ low: atMost(-1, (x) => x), high: atLeast(1, (x) => x) }, { cost });
const exact = {
  data: nothing,
  optimizer: sgd(0.2),
  dualRate: 0.2,
  tolerance: 1e-9,
  steps: 5000,
  every: 50,
};

describe("requirements that contradict each other", () => {
  test.each([["resilient"], ["paper"]] as const)(
    "give way at the equilibrium found by %s steps",
    async (algorithm) => {
      const alpha = 0.5;
      const a = 3;
      const { params, report, certificate } = await solve(torn(a, quadratic(alpha)), {
        ...exact,
        algorithm,
        relaxationRate: 0.2,
      });
      const x = a / (1 + 4 * alpha);
      expect(certificate.holds).toBe(true);
      expect(params.x.item()).toBeCloseTo(x, 7);
      expect(report.requirements.low.relaxation).toBeCloseTo(x + 1, 7);
      expect(report.requirements.low.price).toBeCloseTo(2 * alpha * (x + 1), 7);
      expect(report.requirements.high.relaxation).toBeCloseTo(0, 7);
      expect(report.text).toMatch(/low\s+at most -1\s+1\s+gave way\s+2\s+2\n/);
    },
  );

  test("share one largest relaxation under the maximum cost", async () => {
    const { report } = await solve(torn(0, maximum(1)), { ...exact, tolerance: 1e-6 });
    expect(report.requirements.low.relaxation).toBeCloseTo(1, 4);
    expect(report.requirements.high.relaxation).toBeCloseTo(1, 4);
  });
});

describe("limits of the cost", () => {
  test("free is training without the requirement", async () => {
    const { params } = await solve(torn(3, free), exact);
    expect(params.x.item()).toBeCloseTo(3, 7);
  });

  test("hard is the constrained problem", async () => {
    const task = minimise({
      params: { x: array([0], { dtype: "float64" }) },
      forward: ({ x }: Point, _: Tensor) => x,
      objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
    }).subjectTo({ low: atMost(1, (x) => x, { hard: true }) });
    const { params, report } = await solve(task, exact);
    expect(params.x.item()).toBeCloseTo(1, 7);
    expect(report.requirements.low).toMatchObject({ relaxation: 0, cost: hard.name });
    expect(report.requirements.low.price).toBeCloseTo(2, 7);
  });

  test("linear is a fixed penalty", async () => {
    const task = minimise({
      params: { x: array([0], { dtype: "float64" }) },
      forward: ({ x }: Point, _: Tensor) => x,
      objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
    }).subjectTo({ low: atMost(1, (x) => x) }, { cost: linear(0.5) });
    const { params, report } = await solve(task, exact);
    expect(params.x.item()).toBeCloseTo(2.5, 7);
    expect(report.requirements.low.price).toBeCloseTo(0.5, 7);
    expect(report.requirements.low.relaxation).toBeCloseTo(1.5, 7);
  });
});

test("a two-sided requirement binds on the side that is exceeded", async () => {
  const task = minimise({
    params: { x: array([0], { dtype: "float64" }) },
    forward: ({ x }: Point, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo({ band: between(-1, 1, (x) => x) }, { cost: quadratic(0.5) });
  const { report } = await solve(task, exact);
  expect(report.requirements.band.relaxation).toBeCloseTo(1, 7);
});

test("one multiplier an example: a requirement on every element", async () => {
  const task = minimise({
    params: { x: array([0, 0, 0], { dtype: "float64" }) },
    forward: ({ x }: Point, _: Tensor) => x,
    objective: (x) =>
      x
        .sub(array([1, 2, 3], { dtype: "float64" }))
        .pow(2)
        .mul(0.5)
        .sum(),
  }).subjectTo({ small: atMost(0, (x) => x) }, { cost: quadratic(0.5) });
  const { params, state } = await solve(task, exact);
  expect(Array.from(params.x.data)).toEqual([0.5, 1, 1.5].map((v) => expect.closeTo(v, 7)));
  expect(Array.from(state.prices[0].data)).toEqual([0.5, 1, 1.5].map((v) => expect.closeTo(v, 7)));
});

test("a requirement may look at data of its own, and learn its price faster", async () => {
  type Sets = { all: Tensor; part: Tensor };
  const task = minimise({
    params: { x: array([0], { dtype: "float64" }) },
    forward: ({ x }: Point, { all }: Sets) => x.sub(all.mean()),
    objective: (error) => error.pow(2).mul(0.5).sum(),
  }).subjectTo(
    { near: atMost(0, (error) => error, { stream: ({ part }) => ({ all: part, part }), rate: 3 }) },
    { cost: quadratic(0.5) },
  );
  const data = { all: array([2, 4], { dtype: "float64" }), part: array([1], { dtype: "float64" }) };
  const { params, report } = await solve(task, { ...exact, data });
  // ½(x − 3)² where x − 1 is asked to be at most 0: x = 2.
  expect(params.x.item()).toBeCloseTo(2, 7);
  expect(report.requirements.near.price).toBeCloseTo(1, 7);
});

test("a strict metric is reported beside its differentiable loss", async () => {
  const task = minimise({
    params: { x: array([0], { dtype: "float64" }) },
    forward: ({ x }: Point, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo({
    low: atMost(1, (x) => x, { strict: (x) => x.gt(1) }),
    other: atMost(9, (x) => x),
  });
  const { report } = await solve(task, exact);
  expect(report.requirements.low.strict).toBe(1);
  expect(report.requirements.other.strict).toBeUndefined();
  expect(report.text).toMatch(/price\s+strict\n/);
});

test("a run that is stopped and resumed gives the same bits", async () => {
  const options = { ...exact, optimizer: adam(0.05), tolerance: 0 };
  const whole = await solve(torn(3), { ...options, steps: 60, every: 20 });
  const half = await solve(torn(3), { ...options, steps: 20, every: 20 });
  const rest = await solve(torn(3), { ...options, steps: 40, every: 20, state: half.state });
  expect(rest.state).toEqual(whole.state);
});

test("what is looked at on the way, such as held-out data, is waited for", async () => {
  const seen: string[] = [];
  await solve(torn(3), {
    ...exact,
    tolerance: 0,
    steps: 3,
    every: 1,
    onProgress: async ({ step }) => {
      seen.push(`from ${step}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen.push(`to ${step}`);
    },
  });
  expect(seen).toEqual(["from 1", "to 1", "from 2", "to 2", "from 3", "to 3"]);
});

test("runs on ONNX Runtime too", async () => {
  const backend = await onnx();
  const { params, certificate } = await solve(torn(3), { ...exact, backend });
  expect(certificate.holds).toBe(true);
  expect(params.x.item()).toBeCloseTo(1, 7);
  await backend.close();
});

test("names of requirements are types", async () => {
  const { report } = await solve(torn(3), { ...exact, steps: 1 });
  expectTypeOf(report.requirements).toHaveProperty("low");
  // @ts-expect-error there is no such requirement
  report.requirements.lo;
});

describe("mistakes answer with a sentence", () => {
  const params = { x: array([0], { dtype: "float64" }) };
  const forward = ({ x }: Point, _: Tensor) => x;
  const objective = (x: Tensor) => x.sum();
  const stating = (requirements: Record<string, ReturnType<typeof atMost<Tensor, Tensor>>>) => () =>
    minimise({ params, forward, objective }).subjectTo(requirements);
  test.each([
    [
      "a level that is NaN",
      stating({ size: atMost(Number.NaN, (x) => x) }),
      /^size: the level must be a finite number, got NaN/,
    ],
    ["a reserved name", stating({ objective: atMost(0, (x) => x) }), /"objective" cannot be the name/],
    [
      "a rate of 0",
      stating({ size: atMost(0, (x) => x, { rate: 0 }) }),
      /^size: the rate must be a positive number/,
    ],
  ])("%s", (_, state, sentence) => {
    expect(state).toThrow(sentence);
  });

  test("a loss of another dtype", async () => {
    const task = minimise({
      params,
      forward,
      objective,
    }).subjectTo({ size: atMost(0, (x) => x.cast("float32")) });
    await expect(solve(task, exact)).rejects.toThrow(/^size: its loss must be a tensor of float64/);
  });

  test("a requirement that becomes NaN names itself and keeps the last good state", async () => {
    const task = minimise({
      params: { x: array([1], { dtype: "float64" }) },
      forward,
      objective: (x) => x.sum(),
    }).subjectTo({ root: atMost(10, (x) => x.sqrt()) });
    const run = solve(task, { ...exact, optimizer: sgd(0.01), every: 10, tolerance: 0 });
    const error: PliantError = await run.then(
      () => expect.unreachable(),
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(DivergedError);
    expect(error.message).toMatch(
      /^After step 100 root was not a finite number; the state after step 90 is kept\. Try/,
    );
    const { lastGood } = error as DivergedError;
    expect(lastGood.step).toBe(90);
    expect((lastGood.params as { x: { data: Float64Array } }).x.data[0]).toBeCloseTo(0.1, 9);
  });

  test.each<[string, Optimizer, RegExp]>([
    [
      "sgd",
      sgd(1),
      /^In step \d+ the objective was not a finite number\. Try a smaller rate, or clip the gradient\.$/,
    ],
  ])("what falls without end is told what may help, by %s", async (name, optimizer, words) => {
    const task = minimise({
      params: { x: array([1], { dtype: "float64" }) },
      forward,
      objective: (x) => (name === "sgd" ? x.pow(3).neg() : x).sum(),
    }).subjectTo({ low: atMost(5, (x) => x) });
    await expect(solve(task, { ...exact, optimizer })).rejects.toThrow(words);
  });
});

test("a last step that leaves a non-finite state is refused, although all evaluated values were finite", async () => {
  const task = minimise({
    params: { x: array([0], { dtype: "float64" }), y: array([1], { dtype: "float64" }) },
    forward: ({ x }: { x: Tensor; y: Tensor }, _: Tensor) => x,
    objective: (x) => x.mul(3).sum(),
  }).subjectTo({ low: atMost(1, (x) => x) });
  const solver = await createSolver(task, {
    data: array([0], { dtype: "float64" }),
    optimizer: sgd(1e308),
    dualRate: 0.1,
  });
  await expect(solver.advance(solver.initial, 1)).rejects.toThrow(
    "In step 1 the state's params.x became NaN or infinite",
  );
});
