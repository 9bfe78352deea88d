// Metrics beyond the mean: ranking, the worst losses, quantiles, the worst group; and counts as a target.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, constant, evaluate, grad, random, type Tensor } from "@pliant/engine";
import { beforeAll, describe, expect, test } from "vitest";
import { error } from "../src/metrics/answers.js";
import type { Look } from "../src/metrics/metric.js";
import { quantileLoss } from "../src/metrics/numbers.js";
import { auc, aucInterval } from "../src/metrics/ranking.js";
import { cvar } from "../src/metrics/tail.js";
import { worstOf } from "../src/problem/measure.js";
import { ownLoss } from "../src/problem/objective.js";
import { prepare } from "../src/problem/prepare.js";
import { type Run, trainInFolder } from "../src/run/run.js";
import { trainedModel } from "../src/run/trained.js";
import { readSpec } from "../src/spec/spec-file.js";
import { evaluationText } from "../src/text/evaluation-text.js";
import { reportText } from "../src/text/report-text.js";
import { evaluateRun } from "../src/use/evaluate.js";
import { predictions } from "../src/use/predict.js";

const item = (tensor: Tensor): number => evaluate(tensor).item();
const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
const mean = (list: readonly number[]): number => sum(list) / list.length;
const nothing = {
  moved: () => ({ target: { kind: "number" as const, mean: 0, deviation: 1 }, logits: constant(array(0)) }),
  squares: constant(array(0)),
};

/** Scores of two classes for n examples, some of them equal, and the truth. */
function scored(n: number): { look: Look; z: number[]; y: number[] } {
  const z = Array.from(random.normal(random.key(3), [n]).data, (x) => Math.round(4 * x) / 4);
  const y = Array.from(random.randint(random.key(4), [n], 0, 2).data);
  const look: Look = {
    target: { kind: "class", classes: ["no", "yes"], positive: 1 },
    logits: constant(array(z.map((score) => [0, score]))),
    y: constant(array(y, { dtype: "int32" })),
    ...nothing,
  };
  return { look, z, y };
}

/** The mean over pairs of an example of the class and one of another, among those that count. */
function overPairs(
  { z, y }: { z: number[]; y: number[] },
  counts: readonly number[],
  of: (own: number, other: number) => number,
): number {
  const pairs: number[] = [];
  for (const [i, own] of z.entries())
    for (const [j, other] of z.entries())
      if (y[i] === 1 && y[j] === 0 && counts[i] > 0 && counts[j] > 0) pairs.push(of(own, other));
  return mean(pairs);
}

