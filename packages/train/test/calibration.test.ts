// Probabilities that are not what they say are said not to be, and chance alone is not spoken of.
import { random } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { calibrationOf } from "../src/evaluate/calibration.js";
import { calibrationWords, heldCalibration, isOff } from "../src/report/calibrated.js";
import type { TrainReport } from "../src/report/report.js";

/** Rows that happen with a probability, and what is said of it. */
function drawn(n: number, seed: number, said: (p: number) => number) {
  const u = random.uniform(random.key(seed), [n, 2]).data;
  const truth = Array.from({ length: n }, (_, i) => 0.02 + 0.3 * u[2 * i] ** 2);
  const happened = truth.map((p, i) => Number(u[2 * i + 1] < p));
  return calibrationOf(truth.map(said), happened, "yes");
}

describe("of 1,000 rows", () => {
  const moved = (p: number): number => 1 / (1 + (Math.exp(-1.5) * (1 - p)) / p);

  test("true probabilities are hardly ever called off, and are as far off as chance says", () => {
    const found = Array.from({ length: 300 }, (_, seed) => drawn(1000, seed, (p) => p));
    expect(found.filter(isOff).length).toBeLessThanOrEqual(2);
    const mean = (of: (one: (typeof found)[number]) => number) =>
      found.reduce((sum, one) => sum + of(one) / found.length, 0);
    const [error, chance] = [mean((one) => one.error), mean((one) => one.chance.mean)];
    expect(Math.abs(error / chance - 1)).toBeLessThan(0.05);
    const spread = Math.sqrt(mean((one) => (one.error - error) ** 2));
    expect(Math.abs(spread / mean((one) => one.chance.deviation) - 1)).toBeLessThan(0.15);
  });

  test("those of a model whose threshold was moved always are, and it is said", () => {
    for (let seed = 0; seed < 50; seed++) expect(isOff(drawn(1000, seed, moved))).toBe(true);
    const calibration = drawn(1000, 1, moved);
    expect(calibrationWords({ examples: 1000, calibration }, "test rows")).toEqual([
      `Probabilities are not calibrated: on the 1000 test rows, the calibration error is ${calibration.error.toFixed(3)} (mean probability of yes ${calibration.predicted.toFixed(3)}, share of yes ${calibration.observed.toFixed(3)}). Treat them as scores, or calibrate them first.`,
    ]);
    const { of: _, ...chosen } = calibration;
    expect(calibrationWords({ examples: 9, calibration: chosen }, "rows")[0]).toContain(
      "(mean probability of the predicted class ",
    );
    expect(calibrationWords({ examples: 9, calibration: drawn(1000, 1, (p) => p) }, "rows")).toEqual([]);
    expect(calibrationWords({ examples: 9 }, "rows")).toEqual([]);
  });

  test("where calibration was asked, what is said agrees with what it came to", () => {
    const calibration = drawn(1000, 1, moved);
    const on = (value: number) => ({ strict: { value, examples: 300 } });
    const held = (level: number, value: number, more: object = {}) => {
      const asked = {
        sense: "at most",
        level,
        allowance: 0.001,
        of: "calibrated",
        strictly: "calibration error",
      };
      const requirements = { calibrated: { ...asked, cost: "quadratic(2)", validation: on(value), ...more } };
      return heldCalibration({ requirements, judgedOn: "validation" } as unknown as TrainReport);
    };
    const said = (of: ReturnType<typeof held>) =>
      calibrationWords({ examples: 1000, calibration }, "test rows", of)[0];
    expect(said(held(0.05, 0.0508))).toMatch(
      /^Probabilities are calibrated as calibrated asks \(at most 0\.05\) on the 300 validation rows \(0\.051\), but not on the test rows: on the 1000 test rows, the calibration error is .*\. Treat them as scores, or calibrate them first\.$/,
    );
    expect(said(held(0.9, 0.0508))).toMatch(
      /^Probabilities are calibrated no better than calibrated asks \(at most 0\.9\): on the 1000 test rows/,
    );
    // Missed, free, or on one group: nothing to agree with.
    for (const other of [
      held(0.05, 0.06),
      held(0.05, 0.04, { cost: "free" }),
      held(0.05, 0.04, { of: "each" }),
    ])
      expect(said(other)).toMatch(/^Probabilities are not calibrated: /);
  });
});
