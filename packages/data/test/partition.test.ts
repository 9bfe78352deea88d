// Samples dealt to clients: literal values from a separate Python statement of the rules (numpy 2.4, torch 2.15),
// the published counts, and the laws every split keeps.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import { describe, expect, it } from "vitest";
import {
  classCounts,
  clientTestSets,
  type DirichletRule,
  dirichletPartition,
  loadDataset,
  minorityShares,
  mixPartition,
  numpyStream,
  shardPartition,
  thinned,
  torchStream,
} from "../src/index.js";

const minority = [0, 2, 4];

const labels = Uint8Array.from(
  { length: 6000 },
  (_, i) => (i * 7 + Math.floor(i / 13) + Math.floor((i * i) / 101)) % 10,
);
const testLabels = Uint8Array.from({ length: 1000 }, (_, i) => (i * 3 + Math.floor(i / 7)) % 10);

/** Thinned, permuted and dealt as the published experiments do, from one seed. */
function split(
  labels: Uint8Array,
  { ratio, clients, seed, rule }: { ratio: number; clients: number; seed: number; rule: DirichletRule },
) {
  const kept = thinned(labels, { minority, ratio });
  const order = torchStream(seed)
    .permutation(kept.length)
    .map((i) => kept[i]);
  const dealt = Uint8Array.from(order, (i) => labels[i]);
  const stream = numpyStream(seed);
  const parts = dirichletPartition(dealt, { clients, level: 0.3, stream, rule });
  const counts = (client: number) => [...classCounts(dealt, { classes: 10, part: parts[client] })];
  return { order, dealt, parts, counts, stream };
}

describe("thinning", () => {
  it("keeps the first of the pooled minority samples, then all others", () => {
    const kept = thinned([0, 1, 2, 0, 2, 1, 2, 3, 0, 2], { minority: [0, 2], ratio: 0.45 });
    expect([...kept]).toEqual([0, 2, 3, 1, 5, 7]);
  });

  it("keeps at least one minority sample", () => {
    expect([...thinned([1, 0, 0, 1], { minority: [0], ratio: 0.01 })]).toEqual([1, 0, 3]);
  });

  it("refuses a share outside (0, 1] and minority classes that nobody has", () => {
    expect(() => thinned(labels, { minority, ratio: 0 })).toThrow(/above 0 and at most 1, not 0/);
    expect(() => thinned([1, 3], { minority, ratio: 0.5 })).toThrow(/None of the minority classes 0, 2, 4/);
  });
});