describe("AUC", () => {
  const n = 61;
  const some = scored(n);
  const half = Array.from({ length: n }, (_, i) => Number(i % 3 === 0));
  const weightsOf = (marks: readonly number[]): Tensor =>
    constant(array(marks.map((mark) => (mark * n) / sum(marks))));
  const share = (own: number, other: number): number => (own > other ? 1 : own === other ? 0.5 : 0);

  test.each([
    ["of all", new Array(n).fill(1)],
    ["of some alone", half],
  ])("%s is the share of pairs in the right order, and trained by the hinge of each pair", (_, marks) => {
    const weights = weightsOf(marks);
    const hinge = (x: number): number => Math.max(0, 1 - x);
    expect(item(auc(1).strict(some.look, weights))).toBeCloseTo(overPairs(some, marks, share), 5);
    expect(item(auc(1).below(some.look, weights))).toBeCloseTo(
      1 - overPairs(some, marks, (own, other) => hinge(own - other)),
      4,
    );
    expect(item(auc(1).above(some.look, weights))).toBeCloseTo(
      overPairs(some, marks, (own, other) => hinge(other - own)),
      4,
    );
  });

  test("the surrogate bounds the count", () => {
    const weights = weightsOf(new Array(n).fill(1));
    const counted = item(auc(1).strict(some.look, weights));
    expect(item(auc(1).below(some.look, weights))).toBeLessThan(counted);
    expect(item(auc(1).above(some.look, weights))).toBeGreaterThan(counted);
  });

  test("the slope is that of the hinges", () => {
    const weights = weightsOf(half);
    // Shifted a little, so that no pair is at its kink.
    const z = some.z.map((score, i) => score + 1e-3 * i);
    const slope = evaluate(
      grad((logits: Tensor) => auc(1).below({ ...some.look, logits }, weights))(
        constant(array(z.map((score) => [0, score]))),
      ),
    ).data;
    const value = (at: number, by: number): number =>
      1 -
      overPairs({ ...some, z: z.map((s, i) => (i === at ? s + by : s)) }, half, (a, b) =>
        Math.max(0, 1 - a + b),
      );
    for (const at of [0, 3, 7, 30, 60]) {
      const numeric = (value(at, 1e-4) - value(at, -1e-4)) / 2e-4;
      expect(slope[2 * at + 1]).toBeCloseTo(numeric, 3);
    }
  });

  test("its interval is that of Hanley and McNeil, and within 0 and 1", () => {
    // Their table: 50 of each and an area of 0.9 have a standard error of 0.0311.
    const [low, high] = aucInterval(0.9, 50, 50);
    expect((high - low) / (2 * 1.96)).toBeGreaterThan(0.0311 * 0.95);
    expect((high - low) / (2 * 1.96)).toBeLessThan(0.0311 * 1.05);
    for (const value of [0, 0.5, 1]) {
      const [from, to] = aucInterval(value, 7, 12);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(to).toBeLessThanOrEqual(1);
      expect(from).toBeLessThanOrEqual(value);
      expect(to).toBeGreaterThanOrEqual(value);
      expect(to - from).toBeGreaterThan(0.1);
    }
  });

  test("with a single class nothing is ranked wrongly", () => {
    const one = { ...some.look, y: constant(array(new Array(n).fill(1), { dtype: "int32" })) };
    const weights = weightsOf(new Array(n).fill(1));
    for (const side of ["strict", "below", "above"] as const)
      expect(item(auc(1)[side](one, weights))).toBe(1);
  });
});

describe("for regression", () => {
  const answers = [1, 0, -1, 2, 0.5, 0.25, -2, 1];
  const truths = [0, 0, 1, 2, -1, 0.5, 1, 1];
  const look: Look = {
    target: { kind: "number", mean: 5, deviation: 10 },
    logits: constant(array(answers)),
    y: constant(array(truths)),
    ...nothing,
  };

  test("CVaR is the mean of the largest losses, with a part of the last of them", () => {
    const worst = answers.map((a, i) => (a - truths[i]) ** 2).sort((a, b) => b - a);
    const all = constant(array(new Array(8).fill(1)));
    expect(item(cvar(0.25).strict(look, all))).toBeCloseTo(mean(worst.slice(0, 2)), 5);
    expect(item(cvar(0.3125).strict(look, all))).toBeCloseTo((worst[0] + worst[1] + worst[2] / 2) / 2.5, 5);
    expect(item(cvar(1).strict(look, all))).toBeCloseTo(mean(worst), 5);
    // With the first four only, the worst quarter is one example.
    const four = constant(array([2, 2, 2, 2, 0, 0, 0, 0]));
    expect(item(cvar(0.25).strict(look, four))).toBeCloseTo(4, 5);
  });

  test("the surrogate is never below, close, and has the derivative of its formula", () => {
    const all = constant(array(new Array(8).fill(1)));
    for (const share of [0.1, 0.25, 0.6]) {
      const metric = cvar(share);
      const [counted, learnt] = [item(metric.strict(look, all)), item(metric.above(look, all))];
      expect(learnt).toBeGreaterThanOrEqual(counted - 1e-4);
      expect(learnt).toBeLessThan(counted * 1.35);
      // min over t, as it is the least over all of them that is taken.
      const losses = answers.map((a, i) => (a - truths[i]) ** 2);
      const tau = 0.1 * mean(losses);
      const at = (t: number): number =>
        t + mean(losses.map((l) => tau * Math.log1p(Math.exp((l - t) / tau)))) / share;
      const least = Math.min(...Array.from({ length: 4001 }, (_, i) => at(-10 + i / 200)));
      expect(learnt).toBeCloseTo(least, 3);
    }
  });

  test("the quantile's loss is in its own units", () => {
    const expected = answers.map((a, i) => 10 * Math.max(0.9 * (truths[i] - a), -0.1 * (truths[i] - a)));
    const found = Array.from(evaluate(quantileLoss(0.9).strict(look)).data);
    for (const [i, value] of found.entries()) expect(value).toBeCloseTo(expected[i], 4);
  });

  test("the deviance of counts is that of their probabilities", () => {
    const counts = { ...look, logits: constant(array([0, 0.1, -0.4])), y: constant(array([-0.5, 0, 0.3])) };
    const found = Array.from(evaluate(ownLoss({ objective: { loss: "poisson" } } as never)(counts)).data);
    const expected = [
      [0, 5],
      [5, 6],
      [8, 1],
    ].map(([y, mu]) => (y === 0 ? 0 : y * Math.log(y / mu)) - y + mu);
    for (const [i, value] of found.entries()) expect(value).toBeCloseTo(expected[i], 4);
  });
});

