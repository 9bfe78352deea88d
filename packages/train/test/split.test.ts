// Which rows are kept apart: in proportion, whole groups at once, or the last in time.

import { InputError } from "@pliant/core";
import { categoryColumn, numberColumn, parseCsv, type Table } from "@pliant/data";
import { describe, expect, test } from "vitest";
import { rowsOf } from "../src/data/rows.js";
import { type Kept, keptColumn, orderColumn, splitRows } from "../src/data/split.js";

const rows = Array.from({ length: 400 }, (_, i) => {
  const day = String(1 + (i % 28)).padStart(2, "0");
  return `${i},p${i % 37},${i % 10 === 0 ? "yes" : "no"},${i % 4 === 0 ? "B" : "A"},2024-0${1 + (i % 3)}-${day}`;
});
const table = parseCsv(`n,patient,y,group,on\n${rows.join("\n")}\n`, { columns: { patient: "category" } });

const split = (kept: { test?: Kept; validation?: Kept }, seed = 1, of: Table = table) =>
  splitRows(of, kept, {
    seed,
    strata: ["y", "group"],
    mistake: (_, sentence) => new InputError(sentence),
  });
const numbers = (part: Table | undefined, name = "n") => Array.from(numberColumn(part!, name).values);
const texts = (part: Table | undefined, name: string) => {
  const { codes, categories } = categoryColumn(part!, name);
  return Array.from(codes, (code) => categories[code]);
};

/** Every row is in one part. */
function whole(parts: ReturnType<typeof split>): void {
  const all = [parts.train, parts.test, parts.validation].flatMap((part) => (part ? numbers(part) : []));
  expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i));
}

describe("a stratified share", () => {
  test("has each class and group in its proportion, to within a row", () => {
    const parts = split({
      test: { share: 0.3, stratified: true },
      validation: { share: 0.1, stratified: true },
    });
    whole(parts);
    expect(parts.test!.rows).toBe(120);
    expect(parts.validation!.rows).toBe(40);
    for (const [part, share] of [
      [parts.test, 0.3],
      [parts.validation, 0.1],
    ] as const)
      for (const y of ["yes", "no"])
        for (const group of ["A", "B"]) {
          const count = (one: Table) => {
            const groups = texts(one, "group");
            return texts(one, "y").filter((cell, i) => cell === y && groups[i] === group).length;
          };
          expect(Math.abs(count(part!) - share * count(table))).toBeLessThanOrEqual(1);
        }
  });

  test("is another for another seed", () => {
    const drawn = (seed: number) =>
      numbers(split({ test: { share: 0.3, stratified: true } }, seed).test).join();
    expect(drawn(1)).toBe(drawn(1));
    expect(drawn(1)).not.toBe(drawn(2));
  });
});

