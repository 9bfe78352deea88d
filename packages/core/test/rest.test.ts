import { expect, test } from "vitest";
import { rest } from "../src/certificate/stall-window.js";

const terms = {};

test("what was the same over ten looks stands still; what moved in one of them, or was looked at less often, does not", () => {
  const stands = rest();
  const said = Array.from({ length: 14 }, (_, i) => stands(25 * i, i === 1 ? 1.2 : 1, 0.1, terms));
  expect(said).toEqual(Array.from({ length: 14 }, (_, i) => i >= 11));
});

test("a look back at what was seen says what the last look said", () => {
  const stands = rest();
  const values = Array.from({ length: 14 }, (_, i) => 1 / (i + 1) ** 3);
  values.forEach((value, i) => {
    stands(i, value, 0.01, terms);
  });
  expect(stands(13, values[13], 0.02, terms)).toBe(true);
  expect(stands(2, values[2], 0.02, terms)).toBe(true);
  expect(stands(2, values[2], 0.001, terms)).toBe(false);
});

test("another earlier step and other terms begin anew", () => {
  const stands = rest();
  const tenLooks = (of: object, value: number) =>
    Array.from({ length: 10 }, (_, i) => stands(i, value, 0, of)).at(-1);
  expect(tenLooks(terms, 1)).toBe(true);
  expect(stands(10, 1, 0, {})).toBe(false);
  expect(tenLooks(terms, 1)).toBe(true);
  expect(stands(3, 2, 0, terms)).toBe(false);
  expect(tenLooks(terms, 3)).toBe(true);
});

test.each([9, 5])("another value at step %d, however near, begins anew", (step) => {
  const stands = rest();
  const said = Array.from({ length: 10 }, (_, i) => stands(i, 1, 1, terms));
  expect(said.at(-1)).toBe(true);
  expect(stands(step, 1.5, 1, terms)).toBe(false);
});
