import { expect, test } from "vitest";
import { hasKinks } from "../src/fit/kinks.js";
import type { Spec } from "../src/spec/spec.js";

test.each([
  ["mean-absolute-error", undefined, true],
  ["quantile-loss", "huber", true],
  ["loss", "absolute-error", true],
  ["error", "quantile", true],
  ["loss", undefined, false],
  ["root-mean-square-error", "squared-error", false],
])("%s and the loss %s", (metric, loss, kinks) => {
  expect(hasKinks({ objective: { loss }, requirements: { one: { metric } } } as unknown as Spec)).toBe(kinks);
});
