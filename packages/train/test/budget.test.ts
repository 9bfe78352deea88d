import { expect, test } from "vitest";
import { toleranceFor } from "../src/run/budget.js";
import type { Spec } from "../src/spec/spec.js";

const asked = (kind: string, metric: string, budget: object = {}): Spec =>
  ({ model: { kind }, requirements: { one: { metric } }, budget }) as unknown as Spec;

test("prices of a network's losses are not taken from a plateau: there the tolerance is tighter, unless given", () => {
  expect(toleranceFor(asked("mlp", "loss"))).toBe(3e-4);
  expect(toleranceFor(asked("linear", "loss"))).toBe(1e-3);
  expect(toleranceFor(asked("mlp", "error"))).toBe(1e-3);
  expect(toleranceFor(asked("mlp", "loss", { batch: 100 }))).toBe(1e-3);
  expect(toleranceFor(asked("mlp", "loss", { tolerance: 0.01 }))).toBe(0.01);
});
