// The four answers on top of a run, and how long it still takes.
import { describe, expect, test } from "vitest";
import { answersOf } from "../page/src/words/answers.js";
import { progressOf } from "../page/src/words/progress.js";
import { namesTold, resultsOf, toldOf } from "../page/src/words/said.js";
import { headline } from "../page/src/words/verdict.js";
import { quantitiesOf } from "../src/quantities.js";
import { requirement } from "./fixtures.js";

const insisting = { had: true, missed: 0, reached: 0.1, costs: 0.034, others: {} };
const gave = requirement({
  reached: 0.257,
  relaxation: 0.157,
  price: 0.63,
  insisting,
  test: { strict: { value: 0.27, interval: [0.2, 0.34] } },
});
const met = requirement({ test: { strict: { value: 0.04, interval: [0.02, 0.06] } } });
const said = (requirements: object, certificate: object = { holds: true }) =>
  answersOf(resultsOf({ requirements, certificate })).map(({ answer, detail, tone }) => [
    answer,
    detail,
    tone,
  ]);

describe("the four questions", () => {
  test("are answered for a run in which something gave way", () => {
    const [asked, hold, what, costs] = said({ A: met, B: gave });
    expect(asked).toEqual(["2 requirements", "A at most 0.1; B at most 0.1", undefined]);
    expect(hold).toEqual(["1 of 2 requirements hold", "on test data 1 of 2: missed: B", "gave"]);
    expect(what).toEqual(["B by 0.157", "", "gave"]);
    expect(costs).toEqual(["0.034 of loss", "to insist on B", undefined]);
    const questions = answersOf(resultsOf({ requirements: { B: gave }, certificate: { holds: true } }));
    expect(questions.map(({ question }) => question)).toEqual([
      ...["What was asked", "Did it hold", "What gave way", "What it costs"],
    ]);
  });

  test("what was asked is every level, and which must hold; of many there is room for some", () => {
    const hard = requirement({ hard: true, sense: "at least", level: 0.9, reached: 0.95 });
    const free = requirement({ cost: "free" });
    expect(said({ met, hard, free })[0]).toEqual([
      ...["2 requirements", "met at most 0.1; hard at least 0.9 (hard)", undefined],
    ]);
    expect(said({ free })).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`r${i}`, met]));
    expect(said(many)[0].slice(0, 2)).toEqual([
      ...["9 requirements", expect.stringMatching(/^r0 at most 0\.1; .*; r4 at most 0\.1; 4 others$/)],
    ]);
  });

  test("the cost of insisting names the loss and how much others give way for it", () => {
    const both = { ...insisting, in: "errors", others: { alarms: 0.063, rising: 0 } };
    expect(said({ B: { ...gave, insisting: both } })[3].slice(0, 2)).toEqual([
      ...["0.034 of errors; alarms +0.063", "to insist on B, at the same scores"],
    ]);
  });

  test("the one that gave way most is named first, and the others with how far each did", () => {
    const less = { ...gave, reached: 0.15, relaxation: 0.05, price: 9 };
    const least = { ...gave, reached: 0.12, relaxation: 0.02 };
    expect(said({ least, less, B: gave, C: met })[2]).toEqual([
      ...["B by 0.157", "also less by 0.05 and least by 0.02", "gave"],
    ]);
  });

  test("a requirement of each example gave way on so many of them", () => {
    const margin = requirement({
      ...{ relaxation: 35, reached: 35.1, perExample: true, insisting },
      train: { strict: { value: 0.25, examples: 140 } },
    });
    expect(said({ margin })[2].slice(0, 2)).toEqual(["margin by 35", "on 35 of 140 examples"]);
  });

  test("a violated hard requirement comes before those that gave way", () => {
    const violated = requirement({ reached: 0.2, hard: true, price: 1 });
    const [, hold, what, costs] = said({ B: gave, violated });
    expect([hold[0], hold[2]]).toEqual(["0 of 2 requirements hold", "missed"]);
    expect(what).toEqual(["violated by 0.1", "it must hold", "missed"]);
    expect(costs.slice(0, 2)).toEqual(["not known", "prices settle once everything that must hold does"]);
    // A multiplier that still grows is no price, on the card, and not 0 where a threshold settles it.
    const decided = { ...violated, status: "violated", price: 0, decidedOn: "folds", pricedBy: "strict" };
    expect(resultsOf({ certificate: { holds: true }, requirements: { violated } }).violated.said.price).toBe(
      "?",
    );
    for (const one of [{ ...violated, status: "violated" }, decided]) {
      const { said } = resultsOf({ certificate: { holds: true }, requirements: { one } }).one;
      expect([said.price, said.known]).toEqual(["?", undefined]);
      const quantities = quantitiesOf({ certificate: { holds: true }, requirements: { one } });
      expect(quantities).not.toHaveProperty("one: price");
    }
  });

  test("are answered for a run in which nothing gave way", () => {
    expect(said({ A: met }).slice(1)).toEqual([
      ["its requirement holds", "on test data 1 of 1", "met"],
      ["Nothing", "", "met"],
      ["0", "nothing gave way", undefined],
    ]);
  });

  test("the answer about test rows follows the report's rule, also for metrics that are trained as they are counted", () => {
    const on = (value: number, interval: number[], more: object = {}) =>
      requirement({
        ...{ level: 1.2, reached: 0.987, pricedBy: "loss", metric: "quantile-loss", status: "met" },
        train: { strict: { value: 0.987, examples: 99 }, surrogate: 0.987 },
        test: { strict: { value, interval }, surrogate: value },
        ...more,
      });
    const test = (requirements: object) => said(requirements)[1].slice(1);
    const near = on(1.22, [1.096, 1.344]);
    const under = on(1.4, [1.3, 1.5]);
    // What holds where it was trained, and is missed on other rows, is not green.
    expect(test({ near })).toEqual(["on test data 0 of 1: missed within chance: near", "gave"]);
    expect(test({ under, near })).toEqual([
      ...["on test data 0 of 2: missed: under; missed within chance: near", "gave"],
    ]);
    // An interval that reaches beyond the level is said of what holds as of what is missed.
    const barely = on(1.1, [1, 1.3]);
    expect(test({ barely })).toEqual(["on test data 1 of 1: holds within chance: barely", "met"]);
    expect(test({ under: on(1.1, [1, 1.2]) })).toEqual(["on test data 1 of 1", "met"]);
    // What must lie between two levels is held against the nearer one; what has no interval is not judged.
    const between = on(1.1, [1, 1.3], { sense: "between", level: [0.1, 0.2] });
    const bare = requirement({ test: { strict: { value: 3 } } });
    expect(test({ between })[0]).toMatch(/^on test data 0 of 1/);
    expect(test({ bare })[0]).toBe("on test data 0 of 1: no verdict on bare");
    expect(resultsOf({ requirements: { near } }).near.surrogate).toBeUndefined();
    // Those without a verdict are counted among all, and named; what is free is asked of nothing.
    const free = requirement({ cost: "free", test: { strict: { value: 3, interval: [2, 4] } } });
    const untested = requirement({ test: undefined });
    expect(test({ near, bare, untested, free })).toEqual([
      ...["on test data 0 of 3: missed within chance: near; no verdict on bare and untested", "gave"],
    ]);
  });

  test("a missing measurement or test is stated", () => {
    const bare = { ...gave, insisting: undefined, test: undefined };
    const [, hold, , costs] = said({ B: bare });
    expect(hold[1]).toBe("not tested: no test rows were kept");
    expect(costs.slice(0, 2)).toEqual([
      ...["not measured", expect.stringMatching(/; the price of B is 0\.63 of loss per unit of its level$/)],
    ]);
    const instead = { ...gave, insisting: { ...insisting, costs: -0.01, others: { alarms: 0.02 } } };
    expect(said({ B: instead })[3][0]).toBe("others give way; alarms +0.02");
    const failed = { ...gave, insisting: { ...insisting, had: false, missed: 0.02, reached: 0.12 } };
    expect(said({ B: failed })[3].slice(0, 2)).toEqual([
      "not known",
      "Insisting did not meet it: it reached 0.120. Whether it can be met is unknown.",
    ]);
  });

  test("a price is quoted where it is known: not of a count that was not measured, nor before a certificate", () => {
    const bare = { ...gave, insisting: undefined };
    const detail = (r: object, certificate?: object) => said({ B: r }, certificate)[3][1] as string;
    const count = { ...bare, pricedBy: "strict" };
    expect(detail(count)).not.toContain("price");
    const unit = { size: 0.01, name: "one percentage point" };
    const measured = { ...count, neighbours: { unit, looser: 0.001, tighter: 0.003 } };
    expect(detail(measured)).toContain(
      "the price of B is 0.003 of loss for one percentage point tighter, as measured; one percentage point looser saves 0.001 of loss",
    );
    const even = { ...count, neighbours: { unit, looser: 0.002, tighter: 0.002 } };
    expect(detail(even)).toContain("the price of B is 0.2 of loss per unit of its level");
    expect(detail(bare, { holds: false })).toBe("measured after a run that is certified");
    expect(said({ A: met })[3][1]).toBe("nothing gave way");
  });
});

