// The report in words: the verdict first, each number in the units a reader knows, and nothing called known that is not.
import { describe, expect, test } from "vitest";
import type { Outcome } from "../src/evaluate/evaluate.js";
import { pooled } from "../src/report/pooled.js";
import { isViolated, type TrainReport, type TrainRequirement, withAnswers } from "../src/report/report.js";
import { told } from "../src/report/requirement-view.js";
import { goOnWith, trainAsked } from "../src/run/asked.js";
import { compareText } from "../src/text/compare.js";
import { evaluationText } from "../src/text/evaluation-text.js";
import { repeatsText } from "../src/text/repeats-text.js";
import { nextSteps, reportText, rowsHeldTo } from "../src/text/report-text.js";

const part = { examples: 100, loss: { value: 0.4, examples: 100 } };
const certificate = {
  kind: "local" as const,
  errors: { objective: 0, prices: 0, relaxations: 0, values: 0, parameters: 0 },
  objectiveError: 0,
  gap: 0,
  tolerance: 1e-3,
  holds: true,
  short: [],
};
const moving = { ...certificate, holds: false, short: ["the model is still moving"] };

function report(
  more: Partial<TrainRequirement>,
  overall: object = { error: { value: 0.1, examples: 100 } },
  whole: Partial<TrainReport> = {},
): TrainReport {
  return {
    objective: 0.4,
    steps: 50,
    certificate,
    judgedOn: "train",
    decay: 0,
    requirements: {
      misses: {
        sense: "at most",
        level: 0.1,
        status: "met",
        reached: 0.05,
        pricedBy: "strict",
        loss: 0.3,
        relaxation: 0,
        price: 0,
        cost: "quadratic(1)",
        hard: false,
        allowance: 0.011,
        of: "misses",
        metric: "false-negative-rate",
        strictly: "false negative rate",
        ...more,
      },
    },
    train: { ...part, ...overall },
    test: { ...part, ...overall },
    ...whole,
  } as TrainReport;
}
const outcome = (surrogate: number, strict: number, reach = 0): Outcome => ({
  surrogate,
  strict: {
    value: strict,
    examples: 100,
    ...(reach > 0 && { interval: [strict - reach, strict + reach] as const }),
  },
});
const firstLine = (r: TrainReport): string => reportText(r).split("\n")[0];

/** As several seeds are reported. */
const seedsText = (...reports: TrainReport[]): string =>
  repeatsText({
    by: "seed",
    runs: reports.map((_, i) => ({ value: i, run: `seed-${i}`, certified: true, steps: 50 })),
    ...pooled(reports, false),
  });

