// The steps, solvers, means and whole numbers of a federation at numbers that are known by hand.
import { quadratic } from "@pliant/core";
import { array, constant, evaluate, NdArray, type Tensor } from "@pliant/engine";
import {
  average,
  clientWeight,
  constrainedStep,
  exactStep,
  explicitStep,
  fedAvg,
  fedPd,
  fedProx,
  scaffold,
  waterLevel,
} from "@pliant/federated";
import { describe, expect, test } from "vitest";
import { belowLevel, slack, wantedPrices } from "../src/client.js";
import { meansOf, testMeans, union } from "../src/evaluation.js";
import {
  addWords,
  fixedAverage,
  fractionBits,
  fromWhole,
  fromWords,
  largestNumber,
  toWhole,
  toWords,
} from "../src/fixed-point.js";
import { fairTerms, serverStep } from "../src/server.js";

const near = (values: readonly number[]) => values.map((x) => expect.closeTo(x, 12));

describe("a client's step", () => {
  const duals = { prices: [0.5, 0.25, 1], relaxations: [0.25, 0.5, 2] };
  const slacks = [1, -2, 0.5];

  test("weighs its update by its share and its price above the mean one", () => {
    expect(clientWeight(0.5, 0.2)).toBeCloseTo(1.3, 12);
    expect(clientWeight(0.5, 0.2, 3)).toBeCloseTo(3 + 0.5 - 0.6, 12);
    expect(slack(0.9, 0.5, 0.1)).toBeCloseTo(0.3, 12);
  });

  test("as published takes both slopes at the old values, and stops at 0", () => {
    const { prices, relaxations } = explicitStep(quadratic(1), duals, slacks, { dual: 0.5, relaxation: 0.4 });
    expect(prices).toEqual(near([0.5 + 0.5 * 0.75, 0, 1 - 0.5 * 1.5]));
    expect(relaxations).toEqual(near([0.25, 0.5 + 0.4 * (0.25 - 1), 2 + 0.4 * (1 - 4)]));
    const far = explicitStep(quadratic(1), duals, slacks, { dual: 0.5, relaxation: 4 });
    expect(far.relaxations).toEqual(near([0.25, 0, 0]));
  });

  test("exactly: with h = u², λ = 2v/(2 + η) and u = v/(2 + η)", () => {
    const { prices, relaxations } = exactStep(quadratic(1), duals, slacks, 0.5);
    expect(prices).toEqual(near([2 / 2.5, 0, 2.5 / 2.5]));
    expect(relaxations).toEqual(near([1 / 2.5, 0, 1.25 / 2.5]));
  });

  test("where nothing gives way moves prices alone, up to a cap", () => {
    expect(wantedPrices(duals.prices, slacks, 0.5)).toEqual(near([1, 0, 1.25]));
    expect(constrainedStep(duals, slacks, 0.5).prices).toEqual(near([1, 0, 1.25]));
    const capped = constrainedStep(duals, slacks, 0.5, 1.1);
    expect(capped).toEqual({ prices: near([1, 0, 1.1]), relaxations: duals.relaxations });
  });

  test("under the maximum norm keeps as price what is above the level", () => {
    expect(belowLevel([1, 0.25], 0.5, 2)).toEqual({
      prices: near([0.5, 0]),
      relaxations: near([0.25, 0.125]),
    });
  });
});

