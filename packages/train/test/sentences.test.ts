// Requirements in words: nothing is said that is not known, and the first line does not mislead.
import { describe, expect, test } from "vitest";
import { unitOf } from "../src/questions/answers.js";
import { unmetWords } from "../src/report/paid-text.js";
import { measuredPrice } from "../src/report/requirement-view.js";
import { headline, insistedWords, type Judgement, sentences } from "../src/report/sentences.js";
import { certified, first, judged, moving, plain, told } from "./judged.js";

describe("one that must hold and does not", () => {
  const broken = { level: 0.02, reached: 0.029, price: 41, status: "violated" } as const;

  test("is called violated, in its sentence and in the first line, certified or not", () => {
    for (const certificate of [certified, moving]) {
      expect(told(broken, certificate)).toMatch(
        /^misses: violated by 0\.009: it must be at most 0\.020 and is 0\.029\./,
      );
      expect(first(broken, certificate)).toMatch(
        /^Violated: "misses" must be at most 0\.020 and is 0\.029\./,
      );
    }
    expect(told(broken, certified)).not.toMatch(/held|41/);
    expect(first(broken, moving)).toContain("also not certified: the model is still moving");
  });

  test("comes before all others", () => {
    const both = sentences({
      certificate: certified,
      requirements: {
        gave: { ...plain, reached: 0.4, relaxation: 0.3, price: 2, status: "gave way" },
        broken: { ...plain, ...broken },
      },
    });
    expect(both.map((line) => line.split(":")[0])).toEqual(["broken", "gave"]);
  });
});

describe("two that must hold and were not had together", () => {
  const broken = { level: 0.05, reached: 0.17, price: 41, status: "violated" } as const;
  const judgement = (alone?: Record<string, boolean>): Judgement => ({
    certificate: moving,
    requirements: { misses: { ...plain, ...broken }, alarms: { ...plain, price: 3, status: "at its level" } },
    opposed: ["misses", "alarms"],
    ...(alone && { alone }),
  });

  test("are said to conflict, by name, where each can be met by itself", () => {
    const found = judgement({ misses: true, alarms: true });
    expect(headline(found)).toBe(
      'Violated: "misses" and "alarms" conflict. Each can be met alone, but not both together. The best found together is "misses" 0.170 (must be at most 0.050) and "alarms" 0.100 (must be at most 0.100).',
    );
    expect(sentences(found)[0]).toContain('It can be met alone, but not together with "alarms". Loosen one');
  });

  test("and not where that is not known, or one cannot", () => {
    expect(headline(judgement())).toMatch(/^Violated: "misses" must be at most 0\.050 and is 0\.170\./);
    const hopeless = judgement({ misses: false, alarms: true });
    expect(headline(hopeless)).toMatch(/^Violated: "misses" must be/);
    expect(sentences(hopeless)[0]).toContain("It was not met alone either");
  });
});

test("for a decision that is met with room to spare, the cost of its levels is stated unless it is 0", () => {
  const spare: Parameters<typeof told>[0] = {
    ...{ hard: true, level: 0.05, reached: 0.0486, price: 2.07, allowance: 0.0004, resolution: 0.0004 },
    status: "met",
    pricedBy: "strict",
    decidedOn: "folds",
    neighbours: { unit: unitOf("rate", 0.05), in: "balanced errors", looser: 0, tighter: 0.0207 },
  };
  expect(told(spare)).toBe(
    "misses: met with 0.0014 to spare (asked at most 0.050, reached 0.0486). Loosening it by one percentage point would cost nothing. Tightening it by one percentage point would raise the total (balanced error rate plus cost of giving way) by 0.021.",
  );
  expect(told({ ...spare, price: 0, neighbours: undefined })).toContain("to spare, at no cost");
});

test("where no threshold meets a level, what it cannot be met together with is named", () => {
  expect(unmetWords({})).toBe("No threshold meets it with these scores");
  expect(unmetWords({ against: ["misses"] })).toBe(
    'No threshold meets it together with "misses", which is hard',
  );
  expect(unmetWords({ against: ["misses", "alarms"], offsets: true })).toBe(
    'No class offsets meet it together with "misses" and "alarms", which are hard',
  );
  expect(unmetWords({ fewest: 28 })).toBe(
    "No threshold that predicts the class for at least 28 rows meets it with these scores",
  );
});