test("a requirement that holds by construction has no price, and is not called the dearest", () => {
  const built = requirement({
    hard: true,
    level: 0,
    reached: 0,
    status: "at its level",
    byConstruction: true,
    pricedBy: "strict",
  });
  const report = {
    requirements: { rising: built },
    certificate: { holds: true },
    byConstruction: ["rising"],
  };
  const { said } = resultsOf(report).rising;
  expect([said.price, said.known]).toEqual(["–", undefined]);
  expect(said.sentence).toBe("holds by construction on every row; the cost of this was not measured.");
  expect(quantitiesOf(report)).not.toHaveProperty("rising: price");
  const [, , what, costs] = answersOf(resultsOf(report));
  expect([what.answer, what.detail]).toEqual(["Nothing", "rising holds by construction"]);
  expect([costs.answer, costs.detail]).toEqual(["0", "nothing gave way"]);
  expect(headline(resultsOf(report)).join("")).toBe("Every requirement held; rising by construction.");
});

test("the worst group is named, which is another where rows are others", () => {
  const on = (group: string, value: number) => ({
    strict: { value, examples: 100 },
    surrogate: value,
    group,
  });
  const worst = {
    ...gave,
    status: "gave way",
    strictly: "error of the worst group",
    pricedBy: "strict",
    metric: "error",
    train: on("ward=a", 0.257),
    test: on("ward=b", 0.3),
  };
  const told = resultsOf({ requirements: { worst }, certificate: { holds: true } });
  expect(told.worst.said.sentence).toContain("0.257 [ward=a]");
  expect(headline(told).join("")).toContain("it reached 0.257 [ward=a] on the training rows");
  expect(answersOf(told)[1].detail).toBe("on test data 0 of 1: no verdict on worst");
});

