// The drift of new rows from training rows, by hand; files are tested with the command.
import { expect, test } from "vitest";
import { driftOfGroups } from "../src/data/drift.js";

test("how far a mix of groups moved is by their shares of the training rows", () => {
  const cells = ["A", "A", "A", "B", "C", null];
  const found = driftOfGroups("ward", cells, { A: 20, B: 60, "(missing)": 20 });
  const moved = (p: number, q: number): number => (q - p) * Math.log(q / p);
  // C is new: of it there was half a row.
  const index = moved(0.2, 3 / 6) + moved(0.6, 1 / 6) + moved(0.2, 1 / 6) + moved(0.005, 1 / 6);
  expect(found.index).toBeCloseTo(index, 12);
  expect(found.chance).toBeCloseTo(3 * (1 / 100 + 1 / 6), 12);
  expect(found.most).toEqual({ bin: "B", was: 0.6, is: 1 / 6 });
});
