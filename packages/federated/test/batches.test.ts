// Local steps: sizes of batches, and that every sample is seen as often as it should be.

import { batchSizes } from "@pliant/federated";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { segmentsOf, widthsFor } from "../src/batches.js";

describe("batch sizes", () => {
  const fifth = { rate: 1, batch: { stepsPerEpoch: 5 } };
  test.each([
    [365, 73, 5, 73],
    [357, 71, 6, 2],
    [351, 70, 6, 1],
    [438, 87, 6, 3],
    [429, 85, 6, 4],
    [431, 86, 6, 1],
  ])("a fifth of %i is %i: %i batches, the last of %i", (samples, size, batches, last) => {
    const sizes = batchSizes(samples, fifth);
    expect([sizes[0], sizes.length, sizes.at(-1)]).toEqual([size, batches, last]);
    expect(batchSizes(samples, { ...fifth, remainder: "drop" })).toEqual(Array(5).fill(size));
  });

  test("a client with fewer samples than a batch takes one step on all it has", () => {
    expect(batchSizes(3, { rate: 1, batch: 10, remainder: "drop" })).toEqual([3]);
    expect(batchSizes(3, fifth)).toEqual([1, 1, 1]);
    expect(batchSizes(7, { rate: 1 })).toEqual([7]);
  });
});

test("every sample is seen once per epoch, weights of a batch sum to 1, idle clients do not change", () => {
  const problem = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 23 }), { minLength: 1, maxLength: 5 }),
    batch: fc.integer({ min: 1, max: 9 }),
    epochs: fc.integer({ min: 1, max: 3 }),
    trimmed: fc.boolean(),
  });
  fc.assert(
    fc.property(problem, ({ sizes, batch, epochs, trimmed }) => {
      const local = { rate: 0.25, batch, epochs };
      const starts = sizes.map((_, c) => 100 * c);
      const segments = segmentsOf({
        clients: sizes.map((_, c) => c),
        rowsOf: (c) => Array.from({ length: sizes[c] }, (_, i) => starts[c] + i),
        local,
        order: (_, epoch, n) => Array.from({ length: n }, (_, i) => (i + epoch) % n),
        epoch: 0,
        stacked: true,
        widthFor: trimmed ? widthsFor(sizes.flatMap((n) => batchSizes(n, local))) : () => batch,
        dtype: "float64",
      });
      for (const [c, size] of sizes.entries()) {
        const seen = new Map<number, number>();
        let steps = 0;
        for (const { slices, width, steps: count } of segments) {
          for (let k = 0; k < count; k++) {
            const place = k * sizes.length + c;
            const weights = Array.from(slices.weights.data.subarray(place * width, (place + 1) * width));
            const total = weights.reduce((a, b) => a + b, 0);
            const rate = slices.rate.data[place];
            expect(total).toBeCloseTo(rate > 0 ? 1 : 0, 12);
            if (rate > 0) steps++;
            for (const [i, w] of weights.entries()) {
              if (w === 0) continue;
              const row = slices.rows.data[place * width + i];
              seen.set(row, (seen.get(row) ?? 0) + 1);
            }
          }
        }
        expect(steps).toBe(epochs * batchSizes(size, local).length);
        expect([...seen.keys()].sort((a, b) => a - b)).toEqual(
          Array.from({ length: size }, (_, i) => starts[c] + i),
        );
        expect(new Set(seen.values())).toEqual(new Set([epochs]));
      }
    }),
  );
});
