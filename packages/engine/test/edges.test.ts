// Every operation on NaN, infinities, both zeros, subnormals, the largest numbers and empty arrays, on every back end (on XLA in
// edges-xla.test.ts): the results equal the reference's, element by element, to the units in the last place that the README states.
import { onnx } from "@pliant/engine/onnx";
import { afterAll, describe, expect, test } from "vitest";
import * as operations from "../src/ops/index.js";
import { edgesOn, names } from "./edges/on.js";
import { promised } from "./edges/promises.js";

test("every operation is here", () => {
  expect(names.toSorted()).toEqual(Object.keys(operations).sort());
});

test("promises are about operations there are", () => {
  expect([...promised.keys()].filter((name) => !names.includes(name))).toEqual([]);
  expect(promised.size).toBeGreaterThan(10);
});

const backend = await onnx({ threads: 1 });
afterAll(() => backend.close());
describe("onnx gives what the reference gives at the edges of", () => edgesOn(backend));
