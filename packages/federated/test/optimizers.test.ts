// The server's optimisers and the clients' own, each beside its formulas written out again on plain numbers.
import { type Backend, NdArray, reference } from "@pliant/engine";
import { onnx } from "@pliant/engine/onnx";
import {
  createSimulation,
  fedAdam,
  fedAvg,
  fedAvgM,
  fedProx,
  fedYogi,
  localAdam,
  localMomentum,
  qFair,
  relaxationCost,
  resilient,
  type ServerOptimizer,
  type Shared,
  type SimulationState,
  scaffold,
  serverRound,
  simulate,
} from "@pliant/federated";
import { mlp } from "@pliant/learn";
import { decodeState, encodeState } from "@pliant/learn/runs";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { distance, heterogeneous, logistic, numbersIn } from "./problems.js";

const native = await onnx();
afterAll(() => native.close());

/** By at most so many roundings of a double. */
function expectWithin(found: number, wanted: number, roundings: number): void {
  expect(Math.abs(found - wanted)).toBeLessThanOrEqual(
    roundings * Number.EPSILON * Math.max(1, Math.abs(wanted)),
  );
}

describe("the server's step", () => {
  const finite = fc.double({ min: -3, max: 3, noNaN: true });
  const updates = fc.array(fc.tuple(finite, finite), { minLength: 1, maxLength: 6 });
  const vector = (values: readonly number[]) => ({ w: new NdArray(Float64Array.from(values), [2]) });

  /** θ after sums over four clients, from (1, −1). */
  async function moved(server: ServerOptimizer, sums: readonly (readonly number[])[]): Promise<number[]> {
    const params = vector([1, -1]);
    const move = serverRound({ solver: fedAvg(), server, backend: reference(), clients: 4, params });
    let at: Shared = { params, shared: {}, memory: server.init(params) };
    for (const sum of sums) at = await move(at, { update: vector(sum), shared: {} }, 1 / 4);
    return numbersIn(at.params);
  }

  const [rate, b1, b2, tau] = [0.1, 0.8, 0.95, 0.01];
  const second = {
    FedAdam: (v: number, d: number) => b2 * v + (1 - b2) * d * d,
    FedYogi: (v: number, d: number) => v - (1 - b2) * d * d * Math.sign(v - d * d),
  };
  const adaptive = { rate, betas: [b1, b2], tau } as const;
  test.each([fedAdam(adaptive), fedYogi(adaptive)])(
    "of $name is Algorithm 2 of Reddi et al.",
    async (server) => {
      await fc.assert(
        fc.asyncProperty(updates, async (sums) => {
          const found = await moved(server, sums);
          for (const [i, start] of [1, -1].entries()) {
            let [x, m, v] = [start, 0, tau ** 2];
            for (const sum of sums) {
              const delta = sum[i] / 4;
              m = b1 * m + (1 - b1) * delta;
              v = second[server.name as keyof typeof second](v, delta);
              x += (rate * m) / (Math.sqrt(v) + tau);
            }
            expectWithin(found[i], x, 64);
          }
        }),
        { numRuns: 50 },
      );
    },
  );

  test("of FedAvgM is that of a heavy ball", async () => {
    await fc.assert(
      fc.asyncProperty(updates, async (sums) => {
        const found = await moved(fedAvgM({ rate: 0.7, momentum: 0.6 }), sums);
        for (const [i, start] of [1, -1].entries()) {
          // θ_T = θ_0 + η Σ_t Δ_t (1 + β + … + β^(T−1−t))
          const x = sums.reduce((x, sum, t) => {
            const geometric = (1 - 0.6 ** (sums.length - t)) / (1 - 0.6);
            return x + (0.7 * geometric * sum[i]) / 4;
          }, start);
          expectWithin(found[i], x, 64);
        }
      }),
      { numRuns: 50 },
    );
  });
});

const sizes = [14, 14, 14, 5, 14, 9];
const data = heterogeneous({ sizes, inputs: 6, classes: 3, dtype: "float32", seed: 2 });
const model = mlp({ inputs: 6, hidden: [5], outputs: 3 });
const plain = { rate: 0.1, epochs: 2, batch: { stepsPerEpoch: 3 } };
const priced = resilient({ level: 0.01, dualRate: 3, cost: relaxationCost({ alpha: 2 }) });
const base = { model, data, local: plain, formulation: priced, rounds: 3, seed: 7, communicationRounds: 2 };

describe.each<[string, Backend]>([
  ["reference", reference()],
  ["onnx", native],
])("on %s", (_, backend) => {
  test("FedAvgM without momentum at rate 1 is FedAvg, to the bit", async () => {
    const wanted = await simulate({ ...base, backend });
    const { state } = await simulate({ ...base, backend, server: fedAvgM({ momentum: 0 }) });
    expect(numbersIn(state.params)).toEqual(numbersIn(wanted.state.params));
    const other = await simulate({ ...base, backend, server: fedAvgM({ momentum: 0.5 }) });
    expect(distance(other.state.params, wanted.state.params)).toBeGreaterThan(1e-3);
  });

  test("local steps without momentum are plain ones, to the bit", async () => {
    const wanted = await simulate({ ...base, backend });
    const { state } = await simulate({ ...base, backend, local: { ...plain, optimizer: localMomentum(0) } });
    expect(numbersIn(state.params)).toEqual(numbersIn(wanted.state.params));
  });

  test("a run with FedYogi and local Adam goes on to the same bits", async () => {
    const options = {
      ...base,
      backend,
      server: fedYogi({ rate: 0.05 }),
      local: { ...plain, optimizer: localAdam() },
    };
    const whole = await simulate(options);
    const half = await simulate({ ...options, rounds: 1 });
    const saved = decodeState<SimulationState>(Buffer.from(encodeState(half.state)), "half");
    const { state } = await simulate({ ...options, state: saved as never });
    expect(distance(state, whole.state)).toBe(0);
  });
});

