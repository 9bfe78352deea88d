// Which share of a GPU's memory is asked for: none at once unless somebody says how much.
import { expect, test } from "vitest";
import { memoryAsked } from "../src/xla/memory.js";

test("without a word memory is taken as it is needed", () => {
  expect(memoryAsked({}, {})).toEqual({ memoryFraction: undefined, preallocate: false });
  expect(memoryAsked({ preallocate: undefined }, { PLIANT_GPU_MEMORY: "" })).toEqual({
    memoryFraction: undefined,
    preallocate: false,
  });
});

test.each(["0.25", " 25% "])(
  "PLIANT_GPU_MEMORY=%s takes a quarter at once, and no more",
  (PLIANT_GPU_MEMORY) => {
    expect(memoryAsked({}, { PLIANT_GPU_MEMORY })).toEqual({ memoryFraction: 0.25, preallocate: true });
  },
);

test("an explicit setting of the program overrides the environment", () => {
  const env = { PLIANT_GPU_MEMORY: "0.25" };
  expect(memoryAsked({ memoryFraction: 0.5, preallocate: false }, env)).toEqual({
    memoryFraction: 0.5,
    preallocate: false,
  });
  expect(memoryAsked({ preallocate: false }, env)).toEqual({ memoryFraction: 0.25, preallocate: false });
});

test.each(["8GB", "0", "1.5", "-1", "120%"])("PLIANT_GPU_MEMORY=%s is refused in a sentence", (text) => {
  expect(() => memoryAsked({}, { PLIANT_GPU_MEMORY: text })).toThrow(
    `PLIANT_GPU_MEMORY is "${text}"; it is the share of a GPU's memory that this process takes, as 0.25 or 25%, above 0 and at most 1.`,
  );
});