describe("without a certificate", () => {
  test("no price and no relaxation is stated as a fact", () => {
    const windup = { reached: 0.46, relaxation: 0.2, price: 11, status: "unknown" } as const;
    expect(told(windup, moving)).toBe(
      "misses: misses its level by 0.360 (asked at most 0.100, reached 0.460). The run is not certified.",
    );
    expect(told({ ...windup, reached: 0.05 }, moving)).toBe(
      "misses: holds (asked at most 0.100, reached 0.050). The run is not certified.",
    );
    // Above its level by less than one example is not said to hold.
    expect(told({ ...windup, reached: 0.12, allowance: 0.05 }, moving)).toBe(
      "misses: is within its resolution of 0.050 (asked at most 0.100, reached 0.120). The run is not certified.",
    );
    expect(told(windup, moving)).not.toMatch(/11|0\.200|save/);
  });

  test("the first line says so, and what to try", () => {
    expect(first({ status: "unknown" }, moving)).toBe(
      "Not certified: the model is still moving: more steps may settle it. Relaxations and prices are unknown.",
    );
    expect(first({ status: "unknown" }, { holds: false, short: [] })).toContain("the steps ended before");
  });
});

describe("with a certificate", () => {
  test("room to spare is said only of what has some, beyond what counting can tell", () => {
    expect(told({ reached: 0.05 })).toBe(
      "misses: met with 0.050 to spare, at no cost (asked at most 0.100, reached 0.050).",
    );
    const near = { level: 0.05, reached: 0.0504, allowance: 0.001 };
    expect(told(near)).toBe(
      "misses: met, within its resolution of 0.001, at no cost (asked at most 0.050, reached 0.0504).",
    );
    expect(told({ ...near, reached: 0.0496 })).toContain(": met at no cost ");
    expect(told({ sense: "at least", level: 0.1, reached: 0.3 })).toContain("met with 0.200 to spare");
    // Two of six: far from the level, but within the resolution of six examples.
    expect(told({ ...near, status: "at its level", level: 0.4, reached: 0.333, allowance: 0.167 })).toBe(
      "misses: met, by less than its resolution of 0.167 (asked at most 0.400, reached 0.333). It costs nothing: the model would be there without it.",
    );
  });

  test("a price is quoted for a natural unit, as a slope", () => {
    expect(told({ price: 0.43, status: "at its level" })).toBe(
      "misses: at its level (asked at most 0.100, reached 0.100). Loosening it slightly would lower the loss at a rate of 0.0043 per percentage point.",
    );
    expect(
      told({
        price: 0.011,
        status: "at its level",
        level: 0.45,
        reached: 0.45,
        quoted: unitOf("other", 0.45),
      }),
    ).toContain("Loosening it slightly would lower the loss at a rate of 0.00011 per 0.01");
    expect(unitOf("other", 4).name).toBe("0.1");
    expect(unitOf("other", 0).size).toBe(0.01);
  });

  test("the price of a count is not a cost: only measured costs are stated", () => {
    const counted = { price: 3, status: "at its level", pricedBy: "strict" } as const;
    expect(told(counted)).toContain("reached 0.100). Its cost was not measured.");
    expect(
      told({ ...counted, neighbours: { unit: unitOf("rate", 0), looser: 0.004, tighter: 0.0061 } }),
    ).toContain(
      "Loosening it by one percentage point would lower the loss by 0.004. Tightening it by one percentage point would raise the loss by 0.0061.",
    );
    expect(told({ ...counted, neighbours: { unit: unitOf("rate", 0, 0.15), looser: 1e-7 } })).toContain(
      "Loosening it by 15 percentage points would leave the loss unchanged",
    );
    // Others gave way: their reduced relaxation counts with the loss.
    const beside = {
      unit: unitOf("rate", 0),
      looser: 0,
      tighter: 0.0061,
      relieved: { alarms: 0.02, flags: 0.03 },
    };
    expect(told({ ...counted, neighbours: beside })).toContain(
      'Loosening it by one percentage point would leave the loss unchanged and let "alarms" give way by 0.020 less and "flags" by 0.030 less. Tightening it by one percentage point would raise the total (loss plus cost of giving way) by 0.0061.',
    );
    const { looser: _, ...unseen } = { ...beside, tighter: undefined, relieved: { alarms: 0.02 } };
    expect(told({ ...counted, neighbours: unseen })).toContain(
      'Loosening it by one percentage point would let "alarms" give way by 0.020 less.',
    );
    // A model with less of both was found: that is no cost.
    const lower = { unit: unitOf("rate", 0), tighter: -0.0021 };
    expect(told({ ...counted, neighbours: lower })).toContain(
      "Tightening it by one percentage point would leave the loss unchanged.",
    );
    expect(measuredPrice({ ...counted, neighbours: lower })).toBe(0);
  });

  test("the first line counts what gave way and what holds, and says on which rows", () => {
    expect(headline(judged({ reached: 0.05 }), "the 1050 training rows")).toBe(
      "Certified. On the 1050 training rows, the requirement holds.",
    );
    const three: Judgement = {
      certificate: certified,
      requirements: {
        a: plain,
        b: { ...plain, reached: 0.4, relaxation: 0.3, price: 2, status: "gave way" },
        c: plain,
      },
    };
    expect(headline(three)).toBe('Certified. "b" gave way by 0.300. The other 2 requirements hold.');
    expect(headline({ certificate: certified, requirements: { a: plain, c: plain } })).toBe(
      "Certified. Both requirements hold.",
    );
    // An example more than the level allows is not kept from the reader.
    expect(first({ status: "at its level", reached: 0.1047, allowance: 0.006 })).toBe(
      "Certified. The requirement holds to within 0.0047.",
    );
    // Three dollars of 30,000, where they are counted in a hundred thousand, are nothing.
    const dollars = { level: 30_000, unit: 110_000, quoted: unitOf("other", 30_000) };
    expect(first({ ...dollars, status: "at its level", reached: 30_003, allowance: 30 })).toBe(
      "Certified. The requirement holds.",
    );
  });
});

