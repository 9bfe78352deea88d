// The step of the prices and relaxations against its formulas, element by element, and what a step of the parameters weighs.

import {
  type Cost,
  extragradientStep,
  linear,
  type Optimizer,
  paperStep,
  quadratic,
  resilientStep,
  sgd,
} from "@pliant/core";
import { compile, readAll, reference, type Tensor } from "@pliant/engine";
import { describe, expect, test } from "vitest";
import type { Setting, Values } from "../src/algorithms/algorithms.js";
import { paperDuals } from "../src/algorithms/algorithms.js";
import { dualStep } from "../src/algorithms/dual-step.js";
import { float64 } from "./float64.js";

const near = (values: readonly number[]) => values.map((x) => expect.closeTo(x, 12));

interface Asked {
  readonly cost?: Cost;
  readonly slacks: readonly number[];
  readonly priced?: readonly number[];
  readonly prices: readonly number[];
  readonly relaxations?: readonly number[];
  readonly rates?: readonly number[];
  readonly signed?: readonly number[];
  readonly insisted?: readonly number[];
  readonly resolutions?: readonly number[];
  /** 1 where prices rest above their level too. */
  readonly above?: readonly number[];
  /** What the slacks resolve here. */
  readonly here?: readonly number[];
  readonly observed?: readonly number[];
  /** Others are observed at times, this group always. */
  readonly allSeen?: boolean;
  readonly by?: typeof dualStep;
}

async function stepped({ cost = quadratic(1), by = dualStep, allSeen, ...given }: Asked) {
  const zeros = given.slacks.map(() => 0);
  const { relaxations = zeros, rates = zeros.map(() => 0.5), ...rest } = given;
  const run = compile(
    (x: Record<string, Tensor>) => {
      const setting: Setting<Tensor> = {
        evaluate: () => {
          throw new Error("not asked");
        },
        costs: [cost],
        rates: [x.rates],
        optimizer: sgd(1),
        ...(x.signed && { signed: [x.signed] }),
        ...(x.insisted && { insisted: [x.insisted] }),
        ...(x.resolutions && { resting: { always: [x.resolutions], above: [x.above] } }),
      };
      const values: Values = {
        objective: x.slacks.sum(),
        slacks: [x.slacks],
        ...(x.priced && { priced: [x.priced] }),
        ...(x.here && { resolutions: [x.here] }),
        ...(x.observed && { observed: [x.observed] }),
        ...(allSeen && { observed: [undefined] }),
      };
      const next = by(setting, { prices: [x.prices], relaxations: [x.relaxations] }, values);
      return [next.prices[0], next.relaxations[0]];
    },
    { backend: reference() },
  );
  const inputs = Object.fromEntries(
    Object.entries({ ...rest, relaxations, rates }).map(([key, values]) => [key, float64(values)]),
  );
  const [prices, next] = await readAll(await run(inputs));
  return { prices: Array.from(prices.data), relaxations: Array.from(next.data) };
}