test("the worst group is the one with the largest value, of those that are there", () => {
  const { look, z, y } = scored(40);
  const wrong = z.map((score, i) => Number(score > 0 !== (y[i] === 1)));
  const groups = [0, 1, 2].map((g) => wrong.map((_, i) => Number(i % 3 === g)));
  const shares = groups.map((marks) => sum(wrong.filter((_, i) => marks[i] === 1)) / sum(marks));
  const marks = [...groups, new Array(40).fill(0)].map((one) => constant(array(one)));
  const { value, observed } = worstOf(error, "strict", look, marks, { sense: "at most", level: 0 });
  expect(item(value)).toBeCloseTo(Math.max(...shares), 6);
  expect(item(observed)).toBe(1);
  expect(item(worstOf(error, "strict", look, marks, { sense: "at least", level: 0 }).value)).toBeCloseTo(
    Math.min(...shares),
    6,
  );
  // The trained metric is a soft maximum of those of the groups.
  const bits = z.map((score, i) => Math.log2(1 + Math.exp(y[i] === 1 ? -score : score)));
  const each = groups.map((one) => sum(bits.filter((_, i) => one[i] === 1)) / sum(one));
  const tau = 0.05 * mean(each);
  const soft = tau * Math.log(sum(each.map((v) => Math.exp(v / tau))));
  expect(item(worstOf(error, "above", look, marks, { sense: "at most", level: 0 }).value)).toBeCloseTo(
    soft,
    4,
  );
});

describe("one example moves the worst group", () => {
  /** Groups of so many examples, of which so many are wrong. */
  const step = (
    groups: readonly (readonly [wrong: number, of: number])[],
    level: number,
    draws = 1,
  ): number => {
    const bad = groups.flatMap(([wrong, of]) => Array.from({ length: of }, (_, i) => Number(i < wrong)));
    const own = groups.flatMap(([, of], g) => new Array<number>(of).fill(g));
    const marks = groups.map((_, g) => constant(array(own.map((one) => Number(one === g)))));
    const { look } = scored(bad.length * draws);
    const metric = { ...error, strict: () => constant(array(new Array(draws).fill(bad).flat())) };
    return item(worstOf(metric, "strict", look, marks, { sense: "at most", level }).resolution!);
  };

  test("by as much less as it is drawn more often", () => {
    const group = [[72, 200]] as const;
    expect(step(group, 0.3, 4)).toBeCloseTo(1 / 800, 6);
    expect(step(group, 0.4, 4)).toBeCloseTo(1 / 800, 6);
  });

  test("by its own share, not by that of a smaller one", () => {
    expect(
      step(
        [
          [72, 200],
          [0, 6],
        ],
        0.3,
      ),
    ).toBeCloseTo(1 / 200, 6);
    expect(
      step(
        [
          [20, 200],
          [3, 6],
        ],
        0.3,
      ),
    ).toBeCloseTo(1 / 6, 6);
  });

  test("by no more than the next one lets it, which is within its own example of the level too", () => {
    // 64 of 200 miss 0.3 by four examples, though one of six takes the other below it.
    expect(
      step(
        [
          [64, 200],
          [2, 6],
        ],
        0.3,
      ),
    ).toBeCloseTo(2 / 6 - 63 / 200, 6);
  });

  test("where it is below its level, by what one more of any group would make of it", () => {
    expect(
      step(
        [
          [58, 200],
          [1, 6],
        ],
        0.3,
      ),
    ).toBeCloseTo(2 / 6 - 58 / 200, 6);
  });
});

