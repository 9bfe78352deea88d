// The paper's claims in words, on rows that keep them and rows that do not.
import { describe, expect, it } from "vitest";
import type { CostName } from "../src/choices.js";
import {
  alphaClaims,
  costNormClaims,
  largestClaims,
  minorityClaims,
  rankClaims,
  rateClaims,
  spreadClaims,
  violationClaims,
} from "../src/federated/claims.js";
import { rateComparisons, reasonsOf } from "../src/federated/comparisons.js";
import { type Request, recipe } from "../src/federated/recipe.js";
import { type Row, rowOf } from "../src/federated/row.js";

interface Numbers {
  readonly relaxations?: readonly number[];
  readonly prices?: readonly number[];
  readonly losses?: readonly number[];
  readonly testLosses?: readonly number[];
  readonly accuracies?: readonly number[];
}

/** Three clients, the last of which holds most of the minority. */
function row(request: Partial<Request>, numbers: Numbers): Row {
  const made = recipe({ dataset: "cifar-10", method: "resilient", preset: "official", ...request });
  const { relaxations, prices, losses, testLosses, accuracies } = numbers;
  const perClient = [0, 1, 2].map((c) => ({
    relaxation: relaxations?.[c] ?? 0,
    price: prices?.[c] ?? 0,
    minorityShare: (c + 1) / 4,
    samples: 10,
    trainLoss: losses?.[c] ?? 1,
    trainAccuracy: 50,
    testLoss: testLosses?.[c] ?? 1,
    testAccuracy: accuracies?.[c] ?? 80,
  }));
  return rowOf(made, { seed: 0, globalAccuracy: 80, seconds: 1, perClient });
}
const holds = (claims: readonly { holds: boolean }[]) => claims.map((claim) => claim.holds);
const constrained = { method: "constrained" } as const;

describe("claims", () => {
  it("of the minority", () => {
    expect(holds(minorityClaims([row({}, { relaxations: [0, 0.1, 0.2] })]))).toEqual([true]);
    expect(holds(minorityClaims([row({}, { relaxations: [0.2, 0.1, 0] })]))).toEqual([false]);
    expect(minorityClaims([row(constrained, {})])).toEqual([]);
  });

  it("along α, with the constrained run as its end", () => {
    const at = (alpha: number, u: number, losses: number[]) =>
      row({ alpha }, { relaxations: [u, u, u], losses });
    const end = row(constrained, { losses: [1.1, 1.1, 1.1] });
    const rows = [at(10, 0.1, [0.9, 1, 1.1]), end, at(2, 0.3, [0.4, 0.8, 1.5])];
    expect(holds(alphaClaims(rows))).toEqual([true, true, true]);
    const swapped = [at(10, 0.3, [0.4, 0.8, 1.5]), end, at(2, 0.1, [0.9, 1, 1.1])];
    expect(alphaClaims(swapped).map(({ found }) => found)).toEqual(["1 of 2", "1 of 2", "1 of 2"]);
  });

  it("of violations, prices and gaps, run against run", () => {
    const better = row({}, { relaxations: [0, 0, 5], prices: [0, 0, 1], testLosses: [1, 1, 2] });
    const worse = row(constrained, { prices: [0, 0, 4], testLosses: [1, 1, 3] });
    expect(holds(violationClaims([better, worse]))).toEqual([true]);
    expect(holds(largestClaims([better, worse]))).toEqual([true, true]);
    const dear = row({}, { prices: [0, 0, 9], testLosses: [1, 1, 9] });
    expect(holds(violationClaims([dear, worse]))).toEqual([false]);
    expect(holds(largestClaims([dear, worse]))).toEqual([false, false]);
  });

  it("of ranks and ranges", () => {
    const plain = row(constrained, { accuracies: [90, 85, 80] });
    const bent = row({}, { accuracies: [91, 86, 60] });
    expect(holds([...rankClaims([bent, plain]), ...spreadClaims([bent, plain])])).toEqual([true, true, true]);
    const flat = row({}, { accuracies: [89, 84, 83] });
    expect(holds([...rankClaims([flat, plain]), ...spreadClaims([flat, plain])])).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("of the largest relaxation alone beside the other costs", () => {
    const of = (cost: CostName, accuracies: readonly number[]) => row({ cost }, { accuracies });
    const others = [of("linear", [95, 95, 70]), of("quadratic", [94, 94, 69]), of("power4", [95, 94, 70])];
    const found = (accuracies: readonly number[]) =>
      costNormClaims([...others, of("maximum", accuracies)]).map((claim) => claim.found);
    expect(found([75, 80, 85])).toEqual(["3 of 3", "3 of 3", "0 of 3"]);
    expect(found([50, 70, 90])).toEqual(["3 of 3", "0 of 3", "3 of 3"]);
    // As the quadratic cost's.
    expect(found([94, 94, 69])).toEqual(["2 of 3", "0 of 3", "0 of 3"]);
    expect(costNormClaims(others)).toEqual([]);
  });

  it("of the grid of rates", () => {
    const at = (relaxationRate: number, dualRate: number, accuracy: number) =>
      row({ relaxationRate, dualRate }, { accuracies: [accuracy, accuracy, accuracy] });
    const grid = [at(0.1, 2, 79), at(0.5, 0.1, 80), at(1, 1, 78.5)];
    expect(rateClaims(grid).map(({ found }) => found)).toEqual([
      "1.5 points over 3 pairs of rates",
      "79.0, the best 80.0",
    ]);
    expect(holds(rateClaims(grid))).toEqual([true, true]);
    expect(holds(rateClaims([at(0.1, 2, 81), at(1, 1, 79)]))).toEqual([false, false]);
    expect(rateClaims([grid[0]])).toEqual([]);
    const names = rateComparisons(grid).map(({ of }) => of);
    expect(names[1]).toMatch(/, η_u = 0.5, η_λ = 0.1$/);
    expect(new Set(names).size).toBe(3);
  });
});

it("reasons why numbers may differ are told once for all runs of an α", () => {
  // p = (u + λ)/(1 + α) is u at the equilibrium; λ = 0 leaves u/3 of it, λ = u leaves 2u/3.
  const runs = [0, 0.3].map((price) =>
    row({ alpha: 2 }, { relaxations: [0, 0, 0.3], prices: [0, 0, price] }),
  );
  const settled = row({ alpha: 2 }, { relaxations: [0, 0, 0.3], prices: [0, 0, 0.6] });
  expect(reasonsOf([settled])).toEqual([]);
  expect(reasonsOf([...runs, settled])).toEqual([
    "at α = 2 u is off its equilibrium by 33 to 67% of its size",
  ]);
  expect(reasonsOf([row({ alpha: 2, rounds: 500 }, {})])).toEqual([
    "500 communication rounds, as the text has it, where the published code has 5000",
  ]);
  expect(reasonsOf([row({ alpha: 2, rounds: 500, preset: "stated" }, {})])).toContain(
    "the text's ε and rates, where the published numbers come from the scripts'",
  );
  expect(reasonsOf([row({ alpha: 400, relaxationRate: 2 }, {})]).join()).toMatch(
    /^The explicit step in u is unstable/,
  );
});
