// Requirements by group, of several columns together, of counts and costs, in the units of a number; and what weighs in the objective.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, constant, evaluate, grad, random, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { expectedCost, f1, falseDiscoveryRate, precision } from "../src/metrics/counts.js";
import type { Look } from "../src/metrics/metric.js";
import { meanAbsoluteError, rootMeanSquareError } from "../src/metrics/numbers.js";
import { ownLoss } from "../src/problem/objective.js";
import { prepare } from "../src/problem/prepare.js";
import { membersOf } from "../src/problem/stated.js";
import { finishedRun } from "../src/run/asked.js";
import { trainInFolder } from "../src/run/run.js";
import { trainedModel } from "../src/run/trained.js";
import { readSpec } from "../src/spec/spec-file.js";
import { reportText } from "../src/text/report-text.js";
import { evaluateRun } from "../src/use/evaluate.js";
import { predictions } from "../src/use/predict.js";

const item = (tensor: Tensor): number => evaluate(tensor).item();
const list = (tensor: Tensor): number[] => Array.from(evaluate(tensor).data);

function lookAt(logits: number[][], y: number[], deviation?: number): Look {
  return {
    target:
      deviation === undefined
        ? { kind: "class", classes: logits[0].map((_, k) => `c${k}`), positive: 1 }
        : { kind: "number", mean: 0, deviation },
    logits: constant(array(deviation === undefined ? logits : logits.map(([z]) => z))),
    y: constant(array(y, { dtype: deviation === undefined ? "int32" : "float32" })),
    moved: () => {
      throw new Error("not asked");
    },
    squares: constant(array(0)),
  };
}

/** Given 1, 1, 1, 0, 0, of which the right ones are 1, 0, 0, 1, 0. */
const five = lookAt(
  [
    [0, 2],
    [0, 1],
    [0, 3],
    [1, 0],
    [2, 0],
  ],
  [1, 0, 0, 1, 0],
);
const all = constant(array([1, 1, 1, 1, 1]));

describe("counts", () => {
  test("precision, false discoveries and F1 are those of the confusion matrix", () => {
    expect(item(precision(1).strict(five, all))).toBeCloseTo(1 / 3, 6);
    expect(item(falseDiscoveryRate(1).strict(five, all))).toBeCloseTo(2 / 3, 6);
    expect(item(f1(1).strict(five, all))).toBeCloseTo(2 / 5, 6);
  });

  test("cover the right examples, and none without the class", () => {
    // The first and the fourth: one given, and right.
    const two = constant(array([2.5, 0, 0, 2.5, 0]));
    expect(item(precision(1).strict(five, two))).toBeCloseTo(1, 6);
    expect(item(f1(1).strict(five, two))).toBeCloseTo(2 / 3, 6);
    const none = constant(array([0, 0, 0, 2.5, 2.5]));
    expect(item(precision(1).strict(five, none))).toBe(1);
    expect(item(falseDiscoveryRate(1).strict(five, none))).toBe(0);
  });

  test("are trained by bounds of the counts, weighed as they are at the level", () => {
    for (const metric of [precision(1), falseDiscoveryRate(1), f1(1)])
      for (const own of [metric, metric.at!(0.3)]) {
        const [low, strict, high] = (["below", "strict", "above"] as const).map((side) =>
          item(own[side](five, all)),
        );
        expect(low).toBeLessThan(strict);
        expect(high).toBeGreaterThan(strict);
      }
  });

  /** d/db of what is trained, as all scores towards the class are raised by b. */
  const raised = (of: (look: Look) => Tensor): number => {
    const logits = five.logits as Tensor;
    const up = constant(array([[0, 1]]));
    return item(grad((b: Tensor) => of({ ...five, logits: logits.add(up.mul(b)) }))(constant(array(0))));
  };

  test("at its level a ratio pulls the threshold up just where the examples near by are worse than it", () => {
    // At the threshold the share that is right is about 1 in 3.
    expect(raised((look) => precision(1).at!(0.9).below(look, all))).toBeLessThan(0);
    expect(raised((look) => precision(1).at!(0.05).below(look, all))).toBeGreaterThan(0);
    expect(raised((look) => falseDiscoveryRate(1).at!(0.1).above(look, all))).toBeGreaterThan(0);
    expect(raised((look) => falseDiscoveryRate(1).at!(0.95).above(look, all))).toBeLessThan(0);
    // Conversely, predicting the class for more rows lowers the precision.
    expect(raised((look) => precision(1).at!(0.9).above(look, all))).toBeLessThan(0);
    // F1 wants more given where it is small: 2 of one that is found against 1 of one that is not right.
    expect(raised((look) => f1(1).at!(0.1).below(look, all))).toBeGreaterThan(0);
  });

  test("have a resolution of one example", () => {
    expect(item(precision(1).step!(five, all))).toBeCloseTo(2 / 3 / 3, 6);
    expect(item(f1(1).step!(five, all))).toBeCloseTo((2 - 2 / 5) / 5, 6);
    // For half of the examples, with double weight.
    const some = constant(array([0, 2.5, 0, 2.5, 0]));
    expect(item(precision(1).step!(five, some))).toBeCloseTo(1, 6);
    const none = constant(array([0, 0, 0, 2.5, 2.5]));
    expect(item(precision(1).step!(five, none))).toBe(0);
  });

  test("the cost of an answer is looked up, and trained by the bound of its being given", () => {
    const metric = expectedCost([
      [0, 1],
      [5, 0],
    ]);
    expect(list(metric.strict(five))).toEqual([0, 1, 1, 5, 0]);
    expect(list(metric.above(five))[3]).toBeCloseTo(5 * Math.log2(1 + Math.E), 5);
    const [low, high] = [list(metric.below(five)), list(metric.above(five))];
    for (const [i, cost] of [0, 1, 1, 5, 0].entries()) {
      expect(low[i]).toBeLessThanOrEqual(cost);
      expect(high[i]).toBeGreaterThanOrEqual(cost);
    }
  });
});

