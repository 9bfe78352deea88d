// The best cut of scores is the best of all there are: compared with every cut, one by one.
import { onNumbers } from "@pliant/core";
import { array, NdArray, random } from "@pliant/engine";
import { describe, expect, it } from "vitest";
import type { Examples } from "../src/data/examples.js";
import { scaledDecision, scaledScores, scalingOf } from "../src/decision/calibrate.js";
import { bestCut, givenIn, judge, type Question, type Scored } from "../src/decision/cut.js";
import { ruleOf } from "../src/decision/rule.js";
import { errorCosts, tallyOf } from "../src/decision/tally.js";
import { costOf } from "../src/grammar/cost.js";
import { error, falseNegativeRate, falsePositiveRate, positiveRate } from "../src/metrics/answers.js";
import { expectedCost, f1, precision } from "../src/metrics/counts.js";
import type { Metric } from "../src/metrics/metric.js";
import type { Stated } from "../src/problem/stated.js";
import { insistingOf, neighboursOf } from "../src/questions/decision-cost.js";

const n = 240;

/** Rows of two groups whose scores tell the classes apart a little, in steps so that some are equal. */
function rows(classes = 2): Scored {
  const draw = random.normal(random.key(5), [n, classes + 2]).data;
  const y = Int32Array.from({ length: n }, (_, i) =>
    classes === 2 ? Number(draw[4 * i] > 0.6) : i % classes,
  );
  const groups = Array.from({ length: n }, (_, i) => (i % 3 === 0 ? "B" : "A"));
  const width = classes === 2 ? 1 : classes;
  const scores = Float64Array.from({ length: n * width }, (_, at) => {
    const i = Math.floor(at / width);
    const own = classes === 2 ? y[i] : Number(y[i] === at % width);
    return Math.round(8 * (1.2 * own + draw[(at * 3 + 1) % draw.length] - (groups[i] === "B" ? 0.5 : 0))) / 8;
  });
  const examples: Examples = {
    count: n,
    x: array([0]) as NdArray,
    y: new NdArray(y, [n]),
    groups: { g: groups },
    missing: () => false,
  };
  return { scores, examples, classes };
}

const asked = (metric: Metric, level: number, more: Partial<Stated> = {}): Stated =>
  ({
    name: metric.strictly,
    of: metric.strictly,
    spec: { cost: more.hard ? undefined : "quadratic(3)" },
    metric,
    sense: "at most",
    level,
    hard: false,
    perExample: false,
    ...more,
  }) as unknown as Stated;

function ask(scored: Scored, stated: readonly Stated[], confidence?: number): Question {
  const { examples, classes } = scored;
  const options = { cost: "quadratic(1)", classes, unit: 1, ...(confidence && { confidence }) };
  return {
    rules: stated.map((s) => ruleOf(s, examples, options)),
    cost: tallyOf({ costs: errorCosts(classes) }, new Uint8Array(n).fill(1), examples.y.data, classes),
    shared: costOf("quadratic(1)").plain,
  };
}

const group = (value: string) => ({ column: "g", value });
const gap = { group: group("A"), base: { of: "rest" as const, factor: 1, among: ["A", "B"] } };

const questions: Record<string, Stated[]> = {
  "one rate that must hold": [asked(falseNegativeRate(1), 0.2, { hard: true })],
  "two rates of which one gives way": [
    asked(falseNegativeRate(1), 0.1),
    asked(falsePositiveRate(1), 0.1, { hard: true }),
  ],
  "a rate of the first class": [asked(falseNegativeRate(0), 0.15, { hard: true })],
  precision: [asked(precision(1), 0.7, { hard: true, sense: "at least" })],
  F1: [asked(f1(1), 0.8, { sense: "at least" })],
  "expected cost": [
    asked(
      expectedCost([
        [0, 1],
        [5, 0],
      ]),
      0.4,
    ),
  ],
  "a share at least": [asked(positiveRate(1), 0.5, { hard: true, sense: "at least" })],
  "a gap": [asked(positiveRate(1), 0.02, { ...gap, hard: true })],
  "the worst group": [asked(error, 0.2, { worst: [group("A"), group("B")] })],
};

