// Samples assigned by scripted draws, so that the result of each rule can be worked out on paper.
import { InputError } from "@pliant/core";
import { describe, expect, it } from "vitest";
import {
  checkParts,
  classCounts,
  clientTestSets,
  type DirichletRule,
  dirichletPartition,
  minorityClasses,
  minorityShares,
  mixPartition,
  type NumpyStream,
  numpyStream,
  shardPartition,
  thinned,
} from "../src/index.js";

interface Script {
  readonly priors: readonly (readonly number[])[];
  readonly doubles: readonly number[];
  readonly clients?: readonly number[];
}

/** The samples of each client; every number of the script is drawn, in order. */
function dealt(labels: number[], rule: DirichletRule | undefined, script: Script): number[][] {
  const left = {
    priors: [...script.priors],
    doubles: [...script.doubles],
    clients: [...(script.clients ?? [])],
  };
  const next = <T>(list: T[]): T => {
    if (list.length === 0) throw new Error("a draw more than there should be");
    return list.shift()!;
  };
  const concentrations: (readonly number[])[] = [];
  const stream = {
    dirichlet: (alphas: readonly number[]) => {
      concentrations.push(alphas);
      return Float64Array.from(next(left.priors));
    },
    double: () => next(left.doubles),
    below: () => next(left.clients),
  } as unknown as NumpyStream;
  const clients = script.priors.length;
  const parts = dirichletPartition(labels, { clients, level: 0.3, stream, ...(rule && { rule }) });
  expect(left).toEqual({ priors: [], doubles: [], clients: [] });
  const classes = script.priors[0].length;
  expect(concentrations).toEqual(Array(clients).fill(Array(classes).fill(0.3)));
  return parts.map((part) => [...part]);
}

describe("the Dirichlet split", () => {
  const labels = [0, 0, 1, 1, 2, 2, 2];
  const script = {
    priors: [
      [0.5, 0.25, 0.25],
      [0.25, 0.5, 0.25],
    ],
    doubles: [0.5, 0.1, 0.3, 0, 0.2, 0.6, 0.6, 0, 0.9],
  };

  it("redraws from the client's own prior without the class that has run out", () => {
    // Client 0: class 0 twice, a third time there is none, and of [0, ½, 1] a draw of 0 is class 1. Client 1: of [0, ⅔, 1] 0.6 is
    // class 1; then class 1 has run out as well.
    const parts = [
      [0, 1, 2],
      [3, 4, 5],
    ];
    expect(dealt(labels, "own-prior", script)).toEqual(parts);
    expect(dealt(labels, undefined, script)).toEqual(parts);
  });

  it("as published redraws from the prior of client 0", () => {
    // Of [0, ½, 1] 0.6 is class 2.
    expect(dealt(labels, "first-client", script)).toEqual([
      [0, 1, 2],
      [4, 3, 5],
    ]);
  });

  it("deals by what remains where nothing of a prior is left", () => {
    const priors = [
      [1, 0, 0],
      [0, 1, 0],
    ];
    // One of class 1 and three of class 2 remain: up to ¼ it is class 1.
    const doubles = [0.5, 0.5, 0.5, 0.25, 0.5, 0.1, 0.5, 0.1, 0.5, 0.1];
    expect(dealt([0, 0, 1, 2, 2, 2], "own-prior", { priors, doubles })).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
  });

  it("deals by how much remains of each class", () => {
    const priors = [
      [1, 0, 0],
      [0, 1, 0],
    ];
    const doubles = [0.5, 0.5, 0.5, 0.3, 0.5, 0.5, 0.1, 0.5, 0.1];
    expect(dealt([0, 0, 1, 2, 2, 2], "own-prior", { priors, doubles })).toEqual([
      [0, 1, 3],
      [2, 4, 5],
    ]);
  });

  it("leaves draws above a sum that rounding left below 1 to the last class that has any mass", () => {
    expect(
      dealt([0, 1, 2], "own-prior", { priors: [[0.3, 0.3, 0.3]], doubles: [0.95, 0.95, 0.95, 0.1] }),
    ).toEqual([[2, 1, 0]]);
    expect(
      dealt([0, 1, 2], "own-prior", { priors: [[0.5, 0.4, 0]], doubles: [0.95, 0.1, 0.1, 0.5, 0.5] }),
    ).toEqual([[1, 0, 2]]);
  });

  it("in FedDyn's order passes over a client that is full, and draws again from the same prior", () => {
    const priors = [
      [0.5, 0.5],
      [1, 0],
    ];
    const doubles = [0.7, 0.7, 0.2, 0.2, 0.6, 0.9];
    expect(dealt([0, 0, 1, 1], "random-client", { priors, doubles, clients: [1, 1, 1, 0, 0] })).toEqual([
      [2, 3],
      [0, 1],
    ]);
  });

  it("in FedDyn's order waits for a draw of two in a million, and for none of less", () => {
    const labels = [0, 0, 1, 2, 2, 2];
    const clients = [0, 0, 0, 1, 1, 1];
    const rare = {
      priors: [
        [1, 0, 0],
        [1 - 2e-6, 0, 2e-6],
      ],
      clients,
    };
    // Nothing of client 0's prior is left for its third: up to ¼ it is class 1.
    const doubles = [0.5, 0.5, 0.25, 0.5, 1 - 1e-6, 1 - 1e-6, 1 - 1e-6];
    const parts = [
      [0, 1, 2],
      [3, 4, 5],
    ];
    expect(dealt(labels, "random-client", { ...rare, doubles })).toEqual(parts);
    const rarer = {
      priors: [
        [1, 0, 0],
        [1 - 2e-7, 0, 2e-7],
      ],
      clients,
    };
    expect(dealt(labels, "random-client", { ...rarer, doubles: [0.5, 0.5, 0.25, 0.5, 0.5, 0.5] })).toEqual(
      parts,
    );
  });

  it("gives every client one sample if there are as many samples as clients, and refuses invalid numbers of clients", () => {
    expect(
      dealt([0, 1], "own-prior", {
        priors: [
          [0, 1],
          [1, 0],
        ],
        doubles: [0.5, 0.5],
      }),
    ).toEqual([[1], [0]]);
    const deal = (labels: number[], clients: number) => () =>
      dirichletPartition(labels, { clients, level: 1, stream: numpyStream(0) });
    expect(deal([0, 1, 1], 1.5)).toThrow("The number of clients must be a whole number from 1, not 1.5.");
    expect(deal([0, 1, 1], -1)).toThrow(InputError);
    expect(deal([1, 2], 1)).toThrow(
      "Class 0 has no sample anywhere in the training data: leave it out or keep more of it.",
    );
    expect(() => dirichletPartition([0, 1], { clients: 1, level: -1, stream: numpyStream(0) })).toThrow(
      "The Dirichlet level α must be above 0, not -1: 0.3 gives each client few classes.",
    );
  });
});

