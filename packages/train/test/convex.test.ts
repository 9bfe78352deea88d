import { expect, test } from "vitest";
import { isConvexWithKinks } from "../src/run/convex.js";
import type { Spec } from "../src/spec/spec.js";

const asked = (requirement: object, objective: object = {}, kind = "linear"): Spec =>
  ({ model: { kind }, objective, requirements: { one: { level: 3, ...requirement } } }) as unknown as Spec;
const [absolute, loss] = [{ metric: "mean-absolute-error" }, { metric: "loss" }];

test("losses with kinks of a linear model are convex, each at most a number", () => {
  for (const spec of [
    asked(absolute),
    asked({ metric: "quantile-loss" }),
    asked(loss, { loss: "absolute-error" }),
    asked(loss, { loss: "quantile" }),
    asked({ ...absolute, level: { A: 1, B: 2 } }, { loss: "huber" }),
  ])
    expect(isConvexWithKinks(spec)).toBe(true);
});

test("what is smooth needs nothing else, and what may not be convex is not taken for it", () => {
  for (const spec of [
    asked(loss),
    asked(absolute, {}, "mlp"),
    asked(absolute, { loss: "poisson" }),
    asked({ ...absolute, sense: "at least" }),
    asked({ ...absolute, gap: true }),
    asked({ ...absolute, worst: true }),
    asked({ ...absolute, level: "overall * 1.1" }),
    asked({ ...absolute, level: [1, 2] }),
    asked({ metric: "error" }, { loss: "absolute-error" }),
  ])
    expect(isConvexWithKinks(spec)).toBe(false);
});
