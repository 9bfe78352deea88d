// Kinds of cells: formatted numbers, dates, and columns that only look like numbers.
import { describe, expect, test } from "vitest";
import { type ColumnKind, columnOf, parseCsv } from "../src/index.js";

const column = (cells: readonly string[], kind?: ColumnKind) =>
  columnOf(
    parseCsv(`x;y\n${cells.map((cell) => `${cell};1`).join("\n")}\n`, {
      source: "rows.csv",
      ...(kind && { columns: { x: kind } }),
    }),
    "x",
  );
const values = (cells: readonly string[], kind?: ColumnKind) => {
  const found = column(cells, kind);
  return found.kind === "number"
    ? { written: found.written, values: Array.from(found.values) }
    : found.trouble;
};

describe("numbers", () => {
  test("with separators of thousands, beside plain ones", () => {
    expect(values(["1,234.5", "950", "", "1,000,000"])).toEqual({
      written: "thousands",
      values: [1234.5, 950, Number.NaN, 1e6],
    });
  });

  test("in percent, of a currency", () => {
    expect(values(["12%", "7.5 %", "-100%"])).toEqual({ written: "percent", values: [0.12, 0.075, -1] });
    expect(values(["$1,200", "$ 80.5", "-$3"])).toEqual({ written: "currency", values: [1200, 80.5, -3] });
  });

  test("percent beside plain numbers is not guessed at", () => {
    expect(column(["12%", "7"])).toMatchObject({ kind: "category" });
  });
});

describe("dates", () => {
  const day = (text: string): number => Date.parse(text) / 86_400_000;

  test("with the year last are read where a number above 12 tells which is the day", () => {
    expect(values(["03/01/2024", "31/01/2024", ""])).toEqual({
      written: "day-month",
      values: [day("2024-01-03"), day("2024-01-31"), Number.NaN],
    });
    expect(values(["3.1.2024", "1.13.2024", "12.12.1999"])).toEqual({
      written: "month-day",
      values: [day("2024-03-01"), day("2024-01-13"), day("1999-12-12")],
    });
    // Beside those with the year first, too.
    expect(values(["31/01/2024", "2024-02-03"])).toEqual({
      written: "day-month",
      values: [day("2024-01-31"), day("2024-02-03")],
    });
    // Both places cannot be days, and there is no 31st of February.
    expect(values(["31/01/2024", "01/31/2024"])).toMatch(
      /do not show whether the day or the month comes first/,
    );
    expect(values(["31/02/2024", "01/02/2024"])).toMatch(
      /dates, except in 1 cell: "31\/02\/2024" \(line 2\)/,
    );
  });

  test("in an order that is asked for", () => {
    const two = ["03/01/2024", "01/02/2024"];
    expect(values(two, "day-month")).toMatchObject({ values: [day("2024-01-03"), day("2024-02-01")] });
    expect(values(two, "month-day")).toMatchObject({ values: [day("2024-03-01"), day("2024-01-02")] });
    expect(values(["2024-01-31"], "day-month")).toMatchObject({ values: [day("2024-01-31")] });
    expect(() => values(["03/31/2024", "01/02/2024"], "day-month")).toThrow(
      /"03\/31\/2024" is not a date \(dates are written like 31\/01\/2024, or like 2024-01-31\)/,
    );
  });

  test("are days since 1970", () => {
    expect(values(["1970-01-01", "1970-01-02T12:00", "2024/02/29", "1970-01-01 01:00:00+01:00"])).toEqual({
      written: "date",
      values: [0, 1.5, 19782, 0],
    });
  });

  test("that do not exist are not dates", () => {
    expect(column(["2024-02-30", "2024-01-01"])).toMatchObject({ kind: "category" });
    expect(() => values(["2024-02-30"], "date")).toThrow(
      'rows.csv, line 2, column "x": "2024-02-30" is not a date (dates are written like 2024-01-31).',
    );
  });

  test("with the day first or the month first are refused", () => {
    expect(values(["03/01/2024", "01/02/2024"])).toMatch(
      /dates such as 03\/01\/2024, which do not show whether the day or the month comes first; set data\.columns\.x to day-month or month-day/,
    );
  });

  test("with a cell that is none among them name it, its line and the remedies", () => {
    const dates = Array.from({ length: 20 }, (_, i) => `2024-01-${String(i + 1).padStart(2, "0")}`);
    expect(values([...dates, "2024-13-01", "soon", "soon"])).toBe(
      'rows.csv: the column "x" has dates, except in 3 cells: "2024-13-01" (line 22), "soon" (line 23 and 1 more). If they mean missing values, set data.missing: ["", "NA", "N/A", "NaN", "nan", "null", "?", "2024-13-01", "soon"]. If the column holds text, set data.columns.x: category.',
    );
    const dayFirst = dates.map((date) => date.split("-").reverse().join("/"));
    expect(values([...dayFirst, "31/02/2024"])).toMatch(/dates, except in 1 cell: "31\/02\/2024"/);
    // Two dates and a word are names.
    expect(column(["2024-01-01", "2024-07-01", "never"])).not.toHaveProperty("trouble");
  });

  test("asked to be numbers are refused", () => {
    expect(() => values(["2024-01-31"], "number")).toThrow(/"2024-01-31" is not a number/);
  });
});

describe("a column that looks like numbers and is none", () => {
  const numbers = Array.from({ length: 30 }, (_, i) => String(i));

  test("names the cells, their lines and the remedies", () => {
    expect(values([...numbers, "unknown", "-", "unknown"])).toBe(
      'rows.csv: the column "x" has numbers, except in 3 cells: "unknown" (line 32 and 1 more), "-" (line 33). If they mean missing values, set data.missing: ["", "NA", "N/A", "NaN", "nan", "null", "?", "unknown", "-"]. If the column holds text, set data.columns.x: category.',
    );
  });

  test("where it was said that they are categories, they are", () => {
    expect(column([...numbers, "unknown"], "category")).not.toHaveProperty("trouble");
  });

  test("a few codes that happen to be numbers are categories", () => {
    expect(column(["0", "1", "2", "3+", "0"])).toMatchObject({
      kind: "category",
      categories: ["0", "1", "2", "3+"],
    });
    expect(column(["0", "1", "2", "3+", "0"])).not.toHaveProperty("trouble");
  });

  test("infinity, in however few numbers", () => {
    expect(values(["1", "2", "inf"])).toMatch(/has numbers, except in 1 cell: "inf" \(line 4\)/);
  });

  test("decimal commas", () => {
    expect(values(["40,5", "7"])).toMatch(/has numbers with decimal commas; write a decimal point/);
    // 0,125 is no thousand.
    expect(values(["0,125", "1,250"])).toMatch(/decimal commas/);
  });

  test("asked to be numbers: the first is named, and how many others there are", () => {
    expect(() => values([...numbers, "a", "b", "b"], "number")).toThrow(
      'rows.csv, line 32, column "x": "a" is not a number; 2 other cells are not either.',
    );
  });
});
