// A communication round of numbers that are known by hand. The loss of a sample is x·w, so a step on a batch moves w by −η times the
// mean of its x, and what a round sends can be added up on paper.
import { type Backend, NdArray, random, reference, type Tensor } from "@pliant/engine";
import {
  type ClientRoundOptions,
  type ClientsAsked,
  clientRound,
  fedAvg,
  fedAvgM,
  type Shared,
  scaffold,
  serverRound,
} from "@pliant/federated";
import type { Model } from "@pliant/learn";
import { describe, expect, test } from "vitest";
import { storePool } from "../src/evaluation.js";

type Weight = { readonly w: NdArray };
const f64 = (values: number[], shape = [values.length]) => new NdArray(Float64Array.from(values), shape);
const f32 = (values: number[], shape = [values.length]) => new NdArray(Float32Array.from(values), shape);
const numbers = (tree: unknown): number[] => [...(tree as Weight).w.data];

/** Shapes of the samples that a model was traced on. */
const shapes = new Set<string>();
const model = {
  apply: ({ w }: { w: Tensor }, x: Tensor) => {
    shapes.add(String(x.shape));
    return x.mul(w.rank === 1 ? w : w.reshape([w.shape[0], 1, 1]));
  },
} as unknown as Model<Weight>;
const loss = (outputs: Tensor) => outputs.sum({ axis: -1 });

const backend = reference();
const samples = [1, 2, 4, 8, 16];
const pool = storePool({ x: f64(samples, [5, 1]), y: f64([0, 0, 0, 0, 0]) } as never, backend);

/** Client 3 holds 1, 2 and 4, client 7 holds 8 and 16, client 9 holds 16. Every other epoch goes backwards. */
const options: ClientRoundOptions<Weight> = {
  model,
  loss,
  solver: fedAvg(),
  local: { rate: 0.5, batch: 2, epochs: 2 },
  backend,
  pool,
  rows: new Map([
    [3, [0, 1, 2]],
    [7, [3, 4]],
    [9, [4]],
  ]),
  stacked: true,
  trim: false,
  order: (_, epoch, n) => Array.from({ length: n }, (_, i) => (epoch % 2 === 0 ? i : n - 1 - i)),
  seed: 0,
  norms: false,
  params: { w: f64([10]) },
};
const asked: ClientsAsked = {
  number: 5,
  group: [3, 7],
  weights: [2, 0.25],
  sentWeights: [0.5, 0.5],
  server: { w: f64([10]) },
  shared: {},
  own: {},
};
// Client 3 in epoch 10: 1.5, then 4; in epoch 11: 3, then 1. Client 7: 12, twice.
const moved = [-0.5 * (1.5 + 4 + 3 + 1), -0.5 * (12 + 12)];
const sent = 2 * moved[0] + 0.25 * moved[1];

