// A report of numbers that are known: what each requirement reached, its status, its elements, and the table's words.

import { excessOf, hard, quadratic } from "@pliant/core";
import { NdArray } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import type { Certificate } from "../src/certificate/certificate.js";
import { createReport, type RequirementReport } from "../src/report/report.js";

interface Known {
  readonly sense: RequirementReport["sense"];
  readonly level: number | readonly number[];
  readonly levels?: readonly number[];
  readonly slacks: readonly number[];
  readonly priced?: readonly number[];
  readonly pricedBy?: "loss" | "strict";
  readonly relaxations?: readonly number[];
  readonly prices?: readonly number[];
  readonly scale?: number;
  readonly unit?: number;
  readonly resolution?: number;
  readonly insisted?: readonly number[];
  readonly hard?: boolean;
  readonly strict?: number;
  /** Error estimates of its elements: price, relaxation, value. */
  readonly errors?: readonly (readonly [number, number, number])[];
}

const certified: Certificate = {
  tolerance: 0.01,
  holds: true,
  kind: "local",
  errors: { objective: 1e-4, prices: 0, relaxations: 0, values: 0.00234, parameters: 1e-3 },
  objectiveError: 2e-4,
  gap: 0,
  short: [],
};

/** The requirements that must not bend are one group, all others another. */
function reportOf(
  known: Record<string, Known>,
  {
    certificate = certified,
    objective = 2,
    undetermined = [],
  }: {
    certificate?: Certificate;
    objective?: number;
    undetermined?: readonly (readonly number[])[];
  } = {},
) {
  const all = Object.keys(known);
  const groups = [
    { names: all.filter((name) => !known[name].hard), cost: quadratic(3) },
    { names: all.filter((name) => known[name].hard), cost: hard },
  ];
  type Vectors = { of: (one: Known) => readonly number[] } | readonly NdArray[];
  const sizeOf = (name: string): number => known[name].slacks.length;
  const signed = groups.map(({ names }) => {
    const size = names.reduce((sum, name) => sum + sizeOf(name), 0);
    return new NdArray(new Float64Array(size), [size]);
  });
  const byName = (vectors: Vectors): Record<string, number[]> => {
    if ("of" in vectors) return Object.fromEntries(all.map((name) => [name, [...vectors.of(known[name])]]));
    const numbers = vectors.flatMap(({ data }) => Array.from(data));
    return Object.fromEntries(
      groups.flatMap(({ names }) => names).map((name) => [name, numbers.splice(0, sizeOf(name))]),
    );
  };
  const errors = groups.flatMap(({ names }) => names.flatMap((name) => known[name].errors ?? []));
  const errorsOf = (k: number) => Float64Array.from(errors, (each) => each[k]);
  const zeros = ({ slacks }: Known): number[] => slacks.map(() => 0);
  return createReport(
    { requirements: known } as never,
    { groups, byName, owned: byName, signed, scales: { of: ({ scale = 1 }: Known) => [scale] } } as never,
    {
      state: {
        relaxations: { of: (one: Known) => one.relaxations ?? zeros(one) },
        prices: { of: (one: Known) => one.prices ?? zeros(one) },
        step: 12,
      } as never,
      terms: {
        levels: { of: (one: Known) => one.levels ?? [one.level].flat() },
        insisted: { of: (one: Known) => one.insisted ?? one.slacks.map(() => Number(one.hard === true)) },
      } as never,
      seen: {
        certificate,
        undetermined,
        ...(errors.length > 0 && {
          errors: {
            objective: 0,
            prices: errorsOf(0),
            relaxations: errorsOf(1),
            values: errorsOf(2),
            sizes: errorsOf(2).map(() => 1),
          },
        }),
        objective,
        slacks: { of: (one: Known) => one.slacks },
        priced: { of: (one: Known) => one.priced ?? one.slacks },
        resolutions: { of: ({ slacks, resolution = 0 }: Known) => slacks.map(() => resolution) },
        strict: Object.fromEntries(
          all.flatMap((name) => {
            const { strict } = known[name];
            return strict === undefined ? [] : [[name, { item: () => strict }]];
          }),
        ),
      } as never,
    },
  );
}
const only = (known: Known, options?: Parameters<typeof reportOf>[1]): RequirementReport =>
  (reportOf({ it: known }, options).requirements as Record<string, RequirementReport>).it;
