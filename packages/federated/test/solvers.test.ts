// With many local steps on clients that differ, FedAvg stops beside the solution, FedProx nearer to it, SCAFFOLD and FedPD reach it.
import {
  fedAvg,
  fedPd,
  fedProx,
  relaxationCost,
  resilient,
  type Solver,
  scaffold,
  simulate,
} from "@pliant/federated";
import { describe, expect, test } from "vitest";
import { distance, heterogeneous, logistic } from "./problems.js";

const data = heterogeneous({ sizes: [10, 10, 10, 10], inputs: 3, classes: 3, seed: 5, shift: 1.5 });
const everything = { ...data, clients: [{ train: data.clients.flatMap(({ train }) => Array.from(train)) }] };
const model = logistic(3, 3);
const decay = 0.1;
const base = { model, communicationRounds: 1, evaluateEvery: 0 } as const;

const run = async (solver: Solver, epochs: number, rounds: number, more: object = {}) =>
  (
    await simulate({
      ...base,
      data,
      solver,
      local: { rate: 0.2, epochs, decay },
      rounds,
      together: 4,
      ...more,
    })
  ).state;

/** Gradient descent by one client that holds all data. */
const solution = (async () =>
  (await simulate({ ...base, data: everything, local: { rate: 0.5, decay }, rounds: 600 })).state.params)();

describe("ten local steps a round", () => {
  test("FedAvg drifts away from the solution", async () => {
    const far = distance((await run(fedAvg(), 10, 150)).params, await solution);
    expect(far).toBeGreaterThan(0.01);
    expect(distance((await run(fedAvg(), 1, 600)).params, await solution)).toBeLessThan(1e-6);
  });

  /** Short enough for the strongest pull. */
  const slow = { local: { rate: 0.1, epochs: 10, decay } };
  test("FedProx stays nearer, the nearer the stronger it pulls", async () => {
    const drift = async (solver: Solver) =>
      distance((await run(solver, 10, 500, slow)).params, await solution);
    const [free, weak, strong] = [
      await drift(fedAvg()),
      await drift(fedProx({ mu: 1 })),
      await drift(fedProx({ mu: 3 })),
    ];
    expect(weak).toBeLessThan(0.95 * free);
    expect(strong).toBeLessThan(0.9 * weak);
  });

  test.each([scaffold(), fedPd({ eta: 1 })])("$name reaches the solution", async (solver) => {
    expect(distance((await run(solver, 10, 150)).params, await solution)).toBeLessThan(1e-5);
  });

  test("SCAFFOLD reaches it with half of the clients in each round", async () => {
    const { params } = await run(scaffold(), 10, 400, { participation: 0.5 });
    expect(distance(params, await solution)).toBeLessThan(1e-3);
  });

  const formulation = resilient({ level: 0, dualRate: 2, cost: relaxationCost({ alpha: 2 }) });
  test.each([scaffold(), fedPd({ eta: 1 })])(
    "$name finds the resilient equilibrium, weights and all",
    async (solver) => {
      const wanted = await run(fedAvg(), 1, 1500, { formulation });
      const found = await run(solver, 10, 300, { formulation });
      expect(Math.max(...wanted.prices.data)).toBeGreaterThan(0.05);
      expect(distance(found.prices, wanted.prices)).toBeLessThan(1e-4);
      expect(distance(found.params, wanted.params)).toBeLessThan(1e-4);
    },
  );
});
