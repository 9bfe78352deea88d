// The rows in folds: each kept for testing once, alike in size and, where asked, in classes, or whole groups at once.
import { InputError } from "@pliant/core";
import { categoryColumn, numberColumn, parseCsv, type Table } from "@pliant/data";
import { describe, expect, test } from "vitest";
import { type Folds, foldsOf, splitRows } from "../src/data/split.js";

/** The testing rows of each fold, by the number in their first column. */
function foldsIn(table: Table, how: Folds, { seed = 1, strata = [] as string[] } = {}): number[][] {
  const mistake = (_: unknown, sentence: string) => new InputError(sentence);
  return Array.from({ length: how.folds }, (_, i) => {
    const { train, test } = splitRows(table, { test: { ...how, fold: i + 1 } }, { seed, strata, mistake });
    const [kept, learnt] = [test!, train].map((part) => Array.from(numberColumn(part, "n").values));
    // Each row is on one side.
    expect([...kept, ...learnt].sort((a, b) => a - b)).toEqual(
      Array.from({ length: table.rows }, (_, n) => n),
    );
    return kept;
  });
}
const sizes = (parts: readonly (readonly number[])[]) => parts.map(({ length }) => length);
const inOrder = (parts: readonly (readonly number[])[]) => parts.flat().sort((a, b) => a - b);

const written = (rows: readonly string[], columns: string) =>
  parseCsv(`n,${columns}\n${rows.map((row, n) => `${n},${row}`).join("\n")}\n`, {
    columns: Object.fromEntries(columns.split(",").map((name) => [name, "category" as const])),
  });
const people = (...counts: readonly (readonly [name: string, rows: number])[]) =>
  written(
    counts.flatMap(([name, rows]) => Array<string>(rows).fill(name)),
    "who",
  );

describe("folds", () => {
  const eleven = written(
    Array.from({ length: 11 }, () => "x"),
    "y",
  );

  test("have every row once, and sizes that differ by one at most", () => {
    const parts = foldsIn(eleven, { folds: 3 });
    expect(sizes(parts)).toEqual([4, 4, 3]);
    expect(inOrder(parts)).toEqual(Array.from({ length: 11 }, (_, n) => n));
  });

  test("are drawn by the seed, and the first is kept unless another is asked for", () => {
    const [first, second] = [foldsIn(eleven, { folds: 3 }), foldsIn(eleven, { folds: 3 }, { seed: 2 })];
    expect(foldsIn(eleven, { folds: 3 })).toEqual(first);
    expect(second).not.toEqual(first);
    const mistake = expect.fail;
    const { test: unasked } = splitRows(eleven, { test: { folds: 3 } }, { seed: 1, strata: [], mistake });
    expect(Array.from(numberColumn(unasked!, "n").values)).toEqual(first[0]);
  });

  test("need two rows each", () => {
    expect(sizes(foldsIn(eleven, { folds: 5 }))).toEqual([3, 2, 2, 2, 2]);
    const ten = people(["a", 10]);
    expect(sizes(foldsIn(ten, { folds: 5 }))).toEqual([2, 2, 2, 2, 2]);
    expect(() => foldsIn(ten, { folds: 6 })).toThrow("the table has 10 rows, too few for 6 folds.");
  });

  test("are of the rows that are not kept for validation by name", () => {
    const table = people(["a", 6], ["b", 4]);
    const mistake = expect.fail;
    const kept = { test: { folds: 2, fold: 2 }, validation: { column: "who", value: "b" } };
    const parts = splitRows(table, kept, { seed: 1, strata: [], mistake });
    expect([parts.train.rows, parts.test!.rows, parts.validation!.rows]).toEqual([3, 3, 4]);
  });
});

test("stratified folds have each class within a row of its part", () => {
  const table = written(
    Array.from({ length: 60 }, (_, i) => `${i % 10 === 0 ? "yes" : "no"},${i % 4 === 0 ? "B" : "A"}`),
    "y,group",
  );
  const cell = (name: string, n: number) => {
    const { codes, categories } = categoryColumn(table, name);
    return categories[codes[n]];
  };
  for (const seed of [1, 2, 3]) {
    const parts = foldsIn(table, { folds: 5, stratified: true }, { seed, strata: ["y", "group"] });
    expect(sizes(parts)).toEqual([12, 12, 12, 12, 12]);
    for (const [y, group, all] of [
      ["yes", "B", 3],
      ["yes", "A", 3],
      ["no", "B", 12],
      ["no", "A", 42],
    ] as const)
      for (const part of parts) {
        const count = part.filter((n) => cell("y", n) === y && cell("group", n) === group).length;
        expect(Math.abs(count - all / 5)).toBeLessThan(1);
      }
  }
});

describe("folds of whole groups", () => {
  test("have nobody in two, the largest first to where the fewest rows are", () => {
    const table = people(["a", 1], ["b", 2], ["c", 3], ["d", 7], ["e", 5], ["f", 6]);
    const { codes } = categoryColumn(table, "who");
    for (const seed of [1, 2, 3]) {
      const parts = foldsIn(table, { folds: 3, by: "who" }, { seed });
      // d, f and e, then c to e, b to f, a to d.
      expect(sizes(parts)).toEqual([8, 8, 8]);
      const owners = parts.map((part) => [...new Set(part.map((n) => codes[n]))].sort());
      expect(owners).toEqual([
        [0, 3],
        [1, 5],
        [2, 4],
      ]);
    }
  });

  test("take a row without a group for a group of its own", () => {
    const table = people(["", 4], ["a", 1], ["b", 1]);
    expect(sizes(foldsIn(table, { folds: 3, by: "who" }))).toEqual([2, 2, 2]);
  });

  test("need a group each", () => {
    expect(sizes(foldsIn(people(["a", 3], ["b", 4], ["c", 5]), { folds: 3, by: "who" }))).toEqual([5, 4, 3]);
    expect(() => foldsIn(people(["a", 6], ["b", 6]), { folds: 3, by: "who" })).toThrow(
      'the table: "who" has 2 groups, too few for 3 folds.',
    );
  });
});

test("only rows kept in folds have folds", () => {
  expect(foldsOf({ folds: 4, stratified: true })).toEqual({ folds: 4, stratified: true });
  for (const kept of [undefined, 0.3, "test.csv", { share: 0.3, by: "who" }, { last: 0.2, of: "n" }])
    expect(foldsOf(kept)).toBeUndefined();
});
