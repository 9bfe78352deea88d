// Insisting, where it can be had and where it cannot.

import {
  atLeast,
  atMost,
  between,
  createSolver,
  equals,
  insist,
  insistOnEach,
  minimise,
  quadratic,
  type Requirement,
  sgd,
  solveWith,
} from "@pliant/core";
import { array, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { float64 } from "./float64.js";
import { backend } from "./native.js";

/** x² with (x − 2)² + floor ≤ 1, which gives way. */
const away = (floor: number) =>
  minimise({
    params: { x: array(0) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.pow(2),
  }).subjectTo({ near: atMost(1, (x) => x.sub(2).pow(2).add(floor)) }, { cost: quadratic(0.1) });

const asked = async (floor: number) => {
  const solver = await createSolver(away(floor), {
    data: array(0),
    optimizer: sgd(0.1),
    dualRate: 0.2,
    tolerance: 1e-3,
    backend,
  });
  const solution = await solveWith(solver, {});
  expect(solution.certificate.holds).toBe(true);
  return insist(solver, solution, "near");
};

test("insisting on a feasible level costs the change of the objective", async () => {
  const { had, end, reached, objective } = await asked(0);
  expect(had).toBe(true);
  expect(end).toBe("had");
  expect(reached).toBeCloseTo(1, 2);
  expect(objective).toBeCloseTo(1, 1);
});

test("an infeasible level is reported, even if its price diverges", async () => {
  const { had, reached, certificate } = await asked(1.5);
  expect(had).toBe(false);
  expect(certificate.holds).toBe(false);
  expect(reached).toBeGreaterThan(1);
  expect(Number.isFinite(reached)).toBe(true);
});

describe("the lower bound of the cost that convexity implies", () => {
  /** ½‖x − towards‖², both elements asked to be so: each gives way by half the distance d, at a cost of ½u²; insisting costs ½d² − ½(d/2)². */
  const promise = async (
    asked: Requirement<Tensor, Tensor>,
    towards: number[],
    level?: number,
  ): Promise<{ atLeast: number; costs: number }> => {
    const task = minimise({
      params: { x: float64([0, 0]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.sub(float64(towards)).pow(2).mul(0.5).sum(),
    }).subjectTo({ each: asked }, { cost: quadratic(0.5) });
    const options = { data: float64([0]), optimizer: sgd(0.1), tolerance: 1e-6, steps: 4000 };
    const solver = await createSolver(task, options);
    return insist(solver, await solveWith(solver, options), "each", { steps: 4000, level });
  };

  test.each([
    ["at most", atMost<Tensor, Tensor>(1, (x) => x), [3, 5]],
    ["at least", atLeast<Tensor, Tensor>(1, (x) => x), [-1, -3]],
    ["equal to, from either side", equals<Tensor, Tensor>(1, (x) => x), [3, -3]],
    ["between", between<Tensor, Tensor>(0, 1, (x) => x), [3, -4]],
  ])("is the sum over elements of price times relaxation: %s", async (_, asked, towards) => {
    const { atLeast, costs } = await promise(asked, towards);
    expect(atLeast).toBeCloseTo(1 * 1 + 2 * 2, 4);
    expect(costs).toBeCloseTo((3 / 8) * (2 ** 2 + 4 ** 2), 4);
  });

  test("is for the way to another level where one is given, and a saving where that is looser", async () => {
    const asked = atMost<Tensor, Tensor>(1, (x) => x.sum().div(2));
    // Of a mean m the objective is (4 − m)²: it gives way by 2, to 3, at a price of 2.
    expect(await promise(asked, [3, 5])).toMatchObject({
      atLeast: expect.closeTo(4, 4),
      costs: expect.closeTo(9 - 1, 4),
    });
    expect(await promise(asked, [3, 5], 3.5)).toMatchObject({
      atLeast: expect.closeTo(-1, 4),
      costs: expect.closeTo(0.25 - 1, 4),
    });
  });
});

test("others give way more at a tighter level, and less at a looser one", async () => {
  const task = minimise({
    params: { x: array(0) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.pow(2),
  }).subjectTo(
    { near: atMost(1, (x) => x.sub(2).pow(2)), low: atMost(0.2, (x) => x) },
    { cost: quadratic(0.1) },
  );
  const solver = await createSolver(task, {
    data: array(0),
    optimizer: sgd(0.1),
    dualRate: 0.2,
    tolerance: 1e-3,
    backend,
  });
  const solution = await solveWith(solver, {});
  const missed = (reached: number): number => Math.max(0, reached - 1);
  const { near } = solution.report.requirements;
  const [tighter, looser] = [
    await insist(solver, solution, "low"),
    await insist(solver, solution, "low", { level: 3 }),
  ];
  expect(tighter.relieved).toEqual({});
  expect(tighter.others.near).toBeCloseTo(missed((2 - tighter.reached) ** 2) - missed(near.reached), 2);
  expect(looser.others).toEqual({});
  expect(looser.relieved.near).toBeGreaterThan(0.01);
  expect(looser.relieved.near).toBeCloseTo(missed(near.reached) - missed((2 - looser.reached) ** 2), 2);
});

describe("insisting on each of several, at their own pace", () => {
  /** (x + 1)², with (x − centre)² + floor ≤ 1 about centres that are ever farther away. */
  const centres = [1.5, 2, 2.5, 3, 3.5];
  const several = (floor: number) => {
    const about = (at: number) => atMost(1, (x: Tensor, _: Tensor) => x.sub(at).pow(2).add(floor).sum());
    const task = minimise({
      params: { x: array([0]) },
      forward: ({ x }: { x: Tensor }, _: Tensor) => x,
      objective: (x) => x.add(1).pow(2).sum(),
    }).subjectTo(Object.fromEntries(centres.map((at) => [`about ${at}`, about(at)])), {
      cost: quadratic(0.05),
    });
    return createSolver(task, { data: array(0), backend });
  };

  test("those that gave most come first, and each answer is that of asking alone", async () => {
    const solver = await several(0);
    const solution = await solveWith(solver, {});
    expect(solution.certificate.holds).toBe(true);
    const asked: string[] = [];
    const { answers, left } = await insistOnEach(solver, solution, { onAsk: (name) => asked.push(name) });
    expect(left).toEqual([]);
    expect(answers.map(({ name }) => name)).toEqual(asked);
    const { requirements } = solution.report;
    const gave = asked.map((name) => requirements[name].relaxation / requirements[name].scale);
    expect(gave).toEqual([...gave].sort((a, b) => b - a));
    expect(asked.length).toBe(
      Object.values(requirements).filter(({ status }) => status === "gave way").length,
    );
    expect(asked.length).toBeGreaterThan(2);
    expect(answers[1]).toEqual(await insist(solver, solution, asked[1]));
    // On a line each can be had by going there: to where its distance is 1.
    for (const { name, had, objective } of answers) {
      expect(had, name).toBe(true);
      expect(objective, name).toBeCloseTo(Number(name.slice(6)) ** 2, 1);
    }
  });

  test("requirements that exceed the budget of steps are named", async () => {
    const solver = await several(0);
    const solution = await solveWith(solver, {});
    const all = await insistOnEach(solver, solution);
    const budget = all.answers[0].steps + 1;
    const { answers, left } = await insistOnEach(solver, solution, { budget });
    expect(answers).toHaveLength(2);
    expect(answers[0]).toEqual(all.answers[0]);
    expect(answers[1]).toMatchObject({ steps: 1, had: false, end: "not known" });
    expect(left).toEqual(all.answers.slice(2).map(({ name }) => name));
  });

  test("an unreachable level is detected early, with about the best reachable value", async () => {
    const solver = await several(2);
    const solution = await solveWith(solver, {});
    expect(solution.certificate.holds).toBe(true);
    const { answers } = await insistOnEach(solver, solution, { steps: 20_000, budget: 100_000 });
    expect(answers.length).toBe(centres.length);
    for (const { end, had, reached, steps, name } of answers) {
      expect(end, name).toBe("out of reach");
      expect(had, name).toBe(false);
      expect(steps, name).toBeLessThan(2000);
      // At the centre itself 2 is missing the level by 1.
      expect(Math.abs(reached - 2), name).toBeLessThan(0.05);
    }
  });
});
