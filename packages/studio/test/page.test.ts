// What the page works out by itself: slopes of costs, sentences, axes, statistics, contours.

import { free, hard, huber, linear, maximum, onNumbers, power, quadratic, scaled } from "@pliant/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { logScale, ticksOf } from "../page/src/figure/scale.js";
import { accuraciesOf } from "../page/src/lib/accuracies.js";
import { slopeOf } from "../page/src/lib/cost.js";
import { accuracyWords, number } from "../page/src/lib/format.js";
import { apart, labelsOf } from "../page/src/lib/names.js";
import { rerunCommand } from "../page/src/lib/rerun.js";
import { countsSteps, pearson, quantile, spearman } from "../page/src/lib/statistics.js";
import { zeroLine } from "../page/src/playground/contour.js";
import { resultsOf } from "../page/src/words/said.js";
import { byPrice, headline, unseenWords, verdictOf } from "../page/src/words/verdict.js";
import type { RunDetail } from "../src/api.js";
import { quantitiesOf } from "../src/quantities.js";
import { excessOf, requirementsOf } from "../src/requirement.js";
import { requirement } from "./fixtures.js";

describe("the slope drawn is the library's", () => {
  const costs = [
    quadratic(2),
    linear(0.5),
    power(3, 1.5),
    power(1.5, 2),
    huber(2, 0.25),
    maximum(0.7),
    free,
    hard,
    scaled(quadratic(2), 10),
    scaled(huber(1, 1), 0.25),
  ];
  test.each(costs.map((cost) => [cost.name, cost] as const))("%s", (name, cost) => {
    for (const u of [0.01, 0.1, 0.25, 0.6, 1, 3])
      expect(slopeOf(name)?.at(u)).toBeCloseTo(onNumbers(cost).gradient([u])[0], 12);
  });
  test("a cost that its name does not say is not drawn", () => {
    for (const name of [
      "custom",
      quadratic([1, 2]).name,
      "quadratic(traced)",
      "quadratic(1, 2)",
      "",
      "constructor",
      "__proto__",
    ])
      expect(slopeOf(name)).toBeUndefined();
  });
});

const certified = { holds: true };
const resultOf = (r: object, certificate: object = certified) =>
  resultsOf({ requirements: { r }, certificate }).r;
const sentenceOf = (r: object): string => resultOf(r).said.sentence;

describe("in words", () => {
  const gave = requirement({ reached: 0.354, relaxation: 0.254, price: 1.016 });
  const held = requirement({ reached: 0.1, price: 3.313, cost: "hard", hard: true });
  test("requirements that gave way, hold or are free, also in reports that do not state it", () => {
    expect([gave, held, requirement({})].map((r) => verdictOf(r))).toEqual(["gave", "held", "met"]);
    expect(sentenceOf(gave)).toBe(
      "gave way by 0.254 (asked at most 0.100, reached 0.354). Loosening it by 0.01 would lower the total (loss plus cost of giving way) by 0.01. Insisting would cost at least 0.26 of loss if the problem is convex and the level can be met; this was not measured.",
    );
    expect(sentenceOf(held)).toContain(
      "Loosening it slightly would lower the loss at a rate of 0.033 per 0.01",
    );
    expect(sentenceOf(requirement({}))).toContain("at no cost");
    const missed = requirement({ reached: 0.3, price: 40, cost: "hard", hard: true });
    expect([verdictOf(missed), sentenceOf(missed)]).toEqual([
      "missed",
      expect.stringMatching(/^violated by 0\.200: it must be at most 0\.100 and is 0\.300\./),
    ]);
  });
  test("nothing is called known where the certificate does not hold", () => {
    const { said } = resultOf({ ...gave, status: "unknown" }, { holds: false, short: [] });
    expect(said).toMatchObject({
      price: "?",
      known: undefined,
      sentence: "misses its level by 0.254 (asked at most 0.100, reached 0.354). The run is not certified.",
      insisting: "",
    });
    // Nor of a report that does not say itself what gave way.
    expect(resultOf(gave, { holds: false }).said.insisting).toBe("");
  });
  test("the headline names what gave most", () => {
    const line = (requirements: object) =>
      headline(resultsOf({ requirements, certificate: certified })).join("");
    expect(line({ b: gave, held })).toMatch(/^b gave way by 0\.254: asked at most 0\.1, it reached 0\.354\./);
    expect(line({ held })).toBe("Every requirement held; held was the dearest, at a price of 3.313.");
    // A count that was not measured has no price to quote.
    expect(line({ held: { ...held, pricedBy: "strict" } })).toBe("Every requirement held.");
    expect(line({ easy: requirement({}) })).toMatch(/^Every requirement is met/);
  });
  test("excess is beyond the side that was asked for", () => {
    expect(excessOf(requirement({ sense: "at least", level: 0.9, reached: 0.8 }))).toBeCloseTo(0.1);
    expect(excessOf(requirement({ sense: "between", level: [0, 1], reached: 1.5 }))).toBeCloseTo(0.5);
    expect(excessOf(requirement({ sense: "between", level: [0, 1], reached: -0.2 }))).toBeCloseTo(0.2);
  });
  test("a file without requirements has none", () => {
    for (const file of [null, 3, {}, { requirements: null }, { requirements: "x" }])
      expect(requirementsOf(file)).toEqual({});
  });
});