describe("local steps", () => {
  const doubles = heterogeneous({ sizes: [7, 4, 2], inputs: 3, classes: 2, seed: 5 });
  const linear = { model: logistic(3, 2), data: doubles, communicationRounds: 1, rounds: 1 };

  /** ∇ of the mean cross-entropy of rows, in weights [3, 2] and biases [2], one after the other. */
  function gradientAt(theta: readonly number[], rows: ArrayLike<number>): number[] {
    const gradient: number[] = Array(8).fill(0);
    for (const row of Array.from(rows)) {
      const x = [...doubles.train.x.data.slice(3 * row, 3 * row + 3), 1];
      const score = (k: number) => x.reduce((sum, v, i) => sum + v * theta[2 * i + k], 0);
      const p1 = 1 / (1 + Math.exp(score(0) - score(1)));
      const wrong = [1 - p1, p1].map((p, k) => p - Number(doubles.train.y.data[row] === k));
      for (const [i, v] of x.entries())
        for (const k of [0, 1]) gradient[2 * i + k] += (v * wrong[k]) / rows.length;
    }
    return gradient;
  }

  const cases = {
    momentum: () => {
      const v: number[] = Array(8).fill(0);
      return { optimizer: localMomentum(0.9), turn: (g: number, i: number) => (v[i] = 0.9 * v[i] + g) };
    },
    Adam: () => {
      const m: number[] = Array(8).fill(0);
      const v: number[] = Array(8).fill(0);
      const turn = (g: number, i: number, t: number) => {
        m[i] = 0.9 * m[i] + 0.1 * g;
        v[i] = 0.99 * v[i] + 0.01 * g * g;
        return m[i] / (1 - 0.9 ** t) / (Math.sqrt(v[i] / (1 - 0.99 ** t)) + 1e-8);
      };
      return { optimizer: localAdam({ betas: [0.9, 0.99] }), turn };
    },
  };
  test.each(["momentum", "Adam"] as const)("with %s are those written out", async (name) => {
    const { optimizer, turn } = cases[name]();
    const [alone] = doubles.clients;
    const { state } = await simulate({
      ...linear,
      data: { ...doubles, clients: [alone] },
      local: { rate: 0.05, epochs: 6, optimizer },
    });
    let theta: number[] = Array(8).fill(0);
    for (let t = 1; t <= 6; t++)
      theta = gradientAt(theta, alone.train).map((g, i) => theta[i] - 0.05 * turn(g, i, t));
    const found = [...state.params.weight.data, ...state.params.bias.data];
    for (const [i, wanted] of theta.entries()) expect(Math.abs(found[i] - wanted)).toBeLessThan(1e-12);
  });

  test.each([localMomentum(0.9), localAdam()])(
    "with $name are a client's own: those that wait in a stack remember what they did",
    async (optimizer) => {
      const options = { ...linear, rounds: 2, solver: fedProx({ mu: 0.3 }) };
      const local = { rate: 0.05, epochs: 3, batch: 2, clip: 1, decay: 1e-2, optimizer };
      const one = await simulate({ ...options, local, together: 1 });
      const all = await simulate({ ...options, local, together: 3 });
      expect(distance(one.state.params, all.state.params)).toBeLessThan(1e-12);
    },
  );
});

describe("mistakes are answered with a sentence", () => {
  const attempt = (options: object) => () => createSimulation({ ...base, ...options } as never);
  test.each([
    [
      { server: fedAdam({ rate: 1 }), serverRate: 0.5 },
      "FedAdam has a rate of its own; leave out serverRate.",
    ],
    [
      { solver: scaffold(), local: { ...plain, optimizer: localAdam() } },
      "SCAFFOLD takes what a client moved by for the mean of its gradients; leave out local.optimizer (Adam).",
    ],
    [
      { formulation: qFair({ q: 1 }), communicationRounds: 1, server: fedAvgM() },
      "q-FedAvg chooses the server's step for plain local steps; it cannot go with FedAvgM.",
    ],
    [
      {
        formulation: qFair({ q: 1 }),
        communicationRounds: 1,
        local: { ...plain, optimizer: localMomentum(0.9) },
      },
      "it cannot go with momentum.",
    ],
  ])("%#", (options, sentence) => {
    expect(attempt(options)).toThrow(sentence);
  });

  test("numbers out of range", () => {
    expect(() => fedAvgM({ momentum: 1 })).toThrow(
      "FedAvgM: momentum must be at least 0 and below 1, got 1.",
    );
    expect(() => fedYogi({ rate: 0 })).toThrow("FedYogi: the rate must be a positive number, got 0.");
    expect(() => fedAdam({ rate: 1, tau: 0 })).toThrow("FedAdam: tau must be a positive number, got 0.");
    expect(() => localAdam({ betas: [0.9, 1] })).toThrow("betas must be at least 0 and below 1, got 1.");
    expect(() => localMomentum(-1)).toThrow("Local momentum must be at least 0 and below 1, got -1.");
  });
});
