import { adam, type Schedule, settling } from "@pliant/core";
import { array, constant, evaluate, mapTree, type NdArray } from "@pliant/engine";
import { expect, test } from "vitest";
import { everyFor, optimizerFor, stepsFor, takesNewton, toleranceFor } from "../src/fit/budget.js";
import type { Spec } from "../src/spec/spec.js";

const asked = (kind: string, metric: string, budget: object = {}): Spec =>
  ({
    model: { kind },
    objective: {},
    requirements: { one: { metric } },
    budget: { schedule: "falling", ...budget },
  }) as unknown as Spec;

test("a linear model is solved for step by step, where what is asked is smooth and convex and no other way is", () => {
  for (const metric of ["loss", "error", "false-negative-rate", "demographic-parity", "precision", "f1"])
    expect(takesNewton(asked("linear", metric))).toBe(true);
  for (const metric of ["auc", "calibration-error", "mean-absolute-error", "margin", "slope"])
    expect(takesNewton(asked("linear", metric))).toBe(false);
  expect(takesNewton(asked("mlp", "error"))).toBe(false);
  for (const other of [
    { batch: 10 },
    { rate: 0.1 },
    { clip: 1 },
    { schedule: "cosine" },
    { optimizer: "adam" },
  ])
    expect(takesNewton(asked("linear", "error", other))).toBe(false);
  const quantile = { ...asked("linear", "loss"), objective: { loss: "quantile" } } as Spec;
  expect(takesNewton(quantile)).toBe(false);
  expect(takesNewton(asked("linear", "auc", { optimizer: "newton" }))).toBe(true);
});

test("its steps are fewer, and looked at more often, unless the budget says otherwise", () => {
  const [bowl, other] = [asked("linear", "error"), asked("mlp", "error")];
  expect([stepsFor(bowl, 100), everyFor(bowl)]).toEqual([1000, 5]);
  expect([stepsFor(other, 100), everyFor(other)]).toEqual([4000, 25]);
  const given = asked("linear", "error", { steps: 7, every: 2 });
  expect([stepsFor(given, 100), everyFor(given)]).toEqual([7, 2]);
});

test("numbers are certified to 0.3 %, those of a network to 1 %, unless the budget says otherwise", () => {
  for (const metric of ["loss", "error"]) {
    expect(toleranceFor(asked("linear", metric))).toBe(3e-3);
    for (const budget of [{}, { batch: 100 }]) expect(toleranceFor(asked("mlp", metric, budget))).toBe(1e-2);
  }
  for (const kind of ["linear", "mlp"])
    expect(toleranceFor(asked(kind, "loss", { tolerance: 3e-4 }))).toBe(3e-4);
});

test("Adam settles by itself where every step sees all rows, and averages noise where it sees a part", () => {
  const stateOf = (budget: object): unknown =>
    optimizerFor(asked("mlp", "error", budget), 100).init(array([1]));
  const falling: Schedule = (step) => step;
  expect(stateOf({})).toEqual(settling(adam(falling)).init(array([1])));
  expect(stateOf({ batch: 10 })).toEqual(adam(falling).init(array([1])));
});

test("where it sees all rows it forgets the first gradients: 3% of them a step", () => {
  const optimizer = optimizerFor(asked("mlp", "error", { schedule: "constant", rate: 1 }), 100);
  const at = array([0], { dtype: "float64" });
  let state = optimizer.init(at) as object;
  let step = Number.NaN;
  for (let i = 0; i < 150; i++) {
    const gradient = constant(array([i === 0 ? 100 : 1], { dtype: "float64" }));
    const here = mapTree(state, (leaf: NdArray) => constant(leaf));
    const done = evaluate(optimizer.update(gradient, here as never, constant(at) as never)) as never as {
      updates: NdArray;
      state: object;
    };
    state = done.state;
    step = done.updates.item();
  }
  // m is 1, and beside 1 there is in v what 0.03 · 0.97^149 leaves of 100².
  const left = (0.03 * 0.97 ** 149) / (1 - 0.97 ** 150);
  expect(step).toBeCloseTo(-1 / Math.sqrt(1 + left * (100 ** 2 - 1)), 5);
});