test("numbers as a reader likes them", () => {
  expect([0.354104, 1e-7, 0.00012, 1234567, -2.5, 12_345.6, Number.NaN, null].map((x) => number(x))).toEqual([
    "0.3541",
    "0",
    "1.2e−4",
    "1.235e+6",
    "−2.5",
    "12,346",
    "–",
    "–",
  ]);
});

test("ticks are few, round and inside", () => {
  const edge = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(edge, fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (low, span) => {
      const ticks = ticksOf([low, low + span]);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(7);
      for (const tick of ticks)
        expect(tick >= low - 1e-6 * span && tick <= low + span * (1 + 1e-6)).toBe(true);
    }),
  );
  expect(logScale([0.09, 11], [0, 1]).ticks).toEqual([0.1, 0.2, 0.5, 1, 2, 5, 10]);
});

test("rank correlation sees order, shared ranks and constancy", () => {
  expect(spearman([1, 2, 3, 4], [1, 4, 9, 16])).toBeCloseTo(1);
  expect(spearman([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1);
  expect(spearman([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(0.9486832980505138);
  expect(spearman([1, 1], [1, 2])).toBeNaN();
  expect(quantile([3, 1, 2], 0.25)).toBe(1.5);
  expect(pearson([1, 2, 3], [2, 4, 6])).toBeCloseTo(1);
  expect(pearson([1, 2, 3], [1, 0, 1])).toBeCloseTo(0);
});

test("quantities that only count steps are distinguished from measured ones", () => {
  const x = [10, 20, 30];
  expect(
    [
      [1, 2, 3],
      [5, 10, 15],
    ].map((y) => countsSteps({ x, y })),
  ).toEqual([true, true]);
  expect([[3, 2, 1], [1, 1, 1], [1, 2, 4], [0.1, 0.2, 0.3], []].some((y) => countsSteps({ x, y }))).toBe(
    false,
  );
});

describe("names of runs", () => {
  const run = (name: string, title: string | null = null, seed = "1") => ({ name, title, seed });
  test("as short as tells them apart", () => {
    const runs = [
      run("demo"),
      run("lab/x/seed-1", "mnist mlp", "1"),
      run("lab/x/seed-2", "mnist mlp", "2"),
      run("a/loans", "loans"),
      run("b/loans", "loans"),
    ];
    expect([...labelsOf(runs).values()].sort()).toEqual([
      "demo",
      "loans, a/loans",
      "loans, b/loans",
      "mnist mlp, seed 1",
      "mnist mlp, seed 2",
    ]);
  });
  test("no two runs share one", () => {
    const some = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 8 });
    fc.assert(
      fc.property(some, fc.array(fc.constantFrom(null, "a", "a, seed 1", "b")), (names, titles) => {
        const runs = names.map((name, i) => run(name, titles[i] ?? null, String(i % 3)));
        expect(new Set(labelsOf(runs).values()).size).toBe(names.length);
      }),
    );
  });
  test("two names beside each other are shortened to the words that differ", () => {
    expect(apart("mnist resilient mlp", "mnist constrained mlp")).toBe("resilient");
    expect(apart("mnist", "mnist mlp")).toBe("mnist");
  });
});

test("the zero line of a plane is straight", () => {
  const side = 9;
  const plane = Float64Array.from({ length: side * side }, (_, i) => (i % side) - 3.5);
  const segments = zeroLine(plane, side);
  expect(segments).toHaveLength(side - 1);
  for (const [x1, , x2] of segments) expect([x1, x2]).toEqual([3.5, 3.5]);
});

test("the command that trains again is quoted for a shell", () => {
  const detail = {
    summary: { command: "train", seed: 1, device: "cpu" },
    path: "my runs/it's",
    again: "my runs/it's-again",
    run: {},
    spec: { file: "spec.yaml", text: "" },
  } as unknown as RunDetail;
  const out = "--out 'my runs/it'\\''s-again'";
  expect(rerunCommand(detail)).toBe(`npx pliant train 'my runs/it'\\''s/spec.yaml' --device cpu ${out}`);
  const recipe = {
    dataset: "mnist",
    variant: "rotated-90",
    method: "resilient",
    level: 0.1,
    batch: 32,
    local: { rate: 1 },
  };
  const summary = { command: "reproduce invariance", seed: "1, 2", device: "cuda" };
  expect(rerunCommand({ ...detail, spec: null, summary, run: { recipe } } as unknown as RunDetail)).toBe(
    `npx pliant reproduce invariance --dataset mnist --variant rotated-90 --method resilient --epsilon 0.1 --seeds 1,2 --device cuda ${out}`,
  );
  expect(rerunCommand({ ...detail, spec: null, run: {} })).toBeUndefined();
});

test("the result of insisting is stated as it was measured", () => {
  const said = (insisting: object) =>
    sentenceOf({
      ...requirement({ reached: 0.3, relaxation: 0.2, price: 1 }),
      ...{ pricedBy: "strict", insisting },
    });
  const measured = { had: true, missed: 0, reached: 0.1, costs: 0.0366, others: { alarms: 0.0089 } };
  expect(said(measured)).toContain(
    'Insisting would raise the loss by 0.037 and make "alarms" give way by 0.009 more',
  );
  expect(said({ ...measured, costs: -0.01 })).toContain(
    'Insisting would lower the loss by 0.01, but only because it would make "alarms" give way by 0.009 more',
  );
  const missed = { ...measured, missed: 0.05, reached: 0.15, others: {} };
  expect(said(missed)).toContain(
    "Insisting did not meet it: it reached 0.150. Whether it can be met is unknown",
  );
  expect(said({ ...missed, outOfReach: true })).toContain("it reached 0.150. It is likely infeasible");
  expect(said({ ...measured, had: false })).toContain("its cost is unknown");
  expect(said({ ...measured, broken: ["alarms"] })).toContain(
    'Insisting would violate "alarms", which is hard, by 0.009. No model was found that satisfies them together.',
  );
  expect(said({})).toContain("was not measured");
});

test("a count that was not measured has no price to choose runs by", () => {
  const [loss, strict] = ["loss", "strict"].map((pricedBy) =>
    quantitiesOf({ certificate: certified, requirements: { r: { ...requirement({ price: 2 }), pricedBy } } }),
  );
  expect([loss["r: price"], strict["r: price"]]).toEqual([2, undefined]);
});

test("a report is judged on the rows it names", () => {
  const { b } = requirementsOf({
    judgedOn: "validation",
    requirements: {
      b: {
        ...requirement({ reached: 0.2 }),
        train: { strict: { value: 0.1 } },
        validation: { strict: { value: 0.2 } },
      },
    },
  });
  expect(b.reached).toBe(0.2);
});

test("a level of the loss is held against the loss, and what is counted stands beside it", () => {
  const [falls, misses] = ["loss", "strict"].map((pricedBy) => {
    const r = resultOf({
      ...requirement({ reached: 0.0002, relaxation: 0, price: 0 }),
      ...{ level: 0.001, pricedBy, metric: "monotonicity", strictly: "share that rises", status: "met" },
      strict: 0.138,
      train: { strict: { value: 0.138, examples: 2800 }, surrogate: 0.0002 },
      test: { strict: { value: 0.136, interval: [0.12, 0.15] }, surrogate: 0.0003 },
    });
    return { ...r, excess: excessOf(r), test: unseenWords(r.test) };
  });
  expect(falls.excess).toBeCloseTo(-0.0008);
  expect(falls.said.sentence).toBe(
    "met with 0.0008 to spare, at no cost (asked at most 0.001, reached 0.0002).",
  );
  // Of a loss that stands for something else there is no interval, and nothing to tell by.
  expect(falls.test).toBe("3e−4, not told");
  expect(falls.beside).toEqual({ what: "share that rises", reached: 0.138, test: 0.136 });
  // Where what is counted is what was asked, it is held against the level.
  expect(misses.excess).toBeCloseTo(0.137);
  expect(misses.test).toBe("0.136 (0.12–0.15), missed");
  expect(misses.beside).toBeUndefined();
});

test("a trained report's requirements: strict numbers, relative levels, requirements on examples", () => {
  const { plain, relative, margin } = resultsOf({
    certificate: certified,
    requirements: {
      plain: {
        ...requirement({}),
        strictly: "error",
        test: { strict: { value: 0.2, interval: [0.1, 0.3] } },
      },
      relative: {
        ...requirement({ level: 0.02, reached: 0.05 }),
        relative: "overall + 0.02",
        train: {
          strict: { value: 0.1, examples: 9 },
          surrogate: 0.2,
          asked: { strict: 0.1, surrogate: 0.17 },
        },
      },
      margin: {
        ...requirement({ relaxation: 35 }),
        perExample: true,
        train: { strict: { value: 0.25, examples: 140 } },
      },
    },
  });
  expect(plain).toMatchObject({ strictly: "error", test: { value: 0.2, interval: [0.1, 0.3] } });
  expect(relative).toMatchObject({
    asked: "overall + 0.02",
    level: 0.1,
    reached: 0.1,
    surrogate: { reached: 0.2, level: 0.17 },
  });
  expect(margin.said.sentence).toContain("gave way on 35 of 140");
});

test("cards are in the order of their prices, the dearest first, among equals by what they gave", () => {
  const all = {
    cheap: requirement({ price: 1 }),
    gave: requirement({ price: 2, relaxation: 0.2 }),
    dear: requirement({ price: 3 }),
    held: requirement({ price: 2 }),
  };
  expect(byPrice(resultsOf({ requirements: all, certificate: certified })).map(([name]) => name)).toEqual([
    "dear",
    "gave",
    "held",
    "cheap",
  ]);
});

test("accuracies are in percent however small, and 1.01% is not 101%", () => {
  expect(accuraciesOf({ clients: [{ testAccuracy: [0.5, null, 1.01] }] })).toEqual([[0.5, 1.01]]);
  for (const kind of ["invariance", "federated"]) expect(accuracyWords(1.01, kind)).toBe("1.01%");
  expect(accuracyWords(0.625, undefined)).toBe("62.50%");
});

test("a requirement that must not give way is hard, however the report states it", () => {
  const hard = (more: object) =>
    requirementsOf({ requirements: { a: { ...requirement({}), hard: undefined, ...more } } }).a.hard;
  expect([hard({ cost: "hard" }), hard({ hard: true }), hard({ cost: "quadratic(1)" })]).toEqual([
    true,
    true,
    false,
  ]);
});
