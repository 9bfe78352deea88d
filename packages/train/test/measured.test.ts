// How a run reports costs that it measured next to the level, and costs that it did not measure.
import {
  atLeast,
  atMost,
  createSolver,
  type Insisted,
  minimise,
  quadratic,
  type Report,
  type RequirementReport,
  sgd,
  solveWith,
} from "@pliant/core";
import { array, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";
import type { Stated } from "../src/problem/stated.js";
import { measureCosts, reasons, toldOf, unmeasuredYet } from "../src/questions/measure.js";

const requirement = (more: Partial<RequirementReport>): RequirementReport => ({
  sense: "at most",
  level: 0.35,
  status: "gave way",
  reached: 0.44,
  pricedBy: "strict",
  loss: 0.5,
  relaxation: 0.09,
  price: 0.36,
  cost: "quadratic(2)",
  hard: false,
  allowance: 0.0053,
  scale: 1,
  ...more,
});

/** The report of a run that is certified at a global minimum. */
const convex = {
  objective: 0.4,
  certificate: { kind: "global", tolerance: 0.01 } as Report<string>["certificate"],
};

test("a cost measured short of the level says by how much, where a reader would see it", () => {
  const told = (reached: number, more: Partial<RequirementReport> = {}) => {
    const found = { name: "misses", level: 0.35, reached, had: true, end: "had", costs: 0.07, others: {} };
    return toldOf(found as unknown as Insisted<string>, {
      ...convex,
      requirements: { misses: requirement(more) },
    });
  };
  expect(told(0.3532)).toMatchObject({ missed: 0, short: expect.closeTo(0.0032, 12) });
  expect(told(0.35)).not.toHaveProperty("short");
  expect(told(0.3503)).not.toHaveProperty("short");
  expect(told(0.36)).toMatchObject({ missed: expect.closeTo(0.01, 12) });
  expect(told(0.36)).not.toHaveProperty("short");
  // In dollars, with costs in standard deviations.
  expect(told(0.3532, { unit: 1000 })).not.toHaveProperty("short");
});

test("the cost of a count is known to what its allowance is worth, and says so where a reader would see it", () => {
  const told = (more: Partial<RequirementReport> = {}) => {
    const found = { name: "misses", level: 0.05, reached: 0.0498, had: true, costs: 0.0576, others: {} };
    return toldOf(found as unknown as Insisted<string>, {
      ...convex,
      requirements: { misses: requirement({ level: 0.05, reached: 0.1056, allowance: 0.0022, ...more }) },
    });
  };
  // Solved in seven ways, the same ended at costs from 0.0523 to 0.0578.
  expect(told().within).toBeCloseTo(0.0045, 4);
  expect(told({ allowance: 0.0005 })).not.toHaveProperty("within");
  expect(told({ pricedBy: "loss" })).not.toHaveProperty("within");
});

test("where another run may end in another minimum, a cost is known to the tolerance of the objective", () => {
  const told = (kind: "global" | "local", costs: number) => {
    const found = { name: "loss", level: 0.35, reached: 0.35, had: true, costs, others: {} };
    const certificate = { ...convex.certificate, kind };
    return toldOf(found as unknown as Insisted<string>, {
      ...{ objective: 0.4, certificate },
      requirements: { loss: requirement({ pricedBy: "loss" }) },
    });
  };
  expect(told("local", 0.01).within).toBeCloseTo(0.008, 12);
  // Less than two percent of the cost.
  expect(told("local", 0.5)).not.toHaveProperty("within");
  expect(told("global", 0.01)).not.toHaveProperty("within");
});

test("a level that asks less than the run's is known as such, with what gives way less", () => {
  const relieved = { alarms: 0.02 };
  const looser = (level: number, more: Partial<RequirementReport> = {}) => {
    const found = {
      name: "misses",
      level,
      reached: level,
      had: true,
      end: "had",
      costs: 0,
      others: {},
      relieved,
    };
    return toldOf(found as unknown as Insisted<string>, {
      ...convex,
      requirements: { misses: requirement(more), alarms: requirement({}) },
    }).looser;
  };
  expect(looser(0.5)).toEqual({ than: "at most 0.35", thanReached: true, relieved });
  expect(looser(0.4)).toEqual({ than: "at most 0.35", thanReached: false, relieved });
  expect(looser(0.35)).toBeUndefined();
  expect(looser(0.3)).toBeUndefined();
  expect(looser(0.3, { sense: "at least" })).toMatchObject({ than: "at least 0.35" });
  expect(looser(0.4, { sense: "at least" })).toBeUndefined();
});

test("a free requirement never gives way, however far insisting moves it", () => {
  const found = { name: "misses", level: 0.35, reached: 0.35, had: true, end: "had", costs: 0.07 };
  const moved = { watched: 0.2, alarms: 0.1 };
  const told = toldOf({ ...found, others: moved, relieved: moved } as unknown as Insisted<string>, {
    ...convex,
    requirements: {
      ...{ misses: requirement({}), alarms: requirement({}), watched: requirement({ cost: "free" }) },
    },
  });
  expect(told.others).toEqual({ alarms: 0.1 });
});

test("each that gave way, or is counted and binds, has a reason for a cost that nobody measured", () => {
  const counted = { metric: { level: "strict" } };
  const stated = [
    { name: "gave", ...counted },
    { name: "each", ...counted, perExample: true },
    { name: "binds", ...counted },
    { name: "slack", ...counted },
    { name: "smooth", metric: { level: "trained" } },
    { name: "watched", ...counted },
  ] as unknown as Stated[];
  const found = unmeasuredYet(stated, {
    gave: requirement({}),
    each: requirement({}),
    binds: requirement({ status: "at its level" }),
    slack: requirement({ status: "at its level", price: 0 }),
    smooth: requirement({ status: "at its level" }),
    watched: requirement({ cost: "free" }),
  });
  expect(found).toEqual({
    gave: { unmeasured: reasons.unasked },
    each: { unmeasured: reasons.everyExample },
    binds: { unmeasured: reasons.unasked },
  });
});

test("progress shows which measurement runs, how far it is and since when", async () => {
  const task = minimise({
    params: { x: array([0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) => x.sub(3).pow(2).mul(0.5).sum(),
  }).subjectTo({ low: atMost(-1, (x) => x), high: atLeast(4, (x) => x) }, { cost: quadratic(0.5) });
  const options = { data: array([0]), optimizer: sgd(0.2), steps: 500 };
  const solver = await createSolver(task, options);
  const solution = await solveWith(solver, options);
  const lines: { line: string; done?: number }[] = [];
  const answers = await measureCosts({
    solver,
    solution,
    stated: ["low", "high"].map((name) => ({ name }) as Stated),
    steps: 300,
    every: 25,
    show: (line, done) => lines.push({ line, done }),
  });
  expect(Object.values(answers).every(({ insisting }) => insisting?.had)).toBe(true);
  expect(lines[0]).toEqual({ line: 'insisting on "low" (1 of 2)', done: 0 });
  expect(lines[1].line).toMatch(/^insisting on "low" \(1 of 2\) {2}step 25 of 300 at most {2}\d+ s so far$/);
  expect(lines[1].done).toBeCloseTo(25 / 600, 12);
  expect(lines).toContainEqual({ line: 'insisting on "high" (2 of 2)', done: 0.5 });
});

test("questions about levels end with the steps for all of them, the dearest first, and say so", async () => {
  const names = ["a", "b", "c"] as const;
  const at = (i: number) => atMost(1, (x: Tensor, _: Tensor) => x.slice([[i, i + 1]]).sum(), { hard: true });
  const task = minimise({
    params: { x: array([0, 0, 0]) },
    forward: ({ x }: { x: Tensor }, _: Tensor) => x,
    objective: (x) =>
      x
        .sub(array([4, 3, 2]))
        .pow(2)
        .mul(0.5)
        .sum(),
  }).subjectTo({ a: at(0), b: at(1), c: at(2) });
  const options = { data: array([0]), optimizer: sgd(0.2), steps: 2000 };
  const solver = await createSolver(task, options);
  const solution = await solveWith(solver, options);
  const ask = (budget?: number) =>
    measureCosts({
      ...{ solver, solution, budget, steps: 2000, every: 5, show: () => {} },
      stated: names.map((name) => ({ name, level: 1, metric: { level: "strict" } }) as unknown as Stated),
    });
  for (const { neighbours } of Object.values(await ask())) expect(neighbours).toBeDefined();
  const told = { a: { unmeasured: reasons.cutShort }, b: { unmeasured: reasons.spentOnDearer } };
  expect(await ask(1)).toMatchObject({ ...told, c: told.b });
});
