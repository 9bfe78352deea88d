import { didYouMean, nearest, unknownName } from "@pliant/core";
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
    '"mnits" is not a dataset; did you mean "mnist"? Choose from: mnist, strokes.',
  );
});

test("the nearest name is suggested as it is written; without a near name the sentence ends", () => {
  expect(didYouMean("rotated-10", known)).toBe('; did you mean "rotated-90" or "rotated-180"?');
  expect(didYouMean("mnits", known, (name) => `--${name}`)).toBe("; did you mean --mnist?");
  expect(didYouMean("zebra", known)).toBe(".");
});
