// A study of several runs: which runs it is made of, what was set in each, what came of it, and how sure that is.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deviation, meanInterval } from "../page/src/lib/statistics.js";
import { filterFrom, isOf } from "../page/src/runs/columns.js";
import { bestFirst, studyColumns, usualColumns } from "../page/src/study/columns.js";
import {
  bestOf,
  closestOf,
  givingWay,
  judgedBy,
  pointsOf,
  rowsOf,
  spreadOf,
} from "../page/src/study/summary.js";
import { studyVerdict } from "../page/src/study/verdict.js";
import type { RunDetail } from "../src/api.js";
import { type Study, type StudyRun, studyIn } from "../src/study.js";
import { requirement, writeRun, writeSweep } from "./fixtures.js";
import { get, list, runs, serveEach, server } from "./served.js";

describe("the study of a run", () => {
  test.each([
    ["swept-cost-8", { parameter: "cost", group: "swept-cost" }, "swept-cost"],
    ["grid-cost-2/seed-1", { parameter: "cost", group: "grid-cost-seed-1" }, "grid-cost"],
    ["a/grid-cost-2-decay-1", { parameter: "cost", group: "grid-cost-decay-1" }, "a/grid-cost"],
    ["s-m.level-1", { parameter: "requirements.m.level", group: "s-m.level" }, "s-m.level"],
    ["other/cost=2", { parameter: "cost", group: "alpha" }, "alpha"],
    ["seeds/seed-3", null, "seeds"],
    ["a/folds/fold-1", null, "a/folds"],
    ["loans", null, null],
    ["seed-3", null, null],
  ])("%s is of %j", (name, sweep, study) => {
    expect(studyIn(name, sweep)).toBe(study);
  });
});

