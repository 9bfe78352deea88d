// The five answers on top of a run, and how long it still takes.
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

describe("the five questions", () => {
  test("are answered for a run in which something gave way", () => {
    const [what, much, price, insist, test] = said({ A: met, B: gave });
    expect(what).toEqual(["B", "", "gave"]);
    expect(much).toEqual(["0.157", "asked at most 0.1, reached 0.257", "gave"]);
    expect(price.slice(0, 2)).toEqual(["0.63", "of loss per unit of its level"]);
    expect(insist).toEqual(["0.034 of loss", "Insisting would raise the loss by 0.034.", undefined]);
    expect(test).toEqual(["1 of 2", "B: 0.27 (0.2–0.34), missed", "missed"]);
  });

  test("the cost of insisting names the loss and how much others give way for it", () => {
    const both = { ...insisting, in: "errors", others: { alarms: 0.063, rising: 0 } };
    expect(said({ B: { ...gave, insisting: both } })[3][0]).toBe("0.034 of errors; alarms +0.063");
  });

  test("the one that gave way most is named first, and the others are counted", () => {
    const less = { ...gave, reached: 0.15, relaxation: 0.05, price: 9 };
    expect(said({ less, B: gave, C: met })[0]).toEqual(["B", "and 1 other", "gave"]);
  });

  test("a violated hard requirement comes before those that gave way", () => {
    const violated = requirement({ reached: 0.2, hard: true, price: 1 });
    const [what, much, price, insist] = said({ B: gave, violated });
    expect(what).toEqual(["violated", "violated, though it must not bend", "missed"]);
    expect(much[0]).toBe("0.1");
    // A multiplier that still grows is no price, on the card as among the answers, and not 0 where a threshold settles it.
    expect(price[0]).toBe("?");
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
    expect(insist.slice(0, 2)).toEqual(["insisted on", "it must hold, and does not"]);
  });

  test("are answered for a run in which nothing gave way", () => {
    const [what, , , insist, test] = said({ A: met });
    expect(what[0]).toBe("Nothing");
    expect(insist[0]).toBe("0");
    expect(test[0]).toBe("yes");
  });

  test("the answer about test rows follows the report's rule, also for metrics that are trained as they are counted", () => {
    const on = (value: number, interval: number[], more: object = {}) =>
      requirement({
        ...{ level: 1.2, reached: 0.987, pricedBy: "loss", metric: "quantile-loss", status: "met" },
        train: { strict: { value: 0.987, examples: 99 }, surrogate: 0.987 },
        test: { strict: { value, interval }, surrogate: value },
        ...more,
      });
    const test = (requirements: object) => said(requirements)[4];
    const near = on(1.22, [1.096, 1.344]);
    expect(test({ under: near })).toEqual([
      "0 of 1",
      "under: 1.22 (1.1–1.34), missed, within chance",
      "gave",
    ]);
    expect(test({ under: on(1.4, [1.3, 1.5]), near })).toEqual([
      "0 of 2",
      "under: 1.4 (1.3–1.5), missed; missed, within chance: near",
      "missed",
    ]);
    // An interval that reaches beyond the level is said of what holds as of what is missed.
    const barely = on(1.1, [1, 1.3]);
    expect(test({ under: barely })).toEqual([
      "yes, within chance",
      "under: 1.1 (1–1.3), holds, within chance",
      "met",
    ]);
    expect(test({ under: on(1.1, [1, 1.2]) })).toEqual(["yes", "under: 1.1 (1–1.2), holds", "met"]);
    expect(test({ near, barely })[1]).toBe(
      "near: 1.22 (1.1–1.34), missed, within chance; holds within chance: barely",
    );
    // What must lie between two levels is held against the nearer one; what has no interval is not judged.
    const between = on(1.1, [1, 1.3], { sense: "between", level: [0.1, 0.2] });
    const bare = requirement({ test: { strict: { value: 3 } } });
    expect([test({ between })[0], test({ bare })[0]]).toEqual(["0 of 1", "not told"]);
    expect(resultsOf({ requirements: { near } }).near.surrogate).toBeUndefined();
    expect(test({ met, bare })[0]).toBe("1 of 2");
    expect(test({ near, over: { ...near, price: 0 }, third: near })[1]).toMatch(/, within chance; so are /);
    // Those without a verdict are counted among all, and named; what is free is asked of nothing.
    const free = requirement({ cost: "free", test: { strict: { value: 3, interval: [2, 4] } } });
    const untested = requirement({ test: undefined });
    expect(test({ near, bare, untested, free })).toEqual([
      "0 of 3",
      "near: 1.22 (1.1–1.34), missed, within chance; no verdict: bare and untested",
      "gave",
    ]);
  });

  test("a missing measurement or test is stated", () => {
    const bare = { ...gave, insisting: undefined, test: undefined };
    const [, , , insist, test] = said({ B: bare });
    expect(insist[0]).toBe("not measured");
    expect(test[0]).toBe("not tested");
    const instead = { ...gave, insisting: { ...insisting, costs: -0.01, others: { alarms: 0.02 } } };
    expect(said({ B: instead })[3][0]).toBe("others give way");
    const failed = { ...gave, insisting: { ...insisting, had: false, missed: 0.02, reached: 0.12 } };
    expect(said({ B: failed })[3].slice(0, 2)).toEqual([
      "not known",
      "Insisting did not meet it: it reached 0.120. Whether it can be met is unknown.",
    ]);
  });

  test("a price is quoted where it is known: not of a count that was not measured, nor before a certificate", () => {
    const count = { ...gave, pricedBy: "strict" };
    expect(said({ B: count })[2].slice(0, 2)).toEqual(["–", "a count has no slope, so it has no price"]);
    const unit = { size: 0.01, name: "one percentage point" };
    const measured = { ...count, neighbours: { unit, looser: 0.001, tighter: 0.003 } };
    expect(said({ B: measured })[2].slice(0, 2)).toEqual([
      "0.003 of loss",
      "for one percentage point tighter, as measured; one percentage point looser saves 0.001 of loss",
    ]);
    const even = { ...count, neighbours: { unit, looser: 0.002, tighter: 0.002 } };
    expect(said({ B: even })[2].slice(0, 2)).toEqual([
      "0.2",
      "of loss per unit of its level, 0.002 for one percentage point, as measured",
    ]);
    expect(said({ B: gave }, { holds: false })[2].slice(0, 2)).toEqual([
      "?",
      "known once the run is certified",
    ]);
    expect(said({ A: met })[2].slice(0, 2)).toEqual(["0", "asking for it costs nothing"]);
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
  const [what, , price] = answersOf(resultsOf(report));
  expect([what.answer, what.detail]).toEqual(["Nothing", "rising holds by construction"]);
  expect(price.detail).toBe("holds by construction, so it has no price; its cost was not measured");
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
  const [, much, , , test] = answersOf(told);
  expect(much.detail).toBe(
    "asked at most 0.1, reached 0.257 error of the worst group [ward=a] on the training rows",
  );
  expect(test.detail).toBe("worst: 0.3 [ward=b], not told");
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
