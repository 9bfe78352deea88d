// Noise at a client: what it adds, what it is added to, and an attack that must not learn more than the stated ε.
import { NdArray, random, reference, type Tensor } from "@pliant/engine";
import {
  clipTo,
  type Draw,
  drawFrom,
  epsilonOf,
  fedAvg,
  fedProx,
  flatten,
  networkClient,
  networkServer,
  noised,
  noisedMean,
  type Pool,
  type Privacy,
  privacyFor,
  relaxationCost,
  resilient,
  sampled,
  scaffold,
  unconstrained,
} from "@pliant/federated";
import { type Model, mlp } from "@pliant/learn";
import { describe, expect, test } from "vitest";

/** Foreseeable ones, for tests. */
function seeded(seed: number): Draw {
  const key = random.key(seed);
  let [block, at] = [0, 0];
  let words: ArrayLike<number> = [];
  return drawFrom(() => {
    if (at === words.length) [words, at] = [random.bits(random.foldIn(key, block++), 1024), 0];
    return words[at++];
  });
}

describe("noise on a sum", () => {
  test("has the deviation it says, in every coordinate, and is whole on a grid", () => {
    const sum = Array.from({ length: 20_000 }, (_, i) => Math.sin(i));
    const made = noised(sum, 2, 1.5, seeded(1));
    const grid = 2 ** Math.floor(Math.log2((2 * 2 ** -10) / Math.sqrt(sum.length)));
    const gaps = made.map((value, i) => value - sum[i]);
    const mean = gaps.reduce((a, b) => a + b, 0) / gaps.length;
    const square = gaps.reduce((a, b) => a + b * b, 0) / gaps.length;
    // Four deviations of what 20,000 draws of deviation 3 come to.
    expect(Math.abs(mean)).toBeLessThan((4 * 3) / Math.sqrt(20_000));
    expect(Math.abs(square / 9 - 1)).toBeLessThan(4 * Math.sqrt(2 / 20_000));
    expect(made.every((value) => Number.isInteger(value / grid))).toBe(true);
  });
  test("rounding keeps two sums a record apart within the bound", () => {
    const record = Float64Array.from({ length: 500 }, (_, i) => Math.cos(i));
    const length = Math.hypot(...record);
    const others = record.map((_, i) => Math.sin(3 * i));
    const whole = others.map((value, i) => value + (record[i] / length) * clipTo(1));
    // The same draws, so that the noise cancels.
    const [a, b] = [others, whole].map((sum) => noised(sum, 1, 1, seeded(7)));
    const apart = Math.hypot(...a.map((value, i) => value - b[i]));
    expect(apart).toBeLessThanOrEqual(1);
    expect(apart).toBeGreaterThan(0.99);
  });
  test("a sample has each row by a coin of its own", () => {
    const draw = seeded(3);
    const rows = Array.from({ length: 40 }, (_, i) => i);
    const counts = new Float64Array(40);
    for (let k = 0; k < 2000; k++) for (const row of sampled(rows, 0.3, draw)) counts[row]++;
    for (const count of counts) expect(Math.abs(count - 600)).toBeLessThan(4.5 * Math.sqrt(2000 * 0.21));
    expect(sampled(rows, 1, draw)).toEqual(rows);
  });
});

const pool = (rows: number, seed: number): Pool => ({
  x: random.normal(random.key(seed), [rows, 3]),
  y: new NdArray(
    Int32Array.from({ length: rows }, (_, i) => i % 2),
    [rows],
  ),
});

const model = mlp({ inputs: 3, hidden: [4], outputs: 2 });
const network = {
  model,
  backend: reference(),
  seed: 5,
  clients: 1,
  serverRate: 1,
  communicationRounds: 2,
  timing: "published",
} as const;