const uncertified = { ...certified, holds: false };

describe("what was reached", () => {
  test("is the level and what it is exceeded by, on the side that is asked", () => {
    expect(only({ sense: "at most", level: 3, slacks: [0.5] }).reached).toBe(3.5);
    expect(only({ sense: "at least", level: 3, slacks: [0.5] }).reached).toBe(2.5);
    expect(only({ sense: "equal to", level: 3, slacks: [-0.5] }).reached).toBe(2.5);
    const between: Known = { sense: "between", level: [1, 3], slacks: [-1.5, -0.5] };
    expect(only(between).reached).toBe(2.5);
    expect(only({ ...between, slacks: [0.25, -2.25] }).reached).toBe(0.75);
    expect(only({ ...between, slacks: [-1, -1] }).reached).toBe(2);
  });

  test("is by what prices follow; the loss is beside it, and the strict metric where there is one", () => {
    const counted = only({
      sense: "at most",
      level: 1,
      slacks: [0.5],
      priced: [0.25],
      pricedBy: "strict",
      strict: 1.25,
      unit: 10,
    });
    expect(counted).toMatchObject({ reached: 1.25, loss: 1.5, pricedBy: "strict", strict: 1.25, unit: 10 });
    const plain = only({ sense: "at most", level: 1, slacks: [0.5] });
    expect(plain).toMatchObject({ pricedBy: "loss", cost: "quadratic(3)", hard: false, scale: 1 });
    expect("strict" in plain || "unit" in plain || "elements" in plain).toBe(false);
  });

  test("of several elements is the worst one: the most exceeded or, for an equality, the farthest", () => {
    const many = { level: 1, levels: [1, 1, 1], slacks: [-2, 0.5, 0.25] };
    expect(only({ sense: "at most", ...many }).reached).toBe(1.5);
    expect(only({ sense: "at least", ...many }).reached).toBe(0.5);
    expect(only({ sense: "equal to", ...many }).reached).toBe(-1);
    const loss = only({ sense: "equal to", ...many, priced: [0, 0, 0.5] });
    expect([loss.reached, loss.loss]).toEqual([1.5, -1]);
  });

  test("relaxation and price of many are their sums", () => {
    const many = only({
      sense: "at most",
      level: 1,
      levels: [1, 1],
      slacks: [0, 0],
      relaxations: [0.5, 0.25],
      prices: [1, 3],
    });
    expect(many).toMatchObject({ relaxation: 0.75, price: 4 });
  });

  test("a level is one number where all elements have one, both of two sides, else each its own", () => {
    const slacks = [0, 0];
    expect(only({ sense: "at most", level: 1, levels: [1.5, 1.5], slacks }).level).toBe(1.5);
    expect(only({ sense: "at most", level: 1, levels: [1.5, 1], slacks }).level).toEqual([1.5, 1]);
    expect(only({ sense: "at most", level: [2, 2], levels: [2, 2], slacks }).level).toEqual([2, 2]);
    const four = { sense: "between", level: [1, 3], levels: [1, 1, 3, 3], slacks: [-1, -1, -1, -1] } as const;
    expect(only(four).level).toEqual([1, 3]);
  });
});