describe("the first line", () => {
  test("says what holds and on which rows", () => {
    expect(firstLine(report({}))).toBe("Certified. On the 100 training rows, the requirement holds.");
    expect(
      firstLine(
        report({}, undefined, {
          judgedOn: "validation",
          validation: { ...part, examples: 60, error: { value: 0.1, examples: 60 } },
        }),
      ),
    ).toContain("Certified. On the 60 validation rows, the requirement holds");
  });

  test("says what test rows speak against, beyond chance, and no less", () => {
    expect(firstLine(report({ train: outcome(0.3, 0.1), test: outcome(0.3, 0.15, 0.03) }))).toBe(
      'Certified. On the 100 training rows, the requirement holds. On the 100 test rows, "misses" is significantly worse: 0.150 (0.120 to 0.180) instead of 0.05 (asked at most 0.1).',
    );
    const line = firstLine(report({ train: outcome(0.3, 0.1), test: outcome(0.3, 0.12, 0.03) }));
    expect(line).not.toContain("test rows");
    const gave = { status: "gave way", relaxation: 0.06, test: outcome(0.3, 0.15, 0.03) } as const;
    expect(firstLine(report(gave))).not.toContain("test rows");
  });

  test("does not say of rows what was not asked on them, and says what they speak against", () => {
    const trained = { pricedBy: "loss", metric: "loss", level: 0.3, train: outcome(0.3, 0.3, 0.02) } as const;
    const seen = { validation: outcome(0.5, 0.5, 0.05), test: outcome(0.3, 0.3, 0.05) };
    const validation = { ...part, examples: 60, error: { value: 0.1, examples: 60 } };
    const whole = { judgedOn: "validation", validation } as const;
    const one = report({ ...trained, ...seen }, undefined, whole);
    expect(firstLine(one)).toBe(
      'Certified. On the 100 training rows, the requirement holds. On the 60 validation rows, "misses" is significantly worse: 0.500 (0.450 to 0.550) instead of 0.05 (asked at most 0.3).',
    );
    const counted = report({ validation: outcome(0.3, 0.1) }, undefined, whole).requirements.misses;
    const both = { ...one, requirements: { ...one.requirements, counted } };
    expect(firstLine(both)).toContain(
      "On the 100 training rows or, for counts, the 60 validation rows, both requirements hold. On the 60 validation rows, ",
    );
  });

  test("calls a violated requirement violated, and the command fails", () => {
    const broken = report({ status: "violated", hard: true, reached: 0.13 });
    expect(firstLine(broken)).toMatch(/^Violated: "misses" must be at most 0\.100 and is 0\.130\./);
    expect(isViolated(broken)).toBe(true);
    expect(isViolated(report({}))).toBe(false);
  });

  test("without a certificate says so, and the table knows no relaxations and prices", () => {
    const open = report({ status: "unknown", reached: 0.4, relaxation: 0.2, price: 11 }, undefined, {
      certificate: moving,
    });
    expect(firstLine(open)).toMatch(/^Not certified: the model is still moving\./);
    expect(reportText(open)).toMatch(/^misses +at most 0\.1 +0\.4 +\? +\?$/m);
    expect(reportText(open)).not.toMatch(/\b11\b/);
  });

  test("without requirements says so", () => {
    expect(firstLine(report({ cost: "free" }))).toMatch(/^No requirement/);
    expect(rowsHeldTo(report({ cost: "free" }))).toBe("the 100 training rows");
  });
});