describe("counts", () => {
  it("are of all samples, or of a part, over as many classes as there are or are asked for", () => {
    expect([...classCounts([2, 0, 2])]).toEqual([1, 0, 2]);
    expect([...classCounts([2, 0, 2], { part: Int32Array.of(0, 2) })]).toEqual([0, 0, 2]);
    expect([...classCounts([0], { classes: 3 })]).toEqual([1, 0, 0]);
    expect([...classCounts([])]).toEqual([]);
  });

  it("of minority samples are shares of each client's samples", () => {
    expect(minorityShares([0, 1, 2, 2], [Int32Array.of(0, 1, 2), Int32Array.of(2, 3)], [0, 2])).toEqual([
      2 / 3,
      1,
    ]);
    expect(minorityClasses).toEqual({ 1: [0], 3: [0, 2, 4], 5: [0, 2, 4, 6, 8] });
  });

  it("refuse clients without samples, and name the first", () => {
    const [none, one] = [Int32Array.of(), Int32Array.of(0)];
    expect(() => checkParts([none, one, none])).toThrow(
      "Client 0 holds no data: every client needs at least one sample.",
    );
    expect(() => checkParts([one])).not.toThrow();
  });
});

describe("shards", () => {
  it("are pieces of the samples by label, two to a client, in the order drawn", () => {
    const stream = { permutation: (n: number) => Int32Array.from([3, 0, 2, 1].slice(0, n)) };
    // By label: 0 2 | 4 6 | 1 3 | 5 7, and 8 is left out.
    expect(shardPartition([0, 1, 0, 1, 0, 1, 0, 1, 1], { clients: 2, stream })).toEqual([
      Int32Array.of(5, 7, 0, 2),
      Int32Array.of(1, 3, 4, 6),
    ]);
    expect(shardPartition([1, 0, 0, 1], { clients: 4, shards: 1, stream })).toEqual(
      [3, 1, 0, 2].map((position) => Int32Array.of(position)),
    );
  });

  it("are whole, at least one, and hold something", () => {
    const stream = { permutation: () => Int32Array.of(0) };
    for (const shards of [0, 1.5, -2])
      expect(() => shardPartition([0, 1, 1, 0], { clients: 1, shards, stream })).toThrow(
        `1 clients with ${shards} shards each cannot share 4 samples: each shard needs one.`,
      );
    expect(() => shardPartition([0, 1], { clients: 3, stream })).toThrow("3 clients cannot share 2 samples");
  });
});

