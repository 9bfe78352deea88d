import { InputError } from "@pliant/core";
import { random } from "@pliant/engine";
import { epochBatches, shuffles } from "@pliant/learn";
import { describe, expect, test } from "vitest";

const permutation = shuffles(random.key(3));
const sizes = [
  [12, 4],
  [13, 4],
  [5, 8],
  [1, 1],
  [100, 7],
];

describe.each(sizes)("%i samples by %i", (size, batch) => {
  test("with remainders kept, an epoch has every sample once", () => {
    const all = epochBatches({ size, batch, permutation, remainder: "keep" });
    for (const epoch of [0, 3]) {
      const seen = Array.from({ length: all.stepsPerEpoch }, (_, i) => [
        ...all.rows(epoch * all.stepsPerEpoch + i),
      ]);
      expect(seen.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
    }
  });

  test("with remainders dropped, an epoch has no sample twice, and only full batches", () => {
    const all = epochBatches({ size, batch, permutation });
    const seen = Array.from({ length: all.stepsPerEpoch }, (_, i) => [...all.rows(i)]);
    expect(seen.every((rows) => rows.length === Math.min(batch, size))).toBe(true);
    expect(new Set(seen.flat()).size).toBe(all.stepsPerEpoch * Math.min(batch, size));
    expect(size - seen.flat().length).toBeLessThan(batch);
  });

  test("the rows of a step depend only on its number, so resumed runs and slices agree", () => {
    const one = epochBatches({ size, batch, permutation });
    const another = epochBatches({ size, batch, permutation });
    const from = 2 * one.stepsPerEpoch + 1;
    const expected = [0, 1, 2].flatMap((i) => [...one.rows(from + i)]);
    one.rows(0);
    expect([...another.slices(from, 3).data]).toEqual(expected);
    expect([...one.slices(from, 3).data]).toEqual(expected);
    expect(another.slices(from, 3).shape).toEqual([3, Math.min(batch, size)]);
  });
});

test("epochs have different orders", () => {
  const all = epochBatches({ size: 50, batch: 50, permutation });
  expect(all.epochOf(1)).toBe(1);
  expect([...all.rows(0)]).not.toEqual([...all.rows(1)]);
});

test("each epoch's order is computed once for consecutive steps", () => {
  const asked: number[] = [];
  const all = epochBatches({
    size: 6,
    batch: 2,
    permutation: (epoch, size) => {
      asked.push(epoch);
      return permutation(epoch, size);
    },
  });
  for (let step = 0; step < 9; step++) all.rows(step);
  expect(asked).toEqual([0, 1, 2]);
});

test("mistakes are reported in one sentence", () => {
  const wrong = { size: 10, batch: 0, permutation };
  expect(() => epochBatches(wrong)).toThrow("batch must be a whole number of samples, got 0");
  const short = epochBatches({ size: 10, batch: 5, permutation: () => new Int32Array(9) });
  expect(() => short.rows(0)).toThrow("the order of epoch 0 has 9 entries, not 10");
  const kept = epochBatches({ size: 10, batch: 4, permutation, remainder: "keep" });
  expect(() => kept.slices(0, 2)).toThrow(InputError);
});
