// Records that are private in the simulator: the numbers of private clients apart, and what each has spent.
import { NdArray, reference } from "@pliant/engine";
import {
  average,
  type Contribution,
  constrained,
  createSimulation,
  errorRate,
  fedAvg,
  flattenSums,
  networkClient,
  networkServer,
  privacyFor,
  relaxationCost,
  resilient,
  simulate,
  simulatedDraw,
  unflattenSums,
} from "@pliant/federated";
import { crossEntropy } from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { distance, heterogeneous, logistic, numbersIn } from "./problems.js";

const sizes = [24, 24, 24, 24];
const data = heterogeneous({ sizes, inputs: 3, classes: 3, seed: 2 });
const local = { rate: 0.2, epochs: 2, batch: 8 };
const privacy = { epsilon: 6, delta: 1e-3, clip: 1, lossClip: 4 };
const base = {
  model: logistic(3, 3),
  data,
  local,
  formulation: resilient({ level: 0.01, dualRate: 3, cost: relaxationCost({ alpha: 2 }) }),
  communicationRounds: 2,
  rounds: 3,
  seed: 7,
};

/** Clients that meet in sums alone, with the simulator's noise. */
async function apart() {
  const options = {
    ...base,
    ...{ solver: fedAvg(), timing: "published" as const, serverRate: 1, clients: 4, backend: reference() },
  };
  const clients = sizes.map((rows, index) => {
    const { x, y } = data.train;
    const own = {
      x: new NdArray(x.data.slice(3 * rows * index, 3 * rows * (index + 1)), [rows, 3]),
      y: new NdArray(y.data.slice(rows * index, rows * (index + 1)), [rows]),
    };
    return networkClient({ ...options, index, data: own, privacy: privacyFor(privacy, { ...base, rows }) });
  });
  const server = networkServer(options);
  let state = server.init();
  let states = clients.map((client) => client.init());
  while (state.step < base.rounds) {
    const sent: Contribution[] = [];
    for (const [c, client] of clients.entries())
      sent.push(
        (await client.contribute(states[c], state, simulatedDraw(7, c, 2 * state.step + state.exchange)))!,
      );
    const total = sent.map(({ sums }) => flattenSums(sums!)).reduce((a, b) => a.map((v, i) => v + b[i]));
    const means = sent[0].numbers.map((_, k) => average(sent.map(({ numbers }) => numbers[k])));
    state = await server.absorb(state, { sums: unflattenSums(total, sent[0].sums!), means, participants: 4 });
    states = sent.map(({ next }) => next);
  }
  return { state, states };
}

test("private clients apart equal the simulator to the bit", async () => {
  const { state, states } = await apart();
  const found = await simulate({ ...base, privacy });
  expect(numbersIn(found.state.params)).toEqual(numbersIn(state.params));
  expect(Array.from(found.state.prices.data)).toEqual(states.map(({ price }) => price));
  const open = await simulate(base);
  expect(distance(open.state.params, state.params)).toBeGreaterThan(1e-2);
});

test("a run can be repeated, looked at on the way, and taken up again", async () => {
  const simulation = createSimulation({ ...base, privacy });
  let state = simulation.init();
  for (let r = 0; r < 3; r++) {
    await simulation.evaluateTrain(state);
    await simulation.round(state);
    state = (await simulation.round(state)).state;
  }
  const whole = await simulate({ ...base, privacy });
  expect(numbersIn(state)).toEqual(numbersIn(whole.state));
  const second = (await simulation.round((await simulation.round(simulation.init())).state)).state;
  const resumed = await createSimulation({ ...base, privacy }).round(second);
  expect(numbersIn(resumed.state)).toEqual(numbersIn(whole.state));
});

describe("what is spent", () => {
  const spent = async (options: object) => {
    const seen: number[][] = [];
    await simulate({ ...base, privacy, ...options, onRound: ({ epsilon }) => void seen.push(epsilon!) });
    return seen;
  };

  test("rises to the budget and not beyond, by the client that needs most noise", async () => {
    const unequal = heterogeneous({ sizes: [24, 40, 12, 24], inputs: 3, classes: 3, seed: 2 });
    const seen = await spent({ data: unequal });
    for (const [r, round] of seen.entries())
      for (const [c, epsilon] of round.entries()) expect(epsilon).toBeGreaterThan(r > 0 ? seen[r - 1][c] : 0);
    expect(Math.max(...seen[2])).toBeLessThanOrEqual(6);
    expect(Math.max(...seen[2])).toBeGreaterThan(5.9);
    expect(Math.min(...seen[2])).toBeLessThan(5.9);
  });

  test("only by those who take part", async () => {
    const seen = await spent({ availability: (c: number, round: number) => c !== 0 || round === 1 });
    expect(seen.map((round) => round[0] > 0)).toEqual([false, true, true]);
    expect(seen[2][0]).toBe(seen[1][0]);
    expect(seen[2][0]).toBe(seen[0][1]);
  });

  test("beyond the budget a run stops, with a sentence", async () => {
    await expect(simulate({ ...base, privacy: { ...privacy, noise: 0.5 } })).rejects.toThrow(
      "The privacy budget ε = 6 at δ = 0.001 is spent",
    );
  });
});

test.each([
  [{ together: 2 }, "With privacy each client draws its own samples; leave out together."],
  [{ loss: crossEntropy }, "With privacy the loss is cross-entropy"],
  [
    { formulation: constrained({ level: 0, dualRate: 1, of: errorRate }) },
    'With privacy "constrained" can see the clients\' losses alone',
  ],
  [{ stragglers: { steps: () => 1, late: "cut short" } }, 'stragglers are to be "left out"'],
  [{ augmentation: { count: 1, apply: (x: unknown) => x } }, "leave out augmentation"],
  [{ rounds: undefined }, "With privacy say for how many rounds the noise is to last: rounds."],
])("what would tell without noise is refused: %#", (options, sentence) => {
  expect(() => createSimulation({ ...base, privacy, ...options } as never)).toThrow(sentence);
});

test("the spent budget is reported after an empty round, and by a run without remaining rounds", async () => {
  const told: (readonly number[] | undefined)[] = [];
  const options = { ...base, privacy, availability: (_: number, round: number) => round < 2 };
  const { state, epsilon } = await simulate({
    ...options,
    onRound: (metrics) => void told.push(metrics.epsilon),
  });
  expect(told[0]?.every((spent) => spent > 0)).toBe(true);
  expect(told[1]).not.toEqual(told[0]);
  expect(told[2]).toEqual(told[1]);
  expect(epsilon).toEqual(told[2]);
  expect((await simulate({ ...options, state })).epsilon).toEqual(told[2]);
  expect((await simulate({ ...base, rounds: 0 })).epsilon).toBeUndefined();
});