describe("errors of a number are in its own units", () => {
  const look = lookAt([[1], [0], [-1]], [0, 0, 1], 10);
  test("absolute and by the root of the mean square", () => {
    expect(list(meanAbsoluteError.strict(look))).toEqual([10, 0, 20]);
    const weights = constant(array([1, 1, 1]));
    expect(item(rootMeanSquareError.strict(look, weights))).toBeCloseTo(10 * Math.sqrt(5 / 3), 4);
  });

  test("and objectives follow the error in deviations", () => {
    const of = (objective: object) => list(ownLoss({ objective } as never)(look));
    expect(of({ loss: "absolute-error" })).toEqual([1, 0, 2]);
    expect(of({ loss: "huber" })).toEqual([0.5, 0, 1.5]);
    // The truth is 1 below, and 2 above the answer.
    const [low, , high] = of({ loss: "quantile", quantile: 0.9 });
    expect(low).toBeCloseTo(0.1, 6);
    expect(high).toBeCloseTo(1.8, 6);
  });
});

const rows = (n: number): string[] => {
  const noise = random.normal(random.key(5), [n, 2]).data;
  return Array.from({ length: n }, (_, i) => {
    const [sex, age] = ["fm"[i % 2], ["old", "young"][Number(i % 6 < 3)]];
    const score = noise[2 * i] + noise[2 * i + 1] + (sex === "f" ? 0.5 : 0);
    return `${noise[2 * i].toFixed(4)},${sex},${age},${1 + (i % 3)},${score > 0 ? "yes" : "no"},${score.toFixed(4)}`;
  });
};

function specOf(requirements: string, { data = "", objective = "{}", target = "y" } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  writeFileSync(join(folder, "rows.csv"), `x,sex,age,w,y,score\n${rows(600).join("\n")}\n`);
  writeFileSync(
    join(folder, "spec.yaml"),
    `data: { file: rows.csv, target: ${target}, columns: { sex: group, age: group, ${target === "y" ? "score" : "y"}: ignore }${data} }
model: { kind: linear }
objective: ${objective}
requirements: ${requirements}
budget: { steps: 300 }
`,
  );
  return join(folder, "spec.yaml");
}
const stated = async (requirements: string) => (await prepare(readSpec(specOf(requirements)))).task.stated;

describe("groups", () => {
  test("of several columns combined, each with its members", async () => {
    const spec = specOf("{ misses: { metric: false-negative-rate, by: [sex, age], level: 0.2 } }");
    const { task, prepared } = await prepare(readSpec(spec));
    expect(task.stated.map(({ name }) => name)).toEqual(
      ["f × old", "f × young", "m × old", "m × young"].map((value) => `misses [sex × age=${value}]`),
    );
    const { own } = membersOf(task.stated[1], prepared.train);
    const { sex, age, y } = prepared.train.groups;
    for (const [i, mark] of own.entries())
      expect(mark).toBe(Number(sex[i] === "f" && age[i] === "young" && y[i] === "yes"));
  });

  test("have levels of their own, and some may be left out", async () => {
    const found = await stated("{ m: { metric: error, by: sex, level: { f: 0.1, m: 0.2 } } }");
    expect(found.map(({ name, level }) => [name, level])).toEqual([
      ["m [sex=f]", 0.1],
      ["m [sex=m]", 0.2],
    ]);
    const one = await stated("{ m: { metric: error, by: sex, only: [m], level: 0.2 } }");
    expect(one.map(({ name }) => name)).toEqual(["m [sex=m]"]);
  });

  test.each([
    [
      "{ m: { metric: error, by: sex, level: { f: 0.1 } } }",
      "the group m has none; give it one, or leave it out with only",
    ],
    ["{ m: { metric: error, by: sex, level: { f: 0.1, x: 0.2 } } }", '"x" is not a group'],
    ["{ m: { metric: error, level: { f: 0.1 } } }", "levels by group need groups"],
    ["{ m: { metric: error, only: [f], level: 0.1 } }", "it names groups; say of which column with by"],
    ["{ m: { metric: error, by: sex, only: [g], level: 0.1 } }", '"g" is not a group'],
    [
      "{ m: { metric: error, by: sex, level: { f: 10, m: 0.1 } } }",
      "a share is between 0 and 1, and 10 is not; for 10% write 0.1",
    ],
    ["{ m: { metric: precision, level: 80 } }", "for 80% write 0.8"],
    [
      "{ m: { metric: expected-cost, level: 1, costs: { yess: { no: 1 } } } }",
      '"yess" is not a class; did you mean "yes"?',
    ],
    ["{ m: { metric: mean-absolute-error, level: 1 } }", "is about a number, and the target has classes"],
  ])("%s is refused", async (requirements, sentence) => {
    await expect(stated(requirements)).rejects.toThrow(sentence);
  });
});

