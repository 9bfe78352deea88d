// The model behind the numbers: counts over held-out rows, and the rates, curves and areas that are drawn from them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { comparable, explainedBy } from "../page/src/model/by-group.js";
import {
  askedRates,
  confusionAt,
  holdsAt,
  ownThreshold,
  placeFor,
  placeOf,
  precisionRecallOf,
  probabilityAt,
  rates,
  rocOf,
} from "../page/src/model/rates.js";
import { type HeldOut, heldOutFrom, type ModelView, viewOf } from "../src/held-out.js";
import { cells, linesOf, rowsBehind } from "../src/rows-behind.js";
import { createStudio } from "../src/studio.js";
import { noise, writeRun } from "./fixtures.js";
import { get, runs, serveEach, server } from "./served.js";

/** Rows whose targets follow their scores, in two groups of which one scores lower. */
function rowsOf(rows: number, more: object = {}) {
  const at = Array.from({ length: rows }, (_, i) => i);
  const group: number[] = at.map((i) => (noise(1, i) < 0.3 ? 1 : 0));
  const probability = at.map((i) => Math.min(1, Math.max(0, noise(2, i) - 0.2 * group[i])));
  return {
    rows,
    of: "validation",
    score: probability.map((p) => Math.log((p + 0.01) / (1.01 - p))),
    probability,
    target: at.map((i) => (noise(3, i) < probability[i] ? 1 : 0)),
    groups: { group },
    values: { group: ["A", "B"] },
    threshold: 0.25,
    importance: [{ feature: "income", mean: 0.3, low: 0.2, high: 0.4 }],
    effects: [{ feature: "income", x: [1, 2], y: [0.1, 0.2], low: [0, 0.1], high: [0.2, 0.3] }],
    ...more,
  };
}
const viewed = (file: object): ModelView => viewOf(heldOutFrom(file) as HeldOut);

describe("counts over held-out rows", () => {
  const file = rowsOf(3000);
  const view = viewed(file);

  test("are those of the rows, at the run's threshold and at every other edge", () => {
    for (const threshold of [0.25, view.edges[0], view.edges[37], view.edges.at(-1) as number])
      for (const [i, value] of ["A", "B"].entries()) {
        const group = view.groups.find((one) => one.value === value);
        const mine = file.score.flatMap((score, row) =>
          file.groups.group[row] === i ? [{ positive: score > threshold, target: file.target[row] }] : [],
        );
        const count = (positive: boolean, target: number) =>
          mine.filter((row) => row.positive === positive && row.target === target).length;
        expect(confusionAt(group!, placeOf(view, threshold))).toEqual({
          truePositives: count(true, 1),
          falseNegatives: count(false, 1),
          falsePositives: count(true, 0),
          trueNegatives: count(false, 0),
        });
      }
  });

  test("have a threshold at which every row is positive, and one at which none is", () => {
    const [all] = view.groups;
    expect(rates["positive rate"](confusionAt(all, 0))).toBe(1);
    expect(rates["positive rate"](confusionAt(all, view.edges.length - 1))).toBe(0);
    expect(rates.precision(confusionAt(all, view.edges.length - 1))).toBeUndefined();
    const c = { truePositives: 6, falseNegatives: 2, falsePositives: 3, trueNegatives: 9 };
    expect(Object.values(rates).map((rate) => rate(c))).toEqual([0.25, 0.25, 0.45, 6 / 9, 0.25]);
  });

  test("hold the area under the curve: the chance that a positive row is above a negative one", () => {
    const few = rowsOf(200);
    const [all] = viewed(few).groups;
    let [above, pairs] = [0, 0];
    for (const [i, y] of few.target.entries())
      for (const [j, z] of few.target.entries())
        if (y === 1 && z === 0) {
          pairs++;
          above += few.score[i] > few.score[j] ? 1 : few.score[i] === few.score[j] ? 0.5 : 0;
        }
    expect(rocOf(all).area).toBeCloseTo(above / pairs, 10);
    const { x, y } = rocOf(all);
    expect([x[0], y[0], x.at(-1), y.at(-1)]).toEqual([0, 0, 1, 1]);
    expect(rocOf({ ...all, positives: all.positives.map(() => 0) }).area).toBeUndefined();
    // Rows that all score the same are told apart by nothing.
    const [tied] = viewed({ ...few, score: few.score.map(() => 1) }).groups;
    expect(rocOf(tied).area).toBe(0.5);
    const curve = precisionRecallOf(all);
    expect(curve.x.at(-1)).toBe(1);
    expect(curve.y.at(-1)).toBeCloseTo(few.target.filter((t) => t === 1).length / 200);
  });

  test("agree with the probabilities they are made of, by tenths", () => {
    for (const { rows, predicted, observed } of view.groups[0].reliability)
      expect(Math.abs(predicted - observed)).toBeLessThan(4 * Math.sqrt(0.25 / rows));
    const first = file.probability.flatMap((p, row) => (p < 0.1 ? [file.target[row]] : []));
    expect(view.groups[0].reliability[0].observed).toBeCloseTo(
      first.reduce((sum, y) => sum + y, 0) / first.length,
    );
    expect(view.groups[0].reliability.reduce((sum, { rows }) => sum + rows, 0)).toBe(3000);
  });

  test("are as few for many rows as for few, and hold no row", () => {
    const many = viewed(rowsOf(20_000));
    expect(many.edges.length).toBeLessThan(410);
    expect(JSON.stringify(many).length).toBeLessThan(40_000);
  });

  test("a threshold for each group is that group's", () => {
    const each = viewed(rowsOf(500, { threshold: { A: -1, B: 1 } }));
    expect([ownThreshold(each, "A"), ownThreshold(each, "B"), ownThreshold(each, "all rows")]).toEqual([
      ...[-1, 1, undefined],
    ]);
    expect(each.edges).toContain(-1);
    expect(each.edges[placeOf(each, 1)]).toBe(1);
  });
});

