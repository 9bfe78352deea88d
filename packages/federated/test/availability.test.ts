// Clients that come and go, that are late, and that make the model their own.
import {
  createSimulation,
  fedPd,
  inSpells,
  inTurns,
  relaxationCost,
  resilient,
  type SimulateOptions,
  scaffold,
  simulate,
  sometimes,
  variedPace,
} from "@pliant/federated";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance, heterogeneous, type Linear, logistic, numbersIn } from "./problems.js";

const sizes = [14, 3, 9, 5];
const data = heterogeneous({ sizes, inputs: 3, classes: 3, seed: 2 });
const base: SimulateOptions<Linear> = {
  model: logistic(3, 3),
  data,
  formulation: resilient({ level: 0.01, dualRate: 3, cost: relaxationCost({ alpha: 2 }) }),
  local: { rate: 0.2, epochs: 2, batch: 4 },
  communicationRounds: 2,
  rounds: 3,
  seed: 1,
};
const run = async (options: Partial<SimulateOptions<Linear>>) =>
  numbersIn((await simulate({ ...base, ...options })).state);

test("where everyone can be reached, and in time, nothing changes, to the bit", async () => {
  const wanted = await run({});
  const always = [
    { availability: () => true },
    { availability: sometimes(1) },
    { availability: inTurns({ period: 5, share: 1 }) },
    { participation: 4 },
    { participation: 4, availability: () => true },
    { stragglers: { steps: () => Infinity, late: "left out" } },
    // The largest client has two epochs of four steps.
    { stragglers: { steps: () => 8, late: "cut short" } },
  ] as const;
  for (const options of always) expect(await run(options)).toEqual(wanted);
  const half = { participation: 2 };
  expect(await run({ ...half, availability: () => true })).toEqual(await run(half));
});

describe("clients that cannot be reached", () => {
  test("are as if they were not drawn", async () => {
    const simulation = createSimulation({ ...base, availability: (c, round) => c !== round });
    let state = simulation.init();
    for (const gone of [0, 1, 2]) {
      const { metrics, state: next } = await simulation.round(state);
      expect(metrics.participants).toEqual([0, 1, 2, 3].filter((c) => c !== gone));
      expect(metrics.train.loss[gone]).toBeNaN();
      expect(next.prices.data[gone]).toBe(state.prices.data[gone]);
      state = next;
    }
  });

  test("all of them: the round passes, and the next goes on", async () => {
    const simulation = createSimulation({ ...base, availability: (_, round) => round !== 1 });
    const first = (await simulation.round(simulation.init())).state;
    const { state, metrics } = await simulation.round(first);
    expect(state).toEqual({ ...first, step: 2 });
    expect(metrics).toMatchObject({ round: 2, participants: [], meanLoss: NaN, bytes: { down: 0, up: 0 } });
    expect((await simulation.round(state)).metrics.participants).toEqual([0, 1, 2, 3]);
  });

  test("with what solvers keep for them, one by one and all at once", async () => {
    const options = { solver: scaffold(), availability: (c: number, round: number) => (c + round) % 4 > 0 };
    const one = await simulate({ ...base, ...options, together: 1 });
    const all = await simulate({ ...base, ...options, together: Infinity });
    expect(distance(one.state, all.state)).toBeLessThan(1e-12);
  });

  test("FedPD refuses", () => {
    const solver = fedPd({ eta: 1 });
    const options = [{ availability: sometimes(0.5) }, { stragglers: { steps: () => 1, late: "left out" } }];
    for (const one of options)
      expect(() => createSimulation({ ...base, solver, ...one } as never)).toThrow(
        "so all clients must take part",
      );
  });
});