describe("by their names", () => {
  test("demographic parity is a gap in positive rates, equalised odds one in each kind of mistake", async () => {
    const found = await stated(
      "{ parity: { metric: demographic-parity, by: sex, level: 0.05 }, odds: { metric: equalised-odds, by: sex, level: 0.1 } }",
    );
    expect(found.map(({ name, spec, base, level }) => [name, spec.metric, base?.of, level])).toEqual([
      ["parity [sex=f]", "positive-rate", "rest", 0.05],
      ["parity [sex=m]", "positive-rate", "rest", 0.05],
      ["odds, false positives [sex=f]", "false-positive-rate", "rest", 0.1],
      ["odds, false positives [sex=m]", "false-positive-rate", "rest", 0.1],
      ["odds, false negatives [sex=f]", "false-negative-rate", "rest", 0.1],
      ["odds, false negatives [sex=m]", "false-negative-rate", "rest", 0.1],
    ]);
  });

  test("bound a distance: a group may be no further below the rest than above, unless the other group says it already", async () => {
    const found = await stated(
      "{ parity: { metric: demographic-parity, by: [sex, age], level: 0.05 }, one: { metric: demographic-parity, by: sex, only: [f], level: 0.1 }, up: { metric: demographic-parity, by: sex, only: [f], level: 0.1, sense: at most } }",
    );
    const sides = found.map(({ name, sense, level }) => [name, sense, level]);
    const groups = new Set(found.filter(({ of }) => of === "parity").map(({ group }) => group!.value));
    expect(groups.size).toBeGreaterThan(2);
    for (const value of groups) {
      const name = `parity [sex × age=${value}]`;
      expect(sides).toContainEqual([`${name}, at least -0.05`, "at least", -0.05]);
      expect(sides).toContainEqual([`${name}, at most 0.05`, "at most", 0.05]);
    }
    expect(sides.slice(2 * groups.size)).toEqual([
      ["one [sex=f], at least -0.1", "at least", -0.1],
      ["one [sex=f], at most 0.1", "at most", 0.1],
      ["up [sex=f]", "at most", 0.1],
    ]);
  });

  test("need groups", async () => {
    await expect(stated("{ parity: { metric: demographic-parity, level: 0.05 } }")).rejects.toThrow(
      "requirements.parity.by is missing; it is a column, or a list of columns",
    );
  });
});

const trained = (spec: string) =>
  trainInFolder(readSpec(spec), {
    name: "run",
    out: join(spec, "..", "run"),
    device: "reference",
    progress: { show: () => {}, end: () => {} },
  });

