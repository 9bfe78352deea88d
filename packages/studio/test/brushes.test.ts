// Runs that are kept by ranges of axes.
import { expect, test } from "vitest";
import { brushFrom, brushText, within } from "../page/src/compare/brushes.js";

const axes = [
  { name: "cost", values: [1, 2, 3, null] },
  { name: "a: beyond its level", values: [0.3, 0.2, -0.1, 0] },
];
const kept = (...brushes: { axis: string; from: number; to: number }[]): number[] =>
  [0, 1, 2, 3].filter((run) => within(axes, brushes, run));

test("a run within every range is kept, its ends among them", () => {
  expect(kept()).toEqual([0, 1, 2, 3]);
  expect(kept({ axis: "cost", from: 2, to: 3 })).toEqual([1, 2]);
  expect(kept({ axis: "cost", from: 1, to: 2 }, { axis: "a: beyond its level", from: 0, to: 0.25 })).toEqual([
    1,
  ]);
});
test("a run without the number is not, and an axis that is not there keeps nobody out", () => {
  expect(kept({ axis: "cost", from: 0, to: 9 })).toEqual([0, 1, 2]);
  expect(kept({ axis: "gone", from: 5, to: 6 })).toEqual([0, 1, 2, 3]);
});
test("ranges are in the address, whatever the axis is called", () => {
  for (const brush of [
    { axis: "a~b: c", from: -0.5, to: 1e-7 },
    { axis: "cost ×", from: 0, to: 0 },
  ])
    expect(brushFrom(brushText(brush))).toEqual(brush);
  for (const text of ["", "1~2", "x~2~a", "3~2~a", "1~Infinity~a", "1~2~"])
    expect([text, brushFrom(text)]).toEqual([text, undefined]);
});