describe("a share of whole groups", () => {
  test("has nobody on both sides, and about the size that was asked", () => {
    const parts = split({ test: { share: 0.3, by: "patient" }, validation: { share: 0.2, by: "patient" } });
    whole(parts);
    const sides = [parts.train, parts.test, parts.validation].map((part) => new Set(texts(part, "patient")));
    for (const [i, side] of sides.entries())
      for (const other of sides.slice(i + 1)) for (const one of side) expect(other.has(one)).toBe(false);
    expect(Math.abs(parts.test!.rows - 120)).toBeLessThanOrEqual(6);
    expect(Math.abs(parts.validation!.rows - 80)).toBeLessThanOrEqual(6);
  });

  const households = (sizes: readonly number[]) =>
    parseCsv(
      `n,home\n${sizes
        .flatMap((size, home) => Array<string>(size).fill(home === 0 ? "" : `h${home}`))
        .map((home, n) => `${n},${home}`)
        .join("\n")}\n`,
      { columns: { home: "category" } },
    );
  const sizeOf = (sizes: readonly number[], rows: number, seed = 1) =>
    split({ test: { share: rows / sizes.reduce((a, b) => a + b), by: "home" } }, seed, households(sizes))
      .test!.rows;

  test("overshoots by a group that is nearer to what was asked than none, and by no other", () => {
    expect(sizeOf([0, 4, 4, 4], 2)).toBe(4);
    expect(sizeOf([0, 4, 4, 4], 5)).toBe(4);
    expect(sizeOf([0, 4, 4, 4], 6)).toBe(8);
  });

  test("takes a row without a group for a group of its own", () => {
    // The one home is too large; of the eight rows without one as many as were asked.
    for (const seed of [1, 2, 3]) {
      expect(sizeOf([8, 22], 5, seed)).toBe(5);
      const { test: own } = split({ test: { share: 8 / 30, by: "home" } }, seed, households([8, 22]));
      expect(numbers(own).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    }
  });

  test("is refused where every group is too large, or all are taken", () => {
    expect(() => sizeOf([0, 5, 5], 2)).toThrow(
      'the table: no whole group of "home" is small enough to be kept apart.',
    );
    expect(() => sizeOf([0, 5, 5], 8)).toThrow("too few to keep a share of 0.8 of them for testing.");
  });
});

describe("a plain share", () => {
  test("has the size that was asked, and is drawn without a look at classes and groups", () => {
    const parts = split({ test: 0.3, validation: 0.1 });
    whole(parts);
    expect([parts.test!.rows, parts.validation!.rows]).toEqual([120, 40]);
    const unaware = splitRows(
      table,
      { test: 0.3, validation: 0.1 },
      { seed: 1, strata: [], mistake: expect.fail },
    );
    for (const part of ["train", "test", "validation"] as const)
      expect(numbers(parts[part])).toEqual(numbers(unaware[part]));
    expect(numbers(parts.test)).not.toEqual(numbers(split({ test: 0.3 }, 2).test));
  });

  test("is refused where it has no row, or leaves none to learn from", () => {
    const four = parseCsv("y,group\na,A\na,B\nb,A\nb,B\n");
    expect(split({ test: 0.25 }, 1, four).test!.rows).toBe(1);
    expect(split({ test: 0.75 }, 1, four).train.rows).toBe(1);
    const refused = "the table has 4 rows, too few to keep a share of";
    expect(() => split({ test: 0.1 }, 1, four)).toThrow(`${refused} 0.1 of them for testing.`);
    expect(() => split({ test: 0.9 }, 1, four)).toThrow(`${refused} 0.9 of them for testing.`);
    expect(() => split({ test: { share: 0.9, stratified: true } }, 1, four)).toThrow(InputError);
    expect(() => split({ test: 0.5, validation: 0.5 }, 1, four)).toThrow(
      `${refused} 0.5 of them for testing and a share of 0.5 of them for validation.`,
    );
    expect(() => split({ test: 0.5, validation: 0.75 }, 1, four)).toThrow(refused);
  });
});

describe("the rows that a column names", () => {
  const sites = parseCsv("n,site\n0,east\n1,west\n2,north\n3,east\n4,west\n5,north\n");
  const at = (value: string): Kept => ({ column: "site", value });

  test("are kept, and the others stay in the order of the file", () => {
    const parts = split({ test: at("west"), validation: at("east") }, 1, sites);
    expect(numbers(parts.test)).toEqual([1, 4]);
    expect(numbers(parts.validation)).toEqual([0, 3]);
    expect(numbers(parts.train)).toEqual([2, 5]);
    expect(numbers(split({ test: { last: 0.5, of: "n" } }, 1, sites).train)).toEqual([0, 1, 2]);
  });

  test("go before a share, which is of all rows", () => {
    const parts = split({ test: 0.5, validation: at("east") }, 1, sites);
    expect(numbers(parts.validation)).toEqual([0, 3]);
    expect(parts.test!.rows).toBe(3);
    expect(parts.train.rows).toBe(1);
  });

  test("are refused where there are none, with the place in the spec", () => {
    const refused = (kept: { test?: Kept; validation?: Kept }) => {
      const said: unknown[] = [];
      const mistake = (path: readonly PropertyKey[], sentence: string) => {
        said.push(path, sentence);
        return new InputError(sentence);
      };
      expect(() => splitRows(sites, kept, { seed: 1, strata: [], mistake })).toThrow(InputError);
      return said;
    };
    expect(refused({ test: at("wst") })).toEqual([
      ["data", "test"],
      'data.test: "wst" is not a value of "site"; did you mean "west"? Choose from: east, north, west.',
    ]);
    expect(refused({ test: at("west"), validation: at("west") })).toEqual([
      ["data", "validation"],
      'data.validation: "west" of "site": all such rows are kept for testing already.',
    ]);
    const two = parseCsv("site,x\neast,1\nwest,2\n");
    expect(() => split({ test: at("east"), validation: at("west") }, 1, two)).toThrow(
      "the table: no row is left to learn from.",
    );
  });

  test("are told by a column that nothing is learnt from, as is who must not be on both sides", () => {
    const columns = [
      undefined,
      0.3,
      "test.csv",
      at("east"),
      { share: 0.3, by: "patient" },
      { share: 0.3, stratified: true },
      { folds: 5, by: "home" },
      { folds: 5 },
      { last: 0.3, of: "on" },
    ] satisfies (Kept | undefined)[];
    expect(columns.map(keptColumn)).toEqual([
      ...[undefined, undefined, undefined, "site", "patient", undefined, "home", undefined, undefined],
    ]);
    expect(columns.map(orderColumn)).toEqual([...Array(8).fill(undefined), "on"]);
  });
});

describe("the last rows", () => {
  test("are no earlier than any that is learnt from", () => {
    const parts = split({ test: { last: 0.25, of: "on" }, validation: { share: 0.2, stratified: true } });
    whole(parts);
    const first = Math.min(...numbers(parts.test, "on"));
    for (const part of [parts.train, parts.validation])
      expect(Math.max(...numbers(part, "on"))).toBeLessThan(first);
    expect(parts.test!.rows).toBeGreaterThanOrEqual(100);
  });

  test("are as many as were asked, and those of the same value with them", () => {
    const days = parseCsv("day\n3\n9\n1\n7\n7\n2\n8\n5\n4\n6\n");
    const last = (share: number) => numbers(split({ test: { last: share, of: "day" } }, 1, days).test, "day");
    expect(last(0.1)).toEqual([9]);
    expect(last(0.2)).toEqual([9, 8]);
    expect(last(0.3)).toEqual([9, 7, 7, 8]);
    expect(last(0.9)).toEqual([3, 9, 7, 7, 2, 8, 5, 4, 6]);
    const both = split({ test: { last: 0.2, of: "day" }, validation: { last: 0.2, of: "day" } }, 1, days);
    expect(numbers(both.validation, "day")).toEqual([7, 7]);
  });

  test("are refused where they are none, all, or alike", () => {
    const days = parseCsv("day\n1\n2\n3\n4\n");
    const refused = "the table has 4 rows, too few to keep a share of";
    for (const share of [0.1, 0.9]) {
      expect(() => split({ test: { last: share, of: "day" } }, 1, days)).toThrow(
        `${refused} ${share} of them for testing.`,
      );
      expect(() => split({ validation: { last: share, of: "day" } }, 1, days)).toThrow(
        `${refused} ${share} of them for validation.`,
      );
    }
    expect(() =>
      split({ test: { last: 0.5, of: "day" }, validation: { last: 0.75, of: "day" } }, 1, days),
    ).toThrow(`${refused} 0.75 of them for validation.`);
    expect(() => split({ test: { last: 0.5, of: "day" } }, 1, parseCsv("day\n2\n2\n2\n2\n"))).toThrow(
      'the table: the rows have one value of "day" alone, and none is last.',
    );
  });

  test("are not told where a date is missing, or texts have no order", () => {
    const gaps = parseCsv("on,x\n2024-01-01,1\n,2\n2024-01-03,3\n");
    expect(() => split({ test: { last: 0.3, of: "on" } }, 1, gaps)).toThrow(/line 3: "on" is missing/);
    expect(() => split({ test: { last: 0.3, of: "patient" } })).toThrow(/neither dates nor numbers/);
  });
});

test("rows.csv says of every row the part it is in, by its line", () => {
  const parts = split({ test: 0.3, validation: 0.1 });
  const [head, ...lines] = rowsOf([
    ["train", parts.train],
    ["validation", parts.validation!],
    ["test", parts.test!],
  ])()
    .trim()
    .split("\n");
  expect(head).toBe("part,line");
  expect(lines).toHaveLength(400);
  for (const part of ["train", "validation", "test"] as const) {
    const own = lines.filter((line) => line.startsWith(`${part},`)).map((line) => Number(line.split(",")[1]));
    // The row with number n stands on line n + 2, below the header.
    expect(own).toEqual(numbers(parts[part]).map((n) => n + 2));
  }
});