describe("a requirement", () => {
  test("that is counted has reached what was counted, on the rows it is judged on", () => {
    const both = { reached: 0.09, train: outcome(0.3, 0.05), validation: outcome(0.4, 0.09) };
    const relative = { relative: "overall + 0.02", level: 0.02 };
    const asked = { strict: 0.08, surrogate: 0.5 };
    const r = report({
      ...both,
      ...relative,
      validation: { ...both.validation, asked },
    }).requirements.misses;
    expect(told(r, "validation")).toMatchObject({
      reached: 0.09,
      level: 0.08,
      asked: "overall + 0.02 (0.080)",
    });
    expect(told(r, "train")).toMatchObject({ level: 0.02 });
  });

  test("between two levels, that is trained, has reached the value itself", () => {
    const two = {
      sense: "between" as const,
      level: [0.3, 0.7],
      metric: "loss" as const,
      pricedBy: "loss" as const,
      relaxation: 0.05,
      price: 0.1,
      status: "gave way" as const,
    };
    const text = reportText(report({ ...two, train: outcome(0.25, 0.25) }));
    expect(text).toMatch(/^misses +between 0\.3 and 0\.7 +0\.25 +0\.050 +0\.1$/m);
    expect(text).toContain("misses: gave way by 0.050 (asked at least 0.3 and at most 0.7, reached 0.250)");
    expect(reportText(report({ ...two, train: outcome(0.8, 0.8) }))).toContain(
      "asked at most 0.7 and at least 0.3, reached 0.800",
    );
  });

  test("has a price in the table only where that is what a unit costs", () => {
    const bound = { status: "at its level", price: 3 } as const;
    expect(reportText(report(bound))).toMatch(/^misses +at most 0\.1 +0\.05 +0 +–$/m);
    expect(reportText(report(bound))).toContain(
      "\n–: a count has no slope, so it has no price; its cost is stated below",
    );
    expect(reportText(report({}))).not.toContain("–:");
    expect(reportText(report({ ...bound, pricedBy: "loss", metric: "loss" }))).toMatch(/ 0 +3$/m);
    const unit = { size: 0.01, name: "one percentage point" };
    const beside = (sides: { looser?: number; tighter?: number }) =>
      reportText(report({ ...bound, neighbours: { unit, ...sides } }));
    expect(beside({ looser: 0.0049, tighter: 0.0051 })).toMatch(/ 0 +0\.5$/m);
    // No mean of two that differ, and no one side for both.
    expect(beside({ looser: 0.004, tighter: 0.006 })).toMatch(/ 0 +0\.4 looser, 0\.6 tighter$/m);
    expect(beside({ looser: -0.001, tighter: 0.0043 })).toMatch(/ 0 +0 looser, 0\.43 tighter$/m);
    expect(beside({ tighter: 0.0043 })).toMatch(/ 0 +0\.43 tighter$/m);
    const told = withAnswers(report(bound), {
      misses: { neighbours: { unit, looser: 0.004, tighter: 0.006 } },
    });
    expect(told.requirements.misses).toMatchObject({ price: 3, measuredPrice: expect.closeTo(0.5, 12) });
    const none = withAnswers(report(bound), { misses: { unmeasured: "it was not asked for" } });
    expect(none.requirements.misses).not.toHaveProperty("measuredPrice");
    // And no more is claimed of it than that training by what stands for a count came to it.
    const claim = "another model may meet them at a lower cost.";
    expect(beside({ tighter: 0.0043 })).toContain(claim);
    expect(reportText(report(bound))).not.toContain(claim);
  });

  test("decided by a threshold has no price while it is violated", () => {
    const violated = { status: "violated", hard: true, decidedOn: "train", reached: 0.2 } as const;
    expect(reportText(report(violated))).toMatch(/^misses +at most 0\.1, hard +0\.2 +violated +\?$/m);
  });

  test("whose cost is free is reported and not enforced", () => {
    const text = reportText(
      report({ cost: "free", reached: 0.4, relaxation: 0.3, train: outcome(0.4, 0.4) }),
    );
    expect(text).toContain(
      "misses: reported but not enforced, because its cost is free (level at most 0.1, reached 0.4).",
    );
    expect(text).not.toContain("nsisting");
    expect(text).toMatch(/^misses +at most 0\.1 +0\.4 +not enforced +/m);
  });
});

describe("how the model was arrived at", () => {
  const tried = [
    { decay: 0.01, loss: 0.4 },
    { decay: 0.001, loss: 0.3 },
  ];
  test.each<[Partial<TrainReport>, string]>([
    [
      { decay: 0.001, tried },
      "decay 0.001, the largest of 2 whose loss on the validation rows is within 0.1% of the lowest",
    ],
    [{ decay: 0.01, tried }, "decay 0.01, above the best of 2 on the validation rows"],
    [{ keptStep: 75 }, "the model is that of step 75, the best one"],
    [{ moved: 0.125 }, "the threshold moved by 0.125 at the end"],
  ])("%j is told", (choices, words) => {
    expect(reportText(report({}, undefined, choices))).toContain(words);
  });
});

test("an objective with a decay in it is said to have it", () => {
  expect(reportText(report({}))).toContain("\nobjective 0.4 after 50 steps");
  expect(reportText(report({}, undefined, { decay: 0.01 }))).toContain(
    "\nobjective 0.4 (including decay) after 50 steps",
  );
});

test("the cost of all requirements is stated if a model without them was trained and any is enforced", () => {
  const seen = { validation: { ...part, error: { value: 0.1, examples: 60 } }, without: 0.3812 };
  const words = "loss on the validation rows: 0.4 with requirements, about 0.3812 without";
  expect(reportText(report({}, undefined, seen))).toContain(words);
  expect(reportText(report({ cost: "free" }, undefined, seen))).not.toContain("without requirements");
});

