import { expect, test } from "vitest";
import { afterFailure } from "../src/protocol/blame.js";

const sites = (...names: string[]) => new Set(names);

test("suspects in every failed set remain", () => {
  expect(afterFailure(["a", "b", "c", "d"], [sites("a", "b"), sites("b", "c")])).toEqual(["b"]);
});

test("failed sets without a common suspect accuse nobody alone: all of their sites are suspects again", () => {
  expect(afterFailure(["a", "b", "c"], [sites("a"), sites("b", "c")])).toEqual(["a", "b", "c"]);
});