describe("models of availability", () => {
  const rounds = 4000;
  const share = (there: (client: number, round: number) => boolean, client: number) =>
    Array.from({ length: rounds }, (_, r) => there(client, r)).filter(Boolean).length / rounds;

  test("by coins: as often as said, each client by itself", () => {
    const coins = sometimes([0.2, 0.7], 3);
    for (const [client, chance] of [0.2, 0.7].entries())
      expect(Math.abs(share(coins, client) - chance)).toBeLessThan(
        5 * Math.sqrt((chance * (1 - chance)) / rounds),
      );
    expect(coins(2, 0)).toBe(false);
    const both = sometimes(0.5, 3);
    const together = Array.from({ length: rounds }, (_, r) => both(0, r) && both(1, r)).filter(
      Boolean,
    ).length;
    expect(Math.abs(together / rounds - 0.25)).toBeLessThan(5 * Math.sqrt(0.1875 / rounds));
  });

  test("in turns: so many rounds of every period, in a row but for its end", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 9 }),
        fc.nat(50),
        (period, on, client) => {
          const turns = inTurns({ period, share: Math.min(1, on / period) }, 1);
          const seen = Array.from({ length: 2 * period }, (_, r) => turns(client, r));
          expect(seen.slice(0, period)).toEqual(seen.slice(period));
          expect(seen.slice(0, period).filter(Boolean)).toHaveLength(Math.min(on, period));
          const changes = seen.filter((now, r) => r > 0 && now !== seen[r - 1]).length;
          expect(changes).toBeLessThanOrEqual(4);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("in spells: as long as said on average, whichever round is asked first", () => {
    const spells = inSpells({ there: 3, away: 6 }, 2);
    const later = inSpells({ there: 3, away: 6 }, 2);
    expect(later(0, 60)).toBe(spells(0, 60));
    expect(Math.abs(share(spells, 0) - 1 / 3)).toBeLessThan(0.06);
    const seen = Array.from({ length: rounds }, (_, r) => spells(0, r));
    const arrivals = seen.filter((now, r) => now && !seen[r - 1]).length;
    expect(seen.filter(Boolean).length / arrivals).toBeCloseTo(3, 0);
  });

  test("paces: the median is the typical pace", () => {
    const pace = variedPace({ typical: 100, spread: 1 }, 4);
    const below = Array.from({ length: 1000 }, (_, r) => pace(0, r)).filter((steps) => steps < 100).length;
    expect(Math.abs(below / 1000 - 0.5)).toBeLessThan(0.08);
    expect(variedPace({ typical: 7, spread: 0 })(3, 1)).toBe(7);
  });

  test.each([
    [() => sometimes(1.1), "A chance to be there lies between 0 and 1, got 1.1."],
    [() => inTurns({ period: 0, share: 1 }), "A period is a whole number of rounds, got 0."],
    [() => inSpells({ there: 0.5, away: 2 }), "A spell is of at least 1 round on average, got 0.5."],
    [() => variedPace({ typical: 0, spread: 1 }), "A pace has a positive number of steps"],
    [
      () => createSimulation({ ...base, stragglers: { steps: () => 1, late: "never" as never } }),
      'stragglers.late is "left out" or "cut short", got "never".',
    ],
  ])("%#", (attempt, sentence) => {
    expect(attempt).toThrow(sentence);
  });
});

