// On a convex problem the federation finds what the core's solver finds when it holds all data itself.

import {
  atMost,
  type Cost,
  customCost,
  hard,
  huber,
  linear,
  maximum,
  minimise,
  power,
  quadratic,
  scaled,
  sgd,
  solve,
} from "@pliant/core";
import { NdArray, type Tensor } from "@pliant/engine";
import {
  constrained,
  type Duals,
  type Formulation,
  maximumNorm,
  type RoundMetrics,
  relaxationCost,
  resilient,
  simulate,
} from "@pliant/federated";
import { crossEntropy } from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { heterogeneous, logistic } from "./problems.js";

const clients = 8;
const samples = 12;
const [inputs, classes] = [2, 3];
const data = heterogeneous({ sizes: Array(clients).fill(samples), inputs, classes, seed: 3, shift: 0.7 });
const model = logistic(inputs, classes);
const decay = 0.05;
const level = 0.01;

/** min R̄ + h(u)/C + decay/2 ‖θ‖² s.t. R_c − R̄ − ε ≤ u_c, whose prices are the federation's λ/C. */
async function centralised(cost: Cost, level: number) {
  const x = new NdArray(data.train.x.data, [clients, samples, inputs]);
  const y = new NdArray(data.train.y.data, [clients, samples]);
  const problem = minimise({
    params: model.init(undefined as never),
    forward: (params, { x, y }: { x: Tensor; y: Tensor }) => {
      const losses = crossEntropy(model.apply(params, x), y).mean({ axis: -1 });
      const norm = params.weight.pow(2).sum().add(params.bias.pow(2).sum());
      return { losses, norm };
    },
    objective: ({ losses, norm }) => losses.mean().add(norm.mul(decay / 2)),
  }).subjectTo({ fair: atMost(level, ({ losses }) => losses.sub(losses.mean())) }, { cost });
  const { state, certificate } = await solve(problem, {
    data: { x, y },
    steps: 20_000,
    every: 500,
    tolerance: 1e-7,
    dualRate: 0.1,
    optimizer: sgd(0.3),
  });
  return { state, certificate };
}

/** Full gradients, one step between two dual steps: the federation does gradient descent on the Lagrangian. */
async function federated(
  formulation: Formulation,
  rounds: number,
  timing: "fresh" | "published" = "fresh",
): Promise<Duals> {
  const { state } = await simulate({
    model,
    data,
    formulation,
    local: { rate: 0.3, decay },
    communicationRounds: 1,
    timing,
    rounds,
    evaluateEvery: 0,
    together: clients,
  });
  return { prices: Array.from(state.prices.data), relaxations: Array.from(state.relaxations.data) };
}

const largestGap = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (v, i) => Math.abs(v - b[i])));

async function agree(formulation: Formulation, cost: Cost, rounds = 250): Promise<Duals> {
  const { state, certificate } = await centralised(cost, formulation.level!);
  expect(certificate.holds).toBe(true);
  const found = await federated(formulation, rounds);
  expect(largestGap(found.relaxations, state.relaxations[0].data)).toBeLessThan(1e-4);
  expect(
    largestGap(
      found.prices,
      Array.from(state.prices[0].data, (mu) => clients * mu),
    ),
  ).toBeLessThan(1e-4);
  expect(Math.max(...found.prices)).toBeGreaterThan(0.01);
  return found;
}

const dualRate = 0.5 * clients;

describe("the federation's equilibrium is the centralised one", () => {
  const separable: [string, Cost][] = [
    ["quadratic", quadratic(0.5)],
    ["linear", linear(0.4)],
    ["power 4", power(4, 3)],
    ["power 1.5", power(1.5, 0.8)],
    ["Huber", huber(2, 0.1)],
    ["custom", customCost({ name: "exp", value: (u) => u.exp().sub(u).sub(1).sum() })],
    ["scaled", scaled(quadratic(1), 0.3)],
  ];
  test.each(separable)("under the cost: %s", async (_, cost) => {
    const { relaxations } = await agree(resilient({ level, dualRate, cost }), scaled(cost, 1 / clients));
    expect(Math.max(...relaxations)).toBeGreaterThan(0.01);
  });

  test("under the maximum norm, whose level all clients share", async () => {
    const alpha = 0.06;
    const found = await agree(resilient({ level, dualRate, cost: maximumNorm(alpha) }), maximum(alpha), 800);
    const meanPrice = found.prices.reduce((a, b) => a + b, 0) / clients;
    expect(meanPrice).toBeCloseTo(alpha, 6);
    const common = found.relaxations.filter((_, c) => found.prices[c] > 1e-3);
    expect(Math.max(...common) - Math.min(...common)).toBeLessThan(1e-4);
  });

  test("by the published explicit step, whose weights lag a round behind", async () => {
    const cost = relaxationCost({ alpha: 1 });
    const explicit = resilient({ level, dualRate, cost, relaxationRate: 0.5 * clients });
    await agree(explicit, scaled(quadratic(0.5), 1 / clients), 600);
    const published = await federated(explicit, 600, "published");
    const fresh = await federated(explicit, 600, "fresh");
    expect(largestGap(published.prices, fresh.prices)).toBeLessThan(1e-4);
  });

  test("at a dual rate at which stale weights do not settle, fresh ones do", async () => {
    const options = {
      model,
      data,
      local: { rate: 0.3, decay },
      communicationRounds: 5,
      formulation: resilient({ level, dualRate: 8 * clients, cost: relaxationCost({ alpha: 20 }) }),
      rounds: 60,
      evaluateEvery: 0,
      together: clients,
    };
    /** How much the prices still change in a round. */
    const unrest = async (timing: "fresh" | "published") => {
      let last: readonly number[] = [];
      let change = Infinity;
      const onRound = ({ prices }: RoundMetrics) => {
        change = largestGap(prices, last.length > 0 ? last : prices);
        last = prices;
      };
      await simulate({ ...options, timing, onRound });
      return change;
    };
    expect(await unrest("fresh")).toBeLessThan(1e-4);
    expect(await unrest("published")).toBeGreaterThan(1e-2);
  });

  test("where nothing may give way", async () => {
    const feasible = 0.25;
    await agree(constrained({ level: feasible, dualRate }), hard, 1200);
  });
});