describe("clients", () => {
  test("send the sum of what they moved times their weights", async () => {
    const { sums, squaredNorms, own } = await clientRound(options)(asked);
    expect(numbers(sums.update)).toEqual([sent]);
    expect(sums.shared).toEqual({});
    expect(own).toEqual({});
    expect(squaredNorms).toBeUndefined();
    const { squaredNorms: squares } = await clientRound({ ...options, norms: true })(asked);
    expect([...(squares as NdArray).data]).toEqual(moved.map((d) => d * d));
  });

  test("one after the other send the same as together, in doubles and in floats", async () => {
    for (const of of [f64, f32]) {
      const x = storePool({ x: of(samples, [5, 1]), y: of([0, 0, 0, 0, 0]) } as never, backend);
      const own = { params: { w: of([10]) }, pool: x };
      const together = await clientRound({ ...options, ...own })({ ...asked, server: own.params });
      expect((together.sums.update as Weight).w).toEqual(of([sent]));
      const alone = clientRound({ ...options, ...own, stacked: false });
      const one = (c: number) => ({ group: [asked.group[c]], weights: [asked.weights[c]], sentWeights: [1] });
      const first = await alone({ ...asked, server: own.params, ...one(0) });
      expect((first.sums.update as Weight).w).toEqual(of([2 * moved[0]]));
      const both = await alone({ ...asked, server: own.params, ...one(1) }, first.sums);
      expect((both.sums.update as Weight).w).toEqual(of([sent]));
    }
  });

  test("take one epoch by default, counted over all rounds", async () => {
    const epochs: number[][] = [];
    const order = (client: number, epoch: number, n: number) => {
      epochs.push([client, epoch, n]);
      return Array.from({ length: n }, (_, i) => i);
    };
    await clientRound({ ...options, order })(asked);
    expect(epochs).toEqual([
      [3, 10, 3],
      [3, 11, 3],
      [7, 10, 2],
      [7, 11, 2],
    ]);
    const once = clientRound({ ...options, order, local: { rate: 0.5 }, solver: scaffold() });
    const state = { own: { w: f64([0, 0], [2, 1]) }, shared: { w: f64([0]) } };
    const { own } = await once({ ...asked, ...state });
    // One step, and nothing pulls: SCAFFOLD keeps the mean gradient.
    expect(numbers(own)[0]).toBeCloseTo(7 / 3, 12);
    expect(numbers(own)[1]).toBe(12);
  });

  test("of SCAFFOLD divide by the steps that they took, and send their second sum", async () => {
    const state = { own: { w: f64([0.25, 0.5], [2, 1]) }, shared: { w: f64([0.75]) } };
    const stopsAfter = (client: number) => (client === 3 ? 3 : 9);
    const train = clientRound({ ...options, solver: scaffold() });
    const { sums, own } = await train({ ...asked, ...state, stopsAfter });
    // The pull is c − c_c: 0.5 and 0.25 in each of 3 and 2 steps.
    const went = [-0.5 * (1.5 + 4 + 3 + 3 * 0.5), -0.5 * (24 + 2 * 0.25)];
    const kept = [0.25 - 0.75 - went[0] / (3 * 0.5), 0.5 - 0.75 - went[1] / (2 * 0.5)];
    const near = (values: number[]) => values.map((v) => expect.closeTo(v, 12));
    expect(numbers(own)).toEqual(near(kept));
    expect(numbers(sums.update)).toEqual(near([went[0] + went[1]]));
    const second = 2 * kept[0] - 0.5 * 0.25 + 0.25 * kept[1] - 0.5 * 0.5;
    expect(numbers(sums.shared)).toEqual(near([second]));
    const again = await train({ ...asked, ...state, stopsAfter }, sums);
    expect(numbers(again.sums.shared)).toEqual(near([2 * second]));
  });

  test("see samples that their own random numbers change", async () => {
    const augmentation = { count: 1, apply: (x: Tensor, u: Tensor) => x.add(u) };
    const train = clientRound({ ...options, augmentation, seed: 8, local: { rate: 0.5 } });
    const { sums } = await train({ ...asked, group: [7, 9], weights: [1, 0.5] });
    const key = random.foldIn(random.key(8), 3);
    const drawn = (client: number, n: number) =>
      random.uniform(random.foldIn(random.foldIn(key, client), 5), [n]).data;
    const [[a, b], [c]] = [drawn(7, 2), drawn(9, 1)];
    expect(numbers(sums.update)[0]).toBeCloseTo(-0.5 * ((8 + a + 16 + b) / 2 + 0.5 * (16 + c)), 5);
  });

  test("with noise step on all their records, and on no batches beside", async () => {
    const cells = f64([0, 1, 0, -3, 0, 5], [3, 2]);
    const records = storePool({ x: cells, y: new NdArray(Int32Array.of(1, 0, 1), [3]) } as never, backend);
    const train = (noise: number) =>
      clientRound({
        ...options,
        local: { rate: 0.25 },
        pool: records,
        rows: new Map([[4, [0, 1]]]),
        stacked: false,
        params: { w: f64([0]) },
        privacy: { clip: 8, noise } as never,
      });
    const question = {
      ...asked,
      group: [4],
      weights: [2],
      sentWeights: [1],
      server: { w: f64([0]) },
      draw: () => 0.5,
    };
    // For outputs 0 and w·x at w = 0 the gradients are x (½ − y): −½ and −3/2, the mean −1.
    expect(numbers((await train(0)(question)).sums.update)).toEqual([2 * 0.25]);
    // A draw of ½ twice is a normal number of −√(2 ln 2); it is taken to a grid of 2⁻⁷.
    const noise = -0.5 * 8 * Math.sqrt(2 * Math.LN2);
    const [update] = numbers((await train(0.5)(question)).sums.update);
    expect(Math.abs(update - (-2 * 0.25 * (-2 + noise)) / 2)).toBeLessThan(2 ** -8);
  });

  test("are as wide as the widest batch of all, or as their own", async () => {
    const seen = async (more: Partial<ClientRoundOptions<Weight>>, group: number[]) => {
      shapes.clear();
      const { sums } = await clientRound({ ...options, ...more })({
        ...asked,
        group,
        weights: asked.weights.slice(0, group.length),
        sentWeights: group.map(() => 1),
      });
      return { shapes: [...shapes].sort(), update: numbers(sums.update) };
    };
    const update = [2 * moved[0] + 0.25 * -0.5 * 32];
    expect(await seen({}, [3, 9])).toEqual({ shapes: ["2,2,1"], update });
    expect(await seen({ trim: true }, [3, 9])).toEqual({ shapes: ["2,1,1", "2,2,1"], update });

    // Sizes 16 and 2, 9, 5 and 3 are five: more than are compiled one by one, so they are rounded up to a multiple of 16/8.
    const held = [18, 9, 5, 3].map((n, c) => [c, Array.from({ length: n }, (_, i) => i)] as const);
    const many = storePool(
      { x: f64(Array(18).fill(1), [18, 1]), y: f64(Array(18).fill(0)) } as never,
      backend,
    );
    const own = {
      trim: true,
      stacked: false,
      rows: new Map(held),
      pool: many,
      local: { rate: 1, batch: 16 },
    };
    expect((await seen(own, [3])).shapes).toEqual(["4,1"]);
    expect((await seen(own, [1])).shapes).toEqual(["10,1"]);
    expect((await seen({ ...own, trim: false }, [3])).shapes).toEqual(["16,1"]);
  });
});

