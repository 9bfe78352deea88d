import { basename } from "node:path";
import { finishedRun, readSpec, readSweeps, sweep, sweepText } from "@pliant/train";
import { describe, expect, test } from "vitest";
import { isAhead } from "../src/run/choose.js";
import { loansFolder } from "./loans.js";

const { spec, options } = loansFolder("choosing", { rows: 400, device: "cpu" });

describe("a grid", () => {
  const specFile = readSpec(spec, [
    { key: "budget.steps", value: "50" },
    { key: "data.validation", value: "0.2" },
  ]);
  const found = sweep(specFile, readSweeps(["cost=1,4", "objective.decay=0.1,0.001"]), options("grid"));

  test("has a run for every combination, in curves along the first setting", async () => {
    const { points, parameters } = await found;
    expect(parameters).toEqual(["cost", "objective.decay"]);
    expect(points.map(({ at }) => Object.values(at))).toEqual([
      [1, 0.1],
      [1, 0.001],
      [4, 0.1],
      [4, 0.001],
    ]);
    expect(basename(points[3].run)).toBe("grid-cost-4-objective.decay-0.001");
    const { asked } = finishedRun(points[3].run);
    expect(asked.sweep).toEqual({ parameter: "cost", value: 4, group: "grid-cost-objective.decay-0.001" });
    expect([asked.spec.cost, asked.spec.objective.decay]).toEqual(["quadratic(8)", 0.001]);
  });

  test("over what is asked chooses no point, because asking for less always looks better", async () => {
    const all = await found;
    expect(all.chosen).toBeUndefined();
    expect(all.asks).toEqual(["cost"]);
    for (const { test: on } of all.points) expect(on).toBeDefined();
    expect(sweepText(all)).toMatch(/No point is chosen: cost sets what is asked/);
  });

  test("is decided on the validation rows, and test rows are reported for the chosen point only", async () => {
    const asked = readSweeps(["objective.decay=0.1,0.001"]);
    const { points, chosen, ...rest } = await sweep(specFile, asked, options("decays"));
    const reports = points.map(({ run }) => finishedRun(run).report);
    const best = chosen!.place;
    expect(chosen!.rows).toBe(80);
    for (const [i, point] of points.entries()) {
      expect(point.test === undefined).toBe(i !== best);
      for (const r of Object.values(point.requirements)) expect(r.test === undefined).toBe(i !== best);
      if (i !== best && chosen!.missed === 0)
        expect(reports[i].validation!.loss.value).toBeGreaterThanOrEqual(chosen!.loss);
    }
    const text = sweepText({ points, chosen, ...rest });
    expect(text).toContain(`Chosen: objective.decay ${points[best].at["objective.decay"]}`);
    expect(text).not.toContain("strict test");
  });

  test("names a setting once", () => {
    expect(() => readSweeps(["cost=1", "cost=2"])).toThrow(/--sweep cost is given twice/);
    // Text in brackets is one value.
    expect(readSweeps(["model.hidden=[8], [16,16],[]"])).toEqual([
      { parameter: "model.hidden", values: ["[8]", "[16,16]", "[]"] },
    ]);
    expect(
      readSweeps(["requirements.a.cost=power(3, 1),linear(1)", "a.level={A: 1, B: [2, 3]},4,,"]),
    ).toEqual([
      { parameter: "requirements.a.cost", values: ["power(3, 1)", "linear(1)"] },
      { parameter: "a.level", values: ["{A: 1, B: [2, 3]}", "4"] },
    ]);
  });
});

test("hard requirements come before soft ones, and those before the loss", () => {
  const of = (broken: number, missed: number, loss: number) => ({ broken, missed, loss });
  expect(isAhead(of(0, 3, 9), of(1, 1, 1))).toBe(true);
  expect(isAhead(of(0, 0, 9), of(0, 1, 1))).toBe(true);
  expect(isAhead(of(0, 1, 1), of(0, 1, 2))).toBe(true);
  expect(isAhead(of(0, 1, 2), of(0, 1, 2))).toBe(false);
});