test("a requirement that holds by construction has no price, because 0 would mean that it costs nothing", () => {
  const built = { hard: true, level: 0, reached: 0, status: "at its level", byConstruction: true } as const;
  const text = reportText(report(built, undefined, { byConstruction: ["misses"] }));
  expect(text).toMatch(/^misses +at most 0, hard +0 +0 +–$/m);
  expect(text).toContain("–: holds by construction, so it has no price; its cost was not measured");
  expect(text).not.toContain("a count has no slope");
});

describe("side by side", () => {
  test("a relative level is compared with the metric, as in the report", () => {
    const relative = {
      level: 0.02,
      relative: "overall + 0.02",
      status: "gave way" as const,
      reached: 0.05,
      relaxation: 0.03,
      price: 0.06,
      pricedBy: "loss" as const,
      metric: "loss" as const,
      train: { ...outcome(0.45, 0.5), asked: { strict: 0.4, surrogate: 0.42 } },
    };
    const text = compareText([{ run: "a", ...report(relative) }]);
    expect(text).toMatch(/^a +at most overall \+ 0\.02 +0\.45 +0\.03 +0\.06 /m);
  });

  test("a price that is none says why", () => {
    const counted = report({ price: 0.2, status: "at its level" });
    expect(compareText([{ run: "a", ...counted }])).toContain(
      "\n\n– for a price: a count has no slope, so it has no price",
    );
    expect(compareText([{ run: "a", ...report({}) }])).not.toContain("for a price");
  });

  test("the columns of all requirements stand below each other", () => {
    const one = report({});
    const { misses } = one.requirements;
    const both = { ...one, requirements: { misses, "a requirement with a long name": misses } };
    const lines = compareText([{ run: "a", ...both }]).split("\n");
    const heads = lines.filter((line) => line.includes("reached"));
    expect(heads).toHaveLength(2);
    for (const word of ["asked", "reached", "gave", "strict test"])
      expect(heads[0].indexOf(word)).toBe(heads[1].indexOf(word));
  });

  test("for regression the error is the root mean square", () => {
    const text = compareText([{ run: "a", ...report({}, { rootMeanSquare: 38_700 }) }]);
    expect(text).toMatch(/^a +0\.4 +0\.400 +38,700 +0\.400 +38,700 +yes$/m);
  });
});

test("a folder with a space is quoted in printed commands", () => {
  expect(nextSteps("runs/my model")).toContain('npx pliant report "runs/my model"');
  expect(goOnWith("runs/prüfung-2")).toBe(
    "npx pliant train runs/prüfung-2/spec.yaml --resume --out runs/prüfung-2",
  );
  expect(goOnWith("my model")).toContain('train "my model/spec.yaml" --resume --out "my model"');
});