describe("insisting", () => {
  const gave = { reached: 0.256, relaxation: 0.107, price: 0.43, level: 0.15, status: "gave way" } as const;
  const insisting = { level: 0.15, reached: 0.15, had: true, missed: 0, costs: 0.076, others: {} };

  test("unmeasured, of a smooth requirement: its slope, and the least that convexity gives", () => {
    expect(told(gave)).toBe(
      "misses: gave way by 0.106 (asked at most 0.150, reached 0.256). Loosening it by one percentage point would lower the total (loss plus cost of giving way) by 0.0043. Insisting would cost at least 0.046 of loss if the problem is convex and the level can be met; this was not measured.",
    );
    expect(told({ ...gave, pricedBy: "strict" })).toBe(
      "misses: gave way by 0.106 (asked at most 0.150, reached 0.256). The cost of insisting was not measured.",
    );
    const unmeasured = "the 8 dearest were";
    expect(told({ ...gave, unmeasured })).toMatch(/ this was not measured: the 8 dearest were\.$/);
    expect(told({ ...gave, unmeasured, pricedBy: "strict" })).toMatch(
      / The cost of insisting was not measured: the 8 dearest were\.$/,
    );
    expect(told({ ...gave, unmeasured, examples: { all: 9, gave: 2 } })).toMatch(
      /gave way on 2 of 9 examples, by 0\.107 in all \(.*\)\. The cost of insisting was not measured: the 8 dearest were\.$/,
    );
    const binds = { price: 3, status: "at its level", pricedBy: "strict", unmeasured } as const;
    expect(told(binds)).toMatch(/\. Its cost was not measured: the 8 dearest were\.$/);
  });

  test("measured: its cost, and who then gives way", () => {
    expect(told({ ...gave, insisting: { ...insisting, others: { "false alarms": 0.039 } } })).toContain(
      'Insisting would raise the loss by 0.076 and make "false alarms" give way by 0.039 more.',
    );
    const breaking = { ...insisting, others: { flags: 0.043 }, broken: ["flags"] };
    expect(told({ ...gave, insisting: breaking })).toContain(
      'Insisting would violate "flags", which is hard, by 0.043. No model was found that satisfies them together.',
    );
    const two = { ...breaking, others: { flags: 0.043, alarms: 0.01 } };
    expect(told({ ...gave, insisting: two })).toContain(
      'Insisting would violate "flags", which is hard, by 0.043 and make "alarms" give way by 0.010 more. No model',
    );
    const lower = { ...insisting, costs: -0.012, others: { "false alarms": 0.039 } };
    expect(told({ ...gave, insisting: lower })).toContain(
      'Insisting would lower the loss by 0.012, but only because it would make "false alarms" give way by 0.039 more.',
    );
    expect(told({ ...gave, insisting: { ...insisting, costs: -0.001 } })).toContain(
      "Insisting would cost nothing measurable.",
    );
  });

  test("measured of a count: to how much that is known", () => {
    const counted = { ...insisting, costs: 0.0576, within: 0.0046 };
    expect(told({ ...gave, insisting: counted })).toContain(
      "Insisting would raise the loss by 0.058 (± 0.005).",
    );
    expect(told({ ...gave, insisting: { ...counted, short: 0.002 } })).toContain(
      "(± 0.005, where it is 0.002 from the level,",
    );
    expect(told({ ...gave, insisting: { ...counted, costs: 0 } })).toContain(
      "Insisting would cost nothing measurable.",
    );
    expect(told({ ...gave, insisting: { ...counted, costs: -0.0019, within: 0.0008 } })).toContain(
      "Insisting lowered the loss by 0.0019 ± 0.0008, so the run had not reached its minimum.",
    );
    expect(told({ ...gave, insisting: { ...counted, costs: -0.0019 } })).toContain("nothing measurable");
  });

  test("measured a little short of the level: that it was", () => {
    const near = { ...insisting, reached: 0.1532, short: 0.0032 };
    const how =
      "(where it is 0.0032 from the level, which counts as met; meeting it exactly may cost slightly more)";
    expect(told({ ...gave, insisting: near })).toContain(`Insisting would raise the loss by 0.076 ${how}.`);
    const lower = { ...near, costs: -0.012, others: { "false alarms": 0.039 } };
    expect(told({ ...gave, insisting: lower })).toContain(`give way by 0.039 more ${how}.`);
  });

  test("at a looser level: that it is, and all that it gains and costs", () => {
    const looser = {
      than: "at most 0.15",
      thanReached: true,
      relieved: { "false alarms": 0.02, flags: 0.01 },
    };
    const said = (more: object) => insistedWords({ ...insisting, level: 0.3, reached: 0.3, looser, ...more });
    expect(said({ costs: 0.0019 })).toBe(
      `This level is looser than the run's (at most 0.15): the loss is 0.0019 higher, "false alarms" gives way by 0.020 less and "flags" gives way by 0.010 less.`,
    );
    expect(said({ costs: -0.012, others: { other: 0.03 } })).toContain(
      ': the loss is 0.012 lower, "false alarms" gives way by 0.020 less, "flags" gives way by 0.010 less and "other" gives way by 0.030 more.',
    );
    expect(said({ costs: 1e-6, looser: { ...looser, relieved: {} } })).toContain(
      ": the loss does not change measurably and no other requirement gives way less or more.",
    );
    // Tighter than what it gave way to: there is still something to insist on.
    expect(said({ looser: { ...looser, thanReached: false } })).toBe(
      "Insisting would raise the loss by 0.076. This level is looser than the run's (at most 0.15).",
    );
  });

  test("or that it cannot be met", () => {
    const lost = { ...insisting, had: false, reached: 0.143, missed: 0.043, level: 0.1 };
    expect(told({ ...gave, insisting: lost })).toContain(
      "Insisting did not meet it: it reached 0.143. Whether it can be met is unknown.",
    );
    expect(told({ ...gave, insisting: { ...lost, outOfReach: true } })).toContain(
      "Insisting did not meet it: it reached 0.143. It is likely infeasible: it hardly moved while its price doubled.",
    );
    expect(told({ ...gave, asked: "overall + 0.02 (0.100)", insisting: lost })).toContain(
      "Insisting did not meet it: it still misses by 0.043. Whether it can be met is unknown.",
    );
    expect(told({ ...gave, insisting: { ...lost, missed: 0 } })).toContain(
      "Insisting met it but did not converge, so its cost is unknown.",
    );
  });
});