describe("one threshold", () => {
  it.each(Object.entries(questions))("is the best of all: %s", (_, stated) => {
    const scored = rows();
    const question = ask(scored, stated);
    const found = bestCut(scored, question);
    const all = [...new Set(scored.scores)].sort((a, b) => a - b);
    const cuts = [all[0] - 1, ...all.slice(1).map((s, i) => (s + all[i]) / 2), all[all.length - 1] + 1];
    const every = cuts.map((threshold) => judge(question, givenIn({ threshold }, scored)));
    const least = Math.min(...every.map(({ violation }) => violation));
    const best = Math.min(
      ...every.filter(({ violation }) => violation <= least + 1e-12).map(({ cost, gave }) => cost + gave),
    );
    expect(found.violation).toBeCloseTo(least, 10);
    expect(found.cost + found.gave).toBeCloseTo(best, 10);
  });

  it("asks more of a level that should hold on new rows: as many misses as Beta(k + 1, P − k) allows", () => {
    const scored = rows();
    const stated = [asked(falseNegativeRate(1), 0.2, { hard: true })];
    const positives = Array.from(scored.examples.y.data).reduce((a, b) => a + b, 0);
    const plain = bestCut(scored, ask(scored, stated));
    const sure = bestCut(scored, ask(scored, stated, 0.9));
    expect(sure.values[0]).toBeLessThan(plain.values[0]);
    // By hand: the chance of at most k misses of P at a true rate of 0.2 is at most 0.1, and that of k + 1 is more.
    const chance = (most: number): number => {
      let [term, sum] = [0.8 ** positives, 0];
      for (let j = 0; j <= most; j++) {
        sum += term;
        term *= ((positives - j) / (j + 1)) * (0.2 / 0.8);
      }
      return sum;
    };
    let allowed = -1;
    while (chance(allowed + 1) <= 0.1) allowed++;
    expect(Math.round(sure.values[0] * positives)).toBeLessThanOrEqual(allowed);
    expect(Math.round(sure.values[0] * positives)).toBeGreaterThanOrEqual(allowed - 3);
  });
});

it("thresholds by group are no worse than one for all, and close a gap that it cannot for so little", () => {
  const scored = rows();
  const question = ask(scored, questions["a gap"]);
  const [common, own] = [bestCut(scored, question), bestCut(scored, question, { by: "g" })];
  expect(own.violation).toBeLessThanOrEqual(common.violation);
  expect(own.cost).toBeLessThan(common.cost);
  expect(Object.keys(own.decision.by!.thresholds)).toEqual(["B", "A"]);
});

/** Three classes of which the last is rare and hard to tell from the others. */
function withRare(seed: number): Scored {
  const draw = random.normal(random.key(seed), [n, 3]).data;
  const y = Int32Array.from({ length: n }, (_, i) => (i % 7 === 0 ? 2 : i % 2));
  const scores = Float64Array.from(
    { length: 3 * n },
    (_, at) => draw[at] + Number(y[Math.floor(at / 3)] === at % 3) - (at % 3 === 2 ? 1.5 : 0),
  );
  return { ...rows(), scores, examples: { ...rows().examples, y: new NdArray(y, [n]) }, classes: 3 };
}

const rare: Record<string, Stated[]> = {
  "misses of the rare class": [asked(falseNegativeRate(2), 0.3, { hard: true })],
  "misses of two classes": [
    asked(falseNegativeRate(2), 0.4, { hard: true }),
    asked(falseNegativeRate(0), 0.4, { hard: true }),
  ],
  "misses of the first, and errors that give way": [
    asked(falseNegativeRate(0), 0.2, { hard: true }),
    asked(error, 0.3),
  ],
  "a share of the rare class": [asked(positiveRate(2), 0.3, { hard: true, sense: "at least" })],
};

it.each(
  Object.entries(rare).flatMap(([name, stated]) => [1, 2, 3].map((seed) => [name, seed, stated] as const)),
)("offsets come within a point of the best on a grid: %s, draw %i", (_, seed, stated) => {
  const scored = withRare(seed);
  const question = ask(scored, stated);
  const found = bestCut(scored, question);
  const grid = Array.from({ length: 41 }, (_, i) => -3 + (i * 6) / 40);
  const every = grid.flatMap((a) =>
    grid.map((b) => judge(question, givenIn({ offsets: [0, a, b] }, scored))),
  );
  const met = every.filter(({ violation }) => violation <= 1e-12);
  const best = Math.min(...met.map(({ cost, gave }) => cost + gave));
  expect(found.violation).toBeLessThan(1e-12);
  expect(found.cost + found.gave).toBeLessThan(best + 0.01);
  const { looser, tighter } = neighboursOf({ scored, question, cut: found, currency: "errors" }, 0)!;
  expect(looser).toBeGreaterThan(-1e-9);
  expect(tighter).toBeGreaterThan(-0.01);
});

it("offsets of several classes hold a rate of one of them, at fewer errors than giving it to all", () => {
  const scored = rows(3);
  const plain = bestCut(scored, ask(scored, []));
  const held = bestCut(scored, ask(scored, [asked(falseNegativeRate(2), 0.1, { hard: true })]));
  expect(plain.cost).toBeLessThanOrEqual(judge(ask(scored, []), givenIn({}, scored)).cost);
  expect(held.values[0]).toBeLessThanOrEqual(0.1);
  expect(held.cost).toBeGreaterThan(plain.cost);
  expect(held.cost).toBeLessThan(0.6);
});

