import { nearest, unknownName } from "@pliant/core";
import { expect, test } from "vitest";

const known = ["mnist", "fashion-mnist", "strokes", "rotated-90", "rotated-180"];

test.each([
  ["mnits", ["mnist"]],
  ["MNIST", ["mnist"]],
  ["strocks", ["strokes"]],
  ["rotated-10", ["rotated-90", "rotated-180"]],
  ["fashion", ["fashion-mnist"]],
  ["stks", ["strokes"]],
  ["zebra", []],
])("near %s are %s", (given, names) => {
  expect(nearest(given, known)).toEqual(names);
});

test("an unknown name is answered with the nearest and all there are", () => {
  expect(unknownName("a dataset", "mnits", ["mnist", "strokes"]).message).toBe(
    '"mnits" is not a dataset; did you mean "mnist"? There are: mnist, strokes.',
  );
});
