import { expect, test } from "vitest";
import { afterFailure, afterSum, sittingOut } from "../src/protocol/blame.js";

const sites = (...names: string[]) => new Set(names);

test("suspects in every failed set remain", () => {
  expect(afterFailure(["a", "b", "c", "d"], [sites("a", "b"), sites("b", "c")])).toEqual(["b"]);
});

test("failed sets without a common suspect accuse nobody alone: all of their sites are suspects again", () => {
  expect(afterFailure(["a", "b", "c", "d"], [sites("a", "d"), sites("b", "c")])).toEqual([
    "a",
    "d",
    "b",
    "c",
  ]);
});

test("a set of one is proof, whatever else failed", () => {
  expect(afterFailure(["a", "b", "c"], [sites("b", "c"), sites("a")])).toEqual(["a"]);
});

test("sums that come out clear nobody while others sit out; after enough rounds, which double, all are cleared", () => {
  expect(afterSum(["a", "b", "c"], sites("a", "b", "d"), 1, 1)).toEqual(["a", "b", "c"]);
  expect(afterSum(["a", "b", "c"], sites("a", "b", "d"), 3, 1)).toEqual([]);
  expect(afterSum(["a", "b", "c"], sites("a", "b", "c"), 1, 1)).toEqual([]);
  expect(afterSum(["a", "b", "c"], sites("a", "b", "c"), 3, 3)).toEqual(["a", "b", "c"]);
});

test("two indistinguishable suspects are never summed together again", () => {
  expect(afterSum(["a", "b"], sites("a", "c", "d"), 1000, 1)).toEqual(["a", "b"]);
  const out = [3, 4, 5].map((step) => sittingOut(["a", "b"], ["a", "b", "c", "d"], 3, step));
  expect(out).toEqual([["b"], ["a"], ["b"]]);
});