describe("trained", () => {
  test("precision, costs and intersections are reported, held and judged on other rows as they are counted", async () => {
    const spec = specOf(
      "{ sure: { metric: precision, level: 0.8, hard: true }, dear: { metric: expected-cost, level: 1, costs: { yes: { no: 3 }, no: { yes: 1 } } }, m: { metric: error, by: [sex, age], level: 0.4 } }",
    );
    const { report, folder } = await trained(spec);
    const { sure, dear } = report.requirements;
    expect(sure.train!.strict.value).toBeGreaterThan(0.79);
    expect(dear.strictly).toBe("expected cost");
    expect([sure.isShare, dear.isShare]).toEqual([true, false]);
    expect(reportText(report)).toContain("precision");
    const found = await evaluateRun(folder, join(spec, "..", "rows.csv"));
    const answers = await predictions(trainedModel(folder), join(spec, "..", "rows.csv"), { keep: ["y"] });
    const given = answers.filter((row) => "class" in row && row.class === "yes");
    const right = given.filter(({ kept }) => kept!.y === "yes").length;
    expect(found.requirements.sure.outcome!.strict.value).toBeCloseTo(right / given.length, 5);
    expect(Object.keys(found.requirements)).toContain("m [sex × age=f × old]");
  });

  test("a quantile is where so many of the answers lie below", async () => {
    const spec = specOf("{ watched: { metric: loss, level: 9, cost: free } }", {
      objective: "{ loss: quantile, quantile: 0.9 }",
      target: "score",
    });
    const { folder, report } = await trained(spec);
    const answers = await predictions(trainedModel(folder), join(spec, "..", "rows.csv"), {
      keep: ["score"],
    });
    // The loss of the table is what the objective is the mean of; the root mean square error is of squares all the same.
    expect(report.train.loss.value).toBeCloseTo(report.objective, 5);
    const { loss, rootMeanSquare } = await evaluateRun(folder, join(spec, "..", "rows.csv"));
    const errors = answers.map((row) => Number(row.kept!.score) - (row as { prediction: number }).prediction);
    const mean = (of: (e: number) => number): number =>
      errors.reduce((sum, e) => sum + of(e), 0) / errors.length;
    expect(rootMeanSquare).toBeCloseTo(Math.sqrt(mean((e) => e * e)), 4);
    const { deviation } = finishedRun(folder).asked.data.target as { deviation: number };
    expect(loss.value).toBeCloseTo(mean((e) => Math.max(0.9 * e, -0.1 * e)) / deviation, 4);
    const above = answers.filter((row) => "prediction" in row && row.prediction >= Number(row.kept!.score));
    expect(above.length / answers.length).toBeGreaterThan(0.86);
    expect(above.length / answers.length).toBeLessThan(0.94);
  });

  test("the error of a number is asked for in its units, by group", async () => {
    const { report } = await trained(
      specOf("{ off: { metric: mean-absolute-error, by: sex, level: 0.5 } }", { target: "score" }),
    );
    const { value } = report.requirements["off [sex=f]"].test!.strict;
    expect(value).toBeGreaterThan(0.5);
    expect(value).toBeLessThan(1.2);
  });
});

describe("weights", () => {
  const weighted = async (data: string) =>
    (await prepare(readSpec(specOf("{ small: { metric: size, level: 9 } }", { data: `, ${data}` })))).prepared
      .train;

  test("from a column have mean 1, and the column is no feature", async () => {
    const train = await weighted("weights: w");
    expect(train.x.shape[1]).toBe(1);
    const weights = Array.from(train.weights!);
    expect(weights.reduce((a, b) => a + b, 0) / train.count).toBeCloseTo(1, 5);
    expect(new Set(weights.map((weight) => (weight / Math.min(...weights)).toFixed(4)))).toEqual(
      new Set(["1.0000", "2.0000", "3.0000"]),
    );
  });

  test.each([
    ["classes", (train: Awaited<ReturnType<typeof weighted>>) => train.groups.y],
    [
      "groups",
      (train: Awaited<ReturnType<typeof weighted>>) =>
        train.groups.sex.map((sex, i) => `${sex} ${train.groups.age[i]}`),
    ],
  ] as const)("balance of %s gives each the same sum", async (balance, cellsOf) => {
    const train = await weighted(`balance: ${balance}`);
    const sums = new Map<string, number>();
    for (const [i, cell] of cellsOf(train).entries())
      sums.set(cell!, (sums.get(cell!) ?? 0) + train.weights![i]);
    const [first, ...others] = sums.values();
    for (const other of others) expect(other).toBeCloseTo(first, 2);
  });

  test("weigh in the objective: rows without weight teach nothing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pliant-"));
    const lines = Array.from({ length: 400 }, (_, i) => {
      const counts = i % 2 === 0;
      return `${i % 7},${counts ? 1 : 0},${counts ? 2 * (i % 7) : -5 * (i % 7)}`;
    });
    writeFileSync(join(folder, "rows.csv"), `x,w,y\n${lines.join("\n")}\n`);
    writeFileSync(
      join(folder, "spec.yaml"),
      "data: { file: rows.csv, target: y, weights: w }\nmodel: { kind: linear }\nrequirements: { watched: { metric: loss, level: 99, cost: free } }\n",
    );
    const { folder: run } = await trained(join(folder, "spec.yaml"));
    const answers = await predictions(trainedModel(run), join(folder, "rows.csv"));
    for (const [i, row] of answers.slice(0, 7).entries())
      expect((row as { prediction: number }).prediction).toBeCloseTo(2 * (i % 7), 0);
  });

  test("below 0, missing, or of the target are refused", async () => {
    await expect(weighted("weights: x")).rejects.toThrow(
      /the weight in "x" is -[\d.]+; a weight is a number of at least 0/,
    );
    await expect(weighted("weights: y")).rejects.toThrow('data.weights: "y" is the target');
  });
});
