// What a site does not believe of what a coordinator shows it.
import { describe, expect, test } from "vitest";
import { checkAgreed, checkShown, mostSteps } from "../src/run/believable.js";
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

test("an evaluation before the last round is refused: it would answer about a model of the coordinator's choice", () => {
  const told = specOf({ data: { ...spec.data, test: 0.2 }, training: { rounds: 5 } });
  expect(() => checkAgreed(told, { stage: "evaluation" }, 4)).toThrow(
    "asks for the evaluation before the last round",
  );
  expect(() => checkAgreed(told, { stage: "evaluation" }, 5)).not.toThrow();
});

describe("prices of groups that no honest sites have are refused", () => {
  const groups = { column: "a", values: ["x", "y"], loss: "mean + 0.1", cost: { alpha: 2 }, dualRate: 1 };
  const told = specOf({ data: { ...spec.data, groups }, sites: { loss: undefined } } as never);
  const honest = { prices: [0.3, 0], relaxations: [0.15, 0], rows: [30, 60, 100], sites: 4 };
  const check = (lie: object) => () =>
    checkAgreed(told, { stage: "training", groups: { ...honest, ...lie } }, 1);
  test.each([
    ["a price beyond the cost's", { prices: [41, 0] }],
    ["a negative price", { prices: [-1, 0] }],
    ["a group without a price", { prices: [0.3] }],
    ["more rows in groups than in all", { rows: [1, 60, 50] }],
    ["half a row", { rows: [0.5, 60, 100] }],
    ["more sites than there are", { sites: 5 }],
    ["fewer sites than a sum has", { sites: 1 }],
    ["prices before any sum", { sites: 0 }],
  ])("%s", (_, lie) => {
    expect(check({})).not.toThrow();
    expect(check(lie)).toThrow("prices or counts of groups that no honest sites have");
  });
});