describe("a gap between two groups", () => {
  const gap = (value: number, more: Partial<TrainRequirement> = {}) => {
    const own = { status: "met", reached: value, strictly: "gap in positive rate", train: outcome(0, value) };
    return report({ ...own, ...more } as Partial<TrainRequirement>).requirements.misses;
  };
  const both = (a: TrainRequirement, b: TrainRequirement, more = {}): string =>
    reportText({ ...report({}), requirements: { "parity [g=A]": a, "parity [g=B]": b, ...more } });
  const rows = (text: string, name: string): number =>
    text.split("\n").filter((l) => l.startsWith(name)).length;

  test("is one row, one sentence and one requirement: the side that is ahead", () => {
    const text = both(gap(-0.036), gap(0.036));
    expect(text).not.toContain("[g=A]");
    expect(rows(text, "parity [g=B]")).toBe(3);
    expect(text).toMatch(/^Certified\. On the 100 training rows, the requirement holds/);
    expect(both(gap(0.036), gap(-0.036))).not.toContain("[g=B]");
    expect(rows(both(gap(0), gap(-0)), "parity")).toBe(3);
    expect(both(gap(-0.036), gap(0.036, { hard: true }))).not.toContain("[g=A]");
  });

  test("is one in every run that is compared, unless the sides change places", () => {
    const run = (name: string, a: number, b: number) => ({
      ...report({}),
      run: name,
      requirements: { "parity [g=A]": gap(a), "parity [g=B]": gap(b) },
    });
    const text = compareText([run("one", -0.036, 0.036), run("two", -0.01, 0.01)]);
    expect(text).not.toContain("[g=A]");
    expect(rows(text, "parity [g=B]")).toBe(1);
    expect(rows(compareText([run("one", -0.036, 0.036), run("two", 0.01, -0.01)]), "parity")).toBe(2);
  });

  test("is one among several seeds, unless a side has a price of its own", () => {
    const seed = (more: Partial<TrainRequirement> = {}): TrainReport => ({
      ...report({}),
      requirements: { "parity [g=A]": gap(-0.036, more), "parity [g=B]": gap(0.036) },
    });
    expect(rows(seedsText(seed(), seed()), "parity")).toBe(2);
    expect(rows(seedsText(seed(), seed()), "parity [g=B]")).toBe(2);
    expect(rows(seedsText(seed(), seed({ price: 0.1, pricedBy: "loss" })), "parity")).toBe(4);
  });

  test("over several seeds the worst group is named, or all that were worst", () => {
    const seed = (group: string): TrainReport => {
      const worst = {
        strictly: "error of the worst group",
        price: 0.2,
        train: { ...outcome(0.3, 0.2), group },
      };
      return report(worst as Partial<TrainRequirement>);
    };
    expect(seedsText(seed("g=A"), seed("g=A"))).toMatch(/error of the worst group +0\.2 ± 0 \[g=A\]/);
    expect(seedsText(seed("g=B"), seed("g=A"))).toContain("0.2 ± 0 [g=A, g=B]");
    expect(seedsText(seed("g=A"))).toContain(
      "; – for a price: a count has no slope, so it has no price, or none was measured",
    );
    expect(seedsText(report({}))).not.toContain("for a price");
  });

  test("is one on new rows, told of from the side that is ahead there", () => {
    const judged = (value: number, excess: number) => ({
      ...{ asked: "at most 0.05", hard: false, metric: "gap in positive rate" },
      ...{ outcome: outcome(0, value), excess, verdict: "holds" as const },
    });
    const evaluation = {
      ...{ run: "run", rows: "new.csv", ...part, drift: [], unseen: [], rootMeanSquare: 1 },
      before: { ...part, rootMeanSquare: 1 },
      requirements: { "parity [g=A]": judged(0.02, -0.03), "parity [g=B]": judged(-0.02, -0.07) },
    };
    expect(rows(evaluationText(evaluation), "parity")).toBe(1);
    expect(rows(evaluationText(evaluation), "parity [g=A]")).toBe(1);
    const far = { ...judged(1_203_900, 1_202_000), verdict: "missed" as const };
    const text = evaluationText({ ...evaluation, rootMeanSquare: 1_383_000, requirements: { far } });
    expect(text).toMatch(
      /^One requirement is missed by more than chance would explain, on the 100 rows of new\.csv \(model of run\): "far" by 1,202,000\./,
    );
    expect(text).toMatch(/root mean square error +1,383,000 +1\.000$/m);
  });

  test("but two where each side says something of its own", () => {
    const two = (a: TrainRequirement, b: TrainRequirement, more = {}): void =>
      expect(both(a, b, more)).toMatch(/^parity \[g=A\][\s\S]*^parity \[g=B\]/m);
    two(gap(-0.036, { price: 0.1 }), gap(0.036));
    two(gap(-0.036, { level: 0.2 }), gap(0.036));
    two(gap(-0.036, { hard: true }), gap(0.036));
    two(gap(-0.03), gap(0.036), { "parity [g=C]": gap(-0.02) });
    // Rates of two groups that happen to be none.
    two(gap(0, { strictly: "positive rate" }), gap(0, { strictly: "positive rate" }));
  });
});

test("the error for a program's run says how to use it", () => {
  expect(() => trainAsked({ name: "mine", seed: 1 }, "runs/mine")).toThrow(
    /^runs\/mine\/run\.json is not from pliant train.* npx pliant studio --runs runs shows it, runs\/mine\/report\.json is its report, and begunRun /,
  );
});
