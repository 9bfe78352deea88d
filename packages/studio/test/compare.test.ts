// What a comparison works out: seeds together, trade-offs, settings that are numbers, and the numbers themselves.
import { describe, expect, test } from "vitest";
import { bySeed, coloursOf, drawnGroups, numericSettings, together } from "../page/src/compare/groups.js";
import { defaultAxes, tradeOff } from "../page/src/compare/trade-off.js";
import type { RunDetail, RunSummary } from "../src/api.js";
import { quantitiesOf } from "../src/quantities.js";

const detail = (name: string, spec: object): RunDetail =>
  ({ summary: { name, command: "train" }, run: { spec } }) as unknown as RunDetail;

describe("seeds", () => {
  const runs = [
    detail("a", { cost: "quadratic(1)", seed: 1, name: "x" }),
    detail("b", { cost: "quadratic(4)", seed: 1, name: "y" }),
    detail("c", { cost: "quadratic(1)", seed: 2, name: "z" }),
  ];
  test("share a colour, and every run keeps its own whatever is known of the others", () => {
    const names = ["a", "b", "c"];
    const apart = [...coloursOf(names).values()];
    expect(new Set(apart).size).toBe(3);
    // A run that ended before it logged anything is in no group and on no chart.
    expect([...coloursOf(names, bySeed([runs[1]])).values()]).toEqual(apart);
    const shared = coloursOf(names, bySeed(runs));
    expect(shared.get("a")).toBe(shared.get("c"));
    expect(shared.get("b")).not.toBe(shared.get("a"));
  });

  test("with the same spec are grouped, others are not", () => {
    expect(bySeed(runs)).toEqual([{ names: ["a", "c"] }, { names: ["b"] }]);
  });
  test("are one line, their mean, and a band from the least to the greatest where all of them are", () => {
    const curves = [
      { x: [0, 10, 20], y: [0, 10, 20] },
      { x: [0, 20], y: [10, 10] },
      { x: [5, 40], y: [4, 4] },
    ];
    expect(together(curves)).toEqual({
      x: [5, 10, 20],
      mean: [(5 + 10 + 4) / 3, (10 + 10 + 4) / 3, (20 + 10 + 4) / 3],
      low: [4, 4, 4],
      high: [10, 10, 20],
    });
    const groups = [
      { names: ["a", "c"], label: "both", colour: "red" },
      { names: ["b"], label: "alone", colour: "blue" },
      { names: ["none"], label: "nothing", colour: "green" },
    ];
    const curveOf = (name: string) => ({ a: curves[0], c: curves[1], b: curves[2] })[name];
    const { lines, bands } = drawnGroups(groups, curveOf);
    expect(lines.map(({ name }) => name)).toEqual(["both", "alone"]);
    expect(lines[0].y).toEqual([5, 10, 15]);
    expect(bands).toEqual([{ colour: "red", x: [0, 10, 20], low: [0, 10, 10], high: [10, 10, 20] }]);
  });
});

test("settings that are numbers and differ are axes", () => {
  const runs = [
    detail("a", { cost: "quadratic(1)", requirements: { r: { level: 0.1 } }, model: { kind: "mlp" } }),
    detail("b", { cost: "quadratic(2.5)", requirements: { r: { level: 0.1 } }, model: { kind: "linear" } }),
    detail("c", { cost: "hard", requirements: { r: { level: 0.2 } }, model: { kind: "mlp" } }),
  ];
  expect(numericSettings(runs)).toEqual([
    { name: "cost", values: [1, 2.5, null] },
    { name: "r level", values: [0.1, 0.1, 0.2] },
  ]);
});

describe("a trade-off", () => {
  const run = (name: string, quantities: Record<string, number>, value?: number): RunSummary =>
    ({
      name,
      quantities,
      sweep: value === undefined ? null : { parameter: "cost", value, group: "g" },
    }) as unknown as RunSummary;
  const runs = [
    run("late", { objective: 3, "r: beyond its level": 0.1 }, 10),
    run("early", { objective: 1, "r: beyond its level": 0.5, "q: beyond its level": 0.4 }, 1),
    run("alone", { objective: 2, "r: beyond its level": 0.2 }),
    run("lacking", { objective: 9 }, 5),
  ];
  test("is a point a run that has both numbers, joined along a sweep", () => {
    const { points, paths } = tradeOff(runs, "r: beyond its level", "objective");
    expect(points).toEqual([
      { name: "late", x: 0.1, y: 3 },
      { name: "early", x: 0.5, y: 1 },
      { name: "alone", x: 0.2, y: 2 },
    ]);
    expect(paths.map((path) => path.map(({ name }) => name))).toEqual([["early", "late"]]);
  });
  test("is at first of what gave way most against the objective", () => {
    const names = ["objective", "q: beyond its level", "r: beyond its level"];
    expect(defaultAxes(runs, names)).toEqual({ across: "r: beyond its level", up: "objective" });
  });
});

test("the numbers of a run are strict, and those on test data beside them", () => {
  const report = {
    objective: 0.4,
    certificate: { holds: true },
    test: { error: { value: 0.2, interval: [0.1, 0.3] }, loss: { value: Number.NaN } },
    requirements: {
      misses: {
        sense: "at most",
        level: 0.5,
        reached: 0.7,
        relaxation: 0.2,
        price: 2,
        train: { strict: { value: 0.25 }, asked: { strict: 0.15 } },
        test: { strict: { value: 0.3 } },
      },
    },
  };
  expect(quantitiesOf(report)).toEqual({
    objective: 0.4,
    "test error": 0.2,
    "misses: reached": 0.25,
    "misses: beyond its level": expect.closeTo(0.1, 12),
    "misses: price": 2,
    "misses: on test data": 0.3,
  });
  expect(quantitiesOf(null)).toEqual({});
});