describe("elements", () => {
  test("of a requirement are listed, each with its level", () => {
    const known: Known = {
      sense: "at least",
      level: 1,
      levels: [1, 2],
      slacks: [9, 9],
      priced: [0.5, -0.5],
      relaxations: [0.25, 0],
      prices: [3, 0],
    };
    expect(only(known).elements).toEqual([
      { level: 1, reached: 0.5, relaxation: 0.25, price: 3 },
      { level: 2, reached: 2.5, relaxation: 0, price: 0 },
    ]);
  });

  test("of a two-sided requirement have both levels, and the relaxations and prices of both sides", () => {
    const known: Known = {
      sense: "between",
      level: [1, 3],
      levels: [1, 1, 3, 3],
      slacks: [0.5, -1.5, -2.5, -0.5],
      relaxations: [0.25, 0, 0, 0.125],
      prices: [2, 0, 1, 4],
    };
    expect(only(known).elements).toEqual([
      { level: [1, 3], reached: 0.5, relaxation: 0.25, price: 3 },
      { level: [1, 3], reached: 2.5, relaxation: 0.125, price: 4 },
    ]);
    expect(only({ ...known, levels: [1, 3], slacks: [-1, -1] }).elements).toBeUndefined();
  });

  test("are listed up to a thousand", () => {
    const of = (n: number): Known => ({
      sense: "at most",
      level: 1,
      levels: new Array(n).fill(1),
      slacks: new Array(n).fill(0),
    });
    expect(only(of(1000)).elements).toHaveLength(1000);
    expect(only(of(1001)).elements).toBeUndefined();
  });
});

describe("errors", () => {
  const many: Known = {
    sense: "at most",
    level: [1, 2],
    levels: [1, 2],
    slacks: [0, 0.5],
    errors: [
      [0.1, 0.01, 0.001],
      [0.2, 0.02, 0.002],
    ],
  };

  test("of prices and relaxations are sums over elements; the error of the value reached is the worst element's", () => {
    expect(only(many).errors).toEqual({
      price: expect.closeTo(0.3, 12),
      relaxation: expect.closeTo(0.03, 12),
      reached: 0.002,
    });
  });

  test("belong to their requirement, wherever its cost puts it", () => {
    const one: Known = { sense: "at most", level: 1, slacks: [0], errors: [[7, 8, 9]] };
    const { requirements } = reportOf({ firm: { ...one, hard: true }, many });
    const all = requirements as Record<string, RequirementReport>;
    expect(all.firm.errors).toEqual({ price: 7, relaxation: 8, reached: 9 });
    expect(all.many.errors?.reached).toBe(0.002);
  });

  test("a price determined only together with others has no separate error", () => {
    expect(only(many, { undetermined: [[1]] }).errors).toEqual({
      relaxation: expect.closeTo(0.03, 12),
      reached: 0.002,
    });
    expect(
      only({
        ...many,
        errors: [
          [Number.NaN, 0, 0],
          [0, 0, 0],
        ],
      }).errors,
    ).not.toHaveProperty("price");
  });

  test("are none where nothing was checked", () => {
    expect(only({ sense: "at most", level: 1, slacks: [0] })).not.toHaveProperty("errors");
  });
});