describe("clients that are late", () => {
  const whole = { local: { rate: 0.2, epochs: 5 }, communicationRounds: 1, rounds: 1 };

  test("left out, the mean is over the others", async () => {
    const stragglers = { steps: (c: number) => (c === 1 || c === 3 ? 4 : 5), late: "left out" as const };
    const late: number[] = [];
    const { state } = await simulate({
      ...base,
      ...whole,
      stragglers,
      onRound: (metrics) => void late.push(metrics.late, metrics.participants.length),
    });
    const others = { ...data, clients: [data.clients[0], data.clients[2]] };
    const wanted = await simulate({ ...base, ...whole, data: others });
    expect(distance(state.params, wanted.state.params)).toBeLessThan(1e-14);
    expect(late).toEqual([2, 4]);
  });

  test("cut short, they send what they have", async () => {
    const alone = { ...data, clients: [data.clients[0]] };
    const cut = { steps: () => 2.9, late: "cut short" as const };
    // With what SCAFFOLD keeps: the mean gradient of the steps that were taken.
    const options = { ...base, ...whole, data: alone, solver: scaffold() };
    const { state } = await simulate({ ...options, stragglers: cut });
    const wanted = await simulate({ ...options, local: { rate: 0.2, epochs: 2 } });
    expect(numbersIn(state)).toEqual(numbersIn(wanted.state));
  });

  test("cut short beside others, one by one and all at once, with SCAFFOLD's mean of the steps taken", async () => {
    const options = {
      ...base,
      solver: scaffold(),
      stragglers: { steps: (c: number) => c, late: "cut short" as const },
    };
    const one = await simulate({ ...options, together: 1 });
    const all = await simulate({ ...options, together: 4 });
    expect(distance(one.state, all.state)).toBeLessThan(1e-12);
    // Client 0 has time for no step at all, and is not counted.
    expect(one.state.solver.sentWeights.data[0]).toBe(0);
    expect(one.state.solver.sentWeights.data[1]).not.toBe(0);
  });

  test("all of them: the model stays", async () => {
    const { state } = await simulate({ ...base, stragglers: { steps: () => 0, late: "cut short" } });
    expect(numbersIn(state.params).every((v) => v === 0)).toBe(true);
  });
});

describe("bytes", () => {
  const told = async (options: object) => {
    const simulation = createSimulation({ ...base, ...options });
    return (await simulation.round(simulation.init())).metrics.bytes;
  };
  // 3·3 + 3 doubles, four clients, two communication rounds.
  const model = 12 * 8;
  test("are those of models and updates", async () => {
    expect(await told({})).toEqual({ down: 8 * model, up: 8 * model });
    expect(await told({ solver: scaffold() })).toEqual({ down: 16 * model, up: 16 * model });
    expect(await told({ participation: 1 })).toEqual({ down: 2 * model, up: 2 * model });
    expect(await told({ fixedPoint: { bound: 16 } })).toEqual({ down: 8 * model, up: (8 * model) / 2 });
    const stragglers = { steps: (c: number) => 4 * c, late: "left out" };
    expect(await told({ stragglers })).toEqual({ down: 8 * model, up: 6 * model });
  });
});

describe("personalised", () => {
  const order = (_: number, epoch: number, n: number) => Array.from({ length: n }, (_, i) => (i + epoch) % n);
  const own = { rate: 0.1, epochs: 3, batch: 2, clip: 1 };
  const tested = {
    ...data,
    test: data.train,
    clients: data.clients.map(({ train }, c) => ({ train, ...(c > 0 && { test: [0, 20] }) })),
  };

  test("means are those of each client's model after its own steps", async () => {
    const { evaluation } = await simulate({ ...base, data: tested, order, rounds: 0, personalise: own });
    for (const [c, client] of tested.clients.entries()) {
      const alone = await simulate({
        ...base,
        data: { ...tested, clients: [client] },
        order,
        local: own,
        communicationRounds: 1,
        rounds: 1,
      });
      const { train, test } = evaluation.personalised!;
      expect(train.loss[c]).toBeCloseTo(alone.evaluation.train.loss[0], 12);
      expect(train.accuracy[c]).toBe(alone.evaluation.train.accuracy[0]);
      if (c > 0) expect(test!.loss[c]).toBeCloseTo(alone.evaluation.test!.loss[0], 12);
      else expect(test!.loss[c]).toBeNaN();
    }
  });

  test("the federation's model stays as it is", async () => {
    const plain = await simulate(base);
    const { state, evaluation } = await simulate({ ...base, personalise: own });
    expect(numbersIn(state)).toEqual(numbersIn(plain.state));
    expect(evaluation.train).toEqual(plain.evaluation.train);
    for (const [c, loss] of evaluation.personalised!.train.loss.entries())
      expect(loss).toBeLessThan(evaluation.train.loss[c]);
    expect(evaluation.personalised).not.toHaveProperty("test");
  });
});
