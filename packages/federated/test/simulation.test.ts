// The simulator: the same numbers however clients are grouped and wherever they run, saved and resumed, with clients absent.
import { reference, type Tensor } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import {
  agnostic,
  chooseParticipants,
  constrained,
  createSimulation,
  FederationDiverged,
  type Formulation,
  fedPd,
  onHost,
  qFair,
  relaxationCost,
  scaffold,
  simulate,
  unconstrained,
} from "@pliant/federated";
import { afterAll, describe, expect, test } from "vitest";
import { distance, heterogeneous, logistic, numbersIn } from "./problems.js";
import { sameOn } from "./same-everywhere.js";
import { base, data, priced, sizes } from "./small-federation.js";

const native = await onnx();
afterAll(() => native.close());

describe.each([reference(), native])("on $name", (backend) => sameOn(backend));

test("how wide the steps are changes nothing", async () => {
  const wide = await simulate({ ...base, formulation: priced, together: 6, trim: false });
  const trimmed = await simulate({ ...base, formulation: priced, together: 6, trim: true });
  expect(distance(wide.state.params, trimmed.state.params)).toBeLessThan(1e-5);
});

/** An order that needs no generator. */
const rotated = (client: number, epoch: number, n: number): number[] =>
  Array.from({ length: n }, (_, i) => (i + client + epoch) % n);

test("without prices the server's model is the plain mean of the clients'", async () => {
  const options = { ...base, rounds: 1, communicationRounds: 1, formulation: priced };
  const alone = await Promise.all(
    data.clients.map((client, c) =>
      simulate({
        ...options,
        data: { ...data, clients: [client] },
        order: (_, epoch, n) => rotated(c, epoch, n),
      }),
    ),
  );
  const models = alone.map(({ state }) => numbersIn(state.params));
  const { state } = await simulate({ ...options, order: rotated });
  for (const [i, v] of numbersIn(state.params).entries())
    expect(v).toBeCloseTo(models.reduce((sum, m) => sum + m[i], 0) / models.length, 6);
});

test.each([scaffold(), fedPd({ eta: 1 })])("$name on a single client", async (solver) => {
  const alone = { ...base, data: { ...data, clients: data.clients.slice(0, 1) }, solver };
  const { state } = await simulate(alone);
  const { state: stacked } = await simulate({ ...alone, together: 8 });
  expect(distance(state, stacked)).toBe(0);
  expect(numbersIn(state.solver.own).some((v) => v !== 0)).toBe(true);
});

test("q = 0 is FedAvg", async () => {
  const options = { ...base, communicationRounds: 1 };
  const fair = await simulate({ ...options, formulation: qFair({ q: 0 }) });
  const plain = await simulate({ ...options, formulation: unconstrained() });
  expect(distance(fair.state.params, plain.state.params)).toBeLessThan(1e-6);
});

test("a larger q brings the losses of the clients together", async () => {
  const convex = { data: heterogeneous({ sizes: [12, 12, 12], inputs: 3, classes: 3, seed: 4, shift: 2 }) };
  const options = {
    ...convex,
    model: logistic(3, 3),
    local: { rate: 0.3 },
    communicationRounds: 1,
    rounds: 150,
  };
  const spread = async (q: number) => {
    const { loss } = (await simulate({ ...options, formulation: qFair({ q }) })).evaluation.train;
    return Math.max(...loss) - Math.min(...loss);
  };
  expect(await spread(2)).toBeLessThan(0.9 * (await spread(0)));
});

test("the worst client does better under the worst mixture", async () => {
  const convex = { data: heterogeneous({ sizes: [12, 12, 12], inputs: 3, classes: 3, seed: 4, shift: 2 }) };
  const options = {
    ...convex,
    model: logistic(3, 3),
    local: { rate: 0.3 },
    communicationRounds: 1,
    rounds: 300,
  };
  const worst = async (formulation: Formulation) =>
    Math.max(...(await simulate({ ...options, formulation })).evaluation.train.loss);
  expect(await worst(agnostic({ dualRate: 0.1 }))).toBeLessThan(0.95 * (await worst(unconstrained())));
});

describe("with some clients absent", () => {
  const options = { ...base, formulation: priced, participation: 0.5 };

  test("the absent keep price and relaxation, and are not asked", async () => {
    const simulation = createSimulation(options);
    let state = simulation.init();
    for (let r = 0; r < 4; r++) {
      const done = await simulation.round(state);
      const { participants, train, weights } = done.metrics;
      expect(participants).toEqual(chooseParticipants(6, 3, 7, r));
      for (const c of sizes.keys()) {
        const here = participants.includes(c);
        expect(Number.isNaN(train.loss[c])).toBe(!here);
        expect(Number.isNaN(weights[c])).toBe(!here);
        if (here) continue;
        expect(done.state.prices.data[c]).toBe(state.prices.data[c]);
        expect(done.state.relaxations.data[c]).toBe(state.relaxations.data[c]);
      }
      state = done.state;
    }
    expect(Math.max(...state.prices.data)).toBeGreaterThan(0);
  });

  test("weights count from the mean price of all, slacks from the mean loss of those present", async () => {
    const simulation = createSimulation(options);
    const first = (await simulation.round(simulation.init())).state;
    const { metrics, state } = await simulation.round(first);
    const before = Array.from(first.prices.data);
    const meanPrice = before.reduce((a, b) => a + b, 0) / 6;
    for (const c of metrics.participants)
      expect(metrics.weights[c]).toBeCloseTo(1 + before[c] - meanPrice, 12);
    const present = metrics.participants.map((c) => metrics.train.loss[c]);
    expect(metrics.meanLoss).toBeCloseTo(present.reduce((a, b) => a + b, 0) / 3, 12);
    const duals = {
      prices: metrics.participants.map((c) => before[c]),
      relaxations: metrics.participants.map((c) => first.relaxations.data[c]),
    };
    const average = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    const wanted = priced.update(duals, present, { clients: 6, participants: 3, meanPrice, average });
    for (const [i, c] of metrics.participants.entries())
      expect(state.prices.data[c]).toBeCloseTo(wanted.prices[i], 12);
  });
});

