// Overfitted models: how the report and the running solver detect them.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RequirementReport, SolverState } from "@pliant/core";
import { array } from "@pliant/engine";
import { startRun } from "@pliant/learn/runs";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../src/evaluate/evaluate.js";
import { rateOver } from "../src/evaluate/evaluate.js";
import { isBetter, meritOf, Overfitted, overfittedWhileTraining, watch } from "../src/fit/watch.js";
import { overfittedIn } from "../src/report/overfitting.js";
import type { TrainRequirement } from "../src/report/report.js";

const requirement = (more: Partial<TrainRequirement>): TrainRequirement => ({
  sense: "at most",
  level: 0.1,
  status: "at its level",
  reached: 0.1,
  pricedBy: "strict",
  loss: 0.3,
  relaxation: 0,
  price: 2,
  cost: "hard",
  hard: true,
  allowance: 0.005,
  scale: 1,
  of: "misses",
  metric: "false-negative-rate",
  strictly: "false negative rate",
  ...more,
});
const rate = (value: number, reach: number): Outcome => ({
  surrogate: 0.3,
  strict: { value, examples: 300, interval: [value - reach, value + reach] },
});

describe("a report", () => {
  const parted = { train: rate(0.095, 0.02), validation: rate(0.558, 0.05) };

  test("tells of rates that part beyond chance", () => {
    expect(overfittedIn("misses", requirement(parted))).toBe(
      '"misses" is 0.095 (0.075 to 0.115) on the training rows and 0.558 (0.508 to 0.608) on the validation rows',
    );
    // Test rows stand in where there are none for validation.
    expect(overfittedIn("misses", requirement({ train: rate(0.1, 0.02), test: rate(0.3, 0.05) }))).toContain(
      "on the test rows",
    );
    const least = {
      sense: "at least",
      level: 0.9,
      train: rate(0.9, 0.02),
      validation: rate(0.6, 0.05),
    } as const;
    expect(overfittedIn("found", requirement(least))).toContain('"found" is 0.900');
  });

  test("not of chance, of what is better on new rows, or of what nobody would miss", () => {
    expect(
      overfittedIn("m", requirement({ train: rate(0.1, 0.03), validation: rate(0.15, 0.045) })),
    ).toBeUndefined();
    expect(
      overfittedIn("m", requirement({ train: rate(0.3, 0.02), validation: rate(0.1, 0.02) })),
    ).toBeUndefined();
    expect(
      overfittedIn("m", requirement({ train: rate(0.1, 0.001), validation: rate(0.115, 0.002) })),
    ).toBeUndefined();
    const roomy = { price: 0, train: rate(0.01, 0.005), validation: rate(0.05, 0.01) };
    expect(overfittedIn("m", requirement(roomy))).toBeUndefined();
  });

  test("nor is one of many that parts no further than one of so many does", () => {
    const parted = requirement({ train: rate(0.1, 0.05), validation: rate(0.22, 0.06) });
    expect(overfittedIn("m", parted)).toContain('"m" is 0.100');
    // Twelve, two rates each: √(1 + 2 log 24 / 1.96²) = 1.63 times as wide.
    expect(overfittedIn("m", parted, { among: 12 })).toBeUndefined();
    expect(
      overfittedIn("m", requirement({ train: rate(0.1, 0.05), validation: rate(0.3, 0.06) }), { among: 12 }),
    ).toContain('"m" is 0.100');
  });

  test("nor of a model that cannot know so many rows", () => {
    // 46 points of 300 examples are 139 rows.
    const wide = requirement(parted);
    expect(overfittedIn("m", wide, { rows: 138 })).toBeUndefined();
    expect(overfittedIn("m", wide, { rows: 139 })).toContain('"m" is 0.095');
    // For a gap, the rows of its smaller side.
    const sides = { own: rate(0.1, 0).strict, rest: { ...rate(0, 0).strict, examples: 30 } };
    const gap = requirement({ train: { ...parted.train, sides }, validation: parted.validation });
    expect(overfittedIn("m", gap, { rows: 13 })).toBeUndefined();
    expect(overfittedIn("m", gap, { rows: 14 })).toContain('"m" is 0.095');
    // Dollars are no shares: 100 of 500 are those of one row in five.
    const dollars = { train: rate(400, 5), test: rate(500, 5) };
    const error = requirement({ ...dollars, pricedBy: "loss", level: 300, unit: 1, strict: undefined });
    expect(overfittedIn("m", error, { rows: 59 })).toBeUndefined();
    expect(overfittedIn("m", error, { rows: 60 })).toContain('"m" is 400');
  });

  test("nor of few rows where an exact test finds no difference; where it finds a plain one, of intervals that meet too", () => {
    const of = (k: number, n: number): Outcome => ({
      surrogate: 0,
      strict: rateOver(
        array(Float32Array.from({ length: n }, (_, i) => Number(i < k))),
        new Uint8Array(n).fill(1),
      ),
    });
    let called = 0;
    for (const [n, m] of [
      [4, 4],
      [10, 10],
      [36, 12],
      [25, 40],
    ])
      for (let a = 0; a <= n; a++)
        for (let b = 0; b <= m; b++) {
          const counted = requirement({ train: of(a, n), test: of(b, m) });
          if (!overfittedIn("m", counted)) continue;
          called++;
          expect(fisher(a, n, b, m)).toBeLessThan(0.05);
        }
    expect(called).toBeGreaterThan(300);
    // 0 of 110 and 6 of 46, of three that are looked at; intervals so much wider have 0.04 in both.
    const parted = requirement({ level: 0.02, price: 0, train: of(0, 110), test: of(6, 46) });
    expect(fisher(0, 110, 6, 46)).toBeLessThan(0.001);
    expect(overfittedIn("m", parted, { among: 3 })).toContain("0.130 (0.049 to 0.263) on the test rows");
  });
});

