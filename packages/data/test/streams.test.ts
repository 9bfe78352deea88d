// The streams against the numbers torch 2.15 and numpy 2.4 give for the same seeds.

import { InputError } from "@pliant/core";
import { describe, expect, it } from "vitest";
import { numpyStream, torchStream } from "../src/index.js";

describe("the torch stream", () => {
  it("starts with torch.rand's numbers", () => {
    expect([...torchStream(1).uniform(3)]).toEqual([
      0.7576315999031067, 0.2793108820915222, 0.40306925773620605,
    ]);
    expect([...torchStream(0).uniform(3)]).toEqual([
      0.49625658988952637, 0.7682217955589294, 0.08847743272781372,
    ]);
  });

  it("scales to a range in float32 as uniform_ does, bit for bit", () => {
    const draws = torchStream(7).uniform(1000, -1 / Math.sqrt(28), 1 / Math.sqrt(28));
    expect([...draws.subarray(0, 4)]).toEqual([
      0.013199479319155216, -0.11384169012308121, 0.060176365077495575, 0.05929894745349884,
    ]);
    const bits = new Uint32Array(draws.buffer);
    expect(bits.reduce((sum, word) => sum + word, 0)).toBe(2104516564851);
  });

  it("permutes as randperm does and goes on from there", () => {
    const stream = torchStream(0);
    expect([...stream.permutation(36_500).subarray(0, 8)]).toEqual([
      2544, 5002, 6757, 7322, 5207, 21224, 4695, 19015,
    ]);
    expect([...stream.uniform(2)]).toEqual([0.25676339864730835, 0.5587198734283447]);
  });

  it("gives every place of a large permutation", () => {
    const order = torchStream(3).permutation(60_000);
    expect(order.reduce((sum, value, i) => sum + value * i, 0)).toBe(54067287695870);
  });

  it("gives torch's small permutations in a row", () => {
    const stream = torchStream(3);
    expect([0, 1, 2, 5].map((n) => [...stream.permutation(n)])).toEqual([[], [0], [0, 1], [3, 2, 1, 0, 4]]);
  });
});

describe("the numpy stream", () => {
  it("gives every distribution's numbers in one sequence", () => {
    const stream = numpyStream(0);
    const times = <T>(n: number, draw: () => T) => Array.from({ length: n }, draw);
    expect(times(3, stream.double)).toEqual([0.5488135039273248, 0.7151893663724195, 0.6027633760716439]);
    const close = (values: ArrayLike<number>, expected: number[]) => {
      expect(values.length).toBe(expected.length);
      for (const [i, value] of expected.entries()) expect(values[i]).toBeCloseTo(value, 13);
    };
    close(times(2, stream.exponential), [0.7872011523172707, 0.5510484910954992]);
    close(times(3, stream.normal), [-0.8427240538292873, 1.9699244478698945, 1.2661185298577784]);
    close(
      [0.3, 1, 2.5, 0.9, 7].map(stream.gamma),
      [0.11964594517989124, 2.5982541539254407, 1.5040828329868592, 1.7020736316997707, 6.208727341036405],
    );
    close(
      stream.dirichlet([0.3, 0.3, 0.3, 0.3]),
      [0.00631261841412538, 0.01198391992351112, 0.8893123969458558, 0.09239106471650776],
    );
    expect(times(5, () => stream.below(100))).toEqual([55, 28, 34, 0, 0]);
    expect([...stream.permutation(8)]).toEqual([3, 2, 1, 7, 0, 6, 5, 4]);
    expect([...stream.choice(1000, 5)]).toEqual([252, 75, 678, 627, 330]);
    expect(stream.double()).toBe(0.13190324974037926);
  });

  it("takes the largest seed", () => {
    expect(numpyStream(4294967295).double()).toBe(0.0976320289940138);
  });

  it("draws the Dirichlet priors of the federated experiments", () => {
    const prior = numpyStream(0).dirichlet(Array(10).fill(0.3));
    expect([...prior].map((p) => p.toFixed(4))).toEqual(
      "0.0253 0.0346 0.0107 0.0119 0.0925 0.0284 0.0000 0.0000 0.0855 0.7110".split(" "),
    );
  });

  it("refuses seeds, shapes and sizes that numpy would refuse", () => {
    expect(() => numpyStream(-1)).toThrow(InputError);
    expect(() => torchStream(0.5)).toThrow(/whole number/);
    expect(() => numpyStream(0).gamma(0)).toThrow(/above 0/);
    expect(() => numpyStream(0).choice(3, 4)).toThrow(/4 different items from 3/);
    expect(() => numpyStream(0).dirichlet([1e-9, 1e-9])).toThrow(/too small/);
  });
});