describe("local steps", () => {
  const formulation = resilient({ level: 0.01, dualRate: 3, cost: relaxationCost({ alpha: 2 }) });
  test.each([
    ["FedAvg", fedAvg()],
    ["FedProx", fedProx({ mu: 0.3 })],
    ["SCAFFOLD", scaffold()],
  ])(
    "with hardly any noise, nothing clipped and all rows in every step are the plain ones: %s",
    async (_, solver) => {
      const data = pool(9, 1);
      const local = { rate: 0.2, epochs: 3, decay: 0.01 };
      const options = { ...network, formulation, solver, local, index: 0, data };
      const loud = privacyFor(
        { epsilon: 100, delta: 1e-6, clip: 8, lossClip: 8, noise: 1 },
        { rows: 9, local, rounds: 1, communicationRounds: 2 },
      );
      const still: Privacy = { ...loud, noise: 1e-12, lossNoise: 1e-12 };
      const plain = networkClient(options);
      const quiet = networkClient({ ...options, privacy: still });
      const shown = networkServer(options).init();
      const a = (await plain.contribute(plain.init(), shown))!;
      const b = (await quiet.contribute(quiet.init(), shown, seeded(1)))!;
      const [ours, theirs] = [flatten(b.sums!.update), flatten(a.sums!.update)];
      // Half a step of the grid in each of three local steps, and what later ones make of it.
      const grid = (8 * 2 ** -10) / Math.sqrt(ours.length);
      for (const [i, value] of ours.entries())
        expect(Math.abs(value - theirs[i])).toBeLessThan((2 * 3 * 0.2 * grid) / 2 / 9);
      expect(Math.abs(b.numbers[0] - a.numbers[0])).toBeLessThan((8 * 2 ** -10) / 9);
      expect(b.spends).toEqual({ steps: 3, losses: 1 });
      expect(a.spends).toEqual({ steps: 0, losses: 0 });
    },
  );

  test("later exchanges of a round tell no loss again, and refuse to go without numbers nobody can foresee", async () => {
    const data = pool(9, 1);
    const local = { rate: 0.2, batch: 3 };
    const privacy = privacyFor(
      { epsilon: 5, delta: 1e-3, clip: 1, lossClip: 2 },
      { rows: 9, local, rounds: 1, communicationRounds: 2 },
    );
    const options = { ...network, formulation, solver: fedAvg(), local, index: 0, data };
    const client = networkClient({ ...options, privacy });
    const server = networkServer(options);
    const shown = server.init();
    const first = (await client.contribute(client.init(), shown, seeded(1)))!;
    const second = (await client.contribute(
      first.next,
      { ...shown, exchange: 1, answers: [first.numbers[0]] },
      seeded(2),
    ))!;
    expect([first.spends, second.spends]).toEqual([
      { steps: 3, losses: 1 },
      { steps: 3, losses: 0 },
    ]);
    await expect(client.contribute(client.init(), shown)).rejects.toThrow(/nobody can foresee/);
  });
});

/** The chance of at most so many of n, each at p. */
function atMost(hits: number, n: number, p: number): number {
  let term = n * Math.log1p(-p);
  let sum = Math.exp(term);
  for (let k = 1; k <= hits; k++) {
    term += Math.log((n - k + 1) / k) + Math.log(p) - Math.log1p(-p);
    sum += Math.exp(term);
  }
  return sum;
}

/** The largest p at which so few hits are not too strange (Clopper and Pearson 1934), at 99.9%. */
function upTo(hits: number, n: number): number {
  let [low, high] = [hits / n, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (atMost(hits, n, middle) > 1e-3) low = middle;
    else high = middle;
  }
  return high;
}

