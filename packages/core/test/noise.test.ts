// Prices at their own pace where each step sees a few examples.

import { atMost, createSolver, groupMeans, hard, minimise, quadratic, solve, solveWith } from "@pliant/core";
import { constant, evaluate, full, mapTree, NdArray, random, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import {
  errorOf,
  firstNoise,
  heardMeans,
  type Noise,
  shareOf,
  slopeIn,
  withHeard,
} from "../src/dual-rates/minibatch-noise.js";
import { backend } from "./native.js";

describe("fifty groups, of which a batch of 64 has one example each or none", () => {
  const [rows, columns, groups] = [2000, 5, 50];
  const [forX, forW, forNoise, forGroups] = random.split(random.key(7), 4);
  const x = random.normal(forX, [rows, columns]);
  const w = random.normal(forW, [columns]).data;
  const noise = random.normal(forNoise, [rows]).data;
  const own = random.normal(forGroups, [groups, columns]).data;
  // The first four groups follow slopes of their own.
  const y = Float32Array.from({ length: rows }, (_, i) => {
    const g = i % groups;
    let z = 0.5 * Number(noise[i]);
    for (let j = 0; j < columns; j++)
      z +=
        Number(x.data[i * columns + j]) *
        (0.6 * Number(w[j]) + (g < 4 ? 0.8 : 0.15) * Number(own[g * columns + j]));
    return z;
  });
  const members = new Float32Array(rows * groups);
  for (let i = 0; i < rows; i++) members[i * groups + (i % groups)] = 1;
  const data = { x, y: new NdArray(y, [rows]), members: new NdArray(members, [rows, groups]) };
  type Rows = { [K in keyof typeof data]: Tensor };
  const statement = minimise({
    params: { w: full([columns], 0), b: full([], 0) },
    forward: ({ w, b }: { w: Tensor; b: Tensor }, { x }: Rows) => x.matmul(w).add(b),
    objective: (z, { y }) => z.sub(y).pow(2).mean(),
  });
  const each = (level: number) =>
    atMost(level, (z: Tensor, { y, members }: Rows) => groupMeans(z.sub(y).pow(2), members));
  const batch = { size: 64, seed: 1 };
  const pricesOf = ({ state }: { state: { prices: readonly NdArray[] } }): number[] =>
    Array.from(state.prices[0].data, Number);

  test("the four dearest have their prices to 15 %, and no other is 0.2 too dear, by defaults", async () => {
    const task = statement.subjectTo({ each: each(0.6) }, { cost: quadratic(0.5) });
    const whole = await solve(task, { data, backend });
    expect(whole.certificate.holds).toBe(true);
    const exact = pricesOf(whole);
    const dearest = [...exact.keys()].sort((a, b) => exact[b] - exact[a]);
    const found = pricesOf(await solve(task, { data, batch, tolerance: 0, every: 500, backend }));
    for (const g of dearest.slice(0, 4)) expect(Math.abs(found[g] / exact[g] - 1), `${g}`).toBeLessThan(0.15);
    for (const g of dearest.slice(4)) expect(found[g] - exact[g], `${g}`).toBeLessThan(0.2);
  });

  test("the price of a hard requirement does not wind up, however large the noise", async () => {
    const task = statement.subjectTo({ each: each(3) }, { cost: hard });
    const whole = await solve(task, { data, backend });
    expect(whole.certificate.holds).toBe(true);
    const most = Math.max(...pricesOf(whole));
    const solver = await createSolver(task, { data, batch, tolerance: 0, backend });
    let found = await solveWith(solver, { steps: 0 });
    while (found.steps < 2000) {
      found = await solver.next(found, 250);
      expect(Math.max(...pricesOf(found)), `after ${found.steps}`).toBeLessThan(6 * most);
    }
  });

  test("a run that is resumed goes on to the same bits", async () => {
    const task = statement.subjectTo({ each: each(0.6) }, { cost: quadratic(0.5) });
    const given = { data, batch, tolerance: 0, backend };
    const whole = await solve(task, { ...given, steps: 70, every: 70 });
    const half = await solve(task, { ...given, steps: 33, every: 11 });
    const rest = await solve(task, { ...given, steps: 37, every: 9, state: half.state });
    expect(rest.state).toEqual(whole.state);
  });
});

describe("running means", () => {
  const zero = full([], 0, "float64");
  const vector = (x: number) => constant(new NdArray(Float64Array.of(x), [1]));
  const heard = (steps: readonly { g: number; observed?: number; slope?: number }[]): Noise<NdArray> => {
    let noise = firstNoise([full([1], 0, "float64")], { x: full([1], 0, "float64") }, zero);
    for (const { g, observed = 1, slope = 0 } of steps) {
      const before = mapTree(noise, (x: NdArray) => constant(x)) as unknown as Noise;
      const next = withHeard(before, [vector(g)], [vector(observed)], { x: vector(slope) });
      noise = evaluate(next) as unknown as Noise<NdArray>;
    }
    return noise;
  };
  const numbers = (noise: Noise<NdArray>, of: (noise: Noise) => Tensor): number =>
    evaluate(of(mapTree(noise, (x: NdArray) => constant(x)) as unknown as Noise)).item();
  const none = vector(0);

  test("are means of all that was observed, and of nothing else", () => {
    const noise = heard([{ g: 1 }, { g: 7, observed: 0 }, { g: 3 }, { g: 5 }]);
    expect([noise.means[0].item(), noise.squares[0].item(), noise.seen[0].item()]).toEqual([
      expect.closeTo(3, 12),
      expect.closeTo(35 / 3, 12),
      3,
    ]);
    // It changed by 2 and by 2: v = 2, of which the mean of three has a third.
    expect(numbers(noise, (n) => errorOf(n, 0))).toBeCloseTo(1.5 * Math.sqrt(2 / 3), 12);
    const signal = 9 - 2 / 3;
    expect(numbers(noise, (n) => shareOf(n, 0, none))).toBeCloseTo(signal / (signal + 2), 12);
    // At its relaxed level there is nothing but noise.
    expect(numbers(noise, (n) => shareOf(n, 0, vector(3)))).toBe(0.003);
  });

  test("without noise a price moves by all of its rate", () => {
    const noise = heard([{ g: 2 }, { g: 2 }, { g: 2 }]);
    expect(numbers(noise, (n) => shareOf(n, 0, none))).toBe(1);
    expect(numbers(noise, (n) => errorOf(n, 0))).toBe(0);
  });

  test("a slope that is noise alone is about none, one that stays is seen in it", () => {
    const alternating = (i: number) => (i % 2 ? 1 : -1);
    const of = (slope: (i: number) => number) =>
      numbers(heard(Array.from({ length: 40 }, (_, i) => ({ g: 0, slope: slope(i) }))), slopeIn);
    expect(of(alternating)).toBeLessThan(0.02);
    // ‖ḡ‖² = 1, and what changes by 2 at each step is noise of 2, of which it has a fortieth.
    expect(of((i) => 1 + alternating(i))).toBeCloseTo(Math.sqrt(1 - 2 / 40), 12);
    expect(of(() => 0.5)).toBeCloseTo(0.5, 12);
  });

  // A wave of 60 steps is where the model goes, and its mean over 50 is nearly nothing where it is steepest, or late.
  const wave = (i: number): number => Math.cos((2 * Math.PI * i) / 60);
  const noisy = (i: number): number => Number(errors[i]) + 0.1 * wave(i);
  const errors = random.normal(random.key(3), [200]).data;

  test("a price follows what a slack is on its way, and its mean where it is noise", () => {
    const followed = (of: (i: number) => number, observed = 1) =>
      numbers(heard(Array.from({ length: 181 }, (_, i) => ({ g: of(i) }))), (n) =>
        heardMeans(n, [vector(of(181))], [vector(observed)]).reduce((a) => a),
      );
    expect(Math.abs(followed(wave) - wave(181))).toBeLessThan(0.05);
    expect(Math.abs(followed(noisy))).toBeLessThan(0.3);
    // What is not seen now stays what it was.
    const { means } = heard(Array.from({ length: 181 }, (_, i) => ({ g: wave(i) })));
    expect(followed(wave, 0)).toBe(means[0].item());
  });

  test("and a slope is what it is on its way, however soon it turns", () => {
    const slope = numbers(heard(Array.from({ length: 181 }, (_, i) => ({ g: 0, slope: wave(i) }))), slopeIn);
    expect(slope).toBeGreaterThan(0.9);
  });
});