describe("the server", () => {
  test("averages, and finds the level at which the budget is kept", () => {
    expect(average([1, 2, 6])).toBe(3);
    // [3 − τ]₊ + [1 − τ]₊ = 2 · 0.5 at τ = 2; both count below 1.
    expect(waterLevel([3, 1], 0.5, average)).toBeCloseTo(2, 12);
    expect(waterLevel([3, 1], 1.5, average)).toBeCloseTo(0.5, 12);
    expect(waterLevel([3, 1], 2, average)).toBe(0);
    expect(waterLevel([3, 1], 5, average)).toBe(0);
  });

  test("asks for as few levels as Newton's method needs", () => {
    const asked = (wanted: number[], budget: number): [number, number] => {
      let answers = 0;
      const level = waterLevel(wanted, budget, (values) => {
        answers++;
        return average(values);
      });
      return [level, answers];
    };
    // Two answers a level, and one at the last: from 0 by 1.5 to 1.5, by 0.25/0.5 to 2.
    expect(asked([3, 1], 0.5)).toEqual([2, 5]);
    // A client that is at a level exceeds it by nothing: from 0 by 1 to 1, by (1/3)/(1/3) to 2.
    expect(asked([5, 1, 0], 1)).toEqual([expect.closeTo(2, 12), 5]);
  });

  test("moves by the sum of updates times the factor", () => {
    const moved = serverStep({ w: tensor(2, 3) }, { w: tensor(1, -4) }, tensor(0.5).sum());
    expect([...evaluate((moved as { w: Tensor }).w).data]).toEqual([2.5, 1]);
  });

  test("q-FedAvg has h = q F^(q−1) ‖L Δ‖² + L F^q, also for a loss of 0", () => {
    expect(fairTerms(2, [3], [0.5], 0.5)[0]).toBeCloseTo(2 * 3 * 4 * 0.5 + 2 * 9, 6);
    expect(fairTerms(0.5, [0], [1], 1)[0]).toBeCloseTo(0.5 * 1e5 + 1e-5, 4);
  });
});

function tensor(...values: number[]): Tensor {
  return constant(new NdArray(Float64Array.from(values), [values.length]));
}
const read = (tree: unknown): number => evaluate((tree as { w: Tensor }).w).data[0];

describe("solvers", () => {
  const at = {
    params: { w: tensor(3) },
    server: { w: tensor(1) },
    own: { w: tensor(0.25) },
    shared: { w: tensor(0.75) },
  };
  const scalar = (value: number): Tensor => constant(new NdArray(Float64Array.of(value), []));
  const done = { ...at, weight: scalar(1.5), sentWeight: scalar(0.5), travelled: scalar(4) };

  test("FedAvg sends w (θ_c − θ), and pulls nothing", () => {
    const solver = fedAvg();
    expect(solver).toMatchObject({ name: "FedAvg", keeps: false, shares: false });
    expect(solver.pull).toBeUndefined();
    expect(read(solver.finish(done).update)).toBeCloseTo(3, 12);
  });

  test("FedProx pulls by μ (θ_c − θ)", () => {
    const solver = fedProx({ mu: 0.2 });
    expect(solver).toMatchObject({ name: "FedProx", keeps: false, shares: false });
    expect(read(solver.pull!(at))).toBeCloseTo(0.4, 12);
    expect(read(solver.finish(done).update)).toBeCloseTo(3, 12);
    expect(read(fedProx({ mu: 0 }).pull!(at))).toBe(0);
    for (const mu of [-1, Number.NaN, Infinity])
      expect(() => fedProx({ mu })).toThrow(`FedProx: μ must be a number of at least 0, got ${mu}.`);
  });

  test("SCAFFOLD pulls by c − c_c and keeps c_c − c − (θ_c − θ)/(K η)", () => {
    const solver = scaffold();
    expect(solver).toMatchObject({ name: "SCAFFOLD", keeps: true, shares: true });
    expect(solver.refusesLocalOptimizer).toContain("the mean of its gradients");
    expect(read(solver.pull!(at))).toBeCloseTo(0.5, 12);
    const { update, own, shared } = solver.finish(done);
    expect(read(update)).toBeCloseTo(2, 12);
    expect(read(own)).toBeCloseTo(0.25 - 0.75 - 2 / 4, 12);
    expect(read(shared)).toBeCloseTo(-1 * 1.5 - 0.25 * 0.5, 12);
  });

  test("FedPD refuses what is no length, and says what it cannot bear", () => {
    expect(fedPd({ eta: 4 })).toMatchObject({ name: "FedPD", keeps: true, shares: false });
    expect(fedPd({ eta: 4 }).refusesAbsence).toContain("all clients at once");
    expect(fedPd({ eta: 4 }).refusesNegativeWeights).toContain("must not be negative");
    for (const eta of [0, -1, Number.NaN, Infinity])
      expect(() => fedPd({ eta })).toThrow(`FedPD: η must be a positive number, got ${eta}.`);
  });
});

