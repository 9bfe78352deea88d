// Optimisers against the formulas they are named after, one traced step at a time.

import {
  adam,
  adamw,
  addDecay,
  chain,
  clip,
  cosine,
  exponential,
  type Optimizer,
  separately,
  settling,
  sgd,
  warmUp,
} from "@pliant/core";
import { array, compile, type NdArray, readAll, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";

/** The parameters after each of some steps with these gradients, from (1, −2). */
async function path(optimizer: Optimizer, gradients: readonly number[][]): Promise<number[][]> {
  let params = { x: array([1, -2], { dtype: "float64" }) };
  let state = optimizer.init(params);
  const step = compile((p: { x: Tensor }, s: never, g: { x: Tensor }) => {
    const done = optimizer.update(g, s, p);
    return { x: p.x.add((done.updates as { x: Tensor }).x), state: done.state as Tensor };
  });
  const seen: number[][] = [];
  for (const g of gradients) {
    const next = await readAll(await step(params, state as never, { x: array(g, { dtype: "float64" }) }));
    params = { x: next.x as NdArray };
    state = next.state;
    seen.push(Array.from(params.x.data));
  }
  return seen;
}
const close = (wanted: readonly number[][]) => wanted.map((row) => row.map((v) => expect.closeTo(v, 10)));

test("sgd goes against the gradient", async () => {
  expect(await path(sgd(0.1), [[1, 2]])).toEqual(close([[0.9, -2.2]]));
});

test("momentum adds up what came before", async () => {
  expect(
    await path(sgd(0.1, { momentum: 0.5 }), [
      [1, 0],
      [1, 0],
    ]),
  ).toEqual(
    close([
      [0.9, -2],
      [0.75, -2],
    ]),
  );
});

test("adam's first step is the rate, whatever the gradient's size", async () => {
  const [[a, b]] = await path(adam(0.01), [[1e-3, -500]]);
  expect(a).toBeCloseTo(0.99, 6);
  expect(b).toBeCloseTo(-1.99, 6);
});

test("adamw decays weights beside the moments", async () => {
  const [[plain]] = await path(adam(0.01), [[1, 1]]);
  const [[decayed]] = await path(adamw(0.01, { decay: 0.1 }), [[1, 1]]);
  expect(decayed - plain).toBeCloseTo(-0.01 * 0.1 * 1, 10);
});

test("clip shortens each of a stack by its own length", async () => {
  const [[a, b]] = await path(chain(clip(1, { stacked: true }), sgd(1)), [[3, 0.5]]);
  expect([a, b]).toEqual([expect.closeTo(1 - 1, 5), expect.closeTo(-2 - 0.5, 5)]);
});

test("parts are optimised separately", async () => {
  const both = separately({ x: sgd(1), y: chain(addDecay(0.5), sgd(0.1)) });
  const params = { x: array([1]), y: array([2]) };
  const step = compile((p: { x: Tensor; y: Tensor }, s: never, g: { x: Tensor; y: Tensor }) => {
    const { updates } = both.update(g, s, p);
    return updates as { x: Tensor; y: Tensor };
  });
  const found = await readAll(
    await step(params, both.init(params) as never, { x: array([3]), y: array([4]) }),
  );
  expect([found.x.item(), found.y.item()]).toEqual([-3, expect.closeTo(-0.5, 6)]);
});

test("a cosine ends at its floor", async () => {
  const rates = await Promise.all(
    [0, 50, 100].map(async (t) => (await compile(cosine(1, 100, { floor: 0.1 }))(t)).read()),
  );
  expect(rates.map((r) => r.item())).toEqual([1, 0.55, 0.1].map((v) => expect.closeTo(v, 6)));
});

test("clip shortens a gradient that is too long and leaves others alone", async () => {
  const [[a, b], [c, d]] = await path(chain(clip(1), sgd(1)), [
    [3, 4],
    [0.3, 0.4],
  ]);
  expect([a, b]).toEqual([expect.closeTo(1 - 0.6, 5), expect.closeTo(-2 - 0.8, 5)]);
  expect([c, d]).toEqual([expect.closeTo(a - 0.3, 5), expect.closeTo(b - 0.4, 5)]);
});

describe("schedules", () => {
  const rates = async (optimizer: Optimizer, n: number): Promise<number[]> => {
    const xs = (
      await path(
        optimizer,
        Array.from({ length: n }, () => [1, 0]),
      )
    ).map(([x]) => x);
    return [1, ...xs].slice(0, n).map((x, i) => x - xs[i]);
  };
  test("cosine falls to 0", async () => {
    const found = await rates(sgd(cosine(1, 4)), 6);
    expect(found).toEqual([1, 0.8535533906, 0.5, 0.1464466094, 0, 0].map((v) => expect.closeTo(v, 9)));
  });
  test("exponential multiplies", async () => {
    expect(await rates(sgd(exponential(1, 0.5, 2)), 5)).toEqual(
      [1, Math.SQRT1_2, 0.5, Math.SQRT1_2 / 2, 0.25].map((v) => expect.closeTo(v, 9)),
    );
  });
  test("warm-up rises to the rate it is given", async () => {
    expect(await rates(sgd(warmUp(1, 4)), 5)).toEqual(
      [0.25, 0.5, 0.75, 1, 1].map((v) => expect.closeTo(v, 9)),
    );
  });
});

test.each([0, -1, Number.NaN, Infinity])("a rate of %d is refused with a sentence", (rate) => {
  expect(() => sgd(rate)).toThrow(/^sgd: the rate must be a positive number, got/);
});

describe("settling", () => {
  test("takes less of a step by the cosine between the gradient after the last one and that step, and more where they oppose", async () => {
    const found = await path(settling(sgd(1)), [
      [1, 0],
      [-3, 4],
      [3, 4],
      [1, -1],
    ]);
    const steps = found.map((at, i) => at.map((x, k) => x - (i === 0 ? [1, -2] : found[i - 1])[k]));
    // Cosines with the steps before: none, 0.6, −0.28, 0.1 √2.
    const [second, third, fourth] = [
      -0.1 * 0.6,
      -0.1 * 0.6 + 0.03 * 0.28,
      -0.1 * (0.6 + 0.1 * Math.SQRT2) + 0.03 * 0.28,
    ].map(Math.exp);
    expect(steps).toEqual(
      close([
        [-1, 0],
        [3 * second, -4 * second],
        [-3 * third, -4 * third],
        [-fourth, fourth],
      ]),
    );
  });

  test("never takes more than the whole", async () => {
    const found = await path(settling(sgd(1)), new Array(20).fill([1, 1]));
    expect(found.at(-1)).toEqual(close([[-19, -22]])[0]);
  });

  test("with steps of constant length, ends at the bottom of a bowl instead of oscillating", async () => {
    /** x² from 1, y²/50 from −2, with Adam that forgets. */
    const end = async (optimizer: Optimizer): Promise<number> => {
      let params = { x: array([1, -2], { dtype: "float64" }) };
      let state = optimizer.init(params);
      const step = compile((p: { x: Tensor }, s: never) => {
        const slopes = p.x.mul(array([2, 0.04], { dtype: "float64" }));
        const done = optimizer.update({ x: slopes }, s, p);
        return { x: p.x.add((done.updates as { x: Tensor }).x), state: done.state as Tensor };
      });
      for (let i = 0; i < 400; i++) {
        const next = await readAll(await step(params, state as never));
        params = { x: next.x as NdArray };
        state = next.state;
      }
      return Math.hypot(...Array.from(params.x.data));
    };
    const forgetful = adam(0.1, { betas: [0.9, 0.9] });
    expect(await end(forgetful)).toBeGreaterThan(1e-3);
    expect(await end(settling(forgetful))).toBeLessThan(1e-6);
  });
});
