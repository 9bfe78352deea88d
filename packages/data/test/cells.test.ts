// The cells of a column from its texts, in any order of the texts, with the exact messages if they are not numbers.
import { describe, expect, test } from "vitest";
import { columnFrom, type Reading } from "../src/table/kinds.js";
import type { CategoryColumn } from "../src/table/table.js";
import { counted, merged, placeOf, type Texts, textsOf } from "../src/table/texts.js";

const reading: Reading = {
  source: "rows.csv",
  missing: new Set(["", "NA"]),
  place: (row) => `line ${row + 2}`,
};
const texts = (codes: number[], ...own: string[]): Texts => ({ codes: Int32Array.from(codes), texts: own });
const column = (cells: readonly string[] | Texts, asked?: Parameters<typeof columnFrom>[2]) =>
  columnFrom("x", "codes" in cells ? cells : textsOf(cells), asked, reading);
const trouble = (...cells: string[]): string | undefined => (column(cells) as { trouble?: string }).trouble;
const numbersTo = (n: number): string[] => Array.from({ length: n }, (_, i) => String(i));

describe("texts", () => {
  test("have a place each, and are one where only the spaces around them differ", () => {
    expect(textsOf(["b", " a", "b", "a ", ""])).toEqual(texts([0, 1, 0, 1, 2], "b", "a", ""));
    expect(merged(texts([-1, 0, 1], "a ", "a"))).toEqual(texts([-1, 0, 0], "a"));
    const plain = texts([0, -1], "a");
    expect(merged(plain).codes).toBe(plain.codes);
    const found = new Map([["a", 0]]);
    expect([placeOf(found, "b"), placeOf(found, "a"), placeOf(found, "b")]).toEqual([1, 0, 1]);
  });

  test("are counted, with the first row of each", () => {
    expect(counted(texts([1, -1, 0, 1], "a", "b", "c"))).toEqual({
      counts: Int32Array.of(1, 2, 0),
      firsts: Int32Array.of(2, 0, -1),
    });
  });
});

describe("columns", () => {
  test("have gaps where there is nothing, and where a mark of it stands", () => {
    expect(column(texts([-1, 1, 0, 2], "NA", "4", "5", "never used"))).toEqual({
      kind: "number",
      values: Float64Array.of(Number.NaN, 4, Number.NaN, 5),
      missing: 2,
    });
    expect(column(texts([-1, 1, 0, 2], "NA", "b", "a", "never used"))).toEqual({
      kind: "category",
      codes: Int32Array.of(-1, 1, -1, 0),
      categories: ["a", "b"],
      missing: 2,
    });
    expect(column(["", "NA"])).toEqual({
      kind: "category",
      codes: Int32Array.of(-1, -1),
      categories: [],
      missing: 2,
    });
  });

  test("order categories numerically or alphabetically", () => {
    const categories = (...cells: string[]) => (column(cells, "category") as CategoryColumn).categories;
    expect(categories("10", "9", "-1", "09", "9")).toEqual(["-1", "09", "9", "10"]);
    expect(categories("10", "9", "b", "B", "a")).toEqual(["10", "9", "B", "a", "b"]);
  });

  test("are of the kind that is asked, in any notation that is no date where numbers are", () => {
    expect(column(["12%", "50%"], "number")).toMatchObject({
      written: "percent",
      values: Float64Array.of(0.12, 0.5),
    });
    expect(column(["1970-01-02"], "date")).toMatchObject({ written: "date", values: Float64Array.of(1) });
    expect(column(["2/1/1970"], "day-month")).toMatchObject({
      written: "day-month",
      values: Float64Array.of(1),
    });
    expect(column(["1/2/1970"], "month-day")).toMatchObject({
      written: "month-day",
      values: Float64Array.of(1),
    });
    // If the order is stated, a year that comes first is valid.
    expect(column(["1970-01-02", "2/1/1970"], "day-month")).toMatchObject({ values: Float64Array.of(1, 1) });
    expect(column(["13/1/1970"], "date")).toMatchObject({
      written: "day-month",
      values: Float64Array.of(12),
    });
    expect(column(["4", "5"])).not.toHaveProperty("written");
  });
});