describe("means over clients' samples", () => {
  const found = {
    loss: Float64Array.of(1, 2, 3, 5),
    hit: Float64Array.of(1, 0, 1, 0),
    metric: Float64Array.of(4, 4, 0, 0),
  };

  test("are taken over each client's rows, and are NaN without rows", () => {
    expect(meansOf(found, [[0, 3], [1, 2, 2], []])).toEqual({
      loss: [3, 8 / 3, Number.NaN],
      accuracy: [0.5, 2 / 3, Number.NaN],
      metric: [2, 4 / 3, Number.NaN],
    });
    expect("metric" in meansOf({ loss: found.loss, hit: found.hit }, [[0]])).toBe(false);
  });

  test("over everything and each class stand beside them", () => {
    const y = array(Int32Array.of(0, 1, 1, 0));
    expect(testMeans(found, [[1]], { x: y, y } as never, 3)).toEqual({
      loss: [2],
      accuracy: [0],
      metric: [4],
      overall: { loss: 11 / 4, accuracy: 0.5, metric: 2, classAccuracy: [0.5, 0.5, Number.NaN] },
    });
    const { overall } = testMeans({ loss: found.loss, hit: found.hit }, [], { x: y, y } as never, 1);
    expect("metric" in overall).toBe(false);
  });

  test("rows that several hold are looked at once, in ascending order", () => {
    expect([...union([[3, 1], [1, 0], []], 5)]).toEqual([0, 1, 3]);
    expect([...union([], 3)]).toEqual([]);
  });
});

describe("whole numbers", () => {
  test("have as many bits behind the point as a sum of all clients leaves", () => {
    expect([fractionBits(1, 1), fractionBits(3, 1), fractionBits(4, 2)]).toEqual([30, 28, 27]);
    expect(fractionBits(2 ** 20, 2 ** 10)).toBe(0);
    for (const bound of [0, -1, 2 ** 12, Number.NaN])
      expect(() => fractionBits(2 ** 20, bound)).toThrow("do not fit words of 32 bits");
  });

  test("round to the nearest; values out of range saturate and are counted", () => {
    const most = Math.floor((2 ** 31 - 1) / 4);
    expect(toWords([0.3, -0.3, 0], 4, 4)).toEqual({ words: Int32Array.of(5, -5, 0), saturated: 0 });
    expect(toWords([most, -most], 0, 4)).toEqual({ words: Int32Array.of(most, -most), saturated: 0 });
    expect(toWords([most + 1, -most - 1, Number.NaN], 0, 4)).toEqual({
      words: Int32Array.of(most, -most, most),
      saturated: 3,
    });
  });

  test("add up modulo 2³² and come back divided", () => {
    const sum = Int32Array.of(2 ** 31 - 1, 8);
    addWords(sum, Int32Array.of(1, -3));
    expect([...sum]).toEqual([-(2 ** 31), 5]);
    expect([...fromWords(Int32Array.of(5, -8), 4)]).toEqual([5 / 16, -0.5]);
  });

  test("for single numbers have 40 fractional bits, and their sum stays below 2⁶²", () => {
    expect(largestNumber(4)).toBe(2 ** 20);
    expect(toWhole(0.5, 4)).toBe(2n ** 39n);
    expect(toWhole(-(2 ** 20), 4)).toBe(-(2n ** 60n));
    for (const value of [2 ** 20 + 1, -(2 ** 20) - 1, Number.NaN])
      expect(() => toWhole(value, 4)).toThrow(`${value} cannot be summed over 4 clients`);
    expect(fromWhole(-(2n ** 39n))).toBe(-0.5);
    expect(fromWhole(2n ** 64n + 2n ** 40n)).toBe(1);
    expect(fixedAverage([1, 2, 4.5])).toBe(2.5);
  });
});