test("a relative level is printed with its formula and its value", () => {
  expect(
    told({
      level: 0.12,
      asked: "overall + 0.02 (0.120)",
      reached: 0.15,
      relaxation: 0.03,
      status: "gave way",
    }),
  ).toMatch(/^misses: gave way by 0\.030 \(asked at most overall \+ 0\.02 \(0\.120\), reached 0\.150\)\./);
});

test("the examples of a requirement on each are counted", () => {
  expect(
    told({ reached: 2, relaxation: 3.5, price: 8, examples: { all: 20, gave: 6 }, status: "gave way" }),
  ).toBe(
    "misses: gave way on 6 of 20 examples, by 3.500 in all (asked at most 0.100 of every example, at worst 2.000).",
  );
});

test("nothing has no minus before it", () => {
  expect(told({ reached: -1e-9 })).toContain("reached 0.000)");
});

describe("numbers printed side by side", () => {
  const gave = { level: 0.2, price: 2, status: "gave way" } as const;

  test("have as many digits as tell them apart", () => {
    expect(told({ ...gave, reached: 0.2004, relaxation: 0.0004 })).toContain(
      "gave way by 0.0004 (asked at most 0.200, reached 0.2004)",
    );
    expect(told({ ...gave, reached: 0.203, relaxation: 0.003 })).toContain(
      "gave way by 0.003 (asked at most 0.200, reached 0.203)",
    );
    expect(told({ ...gave, reached: 0.2412, relaxation: 0.0412 })).toContain(
      "gave way by 0.041 (asked at most 0.200, reached 0.241)",
    );
    const dollars = { level: 36_000, unit: 1000, reached: 36_000.4, relaxation: 0.4 };
    expect(told({ ...gave, ...dollars })).toContain(
      "gave way by 0.400 (asked at most 36,000, reached 36,000.4)",
    );
    const broken = { level: 0.0625, reached: 0.0632, price: 2, status: "violated" } as const;
    expect(first(broken)).toContain('"misses" must be at most 0.0625 and is 0.0632.');
  });

  test("the relaxation printed is the value reached minus the level, not the solver's relaxation", () => {
    expect(told({ ...gave, reached: 0.2034, relaxation: 0.003 })).toContain(
      "gave way by 0.0034 (asked at most 0.200, reached 0.2034)",
    );
  });

  test("the worst of several groups is named", () => {
    const worst = { reached: 0.17, price: 2, group: "sex=F" } as const;
    expect(told({ ...worst, status: "gave way", relaxation: 0.07 })).toContain("reached 0.170 [sex=F])");
    expect(told({ ...worst, status: "violated" })).toContain("must be at most 0.100 and is 0.170 [sex=F].");
    expect(first({ ...worst, status: "violated" })).toContain("and is 0.170 [sex=F].");
  });
});

test("one at its level without a price says what holds it there", () => {
  const near = { pricedBy: "strict", status: "at its level", reached: 0.098, allowance: 0.011 } as const;
  expect(told(near)).toBe(
    "misses: met, by less than its resolution of 0.011 (asked at most 0.100, reached 0.098). It costs nothing: the model would be there without it.",
  );
});

test("a price is measured on both sides: a gain on one does not hide a loss on the other", () => {
  const unit = unitOf("rate", 0.1);
  const counted = { pricedBy: "strict", price: 2 } as const;
  expect(measuredPrice({ ...counted, neighbours: { unit, looser: -0.004, tighter: 0.002 } })).toBeCloseTo(
    0.1,
    12,
  );
});