describe("what looks like numbers", () => {
  const say = "if the column holds text, set data.columns.x: category.";

  test("with decimal commas", () => {
    expect(trouble("40,5", "7")).toBe(
      `rows.csv: the column "x" has numbers with decimal commas; write a decimal point, or ${say}`,
    );
    expect(trouble("40,5", "seven")).toBeUndefined();
  });

  test("as dates of which the order is not known", () => {
    expect(trouble("03/01/2024", "01/02/2024")).toBe(
      `rows.csv: the column "x" has dates such as 03/01/2024, which do not show whether the day or the month comes first; set data.columns.x to day-month or month-day, write them as 2024-01-31, or ${say}`,
    );
    expect(trouble("03/01/2024", "soon")).toBeUndefined();
  });

  test("in more than ten different numbers, at least half of the cells", () => {
    const rest = "set data.missing";
    expect(trouble(...numbersTo(11), "-")).toBe(
      `rows.csv: the column "x" has numbers, except in 1 cell: "-" (line 13). If it means a missing value, ${rest}: ["", "NA", "-"]. I${say.slice(1)}`,
    );
    expect(trouble(...numbersTo(10), "-")).toBeUndefined();
    expect(trouble(...numbersTo(10), "9", "-")).toBeUndefined();
    expect(trouble(...numbersTo(11), ...Array<string>(11).fill("-"))).toBe(
      `rows.csv: the column "x" has numbers, except in 11 cells: "-" (line 13 and 10 more). If they mean missing values, ${rest}: ["", "NA", "-"]. I${say.slice(1)}`,
    );
    expect(trouble(...numbersTo(11), ...Array<string>(12).fill("-"))).toBeUndefined();
  });

  test("but for some, of which the first three are named in the order of the rows", () => {
    const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((text) => `"${text}"`);
    expect(trouble("a", "b", "c", ...numbersTo(11))).toContain(
      `${a} (line 2), ${b} (line 3), ${c} (line 4). If they mean missing values, set data.missing: ["", "NA", ${a}, ${b}, ${c}]. `,
    );
    expect(trouble("a", "b", "c", "d", "e", "c", ...numbersTo(11))).toBe(
      `rows.csv: the column "x" has numbers, except in 6 cells: ${a} (line 2), ${b} (line 3), ${c} (line 4 and 1 more), and 2 other texts. If they mean missing values, set data.missing: ["", "NA", ${a}, ${b}, ${c}, …]. I${say.slice(1)}`,
    );
    expect([d, e]).toEqual(['"d"', '"e"']);
    // The texts of a reader need not come in the order of the rows.
    const numbers = numbersTo(11);
    const own = texts([...numbers.map((_, i) => i), 12, 11], ...numbers, "late", "early");
    expect((column(own) as { trouble?: string }).trouble).toContain('"early" (line 13), "late" (line 14).');
  });

  test("numbers as spreadsheets write them, and a few cells that are not numbers, are said to be such", () => {
    const thousands = numbersTo(11).map((n) => `${Number(n) + 1},500`);
    expect(trouble(...thousands, "n/a")).toContain('has numbers, except in 1 cell: "n/a" (line 13).');
    expect(trouble(...numbersTo(11).map((n) => `$${n}`), "n/a")).toContain('in 1 cell: "n/a" (line 13).');
    expect(trouble(...numbersTo(11).map((n) => `${n}%`), "n/a")).toContain('in 1 cell: "n/a" (line 13).');
    expect(trouble(...numbersTo(11), "40%")).toContain('in 1 cell: "40%" (line 13).');
  });

  test("some infinite, however few", () => {
    expect(trouble("1", "inf", "-inf")).toContain('except in 2 cells: "inf" (line 3), "-inf" (line 4).');
    expect(trouble("inf", "-inf")).toBeUndefined();
    expect(trouble("1", "inf", "x")).toBeUndefined();
    expect(trouble("a", "b")).toBeUndefined();
  });
});

describe("a declared type that the cells contradict", () => {
  const refusal = (cells: readonly string[] | Texts, asked: Parameters<typeof columnFrom>[2]) => () =>
    column(cells, asked);
  const start = 'rows.csv, line 3, column "x":';

  test("numbers: the first cell by its row, and how many others", () => {
    expect(refusal(["1", "a"], "number")).toThrow(`${start} "a" is not a number.`);
    expect(refusal(["1", "a", "a"], "number")).toThrow(
      `${start} "a" is not a number; one other cell is not either.`,
    );
    expect(refusal(["1", "a", "b", "2", "a", "b"], "number")).toThrow(
      `${start} "a" is not a number; 3 other cells are not either.`,
    );
    expect(refusal(["1", "1,5"], "number")).toThrow(
      `${start} "1,5" is not a number (decimals take a point).`,
    );
    expect(refusal(texts([0, 2, 1], "1", "late", "early"), "number")).toThrow(
      `${start} "early" is not a number; one other cell is not either.`,
    );
    expect(refusal(["NA", "2024-01-31"], "number")).toThrow(`${start} "2024-01-31" is not a number.`);
  });

  test("dates: how they are written", () => {
    expect(refusal(["1970-01-01", "soon"], "date")).toThrow(
      `${start} "soon" is not a date (dates are written like 2024-01-31).`,
    );
    expect(refusal(["1970-01-01", "3/4/2024"], "date")).toThrow(
      `${start} "3/4/2024" is not a date (dates are written like 2024-01-31; otherwise set day-month or month-day).`,
    );
    expect(refusal(["31/1/2024", "1/31/2024", "soon"], "day-month")).toThrow(
      `${start} "1/31/2024" is not a date (dates are written like 31/01/2024, or like 2024-01-31); one other cell is not either.`,
    );
    expect(refusal(["1/31/2024", "31/1/2024"], "month-day")).toThrow(
      `${start} "31/1/2024" is not a date (dates are written like 01/31/2024, or like 2024-01-31).`,
    );
    expect(refusal(["NA", "5%"], "date")).toThrow(`${start} "5%" is not a date`);
    expect(refusal(["1970-01-01", "5"], "date")).toThrow(`${start} "5" is not a date`);
  });
});