it("scaling makes probabilities likelier and moves no decision", () => {
  const { scores, ...rest } = rows();
  const bent = { ...rest, scores: scores.map((s) => 4 * s + 1) };
  const scaling = scalingOf(bent);
  const straight = scaledScores(bent, scaling);
  expect(scaling.slope).toBeGreaterThan(0);
  expect(scaling.slope).toBeLessThan(0.6);
  const decision = { threshold: 1.3, by: { column: "g", thresholds: { B: 0.2 } } };
  expect([...givenIn(scaledDecision(decision, scaling), straight)]).toEqual([...givenIn(decision, bent)]);
});

it.each(["quadratic(2)", "linear(0.5)", "power(3, 2)", "maximum(2)", "huber(2, 0.3)", "free"])(
  "%s on plain numbers is the core's",
  (text) => {
    const [plain, core] = [costOf(text).plain, onNumbers(costOf(text).cost)];
    for (const u of [[0.1], [0.2, 0.7]]) expect(plain.value(u)).toBeCloseTo(core.value(u), 10);
    if (text.startsWith("max") || text === "free") return;
    const [slope] = core.gradient([0.2]);
    if (!text.startsWith("linear")) expect(plain.relaxationAt(slope)).toBeCloseTo(0.2, 10);
  },
);

describe("the printed cost of a level is what a run at another level measures", () => {
  const positive = 1;
  const currency = "errors" as const;

  it.each(Object.entries(questions))("one unit looser and tighter: %s", (_, stated) => {
    const scored = rows();
    const question = ask(scored, stated);
    const cut = bestCut(scored, question);
    const told = neighboursOf({ scored, question, cut, currency, positive }, 0)!;
    const sign = stated[0].sense === "at least" ? -1 : 1;
    for (const [side, way] of [
      ["looser", 1],
      ["tighter", -1],
    ] as const) {
      const level = (stated[0].level as number) + sign * way * told.unit.size;
      const again = bestCut(scored, ask(scored, [{ ...stated[0], level }, ...stated.slice(1)]));
      const costs = again.cost + again.gave - cut.cost - cut.gave;
      if (told[side] === undefined) expect(again.violation).toBeGreaterThan(cut.violation);
      else expect(told[side]).toBeCloseTo(side === "looser" ? -costs : costs, 9);
    }
  });

  it.each([
    ["at most", 0.004, "tighter"],
    ["at least", 0.996, "tighter"],
    ["at most", 0.996, "looser"],
    ["at least", 0.004, "looser"],
  ] as const)(
    "no share is asked for below 0 or above 1: %s %d has no side that is %s",
    (sense, level, side) => {
      const scored = rows();
      const question = ask(scored, [asked(falseNegativeRate(1), level, { sense })]);
      const told = neighboursOf({ scored, question, cut: bestCut(scored, question), currency, positive }, 0)!;
      expect(told[side]).toBeUndefined();
      expect(told[side === "looser" ? "tighter" : "looser"]).toBeDefined();
    },
  );

  it("what no threshold meets beside a hard requirement is said to be met without it, where it is", () => {
    const scored = rows();
    const alarms = asked(falsePositiveRate(1), 0.02);
    const unmetBeside = (...stated: Stated[]) => {
      const question = ask(scored, stated);
      return insistingOf({ scored, question, cut: bestCut(scored, question), currency, positive }, 0).unmet;
    };
    expect(unmetBeside(alarms, asked(falseNegativeRate(1), 0.1, { hard: true }))).toEqual({
      against: ["false negative rate"],
    });
    expect(unmetBeside(asked(error, 0.01), asked(falseNegativeRate(1), 0.5, { hard: true }))).toEqual({});
    const few = asked(precision(1), 0.999, { sense: "at least" });
    expect(unmetBeside(few)).toEqual({ fewest: expect.any(Number) });
    const most = unmetBeside(few)!.fewest!;
    const order = Array.from(scored.scores.keys()).sort((a, b) => scored.scores[b] - scored.scores[a]);
    // With as many rows in the class as that, no cut is as precise.
    const right = order.map((i) => Number(scored.examples.y.data[i] === 1));
    for (let called = most; called <= n; called++)
      expect(right.slice(0, called).reduce((a, b) => a + b, 0) / called).toBeLessThan(0.999);
  });

  it.each(Object.entries(questions))("insisting: %s", (_, stated) => {
    const scored = rows();
    const question = ask(scored, stated);
    const cut = bestCut(scored, question);
    const told = insistingOf({ scored, question, cut, currency, positive }, 0);
    const firm = { ...stated[0], hard: true, spec: { ...stated[0].spec, cost: undefined } } as Stated;
    const again = bestCut(scored, ask(scored, [firm, ...stated.slice(1)]));
    expect(told.reached).toBeCloseTo(again.values[0], 9);
    expect(told.costs).toBeCloseTo(again.cost - cut.cost, 9);
    expect(told.had).toBe(again.excess[0] <= 1e-9);
  });
});