test.each([
  [{ rows: 0 }, "rows is not a number of rows"],
  [{ score: [1] }, "score is not a list of 30 numbers"],
  [{ target: new Array(30).fill(2) }, "target is not a list of 0 and 1"],
  [{ probability: new Array(30).fill(1.2) }, "a probability is not between 0 and 1"],
  [{ score: undefined }, "score is not a list of 30 numbers"],
  [{ of: "rows" }, "of is not one of validation, folds, test, train"],
  [{ values: {} }, "values has no names for group"],
  [{ groups: { group: new Array(30).fill(7) } }, "groups of group is not a list of 30 places in its values"],
])("held-out.json with %j is refused with a sentence", (more, why) => {
  expect(heldOutFrom(rowsOf(30, more))).toEqual({ problem: `held-out.json cannot be read: ${why}.` });
});

test("a row whose group is missing counts among all rows, and in no group", () => {
  const file = rowsOf(100);
  file.groups.group.fill(-1, 0, 40);
  const [all, a, b] = viewed(file).groups.map(({ positives, negatives }) =>
    [...positives, ...negatives].reduce((x, y) => x + y, 0),
  );
  expect([all, a + b]).toEqual([100, 60]);
});

test("a regression has nothing to decide, but shows which columns matter to the model", () => {
  const view = viewed(rowsOf(50, { probability: [], target: new Array(50).fill(3.5), threshold: undefined }));
  expect([view.groups, view.threshold, view.importance.length]).toEqual([[], null, 1]);
});

describe("what a model relies on within groups", () => {
  const importance = [{ feature: "income", mean: 0.5, low: 0.4, high: 0.6 }];
  const effects = [{ feature: "income", x: [1, 2], y: [0.6, 0.7], low: [0.5, 0.6], high: [0.7, 0.8] }];
  const byGroup = { group: { B: { rows: 40, importance, effects } } };

  test("is read from held-out.json, and has the colour of the group's curves", () => {
    const view = viewed(rowsOf(100, { byGroup }));
    expect(comparable(view)).toEqual(["group"]);
    const [all, b] = explainedBy(view, "group");
    expect([all.name, all.importance, all.effects]).toEqual(["all rows", view.importance, view.effects]);
    expect([b.name, b.importance, b.effects]).toEqual(["group B", importance, effects]);
    // B is the second group, though the first has too few rows to be explained.
    const colours = explainedBy(
      viewed(rowsOf(100, { byGroup: { group: { A: byGroup.group.B, ...byGroup.group } } })),
      "group",
    ).map(({ colour }) => colour);
    expect(b.colour).toBe(colours[2]);
    expect(explainedBy(view, "").length).toBe(1);
  });

  test("is left out where a run does not keep it, or keeps something else", () => {
    expect(viewed(rowsOf(100)).byGroup).toEqual([]);
    const kept = viewed(rowsOf(100, { byGroup: { group: { A: 3, B: { rows: 40, importance: [{}] } } } }));
    expect(kept.byGroup).toEqual([{ column: "group", value: "B", rows: 40, importance: [], effects: [] }]);
  });
});

test("levels stand beside the rates they were asked of", () => {
  const level = { level: 0.15, sense: "at most" };
  const asked = askedRates({
    "misses [group=B]": { ...level, metric: "false-negative-rate" },
    alarms: { ...level, metric: "false-positive-rate" },
    relative: { ...level, metric: "positive-rate", relative: "overall" },
    loss: { ...level, metric: "loss" },
  });
  expect(asked.map(({ requirement, rate, column, value }) => [requirement, rate, column, value])).toEqual([
    ["misses [group=B]", "false negative rate", "group", "B"],
    ["alarms", "false positive rate", "", "all rows"],
  ]);
  expect([holdsAt(asked[0], 0.15), holdsAt(asked[0], 0.16)]).toEqual([true, false]);
  expect(holdsAt({ ...asked[0], sense: "at least" }, 0.1)).toBe(false);
});

