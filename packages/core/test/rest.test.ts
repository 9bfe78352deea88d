import { expect, test } from "vitest";
import { rest } from "../src/rest.js";

const terms = {};

test("what was the same over ten looks stands still; what moved in one of them, or was looked at less often, does not", () => {
  const stands = rest();
  const said = Array.from({ length: 14 }, (_, i) => stands(25 * i, i === 1 ? 1.2 : 1, 0.1, terms));
  expect(said).toEqual(Array.from({ length: 14 }, (_, i) => i >= 11));
  // The same state again is no other look.
  expect(stands(25 * 13, 1, 0.1, terms)).toBe(true);
});

test("an earlier step and other terms begin anew", () => {
  const stands = rest();
  const tenLooks = (of: object) => Array.from({ length: 10 }, (_, i) => stands(i, 1, 0, of)).at(-1);
  expect(tenLooks(terms)).toBe(true);
  expect(stands(10, 1, 0, {})).toBe(false);
  expect(tenLooks(terms)).toBe(true);
  expect(stands(3, 1, 0, terms)).toBe(false);
});