describe("the Dirichlet split", () => {
  const options = { ratio: 0.2, clients: 20, seed: 5 };
  const expected = {
    "first-client": {
      counts: [
        [2, 3, 12, 57, 2, 0, 5, 119, 1, 26],
        [0, 0, 0, 9, 14, 150, 6, 22, 24, 2],
        [0, 123, 0, 0, 0, 0, 104, 0, 0, 0],
      ],
      first: [333, 1214, 3250, 248],
      sizes: [46, 46, 46, 44, 46, 46, 46, 47, 46, 47, 47, 48, 48, 48, 47, 47, 48, 48, 47, 49],
      tests: [392, 233, 787, 211],
      after: 0.7791527162411138,
    },
    "own-prior": {
      counts: [
        [2, 3, 12, 57, 2, 0, 5, 119, 1, 26],
        [0, 0, 0, 6, 0, 176, 5, 11, 29, 0],
        [0, 0, 0, 227, 0, 0, 0, 0, 0, 0],
      ],
      first: [333, 1214, 3250, 248],
      sizes: [46, 46, 46, 46, 46, 47, 47, 48, 47, 47, 47, 48, 49, 49, 48, 47, 48, 49, 49, 50],
      tests: [965, 548, 892, 402],
      after: 0.7791499338344099,
    },
  };

  for (const rule of ["first-client", "own-prior"] as const) {
    it(`by the rule ${rule}, and the test sets that follow, match another statement of it`, () => {
      const { order, dealt, parts, counts, stream } = split(labels, { ...options, rule });
      const { counts: wanted, first, sizes, tests, after } = expected[rule];
      expect([0, 7, 19].map(counts)).toEqual(wanted);
      expect([...parts[0].subarray(0, 4)].map((i) => order[i])).toEqual(first);
      const sets = clientTestSets({ labels: dealt, parts, testLabels, size: 50, stream, rounding: "floor" });
      expect(sets.map((set) => set.length)).toEqual(sizes);
      expect([...sets[0].subarray(0, 4)]).toEqual(tests);
      expect(stream.double()).toBe(after);
    });
  }

  it("by the rule random-client matches another statement of it", () => {
    const { counts, stream } = split(labels, { ...options, rule: "random-client" });
    expect([0, 7, 19].map(counts)).toEqual([
      [0, 0, 5, 79, 1, 0, 11, 104, 4, 23],
      [8, 0, 0, 46, 5, 92, 16, 21, 38, 1],
      [0, 6, 7, 29, 1, 55, 29, 55, 2, 43],
    ]);
    expect(stream.double()).toBe(0.9610462959539237);
  });

  it("deals every sample at most once, equally, for any rule, level and seed", () => {
    for (const rule of ["first-client", "own-prior", "random-client"] as const) {
      for (let seed = 0; seed < 12; seed++) {
        const level = [0.01, 0.1, 1, 50][seed % 4];
        const clients = [1, 3, 17, 100][(seed >> 1) % 4];
        const some = labels.subarray(0, 200 + 13 * seed);
        const parts = dirichletPartition(some, { clients, level, rule, stream: numpyStream(seed) });
        const size = Math.floor(some.length / clients);
        expect(parts.map((part) => part.length)).toEqual(Array(clients).fill(size));
        expect(new Set(parts.flatMap((part) => [...part])).size).toBe(size * clients);
      }
    }
  });

  it("refuses more clients than samples, a level of 0 and a class nobody has", () => {
    const stream = numpyStream(0);
    const deal = (labels: number[], clients: number, level: number) => () =>
      dirichletPartition(labels, { clients, level, stream });
    expect(deal([0, 1], 3, 0.3)).toThrow(
      "3 clients cannot share 2 samples: each needs at least one, so ask for fewer clients.",
    );
    expect(deal([0, 1], 2, 0)).toThrow(/level α must be above 0, not 0/);
    expect(deal([0, 1], 2, Number.NaN)).toThrow(InputError);
    expect(deal([0, 2], 2, 0.3)).toThrow(/Class 1 has no sample anywhere/);
    expect(deal([0, 1], 0, 0.3)).toThrow(/whole number from 1/);
  });
});

describe("the mix split", () => {
  it("cuts the first part as it stands and the rest by label", () => {
    const parts = mixPartition([3, 1, 2, 0, 1, 0, 3, 2, 0, 1], { clients: 2, alike: 0.5 });
    expect(parts.map((part) => [...part])).toEqual([
      [0, 1, 5, 8, 4],
      [2, 3, 9, 7, 6],
    ]);
  });

  it("is alike at 1, sorted at 0, and deals equal parts without repetition between", () => {
    const whole = mixPartition(labels, { clients: 7, alike: 1 });
    expect(whole.map((part) => part[0])).toEqual(Array.from({ length: 7 }, (_, c) => c * 857));
    const sorted = mixPartition(labels, { clients: 7, alike: 0 }).flatMap((part) =>
      Array.from(part, (i) => labels[i]),
    );
    expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
    const parts = mixPartition(labels, { clients: 7, alike: 0.3 });
    expect(new Set(parts.flatMap((part) => [...part])).size).toBe(857 * 7);
  });

  it("refuses a share outside [0, 1]", () => {
    expect(() => mixPartition(labels, { clients: 7, alike: 1.5 })).toThrow(/between 0 and 1, not 1.5/);
  });
});

describe("shards by label", () => {
  it("give each client few labels and every sample once", () => {
    const stream = torchStream(0);
    const parts = shardPartition(labels, { clients: 20, shards: 2, stream });
    expect(new Set(parts.flatMap((part) => [...part])).size).toBe(6000);
    for (const part of parts)
      expect(classCounts(labels, { part }).filter((n) => n > 0).length).toBeLessThanOrEqual(4);
  });

  it("refuse more shards than samples", () => {
    expect(() => shardPartition([0, 1, 1], { clients: 2, shards: 2, stream: torchStream(0) })).toThrow(
      /each shard needs one/,
    );
  });
});

