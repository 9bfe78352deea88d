// A sweep whose every point is several seeds, or several folds.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  readRepeats,
  readSpec,
  readSweeps,
  repeatsOf,
  type Setting,
  sweep,
  sweepRepeats,
  sweepRepeatsText,
  trainRepeats,
} from "@pliant/train";
import { expect, test } from "vitest";
import { chosenOf, standingOf } from "../src/run/choose.js";
import { loansFolder } from "./loans.js";

const { folder, spec, options } = loansFolder("sweep", { rows: 200, device: "reference" });
const settings = (more: Record<string, string>): Setting[] =>
  Object.entries({ "budget.steps": "5", ...more }).map(([key, value]) => ({ key, value }));
const seeds = { seeds: "[4, 9]" };

test("the rows are described once, not at every point", async () => {
  let told = 0;
  const asked = readSweeps(["cost=1,2,4"]);
  await sweep(readSpec(spec, settings({})), asked, { ...options("told"), onData: () => told++ });
  expect(told).toBe(1);
});

test("the held-out rows of every point are scored by models that were trained, however near its neighbour was", async () => {
  // Levels that a threshold settles change nothing of the scores: the second point is solved without a step.
  const levels = readSweeps(["requirements.false alarms.level=0.1,0.3"]);
  const linear = settings({ model: "{ kind: linear }", cost: "quadratic(2)", "budget.steps": "200" });
  const asked = readSpec(spec, [...linear, { key: "decision.threshold", value: "learnt" }]);
  await sweep(asked, levels, options("levels"));
  const reports = [0.1, 0.3].map((level) =>
    JSON.parse(readFileSync(join(folder, `levels-false_alarms.level-${level}`, "report.json"), "utf8")),
  );
  expect(reports[1].steps).toBeLessThan(reports[0].steps);
  const losses = reports.map(({ decision }) => decision.free.loss);
  expect(losses[1]).toBeCloseTo(losses[0], 2);
});

test("each point has what its seeds come to, each seed a curve of its own", async () => {
  const asked = readSweeps(["cost=1,4"]);
  const { sweep, reports } = await sweepRepeats(readSpec(spec, settings(seeds)), asked, options("costs"));
  expect(sweep.points.map(({ at }) => at)).toEqual([{ cost: 1 }, { cost: 4 }]);
  expect(reports).toHaveLength(4);
  const alone = readSpec(spec, settings({ ...seeds, cost: "quadratic(8)" }));
  const { repeats } = await trainRepeats(alone, repeatsOf(alone)!, options("alone"));
  const [, last] = sweep.points;
  expect(last.objective).toEqual(repeats.objective);
  expect(last.requirements).toEqual(repeats.requirements);
  expect(last.run).toBe(join(folder, "costs-cost-4"));
  expect(readRepeats(last.run)!.repeats.objective).toEqual(repeats.objective);
  const run = JSON.parse(readFileSync(join(last.run, "seed-9", "run.json"), "utf8"));
  expect(run.sweep).toEqual({ parameter: "cost", value: 4, group: "costs-cost-seed-9" });
  const text = sweepRepeatsText(sweep);
  expect(text).toMatch(/^false alarms\ncost +reached +gave +price +on training rows +on test rows$/m);
  expect(text).toMatch(/^4 +0\.\d+ ± \S+ +5 ± 0 +0 of 2 +\S*costs-cost-4$/m);
  expect(text).toContain(
    'Numbers are means ± standard deviations over the seeds; "gave" and "price" only over those that are certified',
  );
  // Levels and costs say what is asked, and there are no validation rows.
  expect(sweep).not.toHaveProperty("chosen");
});

test("with validation rows the best on average is chosen, and test rows speak of it alone", async () => {
  const asked = readSweeps(["objective.decay=0.01,3"]);
  const specFile = readSpec(spec, settings({ ...seeds, "data.validation": "0.3", "budget.steps": "20" }));
  const { sweep, reports } = await sweepRepeats(specFile, asked, options("decays"));
  const points = [reports.slice(0, 2), reports.slice(2)];
  expect(sweep.chosen).toEqual(chosenOf(points));
  const { place, loss } = sweep.chosen!;
  const losses = points[place].map((report) => standingOf(report).loss);
  expect(loss).toBeCloseTo((losses[0] + losses[1]) / 2, 12);
  const [chosen, left] = [sweep.points[place], sweep.points[1 - place]];
  expect(chosen.test!.loss.runs).toBe(2);
  expect(left).not.toHaveProperty("test");
  expect(left).not.toHaveProperty("held");
  expect(Object.values(left.requirements).some((r) => "test" in r || "held" in r)).toBe(false);
  const text = sweepRepeatsText(sweep);
  expect(text).toMatch(/^Chosen: objective\.decay \S+ \(.*; both are means over seeds\.$/m);
  expect(text).toMatch(/^requirement +metric +validation, chosen by +test$/m);
});

test("folds are swept alike, and what leaves one run at a value is refused", async () => {
  const folds = readSpec(spec, settings({ "data.test": "{ folds: 2 }" }));
  const { sweep } = await sweepRepeats(folds, readSweeps(["objective.decay=0.01,3"]), options("folds"));
  expect(sweep.points.map(({ by, held }) => [by, held!.loss.examples])).toEqual([
    ["fold", 200],
    ["fold", 200],
  ]);
  await expect(sweepRepeats(folds, readSweeps(["data.test.fold=1,2"]), options("fold"))).rejects.toThrow(
    "--sweep data.test.fold=1: there is one run at this value, and several at others; leave seeds and folds out of the sweep.",
  );
});