describe("shares", () => {
  it("for alike samples lie between 0 and 1", () => {
    for (const alike of [-0.01, 1.01, Number.NaN])
      expect(() => mixPartition([0, 1], { clients: 1, alike })).toThrow(
        `The share of alike samples must lie between 0 and 1, not ${alike}.`,
      );
    expect(() => mixPartition([0, 1], { clients: 3, alike: 1 })).toThrow("3 clients cannot share 2 samples");
    // 7 samples for 2 clients: ⌊7 · 0.6⌋ = 4 as they stand, the next 2 by label, and one left out.
    expect(mixPartition([1, 0, 1, 0, 1, 0, 1], { clients: 2, alike: 0.6 })).toEqual([
      Int32Array.of(0, 1, 5),
      Int32Array.of(2, 3, 4),
    ]);
  });

  it("for minority samples to keep are above 0, and 1 keeps all", () => {
    for (const ratio of [-1, 1.01, Number.NaN])
      expect(() => thinned([0, 1], { minority: [0], ratio })).toThrow(
        `The share of minority samples to keep must be above 0 and at most 1, not ${ratio}.`,
      );
    expect(() => thinned([1, 3], { minority: [0, 2], ratio: 0.5 })).toThrow(
      "None of the minority classes 0, 2 has a sample in the training data.",
    );
    expect([...thinned([1, 0, 0], { minority: [0], ratio: 1 })]).toEqual([1, 2, 0]);
  });
});

describe("client test sets", () => {
  /** The first ones. None are never asked for: numpy shuffles for them all the same, and all that follows would differ. */
  const first = {
    choice: (_: number, size: number) => {
      expect(size).toBeGreaterThan(0);
      return Int32Array.from({ length: size }, (_, i) => i);
    },
  };
  const sets = (labels: number[], testLabels: number[], size: number, rounding?: "floor" | "balanced") =>
    clientTestSets({
      labels,
      parts: [Int32Array.from(labels, (_, i) => i)],
      testLabels,
      size,
      stream: first as unknown as NumpyStream,
      ...(rounding && { rounding }),
    }).map((set) => [...set]);
  const of = (...counts: number[]) => counts.flatMap((count, label) => Array<number>(count).fill(label));

  it("as published round down in float32: 29 of 100, where doubles would have 28", () => {
    const [set] = sets(of(29, 71), of(40, 80), 100, "floor");
    expect(set.filter((i) => i < 40).length).toBe(29);
  });

  it("balanced ones give what is left to the largest fractions", () => {
    // For 10: 1.43, 2.86, 5.71: one more for classes 1 and 2.
    const [set] = sets(of(1, 2, 4), of(9, 9, 9), 10);
    expect(set).toEqual([0, 9, 10, 11, 18, 19, 20, 21, 22, 23]);
    expect(sets(of(1, 2, 4), of(9, 9, 9), 10, "balanced")).toEqual([set]);
  });

  it("balanced ones are as large as the class that is scarcest allows; one that nobody holds allows any", () => {
    // Two of class 1, of which a client has a third, allow 6.
    expect(sets(of(2, 1), of(9, 2), 8)).toEqual([[0, 1, 2, 3, 9, 10]]);
    expect(sets(of(2, 0, 1), of(9, 0, 9), 3)).toEqual([[0, 1, 9]]);
  });

  it("name the class that is lacking, and a size that leaves a client nothing", () => {
    expect(() => sets(of(1, 1), of(0, 3), 2)).toThrow(
      "The test set has no sample of class 0, which clients hold.",
    );
    expect(() => sets(of(1, 1), of(3, 3), 1, "floor")).toThrow(
      "Client 0 is left without a test image: a size of 1 is too small.",
    );
  });
});