/** Two groups of which b is harder; counts that rise with x. */
function folderWith(spec: string): string {
  const folder = mkdtempSync(join(tmpdir(), "pliant-"));
  const noise = random.normal(random.key(9), [500, 2]).data;
  const u = random.uniform(random.key(10), [500, 12]).data;
  const rows = Array.from({ length: 500 }, (_, i) => {
    const [x, e] = [noise[2 * i], noise[2 * i + 1]];
    const ward = i % 2 === 0 ? "a" : "b";
    const score = x + (ward === "b" ? 1.5 : 0.5) * e;
    // Twelve chances of e^(0.5 x)/12 each: about a Poisson number.
    const visits = Array.from({ length: 12 }, (_, k) => Number(u[12 * i + k] < Math.exp(0.5 * x) / 12));
    return `${x.toFixed(4)},${ward},${score > 0 ? "yes" : "no"},${sum(visits)}`;
  });
  writeFileSync(join(folder, "rows.csv"), `x,ward,ill,visits\n${rows.join("\n")}\n`);
  writeFileSync(join(folder, "spec.yaml"), spec);
  return folder;
}

const train = (folder: string): Promise<Run> =>
  trainInFolder(readSpec(join(folder, "spec.yaml")), {
    name: "r",
    out: join(folder, "run"),
    device: "cpu",
    progress: { show: () => {}, end: () => {} },
  });

describe("a run", () => {
  let [folder, run]: [string, Run] = ["", {} as Run];
  beforeAll(async () => {
    folder = folderWith(`data: { file: rows.csv, target: ill, columns: { ward: group, visits: ignore } }
model: { kind: linear }
requirements:
  ranking: { metric: auc, level: 0.8 }
  ranking by ward: { metric: auc, level: 0.7, by: ward, only: [a] }
  tail: { metric: cvar, share: 0.2, level: 1.5 }
  worst ward: { metric: error, by: ward, worst: true, level: 0.2 }
decision: { threshold: 0.5 }
budget: { steps: 400 }
`);
    run = await train(folder);
  });

  test("is asked for ranks, tails and the worst group, and reports what it counted", async () => {
    const { requirements } = run.report;
    expect(Object.keys(requirements)).toEqual(["ranking", "ranking by ward [ward=a]", "tail", "worst ward"]);
    expect(requirements["worst ward"].strictly).toBe("error of the worst group");
    const found = await predictions(trainedModel(join(folder, "run")), join(folder, "rows.csv"), {
      keep: ["all"],
    });
    const p = found.map((row) => ("class" in row ? row.probabilities.yes : 0));
    const y = found.map(({ kept }) => Number(kept!.ill === "yes"));
    const evaluation = (await evaluateRun(join(folder, "run"), join(folder, "rows.csv"))).requirements;
    const strictly = (name: string): number => evaluation[name].outcome!.strict.value;
    const every = new Array(500).fill(1);
    const share = (a: number, b: number): number => (a > b ? 1 : a === b ? 0.5 : 0);
    expect(evaluation.ranking.verdict).not.toBe("not told");
    expect(strictly("ranking")).toBeCloseTo(overPairs({ z: p, y }, every, share), 4);
    const inA = found.map(({ kept }) => Number(kept!.ward === "a"));
    expect(strictly("ranking by ward [ward=a]")).toBeCloseTo(overPairs({ z: p, y }, inA, share), 4);
    const losses = p.map((q, i) => -Math.log(y[i] === 1 ? q : 1 - q)).sort((a, b) => b - a);
    expect(strictly("tail")).toBeCloseTo(mean(losses.slice(0, 100)), 4);
    const wrong = (ward: string): number =>
      mean(p.flatMap((q, i) => (found[i].kept!.ward === ward ? [Number(q > 0.5 !== (y[i] === 1))] : [])));
    expect(strictly("worst ward")).toBeCloseTo(Math.max(wrong("a"), wrong("b")), 6);
    const worst = `ward=${wrong("a") > wrong("b") ? "a" : "b"}`;
    expect(evaluation["worst ward"].outcome!.group).toBe(worst);
    expect(reportText(run.report)).toMatch(/worst ward +error of the worst group .*\) \[ward=[ab]\]/);
    expect(evaluationText(await evaluateRun(join(folder, "run"), join(folder, "rows.csv")))).toContain(
      `[${worst}]`,
    );
  });
});