describe("the status", () => {
  const at = (slack: number, more: Partial<Known> = {}, options?: Parameters<typeof reportOf>[1]): string =>
    only({ sense: "at most", level: 1, slacks: [slack], scale: 4, resolution: 0.5, ...more }, options).status;

  test("allows for the tolerance in units of the scale, and for one step of what is counted", () => {
    const { allowance } = only({ sense: "at most", level: 1, slacks: [0], scale: 4, resolution: 0.5 });
    expect(allowance).toBeCloseTo(0.54, 12);
    expect(only({ sense: "at most", level: 1, slacks: [0], scale: 4 }).allowance).toBeCloseTo(0.04, 12);
    expect([allowance, -allowance, -0.55, 0.55].map((slack) => at(slack))).toEqual([
      "at its level",
      "at its level",
      "met",
      "gave way",
    ]);
  });

  test("a soft requirement has one if certified; a hard one that misses its level is violated", () => {
    expect(at(1, {}, { certificate: uncertified })).toBe("unknown");
    for (const certificate of [certified, uncertified]) {
      expect(at(1, { hard: true }, { certificate })).toBe("violated");
      expect(at(1, { insisted: [1] }, { certificate })).toBe("violated");
    }
    expect([at(-1, { hard: true }), at(0, { hard: true })]).toEqual(["met", "at its level"]);
  });

  test("an equality is at its level or not", () => {
    expect([-1, 1, 0.2, -0.2].map((slack) => at(slack, { sense: "equal to" }))).toEqual([
      "gave way",
      "gave way",
      "at its level",
      "at its level",
    ]);
  });

  test("has what one example moves of what is counted, and of nothing else", () => {
    const known: Known = { sense: "at most", level: 1, slacks: [0] };
    expect(only({ ...known, resolution: 0.25 }).resolution).toBe(0.25);
    expect(only(known)).not.toHaveProperty("resolution");
  });

  test("must not bend: what is hard, or insisted on", () => {
    const known: Known = { sense: "at most", level: 1, levels: [1, 1], slacks: [0, 0] };
    expect(only(known).hard).toBe(false);
    expect(only({ ...known, hard: true })).toMatchObject({ hard: true, cost: "hard" });
    expect(only({ ...known, insisted: [0, 1] })).toMatchObject({ hard: true, cost: "quadratic(3)" });
  });
});

