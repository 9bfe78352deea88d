// Counting without sorting: different numbers, and rows that are equal.
import { numberColumn, parseCsv } from "@pliant/data";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differentIn, duplicatesIn } from "../src/data/duplicates.js";

describe("different numbers", () => {
  it("are those of a set, with one zero and without NaN", () => {
    const value = fc.oneof(
      fc.constantFrom(0, -0, Number.NaN, 1, -1, 1e300, 5e-324),
      fc.double(),
      fc.integer({ min: 0, max: 9 }),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 300 }), (list) => {
        const known = new Set(list.filter((x) => !Number.isNaN(x)));
        expect(differentIn(Float64Array.from(list))).toBe(known.size);
      }),
    );
  });

  it("are counted where the table of those met has to grow, twice", () => {
    const values = Float64Array.from({ length: 60_000 }, (_, i) => (i % 20_000) / 7);
    expect(differentIn(values)).toBe(20_000);
  });
});

describe("equal rows", () => {
  const table = (name: string, lines: readonly string[]) =>
    parseCsv(["x,city,z", ...lines].join("\n"), { source: name });
  /** Rows that are all different. */
  const other = Array.from({ length: 40 }, (_, i) => `${i},c${i % 5},${i * i}`);

  it("are found across tables whose categories are numbered otherwise, gaps being equal to gaps", () => {
    const train = table("train.csv", [...other, "0.5,Lyon,", "-1,,7", "0,Nice,100"]);
    const test = table("test.csv", ["-1,,7", "0.5,Lyon,", "0.5,Nice,", "-0,Nice,100", "-1,,8"]);
    expect(numberColumn(test, "x").values[3]).toBe(-0);
    const found = duplicatesIn(
      [
        ["train", train],
        ["test", test],
      ],
      ["x", "city", "z"],
    );
    expect(found).toMatchObject({ rows: 3, learnt: { test: 3 } });
    expect(found!.such[0]).toEqual(["test.csv, line 2", "line 43"]);
  });

  it("are none where every row differs in one cell", () => {
    expect(duplicatesIn([["train", table("train.csv", other)]], ["x", "city", "z"])).toBeUndefined();
  });
});