test("counts are answered by a rate that is never below 0, near the one they were drawn with", async () => {
  const folder = folderWith(`data: { file: rows.csv, target: visits, columns: { ward: group, ill: ignore } }
model: { kind: linear }
objective: { loss: poisson }
requirements: { watched: { metric: mean-absolute-error, level: 9, cost: free } }
`);
  const { report } = await train(folder);
  expect(report.certificate.holds).toBe(true);
  const trained = trainedModel(join(folder, "run"));
  const ends = join(folder, "ends.csv");
  writeFileSync(ends, "x\n-3\n0\n3\n");
  const [low, middle, high] = (await predictions(trained, ends)).map((row) =>
    "prediction" in row ? row.prediction : Number.NaN,
  );
  expect(low).toBeGreaterThan(0);
  expect(middle).toBeGreaterThan(0.8);
  expect(middle).toBeLessThan(1.2);
  // e^1.5 times as many, to what 350 rows can tell.
  expect(Math.log(high / middle)).toBeGreaterThan(1.2);
  expect(Math.log(high / middle)).toBeLessThan(1.8);
});

describe("invalid requirements are refused with a sentence", () => {
  const asked = (requirement: string, { target = "ill", objective = "{}" } = {}) => {
    const other = target === "ill" ? "visits" : "ill";
    const folder = folderWith(
      `data: { file: rows.csv, target: ${target}, columns: { ward: group, ${other}: ignore } }\nmodel: { kind: linear }\nobjective: ${objective}\nrequirements: { r: ${requirement} }\n`,
    );
    return prepare(readSpec(join(folder, "spec.yaml")));
  };

  test.each([
    [
      "{ metric: error, worst: true, level: 0.1 }",
      "ill",
      "the worst is one of some groups; say which with by.",
    ],
    ["{ metric: error, worst: true, by: ward, gap: true, level: 0.1 }", "ill", "leave out one of them."],
    [
      "{ metric: error, worst: true, by: ward, level: overall + 0.1 }",
      "ill",
      "of the worst group it is one number.",
    ],
    ["{ metric: auc, level: 80 }", "ill", "a share is between 0 and 1, and 80 is not; for 80% write 0.8."],
    ["{ metric: auc, level: 0.8 }", "visits", "auc is about classes, and the target is a number;"],
    [
      "{ metric: quantile-loss, level: 1 }",
      "ill",
      "quantile-loss is about a number, and the target has classes.",
    ],
  ])("%s of %s", async (requirement, target, sentence) => {
    await expect(asked(requirement, { target })).rejects.toThrow(sentence);
  });

  test("counts below 0", async () => {
    const folder = folderWith(
      "data: { file: rows.csv, target: x, columns: { ward: group } }\nmodel: { kind: linear }\nobjective: { loss: poisson }\nrequirements: { r: { metric: size, level: 9 } }\n",
    );
    await expect(prepare(readSpec(join(folder, "spec.yaml")))).rejects.toThrow(
      /objective\.loss: poisson is for counts/,
    );
  });
});