describe("the table", () => {
  const known: Record<string, Known> = {
    cheap: { sense: "at most", level: 1, slacks: [0.25], relaxations: [0.25], prices: [0.5] },
    within: { sense: "between", level: [1, 3], levels: [1, 3], slacks: [-1, -1] },
    dear: { sense: "at least", level: 0.123456, slacks: [0], prices: [-4], relaxations: [0.005] },
    broken: { sense: "at most", level: 2, slacks: [1], hard: true, prices: [0.001] },
    many: { sense: "at most", level: [1, 2], levels: [1, 2], slacks: [0, 0], prices: [0, 0.02] },
  };

  test("has what is violated first, then the dearest; a relaxation within its allowance is 0", () => {
    expect(reportOf(known).text.split("\n")).toEqual([
      "requirement  asked            reached                gave  price",
      "broken       at most 2              3  violated         0  0.001",
      "dear         at least 0.1235   0.1235  at its level     0     -4",
      "cheap        at most 1           1.25  gave way      0.25    0.5",
      "many         at most 1, 2           1  at its level     0   0.02",
      "within       between 1 and 3        2  met              0      0",
      "",
      "objective 2 after 12 steps, certified to 0.01",
      "reached is that of the worst element, gave and price are sums over all: many",
      "largest error: 2.3e-3 of a number's size",
    ]);
  });

  test("has a number with its error where that would be seen, and without where it would not", () => {
    const cellsOf = (price: number, relaxation: number, errors: [number, number, number]): string =>
      reportOf({
        one: {
          sense: "at most",
          level: 1,
          slacks: [1],
          prices: [price],
          relaxations: [relaxation],
          errors: [errors],
        },
      }).text.split("\n")[1];
    expect(cellsOf(0.705, 0.5, [0.00213, 0.0104, 0])).toMatch(/ 0\.5 ± 0\.01 +0\.705 ± 0\.002$/);
    expect(cellsOf(0.705, 0.5, [1e-6, 0, 0])).toMatch(/ 0\.5 +0\.705$/);
    expect(cellsOf(0.705, 0.5, [Number.NaN, 0, 0])).toMatch(/ 0\.5 +0\.705$/);
  });

  test("says of which requirements only the sum of the prices is determined", () => {
    const certificate = { ...certified, together: [["cheap", "dear"]] };
    const { text } = reportOf(known, { certificate });
    expect(text).toContain("only the sum of their prices is determined: cheap, dear\n");
    expect(reportOf(known).text).not.toContain("determined");
  });

  test("has one level or two as they are, and says what its numbers are of where there are several elements", () => {
    const one: Known = { sense: "at most", level: [0.3], slacks: [0] };
    expect(reportOf({ one }).text).toMatch(/^one +at most 0\.3 +0\.3 +at its level/m);
    expect(reportOf({ one, within: known.within }).text).not.toContain("element");
    const three: Known = { sense: "at most", level: [1, 2, 3], slacks: [0, 0, 0] };
    const both: Known = { sense: "between", level: [1, 3], levels: [1, 1, 3, 3], slacks: [-1, -1, -1, -1] };
    const { text } = reportOf({ one, three, both });
    expect(text).toMatch(/^three +at most levels of their own /m);
    expect(text).toContain("sums over all: three, both\n");
  });

  test("has what is violated first, wherever it was asked", () => {
    const { broken, dear } = known;
    for (const asked of [
      { broken, dear },
      { dear, broken },
    ])
      expect(reportOf(asked).text.split("\n")[1]).toMatch(/^broken /);
  });

  test("has levels in single precision as they were asked", () => {
    const levels = [-0.02, 0.02].map(Math.fround);
    const { text } = reportOf({ gap: { sense: "between", level: levels, levels, slacks: [-0.01, -0.03] } });
    expect(text).toContain("between -0.02 and 0.02 ");
  });

  test("puts in brackets what is not certified, and says what it is short of", () => {
    const certificate = { ...uncertified, short: ["the model is still moving"] };
    const lines = reportOf({ cheap: known.cheap }, { certificate, objective: 1e-9 }).text.split("\n");
    expect(lines).toEqual([
      "requirement  asked      reached             gave  price",
      "cheap        at most 1     1.25  unknown  (0.25)  (0.5)",
      "",
      "objective 0 after 12 steps, not certified to 0.01; numbers in brackets are not known yet",
      "– the model is still moving",
      "largest error: 2.3e-3 of a number's size",
    ]);
  });

  test("has a column for the stand-in of what is counted, and one for what is only measured strictly", () => {
    const counted: Known = {
      sense: "at most",
      level: 1,
      slacks: [0.5],
      priced: [0],
      pricedBy: "strict",
      strict: 1,
      prices: [3],
    };
    const measured: Known = { sense: "at most", level: 1, slacks: [0], strict: 1.75, prices: [2] };
    const plain: Known = { sense: "at most", level: 1, slacks: [0] };
    const rows = (of: Record<string, Known>): string[] => reportOf(of).text.split("\n").slice(0, -3);
    expect(rows({ counted, measured, plain })).toEqual([
      "requirement  asked      reached                gave  price  stand-in  strict",
      "counted      at most 1        1  at its level     0      3       1.5",
      "measured     at most 1        1  at its level     0      2              1.75",
      "plain        at most 1        1  at its level     0      0",
    ]);
    expect(rows({ counted })[0]).toMatch(/price {2}stand-in$/);
    expect(rows({ measured })[0]).toMatch(/price {2}strict$/);
    expect(rows({ plain })[0]).toMatch(/price$/);
  });
});

describe("how far a level is missed", () => {
  test.each([
    ["at most", 1, 1.5, 0.5],
    ["at least", 1, 1.5, -0.5],
    ["equal to", 1, 0.25, 0.75],
    ["between", [1, 3], 0.5, 0.5],
    ["between", [1, 3], 3.25, 0.25],
    ["between", [1, 3], 1.25, -0.25],
    ["between", [1, 3], 2.5, -0.5],
  ] as const)("%s %j at %d: %d", (sense, level, reached, excess) => {
    expect(excessOf({ sense, level, reached })).toBe(excess);
  });

  test.each([
    ["at most", 1.5, 0.5],
    ["at least", 1.5, -0.5],
    ["equal to", 0.25, 0.75],
  ] as const)(
    "%s levels of their own by what the worst one is missed by, at %d: %d",
    (sense, reached, excess) => {
      expect(excessOf({ sense, level: [5, 1, 2], worstLevel: 1, reached })).toBe(excess);
    },
  );
});
