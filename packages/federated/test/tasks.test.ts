// What clients are trained on, judged by and counted by: losses and metrics of one's own, error rates, samples.
import { NdArray, type Tensor } from "@pliant/engine";
import {
  agnostic,
  average,
  clientWeight,
  constrained,
  createSimulation,
  errorRate,
  fedAvg,
  networkServer,
  ownMetric,
  qFair,
  ratioLoss,
  relaxationCost,
  resilient,
  simulate,
  unconstrained,
} from "@pliant/federated";
import { crossEntropy, type Model, squaredError } from "@pliant/learn";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance, heterogeneous, type Linear, logistic, numbersIn } from "./problems.js";

const sizes = [14, 3, 9, 5];
const data = heterogeneous({ sizes, inputs: 3, classes: 3, seed: 2 });
const base = {
  model: logistic(3, 3),
  data,
  local: { rate: 0.2 },
  communicationRounds: 1,
  rounds: 4,
  seed: 1,
};

describe("where samples count alike", () => {
  test("whole-batch rounds are gradient descent on all samples", async () => {
    const everyone = { train: data.clients.flatMap(({ train }) => Array.from(train)) };
    const pooled = await simulate({ ...base, data: { ...data, clients: [everyone] } });
    const { state } = await simulate({ ...base, weighting: "samples" });
    expect(distance(state.params, pooled.state.params)).toBeLessThan(1e-14);
    const alike = await simulate(base);
    expect(distance(alike.state.params, pooled.state.params)).toBeGreaterThan(1e-3);
  });

  test("weights are the slopes of the Lagrangian: R̄ + (1/C) Σ λ_c (R_c − R̄) with R̄ over samples", () => {
    const positive = fc.double({ min: 0, max: 5, noNaN: true });
    const client = fc.record({ price: positive, loss: positive, samples: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(fc.array(client, { minLength: 2, maxLength: 9 }), (clients) => {
        const total = average(clients.map(({ samples }) => samples));
        const shares = clients.map(({ samples }) => samples / total);
        const meanPrice = average(clients.map(({ price }) => price));
        const weights = clients.map(({ price }, c) => clientWeight(price, meanPrice, shares[c]));
        const meanLoss = average(clients.map(({ loss }, c) => shares[c] * loss));
        const lagrangian = meanLoss + average(clients.map(({ price, loss }) => price * (loss - meanLoss)));
        expect(average(clients.map(({ loss }, c) => weights[c] * loss))).toBeCloseTo(lagrangian, 9);
        expect(average(weights)).toBeCloseTo(1, 9);
      }),
    );
  });

  test("slacks are from the mean over samples of those that are there", async () => {
    const formulation = constrained({ level: 0.01, dualRate: 2 });
    const simulation = createSimulation({ ...base, formulation, weighting: "samples", participation: 3 });
    const first = await simulation.round(simulation.init());
    const { metrics } = await simulation.round(first.state);
    const there = metrics.participants;
    const samples = there.reduce((sum, c) => sum + sizes[c], 0);
    const mean = there.reduce((sum, c) => sum + sizes[c] * metrics.train.loss[c], 0) / samples;
    for (const c of there) {
      const before = first.state.prices.data[c];
      const wanted = Math.max(0, before + (2 / 4) * (metrics.train.loss[c] - mean - 0.01));
      expect(metrics.prices[c]).toBeCloseTo(wanted, 12);
    }
  });

  test("it is refused where weights are chosen otherwise, and between machines", () => {
    const attempt = (options: object) => () =>
      createSimulation({ ...base, weighting: "samples", ...options } as never);
    expect(attempt({ formulation: agnostic({ dualRate: 1 }) })).toThrow(
      '"agnostic" cannot count clients by their samples: the worst mixture weighs the clients itself.',
    );
    expect(attempt({ formulation: qFair({ q: 1 }) })).toThrow("q-FedAvg weighs clients by their losses");
    expect(attempt({ weighting: "bytes" })).toThrow('weighting is "clients" or "samples", got "bytes".');
    const network = {
      ...{ model: base.model, local: base.local, seed: 1, communicationRounds: 1, clients: 4, serverRate: 1 },
      ...{ formulation: unconstrained(), solver: fedAvg(), timing: "published" as const },
    };
    expect(() => networkServer({ ...network, weighting: "samples" } as never)).toThrow(
      "Between machines every site counts the same",
    );
  });
});

describe("a loss of one's own", () => {
  // y = 2x − 1 and some; least squares on two clients, each with a line of its own.
  const x = [0, 1, 2, 3, 0.5, 1.5, 2.5];
  const y = [-1.1, 1.2, 3.1, 4.8, 1, 3, 6];
  const line = {
    train: {
      x: new NdArray(Float64Array.from(x), [7, 1]),
      y: new NdArray(Float64Array.from(y), [7, 1]),
    },
    clients: [{ train: [0, 1, 2, 3], test: [0, 1] }, { train: [4, 5, 6] }],
  };
  const regression = {
    model: logistic(1, 1) as Model<Linear>,
    data: { ...line, test: line.train },
    loss: (outputs: Tensor, targets: Tensor) => squaredError(outputs, targets).sum({ axis: -1 }),
    local: { rate: 0.1 },
    communicationRounds: 1,
    weighting: "samples" as const,
  };

  test("least squares over all samples end where the normal equations say", async () => {
    const { state, evaluation } = await simulate({ ...regression, rounds: 600 });
    const [mx, my] = [average(x), average(y)];
    const slope = average(x.map((v, i) => (v - mx) * (y[i] - my))) / average(x.map((v) => (v - mx) ** 2));
    expect(state.params.weight.data[0]).toBeCloseTo(slope, 9);
    expect(state.params.bias.data[0]).toBeCloseTo(my - slope * mx, 9);
    const errors = x.map((v, i) => (slope * v + my - slope * mx - y[i]) ** 2);
    expect(evaluation.train.loss[0]).toBeCloseTo(average(errors.slice(0, 4)), 9);
    expect(evaluation.test?.loss[0]).toBeCloseTo(average(errors.slice(0, 2)), 9);
    expect(evaluation.test?.overall.loss).toBeCloseTo(average(errors), 9);
    expect(evaluation.train.accuracy).toEqual([NaN, NaN]);
    expect(evaluation.test?.overall.classAccuracy).toEqual([]);
  });

  test("requirements bound it", async () => {
    const options = { ...regression, local: { rate: 0.05 }, weighting: "clients" as const, rounds: 600 };
    const { evaluation } = await simulate({
      ...options,
      formulation: constrained({ level: 0.01, dualRate: 2 }),
    });
    const [a, b] = evaluation.train.loss;
    expect(Math.max(a, b) - (a + b) / 2).toBeCloseTo(0.01, 3);
    const free = (await simulate(options)).evaluation.train.loss;
    expect(Math.max(...free) - average(free)).toBeGreaterThan(0.03);
  });

  test("a shape that does not fit is answered with a sentence", async () => {
    await expect(simulate({ ...regression, loss: squaredError, rounds: 1 })).rejects.toThrow(
      "The loss must give one number a sample, [2,2], and gave [2,2,1].",
    );
    expect(() => createSimulation({ ...regression, loss: undefined })).toThrow("labels must be int32[7]");
    const short = { ...line.train, y: new NdArray(new Float64Array(6), [6]) };
    expect(() => createSimulation({ ...regression, data: { ...line, train: short } })).toThrow(
      "The training pool has 7 samples, so its targets must be [7, …], got [6].",
    );
    expect(() => createSimulation({ ...base, loss: crossEntropy, formulation: ratioLoss() })).toThrow(
      "leave out loss",
    );
  });

  test("one that mixes the models of a stack is found", async () => {
    const centred = (outputs: Tensor, targets: Tensor) => {
      const losses = crossEntropy(outputs, targets);
      return losses.sub(losses.mean({ axis: 0, keepDims: true }));
    };
    await expect(simulate({ ...base, loss: centred, together: 4 })).rejects.toThrow(
      "The loss gives other numbers for a stack of models than alone",
    );
  });
});

describe("the metric of a client", () => {
  test("error rates drive prices, and training follows the loss", async () => {
    const formulation = constrained({ level: 0.1, dualRate: 2, of: errorRate });
    const simulation = createSimulation({ ...base, formulation });
    const { metrics } = await simulation.round((await simulation.round(simulation.init())).state);
    const errors = metrics.train.accuracy.map((a) => 1 - a);
    expect(metrics.judged).toEqual(errors);
    const first = (await simulation.round(simulation.init())).metrics;
    const after = first.train.accuracy.map((a, c) => {
      const mean = 1 - average(first.train.accuracy);
      const once = Math.max(0, (2 / 4) * (1 - a - mean - 0.1));
      return Math.max(0, once + (2 / 4) * (errors[c] - average(errors) - 0.1));
    });
    for (const [c, price] of metrics.prices.entries()) expect(price).toBeCloseTo(after[c], 12);
    expect(Math.max(...after)).toBeGreaterThan(0);
    expect(metrics.meanLoss).toBeCloseTo(average(metrics.train.loss), 12);
  });

  test("a metric that is the loss changes nothing, to the bit", async () => {
    const options = { level: 0.01, dualRate: 3, cost: relaxationCost({ alpha: 2 }) };
    const wanted = await simulate({ ...base, formulation: resilient(options) });
    const { state, evaluation } = await simulate({
      ...base,
      metric: crossEntropy,
      formulation: resilient({ ...options, of: ownMetric }),
    });
    expect(numbersIn(state)).toEqual(numbersIn(wanted.state));
    expect(evaluation.train.metric).toEqual(wanted.evaluation.train.loss);
    expect(wanted.evaluation.train.metric).toBeUndefined();
  });

  test("a metric of one's own is measured on training and test samples", async () => {
    const surprise = (outputs: Tensor, targets: Tensor) => crossEntropy(outputs, targets).gt(1).cast("int32");
    const { evaluation } = await simulate({
      ...base,
      data: { ...data, test: data.train, clients: data.clients.map(({ train }) => ({ train, test: train })) },
      metric: surprise,
    });
    expect(evaluation.test?.metric).toEqual(evaluation.train.metric);
    const pooled = evaluation.train.metric!.reduce((sum, m, c) => sum + m * sizes[c], 0) / 31;
    expect(evaluation.test?.overall.metric).toBeCloseTo(pooled, 12);
    expect(pooled).toBeGreaterThan(0);
  });

  test("a missing number is reported", async () => {
    await expect(
      simulate({ ...base, formulation: constrained({ level: 0, dualRate: 1, of: ownMetric }) }),
    ).rejects.toThrow('"constrained" judges clients by a number that client 0 does not have');
  });
});

test("a pool of fewer samples than the probe looks at", async () => {
  const few = heterogeneous({ sizes: [1, 1], inputs: 3, classes: 2, seed: 3 });
  const { state } = await simulate({ ...base, model: logistic(3, 2), data: few, together: 2, rounds: 1 });
  expect(state.step).toBe(1);
});
