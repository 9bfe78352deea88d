// What a reader must know before going by a run's numbers: why it is not certified, that asking for nothing would come to less, what counts
// were weighed by, and what other rows say.
import { describe, expect, test } from "vitest";
import { answersOf } from "../page/src/words/answers.js";
import { asidesOf, conflictIn, reservationsOf } from "../page/src/words/reservations.js";
import { resultsOf } from "../page/src/words/said.js";
import { headline, verdictWords } from "../page/src/words/verdict.js";
import { requirement } from "./fixtures.js";

const certified = { holds: true, short: [] };
const totals = { own: 0.557, without: 0.503, within: 0.002 };
const gave = requirement({ reached: 0.3, relaxation: 0.2, price: 1, pricedBy: "strict", status: "gave way" });
const met = requirement({ status: "met" });
const hard = requirement({ status: "violated", hard: true, reached: 0.2, price: 3 });
const beside = (report: object): string[] =>
  reservationsOf(report, resultsOf(report)).map((words) => words.join(""));
const line = (report: object): string =>
  headline(resultsOf(report), 1e-3, { conflict: conflictIn(report) }).join("");
/** Of a report that has it. */
const said = (more: object, requirements: object = { gave }): string[] =>
  beside({ certificate: certified, requirements, ...more });

describe("loss and costs together", () => {
  test("are stated beside those of a model without requirements, if its total is smaller", () => {
    expect(said({ totals })).toEqual([
      "Asking for nothing would come to less: loss and costs together are 0.557 here, and 0.503 then. Certified is where prices agree with what stands for counts in training, not the least of loss and costs.",
    ]);
    expect(said({ totals }, { gave, met: { ...met, hard: true } })[0]).toMatch(
      /^Asking for nothing but what must hold would come to less/,
    );
  });

  test("are not spoken of within what is not known of them, nor without a certificate", () => {
    expect(said({ totals: { ...totals, without: 0.5551 } })).toEqual([]);
    expect(said({ totals, certificate: { holds: false, short: [] } })).toEqual([]);
    expect(said({ totals: { own: 0.557, without: null } })).toEqual([]);
  });

  test("have as many digits as tell one from the other", () => {
    const near = { own: 0.55702, without: 0.557, within: 1e-6 };
    expect(said({ totals: near })[0]).toContain("are 0.55702 here, and 0.557 then");
  });

  test("are least at some of the weight of the costs, or at none", () => {
    const weighed = { own: 0.5006, without: 0.5029, within: 0.0023, whole: 0.5548 };
    expect(said({ totals: weighed, share: 0.125 })).toEqual([
      "What stands for counts weighs 0.125 of what the costs say: loss and costs together are least so, 0.501, of the weights that were tried; with all that the costs say they are 0.555.",
    ]);
    const loss = requirement({ pricedBy: "loss" });
    expect(said({ totals: weighed, share: 0.125 }, { gave, loss })[0]).toMatch(
      /^What may give way weighs 0.125 /,
    );
    const [none] = said({ totals: weighed, share: 0 });
    expect(none).toMatch(
      /^Nothing is done for what may give way: loss and costs together are least so, 0.501/,
    );
    expect(none).toMatch(/they are 0.555. A larger cost, or hard, asks for more.$/);
    const { whole: _, ...open } = weighed;
    expect(said({ totals: open, share: 0.5 })[0]).toContain("with all that the costs say nothing settled.");
    expect(said({ totals: weighed, share: 1 })).toEqual([]);
  });
});

describe("a run that is not certified", () => {
  const open = {
    holds: false,
    short: ["the model overfits", "a smaller model may help"],
  };
  const report = { certificate: open, requirements: { met, level: { ...met, status: "at its level" } } };

  test("says why, and of what holds that it does, uncertified", () => {
    expect(beside(report)).toEqual(["Not certified: the model overfits; a smaller model may help."]);
    expect(line(report)).toBe(
      "Every requirement holds; nothing is certified, so what they cost is not known.",
    );
    for (const r of Object.values(resultsOf(report))) expect(verdictWords(r)).toBe("holds, not certified");
    expect(answersOf(resultsOf(report)).map(({ answer }) => answer)).toEqual([
      ...["2 requirements", "both requirements hold", "not known yet", "not known"],
    ]);
  });

  test("has a long reason cut, and what may help after it", () => {
    const long = `even the relaxed level is missed: ${Array.from({ length: 40 }, (_, i) => `requirement ${i}`).join(", ")}`;
    const [words] = beside({ ...report, certificate: { holds: false, short: [long, "more steps"] } });
    expect(words).toMatch(/requirement 1, .* …; more steps\.$/);
    expect(words.length).toBeLessThan(330);
  });
});

