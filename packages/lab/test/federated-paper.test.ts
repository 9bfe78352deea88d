// The paper's numbers: each as a second transcription has it, and beside no run that it is not of.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CostName } from "../src/choices.js";
import {
  publishedAlpha,
  publishedCostNorm,
  publishedLargest,
  publishedRanks,
  publishedRates,
  publishedSpread,
} from "../src/federated/paper.js";
import { type Method, type Request, recipe } from "../src/federated/recipe.js";

/** Numbers by line, by section. */
const written = readFileSync(new URL("fixtures/paper-federated.txt", import.meta.url), "utf8")
  .split(/\n\[/)
  .slice(1)
  .map((section) => {
    const [title, ...lines] = section.trimEnd().split("\n");
    return {
      title,
      rows: lines.map((line): [string, number[]] => {
        const [name, values] = line.split(": ");
        return [name, values.split(" ").map(Number)];
      }),
    };
  });
const section = (start: string) => written.find(({ title }) => title.startsWith(start))!.rows;
const run = (request: Omit<Request, "preset"> & { preset?: Request["preset"] }) => ({
  recipe: recipe({ preset: "official", ...request }),
});
const cifar = { dataset: "cifar-10", level: 0.02 } as const;
const both = ["constrained", "resilient"] as const;

/** A line's dataset and ratio. */
const data = (name: string) => {
  const [dataset, ratio] = name.split(" ");
  return { dataset: dataset as Request["dataset"], ratio: Number(ratio) };
};

describe.each([500, 5000])("every number of the paper, beside runs of %i rounds", (rounds) => {
  it("ranks", () => {
    expect(section("ranks")).toHaveLength(4);
    for (const [name, [atLeast, maxGain, maxLoss]] of section("ranks")) {
      const of = (method: Method) => run({ ...data(name), method, rounds });
      expect(publishedRanks(of("resilient"), of("constrained"))).toEqual({ atLeast, maxGain, maxLoss });
    }
  });

  it("spread", () => {
    expect(section("spread")).toHaveLength(4);
    for (const [name, values] of section("spread"))
      for (const [i, method] of (["ratio-loss", "constrained", "resilient"] as const).entries())
        expect(publishedSpread(run({ ...data(name), method, rounds }))).toEqual({
          mean: values[i],
          iqr: values[3 + i],
          range: values[6 + i],
        });
  });

  it("cost norms", () => {
    expect(section("cost norms")).toHaveLength(4);
    for (const [cost, [mean, iqr, range]] of section("cost norms")) {
      const of = { dataset: "fashion-mnist", method: "resilient", cost: cost as CostName, rounds } as const;
      expect(publishedCostNorm(run(of))).toEqual({ mean, iqr, range });
    }
  });

  it("rates", () => {
    for (const [relaxation, values] of section("rates"))
      for (const [i, dualRate] of [0.1, 0.5, 1, 2].entries()) {
        const rates = { relaxationRate: Number(relaxation), dualRate };
        const found = run({ dataset: "cifar-10", method: "resilient", rounds, ...rates });
        expect(publishedRates(found)).toBe(values[i]);
      }
  });

  it("along α", () => {
    const [[, losses], [, excesses], [, relaxations]] = section("α");
    for (const [i, alpha] of [2, 4, 10, 20, 40, 100, 1000, Infinity].entries()) {
      const limit = alpha === Infinity;
      const found = run({
        ...cifar,
        rounds,
        ...(limit ? { method: "constrained" } : { method: "resilient", alpha }),
      });
      expect(publishedAlpha(found)).toEqual({
        meanTrainLoss: losses[i],
        worstExcess: excesses[i],
        relaxationRms: relaxations[i],
      });
    }
  });

  it("along ε", () => {
    const [prices, gaps, violations] = [section("price: ε"), section("gap"), section("violation: ε")];
    for (const [m, method] of both.entries())
      for (const [i, level] of [0.002, 0.02, 0.2].entries())
        expect(publishedLargest(run({ ...cifar, level, alpha: 2, method, rounds }))).toEqual({
          price: prices[m][1][i],
          gap: gaps[i][1][m],
          violation: violations[i][1][m],
        });
  });

  it("along ρ", () => {
    const [prices, violations] = [section("price: ρ"), section("violation: ρ")];
    const priced = [0.05, 0.2, 0.3];
    for (const [m, method] of both.entries())
      for (const [i, ratio] of [0.05, 0.1, 0.2, 0.3].entries()) {
        const found = publishedLargest(run({ ...cifar, ratio, alpha: 1, method, rounds }));
        expect(found.violation).toBe(violations[m][1][i]);
        // A constrained run at ρ = 0.1 is that of the study of ε too.
        if (ratio !== 0.1) expect(found.price).toBe(prices[m][1][priced.indexOf(ratio)]);
      }
  });
});

it("the text's preset is one that the paper could mean", () => {
  const stated = { preset: "stated", dataset: "fashion-mnist", method: "resilient" } as const;
  expect(publishedSpread(run(stated))).toEqual({ mean: 93.4, iqr: 2.4, range: 50.6 });
  expect(publishedSpread(run({ ...stated, level: 0.02 }))).toBeUndefined();
});

describe("no number of the paper stands beside a run that it is not of", () => {
  const fashion = { dataset: "fashion-mnist", method: "resilient" } as const;
  const others: Partial<Request>[] = [
    { preset: "corrected" },
    { rounds: 50 },
    { rounds: 1000 },
    { clients: 50 },
    { model: "mlp" },
    { ratio: 0.2 },
    { minority: [0] },
    { level: 0.02 },
    { alpha: 1 },
    { cost: "linear" },
    { dualRate: 1 },
    { relaxationRate: 0.2 },
    { relaxationRate: "exact" },
    { split: "own-prior" },
    { heterogeneity: 0.5 },
    { solver: "scaffold" },
    { participation: 0.5 },
  ];
  it.each(others)("%o", (other) => {
    expect(publishedSpread(run(fashion))).toBeDefined();
    expect(publishedSpread(run({ ...fashion, ...other }))).toBeUndefined();
    const plain = run({ dataset: "fashion-mnist", method: "constrained" });
    expect(publishedRanks(run({ ...fashion, ...other }), plain)).toBeUndefined();
  });

  it("α = 1 at ρ = 0.1 has no price of α = 2, nor α = 2 at ρ = 0.05 one of α = 1", () => {
    const of = (ratio: number, alpha: number) =>
      publishedLargest(run({ ...cifar, method: "resilient", ratio, alpha }));
    expect(of(0.1, 1).price).toBeUndefined();
    expect(of(0.1, 2).price).toBe(1.83);
    expect(of(0.05, 2)).toEqual({});
    expect(of(0.05, 1).price).toBe(1.1);
  });

  it("another cost has a number in the table of costs only", () => {
    expect(publishedSpread(run({ ...fashion, cost: "maximum" }))).toBeUndefined();
    expect(publishedCostNorm(run({ ...fashion, cost: "maximum", alpha: 1 }))).toBeUndefined();
  });

  it("a run read from a file, its names in any order, is the run it was", () => {
    const { recipe: made } = run(fashion);
    const read = JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(made).reverse())));
    expect(publishedSpread({ recipe: read })).toEqual({ mean: 93.4, iqr: 2.4, range: 50.6 });
    const bf16 = { recipe: { ...made, precision: "bf16" as const } };
    expect(publishedSpread(bf16)).toBeDefined();
  });
});