describe("the proximal step on the dual", () => {
  // h = u²: λ⁺ = 2v/(2 + η) and u⁺ = v/(2 + η).
  test("finds the price and the relaxation that answers it; below 0 there is neither", async () => {
    const { prices, relaxations } = await stepped({
      slacks: [1, -1, -4],
      prices: [0.5, 1, 1],
      rates: [0.5, 0.25, 0.5],
    });
    expect(prices).toEqual(near([2 / 2.5, 1.5 / 2.25, 0]));
    expect(relaxations).toEqual(near([1 / 2.5, 0.75 / 2.25, 0]));
  });

  test("follows what is counted, where that is something else than what the parameters follow", async () => {
    const { prices } = await stepped({ slacks: [9], priced: [1], prices: [0.5] });
    expect(prices).toEqual(near([2 / 2.5]));
  });

  test("finds the price of an equality by its size, on the side it pulls to; of the others on one side", async () => {
    const { prices, relaxations } = await stepped({
      slacks: [-3, 3, -3, -1],
      prices: [0.5, 0.5, 0.5, -0.25],
      signed: [1, 1, 0, 1],
    });
    expect(prices).toEqual(near([-2 / 2.5, 4 / 2.5, 0, -1.5 / 2.5]));
    expect(relaxations).toEqual(near([1 / 2.5, 2 / 2.5, 0, 0.75 / 2.5]));
  });

  test("rests where a count is off its relaxed level by what it resolves, above it only where it may, and else follows what is beyond", async () => {
    // Relaxed to where their prices are the slopes: u = λ/2.
    const asked = {
      prices: [0.5, 0.5, 0.5, 0.5, -0.5, 0.5],
      relaxations: [0.25, 0.25, 0.25, 0.25, 0.25, 0.25],
      signed: [0, 0, 0, 0, 1, 1],
      above: [1, 1, 0, 0, 1, 1],
      resolutions: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
    };
    const rested = await stepped({ ...asked, slacks: [0.35, 0.15, 0.25, 0.15, -0.35, 0.35] });
    expect(rested.prices).toEqual(near(asked.prices));
    expect(rested.relaxations).toEqual(near(asked.relaxations));
    // v = λ + η(u + what is beyond), a hair more than a resolution away; λ⁺ = 2v/2.5.
    const off = await stepped({ ...asked, slacks: [1.25, -0.75, 1.25, -0.75, -1.25, 1.25] });
    const beyond = 1 - 0.1 * 1.0001;
    const moved = [1.25 + beyond, 1.25 - beyond, 2.25, 1.25 - beyond, -1.25 - beyond, 1.25 + beyond];
    expect(off.prices).toEqual(near(moved.map((x) => x / 2.5)));
    const coarser = { ...asked, slacks: [0.7, 0.35, 0.25, 0.25, -0.25, 0.25], here: [0.5, 0.01, 0, 0, 0, 0] };
    expect((await stepped(coarser)).prices).toEqual(near(asked.prices));
  });

  test("lets nothing give way that is insisted on", async () => {
    const { prices, relaxations } = await stepped({
      slacks: [1, 1, -3],
      prices: [0.5, 0.5, 0.5],
      insisted: [1, 0, 1],
    });
    expect(prices).toEqual(near([1, 2 / 2.5, 0]));
    expect(relaxations).toEqual(near([0, 1 / 2.5, 0]));
    // An equality beside it has a price of either sign, it has not.
    const beside = { slacks: [-3, -3], prices: [0.5, 0.5], insisted: [1, 1], signed: [0, 1] };
    expect((await stepped(beside)).prices).toEqual(near([0, -1]));
  });

  test("leaves what was not observed where it was", async () => {
    const { prices, relaxations } = await stepped({
      slacks: [1, 1],
      prices: [0.5, 0.5],
      relaxations: [0.7, 0.7],
      observed: [0, 1],
    });
    expect(prices).toEqual(near([0.5, 2 / 2.5]));
    expect(relaxations).toEqual(near([0.7, 1 / 2.5]));
    const all = await stepped({ slacks: [1], prices: [0.5], relaxations: [0.7], allSeen: true });
    expect(all).toEqual({ prices: near([2 / 2.5]), relaxations: near([1 / 2.5]) });
  });

  test("stops a linear price at its slope, and gives way by the rest", async () => {
    const { prices, relaxations } = await stepped({ slacks: [1], prices: [0.5], cost: linear(0.75) });
    expect(prices).toEqual(near([0.75]));
    expect(relaxations).toEqual(near([0.25 / 0.5]));
  });
});

