// The threshold that gives a class to just so many examples.
import fc from "fast-check";
import { expect, test } from "vitest";
import { shiftFor } from "../src/fit/threshold.js";

const given = (scores: readonly number[], by: number): number => scores.filter((s) => s + by > 0).length;

test("just so many of different scores are given the class", () => {
  const scores = [0.3, -2, 1.7, 0.9, -0.4];
  for (let count = 0; count <= 5; count++)
    for (const bound of ["no more", "no fewer"] as const)
      expect(given(scores, shiftFor(scores, count, bound))).toBe(count);
});

test("where scores are equal, no more or no fewer", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 12 }),
      fc.nat(12),
      (scores, asked) => {
        const count = Math.min(asked, scores.length);
        const few = given(scores, shiftFor(scores, count, "no more"));
        const many = given(scores, shiftFor(scores, count, "no fewer"));
        expect(few).toBeLessThanOrEqual(count);
        expect(many).toBeGreaterThanOrEqual(count);
        // And none further than it must be.
        const reachable = [0, ...new Set(scores)].map((_, i) =>
          given(
            scores,
            [...new Set(scores)].sort((a, b) => b - a)[i - 1] === undefined
              ? -10
              : -[...new Set(scores)].sort((a, b) => b - a)[i - 1] + 0.5,
          ),
        );
        expect(few).toBe(Math.max(...reachable.filter((n) => n <= count)));
        expect(many).toBe(Math.min(...reachable.filter((n) => n >= count)));
      },
    ),
  );
});
