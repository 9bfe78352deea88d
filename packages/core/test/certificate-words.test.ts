// What a certificate says in words of the distances that it is made from.
import { describe, expect, test } from "vitest";
import {
  certify,
  type Distances,
  isSettled,
  residualOf,
  withoutMinimum,
} from "../src/certificate/certificate.js";

describe("what a certificate says", () => {
  const seen = (...data: number[]) => ({ data, item: () => data[0] });
  type Seen = ReturnType<typeof seen>;
  const none: Distances<Seen> = {
    equilibrium: [seen(0, 0), seen(0)],
    feasibility: [seen(0, 0), seen(0)],
    complementarity: [seen(0, 0), seen(0)],
    slope: seen(0),
    growth: seen(0),
    falls: seen(1),
    gap: seen(0),
    resolutions: [seen(0, 0), seen(0)],
    parts: seen(1),
    unit: seen(1),
    range: seen(1),
    reach: seen(1),
  };
  const byName = ([first, second]: readonly { data: ArrayLike<number> }[]) => ({
    early: [first.data[0]],
    late: [first.data[1]],
    alone: [second.data[0]],
  });
  const said = (more: Partial<Distances<Seen>>, resolutions = none.resolutions) =>
    certify({ ...none, resolutions, ...more }, 0.01, byName);

  const moving = "the model is still moving: more steps, or a smaller rate, may settle it";
  const growing =
    "the objective still falls as the parameters grow: a decay, or a larger one, gives it a minimum";
  const alike =
    "examples that are alike are counted all at once, so that a level between two counts may be out of reach: ";

  test("nothing, where all is within the tolerance, up to the tolerance itself", () => {
    const all = {
      equilibrium: [seen(0.01, 0), seen(0.002)],
      complementarity: [seen(0, 0.003), seen(0.01)],
      feasibility: [seen(0, 0.001), seen(0)],
      slope: seen(0.004),
      growth: seen(0.01),
      gap: seen(7),
    };
    const certificate = said(all);
    expect(certificate).toEqual({
      equilibrium: 0.01,
      feasibility: 0.001,
      complementarity: 0.01,
      stationarity: 0.01,
      gap: 7,
      tolerance: 0.01,
      holds: true,
      short: [],
    });
    expect(residualOf(certificate)).toBe(0.01);
    expect(said({ ...all, slope: seen(0.02) }).stationarity).toBe(0.02);
  });

  test.each([
    ["a model that moves", { slope: seen(0.02) }, [moving]],
    ["parameters that grow", { growth: seen(0.02) }, [growing]],
    ["both", { slope: seen(0.02), growth: seen(0.02) }, [moving, growing]],
    [
      "who is missed, whose price is then not said to be unsettled, nor the parameters to grow",
      {
        feasibility: [seen(0, 0.02), seen(0.02)],
        complementarity: [seen(0, 0.02), seen(0.02)],
        growth: seen(0.02),
      },
      ["not met as relaxed: late, alone"],
    ],
    [
      "whose price has not settled, where that is not the same",
      { feasibility: [seen(0, 0.02), seen(0)], complementarity: [seen(0.02, 0.02), seen(0)] },
      ["not met as relaxed: late", "the price has not settled: early, late"],
    ],
    [
      "whose relaxation does not answer",
      { equilibrium: [seen(0.02, 0), seen(Number.NaN)] },
      ["the relaxation does not answer its price yet: early, alone"],
    ],
  ])("%s", (_, more, short) => {
    const certificate = said(more);
    expect(certificate).toMatchObject({ holds: false, short });
    // What is not counted is not said to be.
    expect(said(more, [seen(0, 0), seen(0)]).short).toEqual(short);
  });

  test("that what is counted may have no step at its level, once the model rests", () => {
    const off = { complementarity: [seen(0.02, 0.02), seen(0.02)] };
    const price = "the price has not settled: early, late, alone";
    const steps = [seen(0, 0.1), seen(0.2)];
    expect(said(off, steps).short).toEqual([price, `${alike}late, alone`]);
    expect(said({ ...off, slope: seen(0.02) }, steps).short).toEqual([moving, price]);
    expect(said({ complementarity: [seen(0.02, 0), seen(0)] }, steps).short).toEqual([
      "the price has not settled: early",
    ]);
  });

  test("a requirement of many elements by its name, where one of them fails, not one that is just within", () => {
    const many = certify(
      {
        ...none,
        slope: seen(0.02),
        growth: seen(0.01),
        feasibility: [seen(0, 0.02), seen(0.01)],
        complementarity: [seen(0, 0.02), seen(0)],
      },
      0.01,
      ([all, alone]) => ({ all: Array.from(all.data), alone: Array.from(alone.data) }),
    );
    expect(many.short).toEqual([moving, "not met as relaxed: all"]);
    const counted = certify(
      { ...none, complementarity: [seen(0, 0.02), seen(0)], resolutions: [seen(0.5, 0), seen(0)] },
      0.01,
      ([all, alone]) => ({ all: Array.from(all.data), alone: Array.from(alone.data) }),
    );
    expect(counted.short).toEqual(["the price has not settled: all", `${alike}all`]);
  });

  test("that parameters grow for the better where that was tried, and that the model moves where it did", () => {
    const off = { growth: seen(0.02), falls: seen(0) };
    expect(said(off).short).toEqual([moving]);
    expect(certify({ ...none, growth: seen(0.02) }, 0.01, byName, { still: true }).short).toEqual([growing]);
    expect(said({ growth: seen(0.02), complementarity: [seen(0.02, 0), seen(0)] }).short).toEqual([
      "the price has not settled: early",
    ]);
  });

  describe("what may settle a model", () => {
    const smooth = "a loss without kinks in its place, such as squares for absolute values";
    const alike = "or columns of one size around 0, may settle it";
    const there = "the objective stands still at a slope of 0.022";
    const slope = { ...none, slope: seen(0.0213) };
    test.each<[string, Parameters<typeof certify>[3], string]>([
      [
        "moves by other steps than Newton's",
        { newton: false },
        "the model is still moving: more steps, a smaller rate, or newton where losses are convex, may settle it",
      ],
      [
        "moves by Newton's, with kinks",
        { newton: true, kinks: true },
        `the model is still moving: more steps, or ${smooth}, may settle it`,
      ],
      [
        "moves by Newton's, which have no rate",
        { newton: true },
        "the model is still moving: more steps may settle it",
      ],
      [
        "is next to a kink that nobody spoke of",
        { still: true, because: "kink" },
        `${there}, next to a kink of a loss: kinks: true asks for any slope between its sides`,
      ],
      [
        "is next to one, and no slope between its sides was found",
        { still: true, kinks: true },
        `${there}, as next to a kink of a loss: ${smooth}, may settle`,
      ],
      [
        "is slow",
        { still: true, because: "slow", newton: false },
        `${there}, and other steps still lower it: newton where losses are convex, ${alike}`,
      ],
      [
        "is slow by Newton's steps in float32",
        { still: true, because: "slow", newton: true, dtype: "float32" },
        `${there}, and other steps still lower it: float64, ${alike}`,
      ],
      [
        "is slow by them in float64",
        { still: true, because: "slow", newton: true, dtype: "float64" },
        `${there}, and other steps still lower it: more steps, ${alike}`,
      ],
      [
        "is as good as float32 shows",
        { still: true, because: "rounding" },
        `${there}, as far as float32 shows: float64, ${alike}`,
      ],
    ])("that %s", (_, way, sentence) => {
      expect(certify(slope, 0.01, byName, way).short).toEqual([sentence]);
    });
  });

  test.each(["equilibrium", "complementarity", "stationarity"] as const)(
    "one number for a person: the largest, here %s, and no number where one is none",
    (largest) => {
      const rest = { equilibrium: 1, feasibility: 9, complementarity: 1, stationarity: 1, gap: 9 };
      expect(residualOf({ ...rest, [largest]: 2 })).toBe(2);
      expect(residualOf({ ...rest, [largest]: Number.NaN })).toBeNaN();
      expect(residualOf({ ...rest, equilibrium: 0, complementarity: 0, stationarity: 0 })).toBe(0);
    },
  );
});

test("where there is no minimum nothing is certified, and further steps have nothing to add", () => {
  const [holds, short] = [true, [] as string[]];
  const certificate = {
    ...{ equilibrium: 0, feasibility: 0, complementarity: 0, stationarity: 1e-4, gap: 0, tolerance: 1e-3 },
    ...{ holds, short },
  };
  const none = withoutMinimum(certificate);
  expect(none).toEqual({
    ...certificate,
    holds: false,
    withoutMinimum: true,
    short: ["the objective still falls as the parameters grow: a decay, or a larger one, gives it a minimum"],
  });
  expect([certificate, none, { ...certificate, holds: false }].map(isSettled)).toEqual([true, true, false]);
});