describe("the server", () => {
  /** A back end that counts what is compiled by it. */
  const counting = (): Backend & { compiled: number } => {
    const own = reference();
    const counted = {
      ...own,
      compiled: 0,
      compile: (...args: Parameters<Backend["compile"]>) => {
        counted.compiled++;
        return own.compile(...args);
      },
    };
    return counted;
  };

  test("moves by the sum times the factor, in doubles and in floats, on its own back end", async () => {
    for (const of of [f64, f32]) {
      const given = counting();
      const params = { w: of([10, 20]) };
      const move = serverRound({ solver: fedAvg(), backend: given, clients: 4, params });
      const at: Shared = { params, shared: { w: of([3]) } };
      const next = await move(at, { update: { w: of([-8, 4]) }, shared: { w: of([1]) } }, 0.25);
      expect((next.params as Weight).w).toEqual(of([8, 21]));
      // What FedAvg shares is nothing.
      expect(next.shared).toEqual({});
      expect("memory" in next).toBe(false);
      expect(given.compiled).toBe(1);
    }
  });

  test("moves what a solver shares by the sum over all clients, asked or not", async () => {
    const given = counting();
    const params = { w: f64([10]) };
    const move = serverRound({ solver: scaffold(), backend: given, clients: 4, params });
    const sums = { update: { w: f64([2]) }, shared: { w: f64([6]) } };
    const next = await move({ params, shared: { w: f64([1]) } }, sums, 0.5);
    expect(numbers(next.params)).toEqual([11]);
    expect(numbers(next.shared)).toEqual([1 + 6 / 4]);
    expect(given.compiled).toBe(2);
  });

  test("hands an optimiser the sum times the factor, and keeps what it remembers", async () => {
    const given = counting();
    const params = { w: f64([10]) };
    const server = fedAvgM({ rate: 0.5, momentum: 0.75 });
    const move = serverRound({ solver: fedAvg(), server, backend: given, clients: 4, params });
    const sums = { update: { w: f64([8]) }, shared: {} };
    const next = await move({ params, shared: {}, memory: { w: f64([4]) } }, sums, 0.25);
    expect(numbers(next.memory)).toEqual([0.75 * 4 + 2]);
    expect(numbers(next.params)).toEqual([10 + 0.5 * 5]);
    expect(given.compiled).toBe(1);
  });
});
