// Quantiles, the mean of the worst and the area under the ROC curve, against a direct computation, on every back end.
import {
  array,
  auc,
  compile,
  cvar,
  grad,
  NdArray,
  quantile,
  random,
  reference,
  type Tensor,
} from "@pliant/engine";
import { describe, expect, test } from "vitest";
import { openNatives } from "./natives.js";

const backends = [reference(), ...(await openNatives())];

/** Float64, with many equal numbers. */
const coarse = (seed: number, n: number): number[] =>
  [...random.uniform(random.key(seed), [n], { low: -2, high: 2, dtype: "float64" }).data].map(
    (v) => Math.round(4 * v) / 4,
  );
const fine = (seed: number, n: number): number[] => [
  ...random.normal(random.key(seed), [n], { dtype: "float64" }).data,
];
const column = (v: readonly number[]): NdArray => new NdArray(Float64Array.from(v), [v.length]);

/** By numpy's definition: linear between the order statistics. */
function quantileOf(x: readonly number[], q: number): number {
  const s = [...x].sort((a, b) => a - b);
  const h = q * (s.length - 1);
  const low = Math.floor(h);
  return s[low] + (h - low) * ((s[low + 1] ?? s[low]) - s[low]);
}

/** The minimum over t, which is reached at one of the elements. */
const cvarOf = (x: readonly number[], level: number): number =>
  Math.min(...x.map((t) => t + x.reduce((sum, v) => sum + Math.max(v - t, 0), 0) / (x.length * (1 - level))));

/** All pairs. */
function aucOf(scores: readonly number[], labels: readonly number[]): number {
  let [right, pairs] = [0, 0];
  for (const [i, p] of scores.entries())
    for (const [j, n] of scores.entries())
      if (labels[i] === 1 && labels[j] === 0) {
        pairs++;
        right += p > n ? 1 : p === n ? 0.5 : 0;
      }
  return right / pairs;
}

describe.each(backends)("on $name", (backend) => {
  const run = async (f: (...x: Tensor[]) => Tensor, ...inputs: NdArray[]) =>
    (await (await compile(f, { backend })(...(inputs as never[]))).read()) as NdArray;

  test("quantiles are those of the sorted numbers", async () => {
    for (const x of [coarse(1, 40), fine(2, 33), [3], [2, 1]]) {
      for (const q of [0, 0.1, 0.25, 0.5, 0.9, 1])
        expect((await run((t) => quantile(t, q), column(x))).item()).toBeCloseTo(quantileOf(x, q), 12);
    }
  });

  test("the mean of the worst is the minimum of Rockafellar and Uryasev", async () => {
    for (const x of [coarse(3, 40), fine(4, 33), [3]]) {
      for (const level of [0, 0.1, 0.5, 0.75, 0.9, 0.93, 0.999])
        expect((await run((t) => cvar(t, level), column(x))).item()).toBeCloseTo(cvarOf(x, level), 12);
    }
  });

  test("its gradient weighs the worst alike, and one of them by what is left", async () => {
    const x = column([5, 1, 4, 2, 3]);
    const g = await run((t) => grad((y: Tensor) => cvar(y, 0.5))(t), x);
    expect([...g.data]).toEqual([1 / 2.5, 0, 1 / 2.5, 0, 0.5 / 2.5]);
  });

  test("the area under the curve is the share of pairs ranked rightly", async () => {
    for (const scores of [coarse(5, 60), fine(6, 50), new Array(8).fill(1)]) {
      const labels = [...random.bernoulli(random.key(scores.length), [scores.length], 0.3).data];
      const got = await run((s, l) => auc(s, l), column(scores), column(labels));
      expect(got.item()).toBeCloseTo(aucOf(scores, labels), 14);
    }
  });

  test("each row of a batch by itself", async () => {
    const rows = [fine(7, 12), fine(8, 12)];
    const both = new NdArray(Float64Array.from(rows.flat()), [2, 12]);
    const labels = new NdArray(
      Float64Array.from({ length: 24 }, (_, i) => i % 2),
      [2, 12],
    );
    const close = (got: NdArray, f: (x: number[]) => number) =>
      rows.forEach((row, i) => {
        expect(got.data[i]).toBeCloseTo(f(row), 12);
      });
    close(await run((t) => quantile(t, 0.3), both), (x) => quantileOf(x, 0.3));
    close(await run((t) => cvar(t.transpose(), 0.3, { axis: 0 }), both), (x) => cvarOf(x, 0.3));
    close(await run((s, l) => auc(s, l), both, labels), (x) =>
      aucOf(
        x,
        x.map((_, i) => i % 2),
      ),
    );
  });

  test("NaN among the numbers is not passed over, infinities are numbers", async () => {
    const missing = column([1, NaN, 0, 2]);
    for (const f of [(t: Tensor) => quantile(t, 0.2), (t: Tensor) => cvar(t, 0.6)])
      expect((await run(f, missing)).item()).toBeNaN();
    expect((await run((s) => auc(s, array([0, 1, 0, 1], { dtype: "float64" })), missing)).item()).toBeNaN();
    expect((await run((s) => auc(s, array([1, 1], { dtype: "float64" })), column([1, 2]))).item()).toBeNaN();
    const far = column([-Infinity, 1, 2, Infinity, Infinity]);
    expect((await run((t) => quantile(t, 0.5), far)).item()).toBe(2);
    expect((await run((t) => quantile(t, 1), far)).item()).toBe(Infinity);
    expect((await run((t) => quantile(t, 0.125), far)).item()).toBe(-Infinity);
    expect((await run((t) => cvar(t, 0.9), far)).item()).toBe(Infinity);
  });
});

test("invalid arguments are refused with a sentence", () => {
  const x = array([1, 2]);
  expect(() => quantile(x, 1.5)).toThrow("quantile: q lies between 0 and 1, got 1.5");
  expect(() => cvar(x, 1)).toThrow("cvar: level lies in [0, 1), got 1");
  expect(() => quantile(new NdArray(new Float32Array(0), [0]), 0.5)).toThrow(/nothing to choose from/);
  expect(() => auc(x, array([1]))).toThrow(/need as many labels/);
});