describe("the first sentence", () => {
  const report = { certificate: certified, requirements: { met, hard } };
  test("says what must hold and does not, before all else", () => {
    expect(line(report)).toBe("hard must hold and does not: asked at most 0.1, it reached 0.2.");
    const cost = answersOf(resultsOf(report)).find(({ question }) => question === "What it costs");
    expect(cost?.answer).toBe("not known");
    const other = { ...hard, reached: 0.4, price: 1 };
    expect(line({ ...report, requirements: { hard, other, gave } })).toBe(
      "hard and other must hold and do not: asked at most 0.1, hard reached 0.2; asked at most 0.1, other reached 0.4.",
    );
  });

  test("says what can be met one by one and not together, where that was tried", () => {
    expect(line({ ...report, alone: { met: true, hard: true } })).toBe(
      "met and hard cannot both hold here, though each can by itself.",
    );
    expect(line({ ...report, alone: { met: true, hard: false } })).toContain("must hold and does not");
    // A run that still moves has not shown that they cannot.
    const moving = { holds: false, short: ["the model is still moving"] };
    expect(line({ ...report, certificate: moving, alone: { met: true, hard: true } })).toBe(
      "met and hard did not both hold, though each did by itself; the run is not certified, so whether they can is not known.",
    );
  });

  test("names a few of many", () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`r${i}`, { ...gave, status: "unknown" }]),
    );
    expect(line({ requirements: many })).toMatch(/^r0, r1, r2 and 37 others are not met yet/);
  });

  test("says that free requirements are not enforced, and lists none of them as giving way", () => {
    const free = { ...gave, cost: "free" };
    expect(line({ requirements: { free } })).toBe(
      "Nothing was asked: every requirement is free, and only watched.",
    );
    expect(answersOf(resultsOf({ requirements: { free } }))).toEqual([]);
    expect(line({ certificate: certified, requirements: { free, met } })).toBe(
      "Every requirement is met with room to spare.",
    );
    expect(verdictWords(resultsOf({ requirements: { free } }).free)).toBe("only watched");
  });

  test("says where what is counted on validation rows was", () => {
    const seen = { strict: { value: 0.3, examples: 120 }, surrogate: 0.4 };
    const there = { ...gave, train: seen, validation: seen };
    const of = (more: object) =>
      line({ judgedOn: "validation", requirements: { there: { ...there, ...more } } });
    expect(of({})).toContain("it reached 0.3 on the validation rows.");
    expect(of({ few: 3 })).toContain("it reached 0.3 on the training rows.");
  });
});

describe("other rows", () => {
  const seen = (value: number, interval: readonly [number, number]) => ({
    strict: { value, interval, examples: 120 },
    surrogate: value,
  });
  const trained = (validation: object) => ({
    certificate: certified,
    requirements: { loss: requirement({ pricedBy: "loss", metric: "loss", status: "met", validation }) },
  });

  test("speak against what is held to those learnt from, beyond chance", () => {
    expect(beside(trained(seen(0.3, [0.2, 0.4])))).toEqual([
      "The validation rows speak against it: loss is 0.3 (0.2–0.4), missed.",
    ]);
    expect(beside(trained(seen(0.11, [0.05, 0.2])))).toEqual([]);
    const { requirements } = trained(seen(0.3, [0.2, 0.4]));
    expect(said({ judgedOn: "validation" }, { loss: { ...requirements.loss, pricedBy: "strict" } })).toEqual(
      [],
    );
  });

  test("are mentioned if probabilities are miscalibrated, and if a class is never predicted", () => {
    const calibration = {
      of: "yes",
      predicted: 0.6,
      observed: 0.4,
      error: 0.2,
      chance: { mean: 0.05, deviation: 0.01 },
    };
    const unanswered = [{ class: "no", examples: 3 }];
    const test = { examples: 100, calibration, unanswered };
    const [never, off, ...rest] = asidesOf({ requirements: { met }, test });
    expect(never).toBe("The model never predicts no (3 of the 100 test rows).");
    expect(off).toMatch(
      /^Probabilities are not calibrated: on the 100 test rows, the calibration error is \S+ \(mean probability of yes 0\.600/,
    );
    expect(rest).toEqual([]);
    const unread = {
      examples: "many",
      calibration: { ...calibration, chance: null },
      unanswered: [{ class: 3 }],
    };
    expect(asidesOf({ requirements: { met }, test: unread })).toEqual([]);
    expect(asidesOf(undefined)).toEqual([]);
  });

  test("are mentioned if validation rows are too few, and if costs were measured along a surrogate of counts", () => {
    const insisting = { had: true, missed: 0, reached: 0.1, costs: 0.1, others: {} };
    const asides = asidesOf({ requirements: { gave: { ...gave, few: 3, insisting } } });
    expect(asides.map((words) => words.split(" ").slice(0, 5).join(" "))).toEqual([
      "The validation rows have too",
      "The costs of counted requirements",
    ]);
  });
});