test("a requirement with too few validation rows is answered from the training rows, on which it was counted", () => {
  const on = (value: number) => ({ strict: { value, examples: 100 }, surrogate: value });
  const count = {
    status: "gave way",
    pricedBy: "strict",
    metric: "error",
    sense: "between",
    level: [0.1, 0.2],
  };
  const report = (few: object) => ({
    requirements: {
      B: requirement({ ...count, ...few, reached: 0.05, train: on(0.3), validation: on(0.05) }),
    },
    certificate: { holds: true },
    judgedOn: "validation",
  });
  expect(resultsOf(report({ few: 3 })).B.said.sentence).toContain("0.300");
  expect(resultsOf(report({})).B.said.sentence).not.toContain("0.300");
});

describe("progress", () => {
  const time = { x: [0, 100, 200], y: [0, 30, 40] };
  test("has the step of all, and the time left at the latest pace", () => {
    expect(progressOf(200, 1000, time, "step")).toEqual({
      share: 0.2,
      words: "step 200 of 1,000, at most 80 s left",
    });
  });
  test("says no more than is known", () => {
    expect(progressOf(null, 10, time, "step")).toBeUndefined();
    expect(progressOf(5, null, time, "round")).toEqual({ share: undefined, words: "round 5" });
    expect(progressOf(5, 10, { x: [5], y: [0] }, "step")?.words).toBe("step 5 of 10");
  });
});

test("a level that was stored in single precision is shown as it was asked for", () => {
  const sentence = (level: number | number[], more: object = {}) =>
    resultsOf({ requirements: { r: requirement({ level, ...more }) }, certificate: { holds: false } }).r.said
      .sentence;
  for (const [kept, asked] of [
    [Math.fround(0.15), 0.15],
    [Math.fround(0.001), 0.001],
    [Math.fround(0.123456), 0.123456],
  ])
    expect(sentence(kept)).toBe(sentence(asked));
  expect(sentence(Math.fround(0.15))).not.toContain("0.15000000");
  expect(sentence([0.1, 0.2].map(Math.fround), { sense: "between" })).toBe(
    sentence([0.1, 0.2], { sense: "between" }),
  );
});

describe("a gap between two groups", () => {
  const gap = (value: number, more: object = {}) =>
    requirement({
      status: "met",
      strictly: "gap in positive rate",
      train: { strict: { value } },
      reached: value,
      ...more,
    });
  const told = (a: object, b: object) =>
    Object.keys(toldOf({ requirements: { "parity [g=A]": a, "parity [g=B]": b, other: met } }, 1e-3));

  test("is shown once, from the side that is ahead", () => {
    expect(told(gap(-0.036), gap(0.036))).toEqual(["parity [g=B]", "other"]);
    expect(told(gap(0.036), gap(-0.036))).toEqual(["parity [g=A]", "other"]);
  });
  test("and from both where each says something of its own", () => {
    expect(told(gap(-0.036, { price: 0.1 }), gap(0.036))).toHaveLength(3);
    expect(told(gap(-0.036, { level: 0.2 }), gap(0.036))).toHaveLength(3);
    expect(told(gap(-0.036, { strictly: "positive rate" }), gap(0.036))).toHaveLength(3);
  });
  test("also where what is counted is trained itself, and the run is not certified", () => {
    const error = { strictly: "gap in mean absolute error", metric: "mean-absolute-error", pricedBy: "loss" };
    const missed = gap(0.119, { ...error, price: 0.0036, relaxation: 0.0189, status: "unknown" });
    expect(told(missed, gap(-0.119, error))).toEqual(["parity [g=A]", "other"]);
  });
  test("in several runs, is shown from every side that one of them shows", () => {
    const run = (a: number) => resultsOf({ requirements: { "p [g=A]": gap(a), "p [g=B]": gap(-a) } });
    expect(namesTold([run(0.03), run(0.01)])).toEqual(["p [g=A]"]);
    expect(namesTold([run(0.03), run(-0.01)])).toEqual(["p [g=A]", "p [g=B]"]);
  });
});