test("weights come from the prices before a round as published, from those after its losses if fresh", async () => {
  for (const timing of ["published", "fresh"] as const) {
    const simulation = createSimulation({ ...base, formulation: priced, timing });
    const { metrics } = await simulation.round(simulation.init());
    const meanPrice = metrics.prices.reduce((a, b) => a + b, 0) / 6;
    expect(meanPrice).toBeGreaterThan(0);
    for (const [c, weight] of metrics.weights.entries())
      expect(weight).toBeCloseTo(timing === "fresh" ? 1 + metrics.prices[c] - meanPrice : 1, 12);
  }
});

test("a round shows what each client met and what was decided", async () => {
  const test = { ...data.train };
  const clients = data.clients.map(({ train }) => ({ train, test: Array.from(train).slice(0, 4) }));
  const shown: number[] = [];
  const { evaluation } = await simulate({
    ...base,
    data: { train: data.train, test, clients },
    formulation: priced,
    onRound: async (metrics, save) => {
      shown.push(metrics.round);
      expect(metrics.communicationRounds).toBe(2 * metrics.round);
      expect(metrics.test?.accuracy).toHaveLength(6);
      expect((await save()).prices.data).toEqual(Float64Array.from(metrics.prices));
    },
  });
  expect(shown).toEqual([1, 2, 3]);
  // Every test sample is a training sample here: the mean over the pool is that over all clients' samples.
  const total = sizes.reduce((a, b) => a + b, 0);
  const pooled = evaluation.train.loss.reduce((sum, loss, c) => sum + loss * sizes[c], 0) / total;
  expect(evaluation.test?.overall.loss).toBeCloseTo(pooled, 6);
});

describe("mistakes are answered with a sentence", () => {
  const attempt = (options: object) => () => createSimulation({ ...base, ...options } as never);
  const without = { ...data, clients: [...data.clients, { train: [] }] };
  const outside = { ...data, clients: [{ train: [1_000_000] }] };
  test.each([
    [{ data: without }, "Client 6 has no data; leave it out, or give every client at least one sample."],
    [{ data: outside }, "Client 0 names row 1000000 of the training pool, which has 70 rows."],
    [{ data: { ...data, clients: [] } }, "A federation needs at least one client."],
    [{ participation: 9 }, "9 clients cannot take part, there are only 6."],
    [{ participation: 0.01 }, "With participation 0.01 none of 6 clients takes part; raise it."],
    [{ solver: fedPd({ eta: 1 }), participation: 0.5 }, "so all clients must take part"],
    [{ formulation: qFair({ q: 1 }) }, "set communicationRounds to 1"],
    [{ local: { rate: 0 } }, "local.rate must be a positive number, got 0."],
  ])("%#", (options, sentence) => {
    expect(attempt(options)).toThrow(sentence);
  });

  test("a model that mixes the models of a stack", async () => {
    // A bias [S, K] beside samples [S, B, K] fits where there are as many clients as samples in a step, and is not theirs.
    const mixing = { ...logistic(6, 3, "float32"), name: "mixing" };
    const wrong = {
      ...mixing,
      apply: ({ weight, bias }: never, x: never) =>
        (x as Tensor).matmul(weight as Tensor).add(bias as Tensor),
    } as typeof mixing;
    const attempt = (together: number) =>
      simulate({ ...base, model: wrong, together, local: { rate: 0.1, batch: 6 }, rounds: 1 });
    await expect(attempt(6)).rejects.toThrow(
      "The model mixing gives other logits in a stack of models than alone, so clients cannot advance together",
    );
    expect((await attempt(1)).state.step).toBe(1);
    expect((await simulate({ ...base, model: mixing, together: 6, rounds: 1 })).state.step).toBe(1);
  });

  test("a state of another federation", async () => {
    const other = createSimulation({ ...base, data: { ...data, clients: data.clients.slice(1) } });
    await expect(createSimulation(base).round(other.init())).rejects.toThrow(
      "The state is of 5 clients, but there are 6.",
    );
  });

  test("α must be positive", () => {
    expect(() => relaxationCost({ alpha: 0 })).toThrow(
      "α must be a positive number, got 0; requirements that must not give way are `constrained`.",
    );
  });

  test("weights that turn negative and make the server climb are found, with the last good state", async () => {
    const wild = { ...base, rounds: 60, formulation: constrained({ level: 0, dualRate: 600 }) };
    const failed = await simulate(wild).catch((reason: unknown) => reason);
    expect(failed).toBeInstanceOf(FederationDiverged);
    const { message, lastGood } = failed as FederationDiverged;
    expect(message).toMatch(/had a negative weight 1 \+ λ_c − λ̄ .* Lower the dual rate, cap the prices/);
    const kept = await onHost(lastGood);
    expect(numbersIn(kept.params).every(Number.isFinite)).toBe(true);
  });

  test("FedPD refuses negative weights", async () => {
    const wild = {
      ...base,
      rounds: 9,
      formulation: constrained({ level: 0, dualRate: 600 }),
      solver: fedPd({ eta: 1 }),
    };
    await expect(simulate(wild)).rejects.toThrow("which must not be negative");
  });
});
