// What a site does not believe of what a coordinator shows it.
import { expect, test } from "vitest";
import { checkShown, mostSteps } from "../src/run/believable.js";
import { specOf } from "./problem.js";

const spec = specOf();
const shown = { step: 0, exchange: 1, meanPrice: 0.4, answers: [0.7] };

test.each([
  ["a negative mean loss", { answers: [-1e6] }, "the mean loss is -1000000"],
  ["a mean loss above the bound", { answers: [21] }, "between 0 and sites.lossBound, 20"],
  ["a negative mean price", { meanPrice: -1 }, "the mean price is -1"],
  ["a mean price that no cost allows", { meanPrice: 41 }, "by the spec it is between 0 and 40"],
  ["more sums in a round than the spec has", { exchange: 2 }, "sum 3 of a step; by the spec it has 2"],
  ["a mean that was not asked for", { answers: [0.7, 0.7] }, "tells 2 means where the spec has 1"],
  ["a mean that is missing", { answers: [] }, "tells 0 means where the spec has 1"],
  ["a round after the last", { step: 1_000_000 }, "this site takes part in 102 at the most"],
])("%s is refused", (_, lie, why) => {
  expect(() => checkShown(spec, shown)).not.toThrow();
  expect(() => checkShown(spec, { ...shown, ...lie })).toThrow(why);
});

test("abandoned rounds have room: as many as the spec has, or 100", () => {
  expect(mostSteps(spec)).toBe(102);
  expect(mostSteps(specOf({ training: { rounds: 400 } }))).toBe(800);
  expect(() => checkShown(spec, { ...shown, step: 101 })).not.toThrow();
});
