// The rare branches of the streams, against numpy 2.4 and torch 2.15 for the same seeds.

import { describe, expect, test } from "vitest";
import { numpyStream, torchStream } from "../src/index.js";

test("gammas above shape 1 are numpy's, thousands in a row, those that the squeeze sends back among them", () => {
  const stream = numpyStream(5);
  const all = [1.0000001, 1.05, 1.5, 4].map((shape) => {
    const draws = Array.from({ length: 1500 }, () => stream.gamma(shape));
    return [draws.reduce((sum, x, i) => sum + x * (i + 1), 0), draws[1499]];
  });
  const expected = [
    [1090530.0111331171, 0.09076449185416714],
    [1167209.12791012, 3.009363490843418],
    [1733741.015885776, 0.5385435062188343],
    [4475399.534684187, 3.0284483638934896],
  ];
  for (const [i, pair] of expected.entries())
    for (const [j, value] of pair.entries()) expect(all[i][j] / value).toBeCloseTo(1, 12);
  expect(stream.double()).toBe(0.08744401949219027);
});

describe("the numpy stream", () => {
  test("takes no draw where there is no choice", () => {
    const stream = numpyStream(9);
    expect(stream.below(1)).toBe(0);
    expect(stream.double()).toBe(0.010374153885699955);
  });

  test("draws whole numbers below powers of 2 and beside them", () => {
    const stream = numpyStream(11);
    expect([2, 3, 4, 5, 8, 9, 1000, 65536].map(stream.below)).toEqual([1, 0, 3, 1, 7, 1, 583, 62290]);
  });

  test("chooses all, or none", () => {
    expect([...numpyStream(9).choice(3, 3)]).toEqual([1, 0, 2]);
    expect([...numpyStream(9).choice(3, 0)]).toEqual([]);
  });

  test("refuses a seed of more than 32 bits, as numpy does", () => {
    expect(() => numpyStream(2 ** 32)).toThrow("from 0 to 4294967295, not 4294967296");
  });
});

test("the torch stream goes on where it stopped", () => {
  const stream = torchStream(1);
  expect([...stream.uniform(2), ...stream.uniform(2)]).toEqual([
    0.7576315999031067, 0.2793108820915222, 0.40306925773620605, 0.7346844673156738,
  ]);
  const mixed = torchStream(1);
  expect([...mixed.uniform(1)]).toEqual([0.7576315999031067]);
  expect([...mixed.permutation(4)]).toEqual([3, 1, 2, 0]);
});
