// Flips and crops of the CIFAR-10 clients, on black as standardised pixels have it.
import { constant, evaluate, full, NdArray } from "@pliant/engine";
import { expect, test } from "vitest";
import { augmentationOf } from "../src/federated/federation.js";
import { recipe } from "../src/federated/recipe.js";

const request = { dataset: "cifar-10", method: "resilient", preset: "official" } as const;

test("as published the losses that drive the prices see it too, corrected they do not, and as stated there is none", () => {
  expect(augmentationOf(recipe(request))?.losses).toBe(true);
  expect(augmentationOf(recipe({ ...request, preset: "corrected" }))?.losses).toBe(false);
  expect(augmentationOf(recipe({ ...request, preset: "stated" }))).toBeUndefined();
  expect(augmentationOf(recipe({ ...request, dataset: "fashion-mnist" }))).toBeUndefined();
});

test("an image cut at the corner of its border shows black there", () => {
  const { apply } = augmentationOf(recipe(request))!;
  // Not mirrored, moved down and right by the whole border of 4.
  const numbers = new NdArray(Float32Array.of(0.9, 0, 0), [1, 3]);
  const { data } = evaluate(apply(constant(full([1, 3, 32, 32], 7)), constant(numbers)));
  const black = [-0.485 / 0.229, -0.456 / 0.224, -0.406 / 0.225];
  for (const [channel, level] of black.entries()) {
    expect(data[channel * 1024 + 3 * 32 + 3]).toBeCloseTo(level, 5);
    expect(data[channel * 1024 + 4 * 32 + 4]).toBeCloseTo(7, 5);
  }
});