/** Fisher's exact test of a of n and b of m, both sides. */
function fisher(a: number, n: number, b: number, m: number): number {
  const logs = Array.from({ length: n + m + 1 }, (_, i) => i).map((i, _, all) =>
    all.slice(1, i + 1).reduce((sum, x) => sum + Math.log(x), 0),
  );
  const choose = (from: number, k: number): number => logs[from] - logs[k] - logs[from - k];
  const chance = (k: number): number =>
    k < 0 || k > n || a + b - k < 0 || a + b - k > m
      ? 0
      : Math.exp(choose(n, k) + choose(m, a + b - k) - choose(n + m, a + b));
  const all = Array.from({ length: a + b + 1 }, (_, k) => chance(k));
  return all.filter((p) => p <= chance(a) * (1 + 1e-9)).reduce((sum, p) => sum + p, 0);
}

const by = (least: number, most = 1): Parameters<typeof overfittedWhileTraining>[1] => ({
  misses: () => ({ least, most }),
});

const line = (more: Partial<RequirementReport>, objective = 0.5, step = 25) => ({
  step,
  objective,
  requirements: { misses: requirement(more) as RequirementReport },
});

describe("while it is solved", () => {
  test("the surrogate on the training rows is below the count on other rows", () => {
    const found = (more: Partial<RequirementReport>, parting = by(0.1)) =>
      overfittedWhileTraining(line(more), parting);
    const parted = { reached: 0.26, loss: 0.01, price: 28 };
    expect(found(parted)).toEqual(["misses"]);
    expect(found({ ...parted, loss: 0.4 })).toEqual([]);
    expect(found({ ...parted, reached: 0.1 })).toEqual([]);
    expect(found({ ...parted, pricedBy: "loss" })).toEqual([]);
    expect(found({ sense: "at least", level: 0.9, reached: 0.7, loss: 0.99, price: 9 })).toEqual(["misses"]);
    // Not of what chance does, nor where what stands for it is no bound.
    expect(found(parted, by(0.3))).toEqual([]);
    expect(found(parted, {})).toEqual([]);
    // Nor of what memorised rows cannot do: 0.26 is 0.25 above.
    expect(found(parted, by(0.1, 0.24))).toEqual([]);
    expect(found(parted, by(0.1, 0.26))).toEqual(["misses"]);
  });

  test("a model is the better the less it misses of what must hold, then by its objective and what giving way costs", () => {
    const merit = (more: Partial<RequirementReport>, objective: number) =>
      meritOf(line(more, objective), "quadratic(1)");
    const [missing, holding, dear] = [
      merit({ reached: 0.2 }, 0.3),
      merit({ reached: 0.102 }, 0.5),
      merit({ reached: 0.1 }, 0.6),
    ];
    expect(isBetter(holding, missing)).toBe(true);
    expect(isBetter(holding, dear)).toBe(true);
    expect(isBetter(missing, undefined)).toBe(true);
    const soft = { hard: false, cost: "quadratic(1)" };
    // 0.3 + 0.5² is more than 0.5 + 0.1².
    expect(isBetter(merit({ ...soft, reached: 0.2 }, 0.5), merit({ ...soft, reached: 0.6 }, 0.3))).toBe(true);
    expect(merit({ ...soft, reached: 0.6 }, 0.3).value).toBeCloseTo(0.55, 6);
  });

  test("the best state is kept on disk, and a resumed run finds it", () => {
    const folder = startRun<object, SolverState>(join(mkdtempSync(join(tmpdir(), "pliant-")), "run"), {});
    const state = (step: number) => ({ params: { w: array([step]) }, step }) as unknown as SolverState;
    const options = { cost: "quadratic(1)", giveUp: false };
    const { folder: watched, best } = watch(folder, options);
    watched.save(state(25), line({ reached: 0.1 }, 0.6, 25));
    watched.save(state(50), line({ reached: 0.1 }, 0.5, 50));
    watched.save(state(75), line({ reached: 0.3 }, 0.4, 75));
    expect(best(75)!.step).toBe(50);
    expect(best(50)).toBeUndefined();
    const again = watch({ ...folder, state: state(75) }, options);
    again.folder.save(state(100), line({ reached: 0.1 }, 0.55, 100));
    expect(again.best(100)!.step).toBe(50);
    again.folder.save(state(125), line({ reached: 0.1 }, 0.45, 125));
    expect(again.best(150)!.step).toBe(125);
    again.forget();
    expect(again.best(150)).toBeUndefined();
  });

  test("a run that may begin again is given up once it is no passing state", () => {
    const folder = startRun<object, SolverState>(join(mkdtempSync(join(tmpdir(), "pliant-")), "run"), {});
    const { folder: watched } = watch(folder, {
      cost: "quadratic(1)",
      giveUp: true,
      partings: by(0.1),
    });
    const state = { params: { w: array([0]) }, step: 25 } as unknown as SolverState;
    const bad = line({ reached: 0.26, loss: 0.01, price: 28 });
    for (let i = 0; i < 3; i++) watched.save(state, bad);
    watched.save(state, line({}));
    for (let i = 0; i < 3; i++) watched.save(state, bad);
    expect(() => watched.save(state, bad)).toThrow(Overfitted);
  });
});
