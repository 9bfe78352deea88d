// Laws of downsampling: a subset, in order, no larger than asked, with what an eye would miss.
import fc from "fast-check";
import { expect, test } from "vitest";
import { downsample, evenly, thinPath } from "../src/downsample.js";

const numbers = fc.array(fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.constant(Number.NaN)), {
  maxLength: 600,
});

test("keeps first, last, least and greatest, in order, and no more than asked", () => {
  fc.assert(
    fc.property(numbers, fc.integer({ min: 4, max: 200 }), (y, points) => {
      const x = y.map((_, i) => 10 * i);
      const kept = downsample(x, y, { points });
      const given = y.map((v, i) => [x[i], v]).filter(([, v]) => Number.isFinite(v));
      expect(kept.x.length).toBeLessThanOrEqual(points);
      const pairs = kept.x.map((at, i) => [at, kept.y[i]]);
      for (const [at, value] of pairs) expect(y[at / 10]).toBe(value);
      expect(kept.x).toEqual([...kept.x].sort((a, b) => a - b));
      expect(new Set(kept.x).size).toBe(kept.x.length);
      if (given.length === 0) return;
      expect(pairs[0]).toEqual(given[0]);
      expect(pairs.at(-1)).toEqual(given.at(-1));
      expect(Math.min(...kept.y)).toBe(Math.min(...given.map(([, v]) => v)));
      expect(Math.max(...kept.y)).toBe(Math.max(...given.map(([, v]) => v)));
    }),
  );
});

test.each([1, -1])("a single spike of %i among thousands is kept", (spike) => {
  const x = Array.from({ length: 5000 }, (_, i) => i);
  for (const at of [1, 2501, 3333, 4998]) {
    const kept = downsample(
      x,
      x.map((i) => (i === at ? spike : 0)),
      { points: 100 },
    );
    expect(kept.y[kept.x.indexOf(at)]).toBe(spike);
  }
});

test("a short series stays as it is", () => {
  expect(downsample([1, 2, 3], [5, Number.NaN, 7])).toEqual({ x: [1, 3], y: [5, 7] });
});

test("a path keeps its ends and its order", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 2, max: 300 }), (length, points) => {
      const x = Array.from({ length }, (_, i) => i);
      const kept = thinPath(x, x, { points });
      expect(kept.x.length).toBe(Math.min(length, points));
      expect([kept.x[0], kept.x.at(-1)]).toEqual([0, length - 1]);
      expect(kept.x).toEqual([...kept.x].sort((a, b) => a - b));
    }),
  );
});

test("evenly chosen rounds have the first and the last", () => {
  expect(evenly([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([1, 4, 7]);
});