describe("the rows behind a cell", () => {
  const file = rowsOf(600);
  const rows = heldOutFrom(file) as HeldOut;
  const view = viewOf(rows);
  const lines = file.score.map((_, i) => i + 2);
  const asked = { column: "group", value: "B", threshold: 0.25 };

  test("are as many as are counted in it, each of its group, truth and decision, the nearest first", () => {
    const group = view.groups.find(({ value }) => value === "B")!;
    const confusion = confusionAt(group, placeOf(view, 0.25));
    for (const cell of cells) {
      const { count, rows: found } = rowsBehind(rows, lines, { ...asked, cell });
      expect([cell, count]).toEqual([cell, confusion[cell]]);
      expect(found.length).toBe(Math.min(100, count));
      for (const { line, score } of found) {
        const row = (line as number) - 2;
        expect([file.score[row], file.groups.group[row]]).toEqual([score, 1]);
        expect([score > 0.25, file.target[row]]).toEqual([
          cell.endsWith("Positives"),
          cell === "truePositives" || cell === "falseNegatives" ? 1 : 0,
        ]);
      }
      const near = found.map(({ score }) => Math.abs(score - 0.25));
      expect(near).toEqual([...near].sort((a, b) => a - b));
    }
    expect(rowsBehind(rows, lines, { ...asked, column: "", cell: "truePositives" }).count).toBe(
      confusionAt(view.groups[0], placeOf(view, 0.25)).truePositives,
    );
    expect(rowsBehind(rows, lines, { ...asked, value: "nobody", cell: "truePositives" }).count).toBe(0);
  });

  test("have no lines where the run keeps those of other rows", () => {
    const [first] = rowsBehind(rows, lines.slice(1), { ...asked, cell: "truePositives" }).rows;
    expect(first.line).toBeNull();
    expect(linesOf("part,line\ntrain,2\ntest,3\ntrain,4\n", "folds")).toEqual([2, 4]);
    expect(linesOf("part,line\ntrain,2\ntest,3\ntrain,4\n", "test")).toEqual([3]);
    expect([linesOf(undefined, "test"), linesOf("a,b\n1,2", "test")]).toEqual([[], []]);
  });
});

test("a group is decided by the threshold that was chosen, else by the run's own", () => {
  const each = viewed(rowsOf(500, { threshold: { A: -1, B: 1 } }));
  const [all, a, b] = each.groups;
  expect([a, b].map((group) => each.edges[placeFor(each, group, undefined)])).toEqual([-1, 1]);
  expect([all, a, b].map((group) => placeFor(each, group, 7))).toEqual([7, 7, 7]);
  expect(placeFor(each, all, undefined)).toBe(Math.floor(each.edges.length / 2));
  expect(probabilityAt(0)).toBe(0.5);
  expect(probabilityAt(-1.0986)).toBeCloseTo(0.25, 4);
});

describe("the server", () => {
  serveEach();
  const model = () => fetch(`${server.url}api/model?name=run`);

  test("tells of the rows of a run, and in a sentence where there are none or they cannot be read", async () => {
    const run = writeRun(runs, "run");
    const none = await model();
    expect([none.status, (await none.json()).error]).toEqual([404, expect.stringContaining("held-out.json")]);
    writeFileSync(join(run, "held-out.json"), "{");
    expect([(await model()).status, (await (await model()).json()).error]).toEqual([
      409,
      "held-out.json cannot be read: rows is not a number of rows.",
    ]);
    writeFileSync(join(run, "held-out.json"), JSON.stringify(rowsOf(300)));
    const view = await get<ModelView>("model", { name: "run" });
    expect(view).toEqual(
      JSON.parse(JSON.stringify(viewed(JSON.parse(readFileSync(join(run, "held-out.json"), "utf8"))))),
    );
    writeFileSync(join(run, "held-out.json"), JSON.stringify(rowsOf(400)));
    expect((await get<ModelView>("model", { name: "run" })).rows).toBe(400);
  });

  test("shows rows to the owner alone, and only those of a cell", async () => {
    const run = writeRun(runs, "run");
    const at = { name: "run", column: "", value: "", cell: "truePositives", threshold: "0.25" };
    const address = (more: object) => `${server.url}api/rows?${new URLSearchParams({ ...at, ...more })}`;
    const owner = { headers: { "x-pliant-page": server.pageToken } };
    expect((await fetch(address({}), owner)).status).toBe(404);
    writeFileSync(join(run, "held-out.json"), JSON.stringify(rowsOf(300)));
    expect((await (await fetch(address({}), owner)).json()).count).toBeGreaterThan(0);
    expect((await fetch(address({}))).status).toBe(403);
    for (const more of [{ cell: "all" }, { threshold: "x" }, { threshold: "Infinity" }])
      expect([more, (await fetch(address(more), owner)).status]).toEqual([more, 400]);
    expect((await fetch(address({ name: "../run" }), owner)).status).toBe(404);
    for (const shared of [{ readOnly: true }, { token: "secret" }]) {
      const studio = createStudio({ runs, page: runs, ...shared });
      const headers = { host: "localhost:4747", cookie: "pliant-4747=secret" };
      const answer = await studio(
        new Request(`http://localhost:4747/api/rows?${new URLSearchParams(at)}`, { headers }),
      );
      expect(answer.status).toBe(403);
    }
  });
});
