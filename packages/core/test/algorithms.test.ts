// One step of each algorithm against its formulas, by hand.

import {
  type Cost,
  extragradientStep,
  hard,
  paperStep,
  quadratic,
  resilientStep,
  type Step,
  sgd,
} from "@pliant/core";
import { array, compile, readAll, type Tensor } from "@pliant/engine";
import { expect, test } from "vitest";

/** ℓ₀ = θ²/2 and g = 1 − θ at θ = 2, u = 0.25, λ = 0.5, with η = 0.1, η_λ = 0.2, η_u = 0.4. */
async function step(cost: Cost, options: { pricesFirst?: boolean; relaxation?: number } = {}) {
  const { relaxation = 0.25, ...order } = options;
  const optimizer = sgd(0.1);
  const run = compile((theta: Tensor, u: Tensor, lambda: Tensor) => {
    const { state } = paperStep<Tensor>(0.4, order)(
      {
        evaluate: (t) => ({ objective: t.pow(2).mul(0.5).sum(), slacks: [t.neg().add(1)] }),
        costs: [cost],
        rates: [lambda.mul(0).add(0.2)],
        optimizer,
      },
      { params: theta, optimizer: optimizer.init(array([2])), relaxations: [u], prices: [lambda] },
    );
    return { theta: state.params, u: state.relaxations[0], lambda: state.prices[0] };
  });
  const { theta, u, lambda } = await readAll(await run(array([2]), array([relaxation]), array([0.5])));
  return [theta, u, lambda].map((x) => x.item());
}

const theta = 2 - 0.1 * (2 - 0.5);
const lambda = 0.5 + 0.2 * (1 - 2 - 0.25);

test("Algorithm 1 takes all its slopes at the old values", async () => {
  const u = 0.25 - 0.4 * (2 * 0.25 - 0.5);
  expect(await step(quadratic(1))).toEqual([theta, u, lambda].map((v) => expect.closeTo(v, 6)));
});

test("with prices first the relaxations follow the new prices", async () => {
  const u = 0.25 - 0.4 * (2 * 0.25 - lambda);
  const found = await step(quadratic(1), { pricesFirst: true });
  expect(found).toEqual([theta, u, lambda].map((v) => expect.closeTo(v, 6)));
});

test("a hard requirement does not give way, whatever its price", async () => {
  const [, u, price] = await step(hard, { relaxation: 0 });
  expect([u, price]).toEqual([0, expect.closeTo(0.5 + 0.2 * (1 - 2), 6)]);
});

/** The same problem by another algorithm, with h = u²: λ⁺ = 2v/(2 + η_λ) and u⁺ = v/(2 + η_λ), where v = [λ + η_λ g]₊. */
async function by(algorithm: Step<Tensor>): Promise<number[]> {
  const optimizer = sgd(0.1);
  const run = compile((theta: Tensor, u: Tensor, lambda: Tensor) => {
    const { state } = algorithm(
      {
        evaluate: (t) => ({ objective: t.pow(2).mul(0.5).sum(), slacks: [t.pow(2).mul(0.25).sub(0.1)] }),
        costs: [quadratic(1)],
        rates: [lambda.mul(0).add(0.2)],
        optimizer,
      },
      { params: theta, optimizer: optimizer.init(array([2])), relaxations: [u], prices: [lambda] },
    );
    return [state.params, state.relaxations[0], state.prices[0]];
  });
  const found = await readAll(await run(array([2]), array([0.25]), array([0.5])));
  return found.map((x) => x.item());
}
const slack = (t: number): number => 0.25 * t * t - 0.1;
const slope = (t: number, price: number): number => t + price * 0.5 * t;
const priced = (price: number, g: number): number => (2 * (price + 0.2 * g)) / 2.2;

test.each([0, 1, 2.5])(
  "the default extrapolates the prices that the parameters follow by κ = %d",
  async (damping) => {
    const next = priced(0.5, slack(2));
    const theta = 2 - 0.1 * slope(2, next + damping * (next - 0.5));
    expect(await by(resilientStep(damping))).toEqual(
      [theta, next / 2, next].map((v) => expect.closeTo(v, 6)),
    );
  },
);

test("extragradient takes the step by the slopes and the prices of the trial", async () => {
  const trial = 2 - 0.1 * slope(2, 0.5);
  const tried = priced(0.5, slack(2));
  const theta = 2 - 0.1 * slope(trial, tried);
  const next = priced(0.5, slack(trial));
  expect(await by(extragradientStep())).toEqual([theta, next / 2, next].map((v) => expect.closeTo(v, 6)));
});
