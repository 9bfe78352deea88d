// The federated recipes: the paper's settings, the two presets, and a table or figure for each experiment.

import { InputError } from "pliant";
import { describe, expect, it } from "vitest";
import { federated } from "../src/index.js";

const { comparison, experiments, ratesOf, recipe, rowOf, tableText } = federated;

describe("a recipe", () => {
  it("has the published settings in the official preset", () => {
    const made = recipe({ dataset: "fashion-mnist", method: "resilient", preset: "official" });
    expect(made).toMatchObject({
      model: "convnet",
      clients: 100,
      rounds: 5000,
      dualRate: 2,
      relaxationRate: 0.1,
      level: 0.01,
      alpha: 2,
      split: "first-client",
      testShare: 0.01,
      testRounding: "floor",
      local: { rate: 0.05, epochs: 5, clip: 5, decay: 1e-3, stepsPerEpoch: 5, remainder: "keep" },
    });
  });

  it("has own priors, exact relaxations, whole batches and larger test sets in the corrected one", () => {
    const made = recipe({ dataset: "mnist", method: "resilient", preset: "corrected" });
    expect(made).toMatchObject({ split: "own-prior", testShare: 0.1, testRounding: "balanced", dualRate: 2 });
    expect(made.local.remainder).toBe("drop");
    expect(made.relaxationRate).toBeUndefined();
  });

  it("keeps rounds × rate in a shorter run", () => {
    const request = { dataset: "fashion-mnist", method: "resilient", preset: "official" } as const;
    const full = ratesOf(recipe(request));
    const short = ratesOf(recipe({ ...request, rounds: 500 }));
    expect(short.dualRate * 500).toBeCloseTo(full.dualRate * 5000, 9);
    expect(short.relaxationRate).toBeCloseTo(1, 12);
  });

  it("has no explicit step for the maximum norm", () => {
    const made = recipe({ dataset: "mnist", method: "resilient", preset: "official", cost: "maximum" });
    expect(made.relaxationRate).toBeUndefined();
  });

  it("refuses what cannot be run, in one sentence", () => {
    const ask = (given: object) => () =>
      recipe({ dataset: "mnist", method: "resilient", preset: "corrected", ...given });
    expect(ask({ alpha: 0 })).toThrow(/α must be above 0, not 0/);
    expect(ask({ clients: 0 })).toThrow(/clients must be a whole number from 1/);
    expect(ask({ rounds: 7 })).toThrow(/multiple of 5/);
    expect(ask({ level: Number.NaN })).toThrow(InputError);
    expect(ask({ dataset: "cifar-10", model: "mlp" })).toThrow(/needs the convnet/);
  });
});

/** A row for a request, with clients that differ by method and seed. */
function rowFor(request: federated.Request, seed = 0): federated.Row {
  const resilient = request.method === "resilient";
  const perClient = Array.from({ length: 12 }, (_, c) => ({
    relaxation: resilient ? c / 20 : 0,
    price: resilient ? c / 10 : c / 2,
    minorityShare: Math.max(0, c / 11 - 0.3),
    samples: 50,
    trainLoss: 0.1 + c / 15 + seed / 100,
    trainAccuracy: 95 - c,
    testLoss: 0.15 + c / 12,
    testAccuracy: 97 - 3 * c + (resilient ? c / 2 : 0),
  }));
  return rowOf(recipe(request), { seed, globalAccuracy: 88.8, seconds: 1, perClient });
}

describe("every experiment of the paper", () => {
  for (const { name, requests, tables, figures } of experiments) {
    it(`${name} can be asked for, and shows its rows`, () => {
      const rows = requests.flatMap((request) =>
        [0, 1].map((seed) => rowFor({ ...request, preset: "official" }, seed)),
      );
      const shown = tables(rows).map(tableText);
      expect(shown.length).toBeGreaterThan(0);
      for (const text of shown) expect(text).not.toMatch(/NaN|undefined|Infinity/);
      for (const { svg } of figures(rows)) {
        expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
        expect(svg).not.toMatch(/NaN|undefined|Infinity/);
      }
    });
  }

  it("has a name of its own", () => {
    expect(new Set(experiments.map(({ name }) => name)).size).toBe(experiments.length);
  });

  it("puts the paper's numbers beside ours", () => {
    const shown = (name: string) => {
      const { requests, tables } = experiments.find((each) => each.name === name)!;
      return tables(requests.map((request) => rowFor({ ...request, preset: "official" })))
        .map(tableText)
        .join("\n");
    };
    expect(shown("ranks")).toMatch(/fashion-mnist\s+0\.1 .*\s92\s+4\.8\s+23\.3$/m);
    expect(shown("spread")).toMatch(/cifar-10\s+0\.05\s+ratio-loss .*83\.4\s+8\.6\s+44\.5$/m);
    expect(shown("cost-norms")).toMatch(/fashion-mnist\s+∞ .*92\.7\s+3\.8\s+28\.1$/m);
    expect(shown("learning-rates")).toMatch(/cifar-10\s+0\.5\s+2 .*81\.1$/m);
    expect(shown("alpha")).toMatch(/cifar-10\s+∞ .*0\.3650\s+0\.115\s+0\.0000$/m);
    expect(shown("levels")).toMatch(/cifar-10\s+0\.1\s+0\.002\s+constrained .*7\.60\s+0\.890$/m);
    expect(shown("imbalance")).toMatch(/cifar-10\s+0\.05\s+0\.02\s+resilient .*1\.10$/m);
  });

  it("shows runs that belong to none of them as a comparison", () => {
    const rows = (["resilient", "q-fair"] as const).map((method) =>
      rowFor({ dataset: "strokes", method, preset: "corrected" }),
    );
    expect(comparison.tables(rows).length).toBe(2);
    expect(comparison.figures(rows).map(({ name }) => name)).toEqual([
      "relaxation-minority",
      "violations",
      "ordered-strokes-0.1",
    ]);
  });
});
