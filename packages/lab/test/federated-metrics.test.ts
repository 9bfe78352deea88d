// What the federated tables and figures measure, against numpy and by hand.

import { describe, expect, it } from "vitest";
import { federated } from "../src/index.js";
import { deviation } from "../src/statistics.js";

const { compareRanks, gaps, ordered, percentile, ranks, recipe, rowOf, spearman, spread, violations } =
  federated;

type Outcome = federated.ClientOutcome;
const client = (given: Partial<Outcome>): Outcome => ({
  relaxation: 0,
  price: 0,
  minorityShare: 0,
  samples: 10,
  trainLoss: 0,
  trainAccuracy: 0,
  testLoss: 0,
  testAccuracy: 0,
  ...given,
});
const withAccuracies = (...accuracies: number[]) => ({
  perClient: accuracies.map((testAccuracy) => client({ testAccuracy })),
});

describe("statistics", () => {
  const a = [3.1, 0.2, 5.5, 2.2, 2.2, 9.0, -1.0];

  it("take a sample's deviation, by n − 1", () => {
    expect(deviation([1, 2, 6])).toBeCloseTo(Math.sqrt(7), 12);
    expect(deviation([4])).toBe(0);
  });

  it("interpolate percentiles as numpy does", () => {
    expect(percentile(a, 10)).toBeCloseTo(-0.28, 12);
    expect(percentile([4], 75)).toBe(4);
    const { mean, iqr, range } = spread(a);
    expect(mean).toBeCloseTo(21.2 / 7, 12);
    expect(iqr).toBeCloseTo(3.1, 12);
    expect(range).toBe(10);
  });

  it("share ranks among equals", () => {
    expect(ranks([2, 1, 2, 5])).toEqual([2.5, 1, 2.5, 4]);
  });

  it("correlate ranks, ties and all", () => {
    expect(spearman(a, [1, 0, 4, 2, 3, 3, 0])).toBeCloseTo(0.7798493336311721, 12);
    expect(spearman(a, a.map(Math.exp))).toBeCloseTo(1, 12);
    expect(
      spearman(
        a,
        a.map((x) => -x),
      ),
    ).toBeCloseTo(-1, 12);
    expect(spearman(a, Array(7).fill(1))).toBeUndefined();
  });
});

describe("requirements", () => {
  const perClient = [
    client({ trainLoss: 0.1, testLoss: 0.2, relaxation: 0 }),
    client({ trainLoss: 0.2, testLoss: 0.2, relaxation: 0.1 }),
    client({ trainLoss: 0.6, testLoss: 1.1, relaxation: 0.25 }),
  ];

  it("are violated by the loss above mean, level and relaxation", () => {
    const rounded = (values: number[]) => values.map((value) => Number(value.toFixed(9)));
    const row = { perClient, level: 0.05 };
    expect(rounded(violations(row, "train", { relaxed: false }))).toEqual([-0.25, -0.15, 0.25]);
    expect(rounded(violations(row, "train"))).toEqual([-0.25, -0.25, 0]);
    expect(rounded(violations(row, "test"))).toEqual([-0.35, -0.45, 0.3]);
    expect(rounded(gaps(row))).toEqual([-0.1, -0.2, 0.3]);
  });

  it("are counted in a row, nominal and relaxed", () => {
    const asked = recipe({ dataset: "mnist", method: "resilient", preset: "corrected", level: 0.05 });
    const outcome = { seed: 3, globalAccuracy: 90, seconds: 1 };
    const shared = perClient.map((each, c) => ({ ...each, minorityShare: c / 2 }));
    const row = rowOf(asked, { ...outcome, perClient: shared });
    expect(row.violatingNominal).toEqual({ train: 1, test: 1 });
    expect(row.violating.test).toBe(1);
    expect(row.minorityCorrelation).toBe(1);
    expect(row.relaxationRms).toBeCloseTo(Math.sqrt((0.01 + 0.0625) / 3), 12);
    expect(row.worstExcess).toBeCloseTo(0.3, 12);
    expect(row.largestGap).toBeCloseTo(0.3, 12);
    const generous = shared.map((each) => ({ ...each, relaxation: 1 }));
    expect(rowOf(asked, { ...outcome, perClient: generous }).violating).toEqual({ train: 0, test: 0 });
  });

  it("correlate with the minority among those that hold some", () => {
    const asked = recipe({ dataset: "mnist", method: "resilient", preset: "corrected" });
    // Falling among the three holders; clients without a share would make it rise.
    const shares = [0, 0, 0, 0.1, 0.2, 0.3];
    const relaxations = [0, 0.01, 0.02, 0.9, 0.8, 0.7];
    const all = shares.map((minorityShare, c) => client({ minorityShare, relaxation: relaxations[c] }));
    const row = rowOf(asked, { seed: 0, globalAccuracy: 90, seconds: 1, perClient: all });
    expect(row.minorityCorrelation).toBeCloseTo(-1, 12);
  });
});

describe("the client-rank comparison", () => {
  it("compares the best with the best, whoever they are", () => {
    const [first, second] = [withAccuracies(70, 99, 90, 95), withAccuracies(96, 90, 80, 95)];
    expect(ordered(first)).toEqual([99, 95, 90, 70]);
    expect(compareRanks(first, second)).toEqual({
      better: 25,
      atLeast: 75,
      meanGain: 3,
      maxGain: 3,
      meanLoss: 10,
      maxLoss: 10,
    });
  });

  it("finds nothing between equals", () => {
    const same = withAccuracies(1, 2, 3);
    expect(compareRanks(same, same)).toEqual({
      better: 0,
      atLeast: 100,
      meanGain: 0,
      maxGain: 0,
      meanLoss: 0,
      maxLoss: 0,
    });
  });
});
