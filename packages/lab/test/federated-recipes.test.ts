// The federated recipes: the paper's settings, the three presets, and a table or figure for each experiment.

import { InputError } from "@pliant/core";
import { describe, expect, it } from "vitest";
import { federated } from "../src/index.js";

const { comparison, experiments, folderOf, ratesOf, rateWarning, recipe, rowOf, tableText } = federated;

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

  it("has the text's settings in the stated preset", () => {
    const made = recipe({ dataset: "cifar-10", method: "resilient", preset: "stated" });
    expect(made).toMatchObject({
      rounds: 500,
      level: 0.1,
      alpha: 2,
      split: "own-prior",
      reportedDuals: "after",
    });
    expect(made.augmentation).toBeUndefined();
    expect(made.local.rate).toBe(0.05);
    // Undivided, as Algorithm 1 has them: λ ← λ + 0.1 (…), u ← u + 0.1 (λ − 2u).
    const rates = ratesOf(made);
    expect(rates.dual / made.clients).toBeCloseTo(0.1, 12);
    expect(rates.relaxation! / made.clients).toBeCloseTo(0.1, 12);
  });

  it("has α as the scripts of CIFAR-10: 1 in the study of ρ, 2 elsewhere", () => {
    const alphaAt = (dataset: federated.DatasetName, ratio: number) =>
      recipe({ dataset, ratio, method: "resilient", preset: "official" }).alpha;
    expect([0.05, 0.1, 0.2].map((ratio) => alphaAt("cifar-10", ratio))).toEqual([1, 2, 1]);
    expect(alphaAt("fashion-mnist", 0.05)).toBe(2);
  });

  it("leaves out what its method has no use for", () => {
    const asked = { dataset: "cifar-10", preset: "official", alpha: 4, relaxationRate: 1, cap: 3 } as const;
    const names = ["alpha", "cost", "relaxationRate", "dualRate", "cap", "fairness", "agnosticRate"] as const;
    const has = (method: federated.Method) => {
      const made = recipe({ ...asked, method });
      return names.filter((name) => made[name] !== undefined);
    };
    expect(has("resilient")).toEqual(["alpha", "cost", "relaxationRate", "dualRate"]);
    expect(has("constrained")).toEqual(["dualRate", "cap"]);
    expect(has("unconstrained")).toEqual([]);
    expect(has("q-fair")).toEqual(["fairness"]);
    expect(has("agnostic")).toEqual(["agnosticRate"]);
  });

  it("keeps rounds × rate in a shorter run", () => {
    const request = { dataset: "fashion-mnist", method: "resilient", preset: "official" } as const;
    const full = ratesOf(recipe(request));
    const short = ratesOf(recipe({ ...request, rounds: 500 }));
    expect(short.dual * 500).toBeCloseTo(full.dual * 5000, 9);
    expect(short.relaxation).toBeCloseTo(1, 12);
  });

  it("does not scale the step in u into swinging, at any α of the sweep", () => {
    for (const alpha of [2, 4, 10, 20, 40, 100, 1000])
      for (const rounds of [50, 500, 2500, 5000]) {
        const made = recipe({ dataset: "cifar-10", method: "resilient", preset: "official", alpha, rounds });
        const gain = (ratesOf(made).relaxation! * alpha) / made.clients;
        const published = (0.5 * alpha) / 100;
        expect(gain).toBeLessThanOrEqual(Math.max(1, published) + 1e-12);
        expect(gain).toBeGreaterThanOrEqual(published - 1e-12);
      }
  });

  it("warns where the step in u is unstable as published", () => {
    const of = (alpha: number, relaxationRate?: number | "exact") =>
      rateWarning(
        recipe({ dataset: "cifar-10", method: "resilient", preset: "official", alpha, relaxationRate }),
      );
    expect(of(100)).toBeUndefined();
    expect(of(1000)).toMatch(/unstable: η_u·α\/C is 5.*jumps between 0 and 0\.005·λ .* λ\/α = 0\.001·λ/);
    expect(of(1000, 0.1)).toBeUndefined();
    expect(of(1000, "exact")).toBeUndefined();
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

describe("a run's folder", () => {
  const folder = (made: federated.Recipe) => folderOf("runs", made, 0);
  const made = recipe({ dataset: "fashion-mnist", method: "resilient", preset: "official", rounds: 500 });

  it("names what most runs differ in, rates as they are used", () => {
    expect(folder(made)).toBe(
      "runs/fashion-mnist-resilient-convnet-official/clients-100-rounds-500-kept-0.1-level-0.01-first-client-dual-20-alpha-2-quadratic-relaxation-1/seed-0",
    );
  });

  it("is another for every number that is another", () => {
    const changed = (value: unknown): unknown =>
      Array.isArray(value) ? [...value, 6] : typeof value === "number" ? value / 2 : `${value}-other`;
    const names = new Map([[folder(made), "the recipe itself"]]);
    const alone = (name: string, other: federated.Recipe) => {
      expect(names.get(folder(other)), `${name} is not in the name`).toBeUndefined();
      names.set(folder(other), name);
    };
    // What cannot be halved to something that a preset knows.
    const chosen: Record<string, unknown> = {
      preset: "corrected",
      dataset: "mnist",
      method: "constrained",
      cost: "linear",
      split: "own-prior",
      solver: "fedprox",
      rounds: 250,
    };
    for (const [name, value] of Object.entries(made)) {
      if (name === "local") continue;
      alone(name, { ...made, [name]: chosen[name] ?? changed(value) });
    }
    for (const [name, value] of Object.entries(made.local))
      alone(name, { ...made, local: { ...made.local, [name]: changed(value) } });
    const added = { cap: 4, fairness: 2, agnosticRate: 1, proximal: 1, penalty: 5, participation: 0.5 };
    for (const [name, value] of Object.entries({ ...added, alike: 0.2, precision: "bf16" }))
      alone(name, { ...made, [name]: value });
    const { relaxationRate: _, ...exact } = made;
    alone("the exact step", exact);
    expect(folderOf("runs", made, 1)).not.toBe(folder(made));
  });

  it("is one for constrained runs of any α, which are one run", () => {
    const at = (alpha: number) =>
      folder(recipe({ dataset: "cifar-10", method: "constrained", preset: "official", alpha }));
    expect(at(1)).toBe(at(2));
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
    expect(shown("levels")).toMatch(/cifar-10\s+0\.1\s+0\.002\s+constrained .*7\.60\s+0\.890\s+0\.96$/m);
    expect(shown("imbalance")).toMatch(/cifar-10\s+0\.05\s+0\.02\s+1\s+resilient .*1\.10\s+0\.49$/m);
    expect(shown("imbalance")).toMatch(/cifar-10\s+0\.1\s+0\.02\s+1\s+resilient .*0\.57$/m);
  });

  it("says what kind of run a number is of, and how far from equilibrium", () => {
    const asked = { dataset: "fashion-mnist", method: "resilient", preset: "stated" } as const;
    const { notes, equilibriumResidual, rates } = rowFor(asked);
    // u = λ/2 = λ/α: at the equilibrium.
    expect(equilibriumResidual).toBeCloseTo(0, 12);
    expect(notes).toEqual([]);
    expect(rates).toEqual({ dual: 10, relaxation: 10 });
    const far = rowFor({ ...asked, alpha: 4 });
    // p = (u + λ)/(1 + α) = 3u/5.
    expect(far.equilibriumResidual).toBeCloseTo(0.4, 12);
    expect(far.notes[0]).toBe(
      "Not at the equilibrium: u is off by 40% of its size; at the 5 highest prices it is 2.00 to 2.00 times λ/α.",
    );
    const text = comparison.tables([far]).map(tableText).join("\n");
    expect(text).toMatch(/preset\s+rounds\s+model\s+clients/);
    expect(text).toMatch(/stated\s+500\s+convnet\s+100/);
    expect(text).toMatch(/10\.00\s+10\.00 .* 0\.40/);
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
