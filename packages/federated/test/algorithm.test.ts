// Algorithm 2's steps as functions: what a client does with its numbers, and what a server does with averages.

import { type Cost, huber, linear, onNumbers, quadratic } from "@pliant/core";
import {
  agnostic,
  average,
  clientWeight,
  constrained,
  exactStep,
  explicitStep,
  maximumNorm,
  relaxationCost,
  resilient,
  waterLevel,
} from "@pliant/federated";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const positive = fc.double({ min: 0, max: 10, noNaN: true });
const losses = fc.array(positive, { minLength: 2, maxLength: 12 });
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const told = (prices: readonly number[]) => ({
  clients: prices.length,
  participants: prices.length,
  meanPrice: average(prices),
  average,
});

describe("weights", () => {
  test("are 1 for everyone without prices", () => {
    expect(clientWeight(0, 0)).toBe(1);
  });

  test("add up to the number of clients, whatever the prices", () => {
    fc.assert(
      fc.property(losses, (prices) => {
        const weights = prices.map((price) => clientWeight(price, average(prices)));
        expect(sum(weights)).toBeCloseTo(prices.length, 9);
      }),
    );
  });

  test("for the worst mixture stay on the simplex and rise with the loss", () => {
    fc.assert(
      fc.property(losses, (losses) => {
        const start = losses.map(() => 1);
        const { update } = agnostic({ dualRate: 0.3 });
        const { prices } = update({ prices: start, relaxations: start.map(() => 0) }, losses, told(start));
        expect(sum(prices)).toBeCloseTo(losses.length, 9);
        const order = losses.map((_, c) => c).sort((a, b) => losses[a] - losses[b]);
        for (let i = 1; i < order.length; i++)
          expect(prices[order[i]]).toBeGreaterThanOrEqual(prices[order[i - 1]] - 1e-12);
      }),
    );
  });
});

describe("the relaxation at a constant price", () => {
  /** Explicit steps in u alone: no step in λ. */
  const steps = (alpha: number, rate: number, price: number, count: number): number[] => {
    const trail = [0];
    for (let i = 0; i < count; i++) {
      const before = { prices: [price], relaxations: [trail[i]] };
      const rates = { dual: 1, relaxation: rate };
      trail.push(explicitStep(relaxationCost({ alpha }) as Cost, before, [0], rates).relaxations[0]);
    }
    return trail;
  };

  test("goes to λ/α", () => {
    expect(steps(2, 0.05, 1.5, 400).at(-1)).toBeCloseTo(0.75, 9);
  });

  test("alternates between 0 and (η_u/C)λ where the explicit step is too long", () => {
    expect(steps(1000, 0.005, 1.4, 6).map((u) => Number(u.toFixed(12)))).toEqual([
      0, 0.007, 0, 0.007, 0, 0.007, 0,
    ]);
  });

  test("is the minimiser at once by the exact step, whatever the cost", () => {
    const costs = [quadratic(1), quadratic(500), huber(2, 0.2), linear(0.7)];
    fc.assert(
      fc.property(
        positive,
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.constantFrom(...costs),
        (price, slack, cost) => {
          const before = { prices: onNumbers(cost).projectDual([price]), relaxations: [0] };
          const { prices, relaxations } = exactStep(cost, before, [slack], 0.1);
          // h(u) + h*(λ) = λu exactly where u minimises h(u) − λu.
          const gap =
            onNumbers(cost).value(relaxations) +
            onNumbers(cost).conjugate(prices) -
            prices[0] * relaxations[0];
          expect(Math.abs(gap)).toBeLessThan(1e-9 * (1 + prices[0] * relaxations[0]));
        },
      ),
    );
  });
});

describe("one client among many", () => {
  test("needs only its own numbers and the averages: alone it takes the step it takes in a vector", () => {
    const formulation = resilient({ level: 0.02, dualRate: 2, cost: relaxationCost({ alpha: 2 }) });
    const duals = { prices: [0.3, 0, 1.2], relaxations: [0.15, 0, 0.6] };
    const measured = [0.9, 0.2, 1.4];
    const together = formulation.update(duals, measured, told(duals.prices));
    const meanLoss = average(measured);
    for (const c of [0, 1, 2]) {
      const alone = formulation.update(
        { prices: [duals.prices[c]], relaxations: [duals.relaxations[c]] },
        [measured[c]],
        {
          clients: 3,
          participants: 3,
          meanPrice: average(duals.prices),
          average: () => meanLoss,
        },
      );
      expect(alone.prices[0]).toBe(together.prices[c]);
      expect(alone.relaxations[0]).toBe(together.relaxations[c]);
    }
  });
});

describe("the maximum norm", () => {
  test("the level leaves the budget and no more", () => {
    fc.assert(
      fc.property(losses, fc.double({ min: 0.01, max: 5, noNaN: true }), (wanted, budget) => {
        const level = waterLevel(wanted, budget, average);
        const left = average(wanted.map((v) => Math.max(0, v - level)));
        expect(left).toBeLessThanOrEqual(budget + 1e-9);
        if (level > 0) expect(left).toBeCloseTo(budget, 9);
      }),
    );
  });

  test("prices of absent clients count against the budget", () => {
    const { update } = resilient({ level: 0, dualRate: 8, cost: maximumNorm(0.5) });
    // Four clients; two take part, the two absent ones hold 0.4 each of the 4·0.5 there is.
    const here = { prices: [0.1, 0.3], relaxations: [0, 0] };
    const exchange = { clients: 4, participants: 2, meanPrice: (0.1 + 0.3 + 0.8) / 4, average };
    const { prices } = update(here, [3, 1], exchange);
    expect(sum(prices) + 0.8).toBeCloseTo(2, 9);
  });
});

test("a cap holds the prices", () => {
  const { update } = constrained({ level: 0, dualRate: 2, cap: 0.5 });
  const duals = { prices: [0.4, 0], relaxations: [0, 0] };
  expect(update(duals, [3, 1], told(duals.prices)).prices).toEqual([0.5, 0]);
});