/** What telling two inputs apart by a threshold shows of ε: the threshold from the first halves, the bound from the second. */
function shownEpsilon(without: readonly number[], having: readonly number[], delta: number): number {
  const half = without.length / 2;
  const bound = (threshold: number, from: number, to: number): number => {
    const count = to - from;
    const above = (all: readonly number[]) => all.slice(from, to).filter((value) => value > threshold).length;
    const least = 1 - upTo(count - above(having), count);
    return Math.log(Math.max(least - delta, 1e-9) / upTo(above(without), count));
  };
  const candidates = [...without.slice(0, half), ...having.slice(0, half)].sort((a, b) => a - b);
  let best = candidates[0];
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 1; k < 50; k++) {
    const threshold = candidates[Math.floor((k * candidates.length) / 50)];
    const found = bound(threshold, 0, half);
    if (found > most) [best, most] = [threshold, found];
  }
  return bound(best, half, without.length);
}

describe("an attacker who knows every other record, and the record", () => {
  // Without a bias a row of zeros has no gradient: it is as if the record were not there. No other row has the third feature.
  const bare: Model<{ weight: NdArray }> = {
    name: "bare",
    init: () => ({ weight: new NdArray(new Float32Array(6), [3, 2]) }),
    apply: ({ weight }, x: Tensor) => x.matmul(weight),
  };
  const rows = 12;
  const local = { rate: 0.5, epochs: 2 };
  const neighbour = (third: number): Pool => {
    const x = Float32Array.from({ length: 3 * rows }, (_, i) => (i % 3 === 2 ? 0 : Math.sin(i)));
    x.set([0, 0, third], 0);
    const y = Int32Array.from({ length: rows }, (_, i) => i % 2);
    return { x: new NdArray(x, [rows, 3]), y: new NdArray(y, [rows]) };
  };
  const privacy = privacyFor(
    { epsilon: 4, delta: 1e-3, clip: 1, lossClip: 1 },
    { rows, local, rounds: 1, communicationRounds: 1 },
  );
  const trials = 1600;

  /** How far the sent update goes along the record's own direction, again and again. */
  async function seen(data: Pool, used: Privacy, seed: number): Promise<number[]> {
    const options = {
      ...network,
      model: bare,
      communicationRounds: 1,
      formulation: unconstrained(),
      solver: fedAvg(),
      local,
    };
    const client = networkClient({ ...options, index: 0, data, privacy: used });
    const shown = networkServer(options).init();
    const draw = seeded(seed);
    const found: number[] = [];
    for (let i = 0; i < trials; i++) {
      const { update } = (await client.contribute(client.init(), shown, draw))!.sums!;
      const { data: moved } = (update as { weight: NdArray }).weight;
      found.push(moved[4] - moved[5]);
    }
    return found;
  }

  test("learns something of its update, and no more than the stated ε", async () => {
    const found = shownEpsilon(
      await seen(neighbour(0), privacy, 1),
      await seen(neighbour(50), privacy, 2),
      1e-3,
    );
    console.log(`the attack shows ε ≥ ${found.toFixed(2)} of 4`);
    expect(found).toBeLessThan(4);
    expect(found).toBeGreaterThan(0.8);
  }, 30_000);

  test("learns more than that where the noise is left out", async () => {
    const still = { ...privacy, noise: 1e-6 };
    const found = shownEpsilon(await seen(neighbour(0), still, 1), await seen(neighbour(50), still, 2), 1e-3);
    expect(found).toBeGreaterThan(4);
  }, 30_000);

  test("learns no more of a mean loss than is stated for it, and all of one without noise", () => {
    const told = (record: number, noise: number, seed: number) => {
      const draw = seeded(seed);
      const losses = Float64Array.from({ length: rows }, (_, i) => (i === 0 ? record : 0.5));
      return Array.from({ length: 4000 }, () => noisedMean(losses, 1, noise, draw));
    };
    const stated = epsilonOf([{ noise: 2, rate: 1, times: 1 }], 1e-3);
    const found = shownEpsilon(told(0, 2, 1), told(9, 2, 2), 1e-3);
    expect(found).toBeLessThan(stated);
    expect(found).toBeGreaterThan(0.3 * stated);
    expect(shownEpsilon(told(0, 1e-6, 1), told(9, 1e-6, 2), 1e-3)).toBeGreaterThan(stated);
  });
});