describe("a study", () => {
  serveEach();
  const report = (loss: number, more: object = {}, holds = true) => ({
    objective: loss / 2,
    certificate: { holds, tolerance: 1e-3 },
    test: { loss: { value: loss, interval: [loss - 0.1, loss + 0.1] } },
    requirements: {
      misses: requirement({ reached: 0.1 + loss / 10, relaxation: loss / 10, status: "gave way", ...more }),
    },
  });
  /** Two costs by three seeds; the last run violates, and one is not certified. */
  const write = (most: object = {}) => {
    for (const cost of [8, 0.5])
      for (const seed of [1, 2, 3]) {
        const folder = join(runs, `grid-cost-${cost}`, `seed-${seed}`);
        mkdirSync(folder, { recursive: true });
        const sweep = { parameter: "cost", value: cost, group: `grid-cost-seed-${seed}` };
        const spec = { name: "loans", cost: `quadratic(${2 * cost})`, seed, model: { kind: "mlp" } };
        writeFileSync(join(folder, "run.json"), JSON.stringify({ command: "train", seed, spec, sweep }));
        const violated = cost === 0.5 && seed === 3 ? { hard: true, status: "violated" } : {};
        const loss = cost === 8 ? 0.6 + seed / 100 : 0.3 + seed / 100 - (seed === 3 ? 0.2 : 0);
        writeFileSync(
          join(folder, "report.json"),
          JSON.stringify(report(loss, { ...most, ...violated }, !(cost === 0.5 && seed === 2))),
        );
      }
  };

  test("has the settings that differ, the swept key first and seeds last, and every number", async () => {
    write();
    writeRun(runs, "alone");
    const study = await get<Study>("study", { of: "grid-cost" });
    expect([study.settings, study.swept, study.repeated]).toEqual([["cost ×", "seed"], "cost ×", ["seed"]]);
    expect(study.runs).toHaveLength(6);
    const run = study.runs.find(({ summary }) => summary.name === "grid-cost-8/seed-2");
    expect(run?.settings).toEqual({ "cost ×": 8, seed: 2 });
    expect(run?.values).toMatchObject({ "test loss": 0.62, "misses: relaxation": 0.062 });
    expect(run?.intervals["test loss"]).toEqual([0.52, 0.72]);
    // What is not certified has no relaxation that is known.
    expect(run?.came.misses).toMatchObject({ verdict: "gave", beyond: expect.closeTo(0.062) });
    const open = study.runs.find(({ summary }) => summary.name === "grid-cost-0.5/seed-2");
    expect(open?.values).not.toHaveProperty("misses: relaxation");
    expect((await list()).find(({ name }) => name === "alone")?.study).toBeNull();
  });

  test("does not exist under another name", async () => {
    const answer = await fetch(`${server.url}api/study?of=nothing`);
    expect([answer.status, await answer.json()]).toEqual([404, { error: "There is no such study." }]);
  });

  test("its points are in the order of the swept key, their means over seeds with intervals", async () => {
    write();
    const study = await get<Study>("study", { of: "grid-cost" });
    const points = pointsOf(study);
    expect(points.map(({ label, runs }) => [label, runs.length])).toEqual([
      ["cost × 0.5", 3],
      ["cost × 8", 3],
    ]);
    const spread = spreadOf(points[1], "test loss");
    expect(spread).toMatchObject({ mean: expect.closeTo(0.62), deviation: expect.closeTo(0.01), count: 3 });
    // t = 4.303 at two degrees of freedom.
    expect(spread?.interval?.[1]).toBeCloseTo(0.62 + (4.303 * 0.01) / Math.sqrt(3), 6);
    expect(spreadOf(points[0], "nothing")).toBeUndefined();
    // One run has the interval that was measured.
    expect(spreadOf({ runs: points[1].runs.slice(0, 1) }, "test loss")?.interval).toEqual([0.51, 0.71]);
  });

  test("the best meets everything asked, is certified and violates nothing, and stands on top", async () => {
    write({ status: "met", reached: 0.09, relaxation: 0 });
    const study = await get<Study>("study", { of: "grid-cost" });
    expect(judgedBy(study)).toBe("test loss");
    // seed 3 has the least loss and is violated; seed 2 is not certified.
    expect(bestOf(study.runs, "test loss")?.summary.name).toBe("grid-cost-0.5/seed-1");
    expect(closestOf(study.runs)).toBeUndefined();
    const order = [...study.runs].sort(bestFirst("test loss")).map(({ summary }) => summary.name);
    expect(order[0]).toBe("grid-cost-0.5/seed-1");
    expect(order.slice(-2)).toEqual(["grid-cost-0.5/seed-3", "grid-cost-0.5/seed-2"]);
    expect(bestOf([], "test loss")).toBeUndefined();
    // What is counted on held-out rows counts as much as what is certified, unless it violates.
    const counted = (more: object) =>
      study.runs.map((run) => ({ ...run, came: {}, summary: { ...run.summary, certified: false, ...more } }));
    expect(bestOf(counted({ counted: true, violated: false }), "test loss")?.summary.name).toBe(
      "grid-cost-0.5/seed-3",
    );
    // There what is trained, and not counted, holds without a certificate.
    const came = { rising: { verdict: "open", beyond: 0, level: 0, sense: "at most", hard: false } } as const;
    const open = counted({ counted: true, violated: false }).map((run) => ({ ...run, came }));
    expect(bestOf(open, "test loss")?.summary.name).toBe("grid-cost-0.5/seed-3");
    expect(bestOf(counted({ counted: true, violated: true }), "test loss")).toBeUndefined();
    expect(bestOf(counted({ counted: false, violated: false }), "test loss")).toBeUndefined();
    expect(givingWay(study)).toEqual(["misses: beyond its level"]);
  });

  test("a run in which something gave way is never the best, however low its loss; the closest is on top", async () => {
    write();
    const study = await get<Study>("study", { of: "grid-cost" });
    expect(bestOf(study.runs, "test loss")).toBeUndefined();
    const met = { ...study.runs[5], came: {} };
    expect(bestOf([...study.runs, met], "test loss")).toBe(met);
    expect(closestOf([...study.runs, met])).toBeUndefined();
    // cost × 0.5 misses by 0.031 at the first seed, cost × 8 by more; another's misses count relative to their levels.
    expect(closestOf(study.runs)?.summary.name).toBe("grid-cost-0.5/seed-1");
    expect([...study.runs].sort(bestFirst("test loss"))[0].summary.name).toBe("grid-cost-0.5/seed-1");
    const far = { ...met.summary, name: "far" };
    const came = {
      rmse: { verdict: "gave", beyond: 0.5, level: 100, sense: "at most", hard: false },
    } as const;
    const all = [...study.runs, { ...met, summary: far, came }];
    expect(closestOf(all)?.summary.name).toBe("far");
    // Its loss is larger than those of others.
    expect([...all].sort(bestFirst("test loss"))[0].summary.name).toBe("far");
    const common = { verdict: "gave", beyond: 0.001, level: 1, sense: "at most", hard: false } as const;
    const more = study.runs.map((run, i) => ({ ...run, came: i === 0 ? run.came : { common } }));
    expect(studyVerdict({ ...study, runs: more }).answers[2]).toMatchObject({
      ...{
        answer: "common",
        detail: "beyond its level in 5 of 6 runs, by 0.001; also misses by up to 0.031",
        tone: "gave",
      },
    });
  });

  test("its verdict says what was asked, whether it held, what gave way, what it costs, and which run to take", async () => {
    write();
    const study = await get<Study>("study", { of: "grid-cost" });
    const { tone, stands, headline, answers, subject } = studyVerdict(study);
    expect([tone, stands]).toEqual(["open", "no run of 6 meets everything asked"]);
    expect(headline.join("")).toBe(
      "Closest: cost × 0.5, seed 1. No run meets everything asked; there misses is 0.031 beyond its level, with a test loss of 0.31 (0.21–0.41).",
    );
    expect(subject?.summary.name).toBe("grid-cost-0.5/seed-1");
    expect(answers.map(({ question, answer, tone }) => [question, answer, tone])).toEqual([
      ["What was asked", "1 requirement", undefined],
      ["Did it hold", "in 0 of 6 runs", "missed"],
      ["What does not hold", "misses", "missed"],
      ["What it costs", "not measured", undefined],
    ]);
    expect(answers.map(({ detail }) => detail)).toEqual([
      "misses at most 0.1 (hard); tried over cost × 0.5, 8; seed 1, 2, 3",
      "in 4 something gave way; 1 violated; 1 not certified or not finished",
      "violated in 6 of 6 runs, by 0.013 to 0.063",
      "what insisting on misses costs is measured by the command below",
    ]);
  });

  test("its verdict tells the whole of what insisting moves, and of what else is beyond its level", async () => {
    write();
    const study = await get<Study>("study", { of: "grid-cost" });
    const alarms = { verdict: "gave", beyond: 0.01, level: 0.1, sense: "at most", hard: false } as const;
    const insisted = [
      {
        requirement: "misses",
        level: 0.1,
        reached: 0.1,
        had: true,
        costs: 0.02,
        in: "errors",
        others: { alarms: 0.06 },
      },
    ];
    const runs = study.runs.map((run) => ({
      ...{ ...run, insisted, came: { ...run.came, alarms } },
      values: { ...run.values, "misses: insisting costs": 0.02 },
    }));
    const { headline, answers } = studyVerdict({ ...study, runs });
    expect(headline[1]).toContain("misses is 0.031 beyond its level, and alarms 0.01, with");
    expect(answers[3]).toMatchObject({
      answer: "0.02 of loss; alarms +0.06",
      detail: "to insist on misses in the closest run, and how much more others then give way",
    });
  });

  test("its verdict names the best with what meeting everything costs beside the run with the least loss", async () => {
    write();
    const study = await get<Study>("study", { of: "grid-cost" });
    const runs = study.runs.map((run, i) =>
      i === 3
        ? { ...run, came: { misses: { ...run.came.misses, verdict: "met", beyond: 0 } as const } }
        : run,
    );
    const { tone, stands, headline, answers } = studyVerdict({ ...study, runs });
    expect([tone, stands]).toEqual(["good", "1 run of 6 meets everything asked"]);
    expect(headline.join("")).toMatch(
      /^Best: cost × 8, seed 1 meets everything asked, with a test loss of 0\.61/,
    );
    expect(answers[1].answer).toBe("in 1 of 6 runs");
    expect(answers[3]).toMatchObject({ answer: "0.3 of test loss" });
    const violated = study.runs.filter(({ summary }) => summary.violated);
    expect(studyVerdict({ ...study, runs: violated })).toMatchObject({ tone: "bad" });
    const training = runs.map((run) => ({ ...run, summary: { ...run.summary, status: "running" as const } }));
    expect(studyVerdict({ ...study, runs: training })).toMatchObject({
      ...{ tone: "busy", stands: "6 of 6 runs still training" },
    });
    const folds = studyVerdict({ ...study, runs, settings: ["fold"], repeated: ["fold"] });
    expect([folds.subject, folds.stands, folds.headline[0]]).toEqual([
      ...[
        undefined,
        "1 fold of 6 meets everything asked",
        expect.stringMatching(/^A test loss of [\d.]+ ± [\d.]+$/),
      ],
    ]);
  });

  test("its next step is for all runs where none converged, and for the run that it names where one can be gone by", async () => {
    write();
    const study = await get<Study>("study", { of: "grid-cost" });
    const early = study.runs.map((run) => ({
      ...run,
      summary: {
        ...run.summary,
        ...({ status: "finished", certified: false, violated: false, steps: 50 } as const),
      },
    }));
    const [{ summary }] = early;
    const detail = {
      ...{ summary, run: {}, files: [], spec: { file: "spec.yaml", text: "" } },
      ...{ path: `runs/${summary.name}`, again: `runs/${summary.name}-again` },
      report: { certificate: { holds: false }, requirements: { misses: requirement({ status: "unknown" }) } },
    } as unknown as RunDetail;
    const next = (runs: readonly StudyRun[], more: Partial<Study> = {}) =>
      studyVerdict({ ...study, ...more, runs }).nextFrom(detail);
    const { name } = summary;
    expect(next(early)).toEqual({
      words: "Train all 6 runs with more steps.",
      command: `npx pliant train runs/${name}/spec.yaml --set budget.steps=200 --sweep cost=1,16 --seeds 1-3 --out runs/grid-cost-again`,
    });
    // One that can be gone by, a violation, folds, or seeds with a gap: the step of one run, which is named.
    const sound = early.map((run, i) =>
      i === 5 ? { ...run, summary: { ...run.summary, certified: true } } : run,
    );
    const violated = early.map((run, i) =>
      i === 5 ? { ...run, summary: { ...run.summary, violated: true } } : run,
    );
    const gap = early.filter(({ summary }) => Number(summary.seed) !== 2);
    for (const step of [next(sound), next(violated), next(gap), next(early, { repeated: ["fold"] })])
      expect(step?.words).toMatch(/^For cost × [\d.]+, seed \d: train with more steps\.$/);
  });

  test("settings are columns, and all of it is a table", async () => {
    write();
    const study = await get<Study>("study", { of: "grid-cost" });
    const columns = studyColumns(study);
    expect(columns.slice(0, 4).map(({ key }) => key)).toEqual(["name", "cost ×", "seed", "standing"]);
    const [first] = study.runs;
    expect(columns.map((column) => column.value(first.summary)).slice(1, 4)).toEqual([0.5, 1, "certified"]);
    expect(usualColumns(study)).toEqual(["cost ×", "seed", "standing", "test loss", "misses: reached"]);
    const { columns: heads, rows } = rowsOf(study, study.runs);
    expect(heads.slice(0, 4)).toEqual(["run", "cost ×", "seed", "standing"]);
    expect(rows.every((row) => row.length === heads.length)).toBe(true);
  });

  test("a setting may be text, in the order it reads", async () => {
    for (const value of ["relu", "gelu"])
      writeRun(runs, `s-act-${value}`, { more: { sweep: { parameter: "act", value, group: "s-act" } } });
    writeSweep(runs, "numbers", [10, 0.5, 2, 0.25]);
    const text = await get<Study>("study", { of: "s-act" });
    expect(pointsOf(text).map(({ label }) => label)).toEqual(["act gelu", "act relu"]);
    const numbers = await get<Study>("study", { of: "numbers" });
    expect(pointsOf(numbers).map(({ label }) => label)).toEqual([
      ...["cost × 0.25", "cost × 0.5", "cost × 2", "cost × 10"],
    ]);
  });
});

test("statistics of few values", () => {
  expect([deviation([5]), meanInterval([5])]).toEqual([0, undefined]);
  expect(deviation([1, 2, 3])).toBeCloseTo(1);
  const [low, high] = meanInterval([1, 2, 3, 4, 5]) ?? [];
  expect([low, high]).toEqual([expect.closeTo(1.0368, 3), expect.closeTo(4.9632, 3)]);
  // Beyond the table it is nearly normal.
  const many = Array.from({ length: 101 }, (_, i) => i);
  expect(((meanInterval(many)?.[1] ?? 0) - 50) / (deviation(many) / Math.sqrt(101))).toBeCloseTo(1.984, 2);
});

test.each([
  [0.1, "≤", "0.1", true],
  [0.1, "≥", "0.1", true],
  [0.1, "≤", "0.05", false],
  [0.1, "≥", "0.2", false],
  ["certified: local minimum", "contains", "Local", true],
  [12, "contains", "3", false],
  [null, "contains", "3", false],
  [null, "≠", "3", true],
] as const)("%j %s %s is %s", (found, relation, value, holds) => {
  expect(isOf(found, relation, value)).toBe(holds);
  expect(filterFrom(`test loss ${relation} ${value}`)).toEqual({ key: "test loss", relation, value });
});