describe("client test sets", () => {
  const parts = [Int32Array.of(0, 1, 2, 3), Int32Array.of(4, 5, 6)];
  const held = [0, 0, 0, 1, 2, 2, 2];

  it("balanced ones have exactly the size asked for, nearest to the client's balance", () => {
    const sets = clientTestSets({ labels: held, parts, testLabels, size: 50, stream: numpyStream(0) });
    const counts = sets.map((part) => [...classCounts(testLabels, { classes: 3, part })]);
    expect(counts).toEqual([
      [38, 12, 0],
      [0, 0, 50],
    ]);
    for (const set of sets) expect(new Set(set).size).toBe(50);
  });

  it("shrink to what the test set has of each class, keeping the balance", () => {
    const few = [0, 0, 0, 1, 2];
    const sets = clientTestSets({ labels: held, parts, testLabels: few, size: 50, stream: numpyStream(0) });
    expect(sets.map((set) => [...set].sort())).toEqual([[0, 1, 2, 3], [4]]);
  });

  it("refuse a client with no data, a class the test set lacks and a size that leaves nothing", () => {
    const ask = (parts: Int32Array[], testLabels: number[], size = 3) =>
      clientTestSets({ labels: held, parts, testLabels, size, stream: numpyStream(0), rounding: "floor" });
    expect(() => ask([parts[0], Int32Array.of()], [0, 1, 2])).toThrow(/Client 1 holds no data/);
    expect(() => ask(parts, [0, 0, 1])).toThrow(/no sample of class 2/);
    expect(() => ask(parts, [0, 1, 2], 1)).toThrow(/Client 0 is left without a test image/);
  });

  it("come with the client's share of minority samples", () => {
    expect(minorityShares(held, parts, [0])).toEqual([0.75, 0]);
  });
});

describe.skipIf(!process.env.PLIANT_DATA)("with Fashion-MNIST (set PLIANT_DATA to run)", () => {
  const row = (text: string) => text.split(" ").map(Number);
  const load = async (rule: DirichletRule) => {
    const { train, test } = await loadDataset("fashion-mnist");
    return { ...split(train.labels, { ratio: 0.1, clients: 100, seed: 0, rule }), test };
  };

  it("the published split gives the published counts", async () => {
    const { dealt, counts, parts, stream, test } = await load("first-client");
    expect([...classCounts(dealt)]).toEqual([574, 6000, 627, 6000, 599, 6000, 6000, 6000, 6000, 6000]);
    expect(counts(0)).toEqual(row("10 11 4 5 30 12 0 0 38 328"));
    expect(counts(10)).toEqual(row("0 1 9 5 240 29 93 41 0 20"));
    expect(counts(20)).toEqual(row("0 38 0 5 0 12 62 5 27 289"));
    expect(counts(50)).toEqual(row("0 2 0 225 0 175 1 0 5 30"));
    expect(counts(90)).toEqual(row("0 0 0 0 0 0 349 89 0 0"));
    const shares = minorityShares(dealt, parts, minority);
    expect(shares.filter((share) => share > 0).length).toBe(17);
    expect(shares.filter((share) => share > 0.5).length).toBe(4);

    const sets = clientTestSets({
      labels: dealt,
      parts,
      testLabels: test.labels,
      size: 100,
      stream,
      rounding: "floor",
    });
    const sizes = sets.map((set) => set.length);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([94, 100]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(9734);
  });

  it("the corrected split gives its counts", async () => {
    const { counts } = await load("own-prior");
    expect(counts(10)).toEqual(row("0 1 9 5 242 29 95 43 0 14"));
    expect(counts(20)).toEqual(row("0 50 0 4 0 12 101 13 20 238"));
    expect(counts(50)).toEqual(row("0 0 0 246 0 191 1 0 0 0"));
    expect(counts(90)).toEqual(row("0 10 0 6 0 101 0 286 0 35"));
  });

  it("FedDyn's order spreads the minority over nearly all clients", async () => {
    const { dealt, parts } = await load("random-client");
    const shares = minorityShares(dealt, parts, minority);
    expect(shares.filter((share) => share > 0).length).toBe(95);
    expect(shares.filter((share) => share > 0.5).length).toBe(0);
  });
});

const cifar = join(process.env.PLIANT_DATA ?? "", "cifar-10");
const hasCifar = ["data_batch_1.bin", "cifar-10-binary.tar.gz"].some((file) => existsSync(join(cifar, file)));

describe.skipIf(!hasCifar)("with CIFAR-10 (set PLIANT_DATA to run)", () => {
  it("the published test sets have the published sizes", async () => {
    const { train, test } = await loadDataset("cifar-10");
    const { dealt, parts, stream } = split(train.labels, {
      ratio: 0.1,
      clients: 100,
      seed: 0,
      rule: "first-client",
    });
    const options = { labels: dealt, parts, testLabels: test.labels, stream };
    const sizes = clientTestSets({ ...options, size: 100, rounding: "floor" }).map((set) => set.length);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([95, 100]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(9737);
  });
});
