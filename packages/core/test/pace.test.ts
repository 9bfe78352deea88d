// Price rates that set themselves, one step at a time, by hand; and how many steps they come to over many problems.
import { array, constant, evaluate, full, mapTree, type NdArray } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { quadraticProblem } from "../bench/problems.js";
import { outcome } from "../bench/study.js";
import { firstPace, nextPace, type Pace } from "../src/dual-rates/dual-step-size.js";

const vector = (...x: number[]): NdArray => array(x, { dtype: "float64" });
const one = (x: number) => constant(vector(x));

interface Seen {
  readonly slack: number;
  readonly price?: number;
  readonly observed?: number;
  /** Of the Lagrangian, whose parts are 1. */
  readonly slope?: number;
}

/** The rates of one requirement whose slack and price are given, after each step. */
function ratesAfter(
  steps: readonly Seen[],
  strides?: number,
  { resolution, above = 1 }: { resolution?: number; above?: number } = {},
): number[] {
  let pace = firstPace([vector(1)], full([], 1, "float64"));
  // The first step reads the slope that the pace begins with; here the model has answered from the start.
  pace = { ...pace, slope: full([], 0, "float64") };
  return steps.map(({ slack, price = 1, observed, slope = 0 }, step) => {
    const next = nextPace(mapTree(pace, (x: NdArray) => constant(x)) as unknown as Pace, {
      state: { params: {} as never, optimizer: [], prices: [one(price)], relaxations: [one(0)] },
      values: {
        objective: one(0),
        slacks: [one(slack)],
        ...(observed !== undefined && { observed: [one(observed)] }),
      },
      gradient: { x: one(slope) },
      signed: [one(0)],
      scales: [one(1)],
      ...(resolution !== undefined && { resting: { always: [one(resolution)], above: [one(above)] } }),
      strides,
      step: one(step),
    });
    pace = evaluate(next) as unknown as Pace<NdArray>;
    return pace.rates[0].item();
  });
}

const times = <T>(n: number, x: T): T[] => new Array<T>(n).fill(x);
const last = (x: readonly number[]): number => x[x.length - 1];
const grown = (steps: number): number => 0.5 * 1.03 ** steps;

describe("a price rate", () => {
  test("grows while a requirement stays on one side of its level", () => {
    expect(last(ratesAfter(times(20, { slack: 1 })))).toBeCloseTo(grown(20), 12);
  });
  test("stays as it is while a count goes to and fro within one step of it, and falls where it swings farther", () => {
    const fro = (by: number): Seen[] => times(40, 0).map((_, i) => ({ slack: i % 2 === 0 ? by : -by }));
    expect(last(ratesAfter(fro(0.01), 1, { resolution: 0.01 }))).toBe(0.5);
    expect(last(ratesAfter(fro(0.0102), 1, { resolution: 0.01 }))).toBeLessThan(0.3);
    // Of what must hold a step above the level is not at it, but to and fro between the two is no swing.
    expect(last(ratesAfter(fro(0.01), 1, { resolution: 0.01, above: 0 }))).toBeCloseTo(grown(20), 12);
  });
  test("grows and falls by a step of an optimiser as by the steps that it is worth", () => {
    expect(last(ratesAfter(times(4, { slack: 1 }), 5))).toBeCloseTo(grown(20), 12);
    // Two steps worth five each are a whole swing.
    const swing = [...times(2, { slack: 1 }), ...times(2, { slack: -1 }), { slack: 1 }];
    expect(last(ratesAfter(swing, 5))).toBeCloseTo(0.6 * grown(20), 12);
  });
  test("never vanishes, however often a requirement oscillates, so quotients stay finite", () => {
    const swing = [...times(10, { slack: 1 }), ...times(10, { slack: -1 })];
    const rates = ratesAfter(times(130, swing).flat());
    expect(Math.min(...rates)).toBe(1e-20);
    expect(last(rates)).toBeLessThan(2e-20);
  });
  test("stops growing before products overflow, however long that lasts", () => {
    const rates = ratesAfter(times(1200, { slack: 1 }));
    expect(rates[900]).toBeCloseTo(grown(901), -3);
    expect(rates.slice(-200)).toEqual(times(200, 1e12));
  });
  test("waits while the model has not answered: by (0.1/r)² of a step where the slope is r of its parts", () => {
    expect(last(ratesAfter(times(2, { slack: 1, slope: 0.5 })))).toBeCloseTo(0.5 * 1.03 * 1.03 ** 0.04, 12);
  });
  test("rests where nothing is sought, was not observed, or is at its level", () => {
    expect(ratesAfter(times(3, { slack: -1, price: 0 }))).toEqual([0.5, 0.5, 0.5]);
    expect(ratesAfter(times(3, { slack: 1, observed: 0 }))).toEqual([0.5, 0.5, 0.5]);
    expect(ratesAfter(times(3, { slack: 1e-16 }))).toEqual([0.5, 0.5, 0.5]);
  });
  test("falls to 0.6 when a requirement swings for ten steps or more", () => {
    const first = [...times(12, { slack: 1 }), ...times(12, { slack: -0.8 })];
    // The first turn has nothing to be compared with; the second is of a side that was 0.8 of the one before.
    const rates = ratesAfter([...first, { slack: 1 }]);
    expect(rates[24] / rates[23]).toBeCloseTo(0.6, 12);
  });
  test.each([1, 4, 7])("falls by so many tenths of that when it swings for %i steps", (steps) => {
    const rates = ratesAfter([...times(12, { slack: 1 }), ...times(steps, { slack: -0.8 }), { slack: 1 }]);
    expect(last(rates) / rates[rates.length - 2]).toBeCloseTo(0.6 ** (steps / 10), 12);
  });
  test("recovers from many swings once a requirement has been on one side for a large share of all steps", () => {
    const swing = [...times(10, { slack: 1 }), ...times(10, { slack: -1 })];
    const rates = ratesAfter([...times(20, swing).flat(), ...times(200, { slack: 1 })]);
    // 1.03^(s/(400 + s)) a step, or 1.03^(1/40) while that is more.
    expect(last(rates) / rates[401]).toBeGreaterThan(10 ** 0.4);
    expect(rates[420] / rates[410]).toBeLessThan(1.03 ** 0.6);
  });
  test("does not mind swings that die out by themselves", () => {
    const rates = ratesAfter([...times(12, { slack: 1 }), ...times(4, { slack: -0.6 }), { slack: 0.3 }]);
    expect(last(rates)).toBeCloseTo(grown(17), 12);
  });
});

// `npm run bench -- solver` counts the steps of all 200 problems.
test("problems that give way are certified to 1e-6 in 110 steps on average or fewer, by default price rates", async () => {
  const problems = Array.from({ length: 40 }, (_, seed) => quadraticProblem(5 * seed)).filter(
    ({ cost }) => cost.kind === "quadratic",
  );
  const { steps, failed } = await outcome(
    problems,
    "resilient",
    { primal: 0.4, momentum: 0.5, relaxation: 0 },
    { tolerance: 1e-6, steps: 2000, failFast: false },
  );
  expect(failed).toBe(0);
  expect(steps.reduce((a, b) => a + b) / problems.length).toBeLessThanOrEqual(110);
});