describe("the dual lines of Algorithm 1", () => {
  const asked = { slacks: [1, -2, 3], prices: [0.5, 0.5, 0.5], relaxations: [0.25, 0.5, 1] };

  test("move prices and relaxations by their slopes at the old values, and stop both at 0", async () => {
    const { prices, relaxations } = await stepped({ ...asked, by: paperDuals(0.4) });
    expect(prices).toEqual(near([0.5 + 0.5 * 0.75, 0, 0.5 + 0.5 * 2]));
    expect(relaxations).toEqual(near([0.25, 0.5 - 0.4 * 0.5, 1 - 0.4 * 1.5]));
    const far = await stepped({ ...asked, relaxations: [0.25, 0.5, 1], by: paperDuals(4) });
    expect(far.relaxations).toEqual(near([0.25, 0, 0]));
  });

  test("with prices first follow the new ones", async () => {
    const { relaxations } = await stepped({ ...asked, by: paperDuals(0.4, { pricesFirst: true }) });
    expect(relaxations).toEqual(near([0.25 + 0.4 * 0.375, 0.5 - 0.4, 1 - 0.4 * 0.5]));
  });

  test("let nothing give way that is insisted on, and follow what is counted", async () => {
    const { prices, relaxations } = await stepped({
      ...asked,
      priced: [2, -2, 3],
      insisted: [1, 0, 0],
      by: paperDuals(0.4),
    });
    expect(prices).toEqual(near([0.5 + 0.5 * 1.75, 0, 1.5]));
    expect(relaxations).toEqual(near([0, 0.3, 0.4]));
  });
});

describe("the step of the parameters", () => {
  /** ℓ₀ = θ² with two groups of slacks, θ and 2θ, at prices that stay as they are. */
  async function moved(
    counts: Setting<Tensor>["counts"],
    algorithm = paperStep<Tensor>(0),
    optimizer: Optimizer = sgd(1),
  ) {
    const run = compile(
      (theta: Tensor) => {
        const { state, gradient, values } = algorithm(
          {
            evaluate: (t) => ({ objective: t.pow(2).sum(), slacks: [t, t.mul(2)] }),
            costs: [quadratic(1), quadratic(1)],
            rates: [theta.mul(0).add(1), theta.mul(0).add(1)],
            optimizer,
            counts,
          },
          {
            params: theta,
            optimizer: optimizer.init(float64([3])),
            relaxations: [theta, theta.mul(2)],
            prices: [theta.mul(0).add(0.5), theta.mul(0).add(0.25)],
          },
        );
        return [state.params, gradient, values.objective, ...values.slacks];
      },
      { backend: reference() },
    );
    return (await readAll(await run(float64([3])))).map((x) => x.item());
  }

  test("weighs each slack by its price, as often as it counts", async () => {
    expect(await moved(undefined)).toEqual(near([3 - 7, 7, 9, 3, 6]));
    expect(await moved([1, 1])).toEqual(near([3 - 7, 7, 9, 3, 6]));
    expect(await moved([1, 4])).toEqual(near([3 - 8.5, 8.5, 9, 3, 6]));
    expect(await moved([2, 1])).toEqual(near([3 - 7.5, 7.5, 9, 3, 6]));
  });

  test("has the Hessian of the Lagrangian at hand, where the slope is taken", async () => {
    const newton: Optimizer = {
      init: () => [],
      update: (gradient, state, _, around) => ({
        updates: (gradient as Tensor)
          .div(around?.curvature((gradient as Tensor).mul(0).add(1)) as Tensor)
          .neg(),
        state,
      }),
    };
    expect((await moved(undefined, paperStep<Tensor>(0), newton))[0]).toBeCloseTo(3 - 7 / 2, 12);
  });

  test("has the slope of the Lagrangian at other parameters at hand, at the same prices", async () => {
    // At −1: 2θ + 0.5 + 0.25 · 2 = −1.
    const elsewhere: Optimizer = {
      init: () => [],
      update: (gradient, state, _, around) => ({
        updates: around?.slopeAt?.((gradient as Tensor).mul(0).sub(1)),
        state,
      }),
    };
    expect((await moved(undefined, paperStep<Tensor>(0), elsewhere))[0]).toBeCloseTo(3 - 1, 12);
    expect((await moved([1, 4], paperStep<Tensor>(0), elsewhere))[0]).toBeCloseTo(3 - 2 + 0.5 + 2, 12);
  });

  test("reports the values that the last slope was taken at", async () => {
    // The trial goes to 3 − 7 = −4.
    const trial = await moved(undefined, extragradientStep<Tensor>());
    expect(trial.slice(2)).toEqual(near([16, -4, -8]));
    expect((await moved(undefined, resilientStep<Tensor>(1))).slice(2)).toEqual(near([9, 3, 6]));
  });
});
