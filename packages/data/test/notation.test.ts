// How numbers and dates are written, text by text: the texts that each notation reads, and near misses that it rejects.
import { describe, expect, test } from "vitest";
import {
  daysOf,
  hasDecimalComma,
  isDate,
  isInfinite,
  isOtherDate,
  notations,
  orderedDays,
  orderOf,
  plainNumber,
} from "../src/table/notation.js";

const reader = (notation: string) => notations.find((each) => each.notation === notation)!.read;

/** Every text has its number; those in the list have none. */
function reads(read: (text: string) => number, found: Record<string, number>, none: readonly string[]): void {
  for (const [text, value] of Object.entries(found)) expect([text, read(text)]).toEqual([text, value]);
  for (const text of none) expect([text, read(text)]).toEqual([text, Number.NaN]);
}

test("plain numbers", () => {
  reads(
    plainNumber,
    {
      "31": 31,
      "-31": -31,
      "+31": 31,
      "-.5": -0.5,
      ".25": 0.25,
      "7.": 7,
      "7.25": 7.25,
      "12.5e3": 12500,
      "1e3": 1000,
      "1E3": 1000,
      "1e-3": 0.001,
      "1e+12": 1e12,
      ".5e1": 5,
      ".5e-1": 0.05,
      "1_000": 1000,
      "12_345_678": 12345678,
      "1_000.5": 1000.5,
      "-0": -0,
      "5e-324": 5e-324,
    },
    [
      ...["", ".", "x1", "1x", "1__0", "_1", "1_", "1_x", "e3", "1e", "1e+", "1ex", "1e1x", "--1", "+-1"],
      ...["1.2.3", "..5", ".5x", ".5.", "0x10", "inf", "nan", "1e999", "-1e999", " 1", "1 ", "1,5", "x.5"],
    ],
  );
});

test("numbers as reports show them", () => {
  reads(
    reader("thousands"),
    {
      "1,234": 1234,
      "12,345": 12345,
      "123,456,789.25": 123456789.25,
      "-1,234": -1234,
      "+1,234": 1234,
      "950": 950,
      "1234.5": 1234.5,
    },
    [
      "0,123",
      "1234,567",
      "1,23",
      "1,2345",
      "1,234.",
      ",123",
      "x1,234",
      "1,234x",
      "1,234.x",
      "1,abc",
      "1,234,5",
    ],
  );
  reads(reader("percent"), { "12%": 0.12, "7.5 %": 0.075, "1,200%": 12, "-100%": -1 }, [
    ...["%12", "12", "%", "12%%", "x%"],
  ]);
  reads(
    reader("currency"),
    { $5: 5, "€ 80.5": 80.5, "£1,200": 1200, "¥3": 3, "-$3": -3, "+$3": 3, "$  75": 75 },
    ["$", "5$", "$-5", "x$5", "$ x", "USD 5", "5", "--$5", "$5x", "$5\n6"],
  );
  expect(notations.map(({ notation }) => notation)).toEqual(["thousands", "percent", "currency", "date"]);
});

describe("dates", () => {
  test("with the year first are days since 1970, in UTC by default", () => {
    reads(
      reader("date"),
      {
        "1970-01-01": 0,
        "1970/01/02": 1,
        "1969-12-31": -1,
        "2024-02-29": 19782,
        "1970-01-01T12:00": 0.5,
        "1970-01-01 06:00": 0.25,
        "1970-01-01 12:30": 750 / 1440,
        "1970-01-01T00:00:43.2": 0.0005,
        "1970-01-01T00:00:43.25": 43.25 / 86_400,
        "1970-01-01T12:00Z": 0.5,
        "1970-01-01T12:00 Z": 0.5,
        "1970-01-01T12:00:00+06:00": 0.25,
        "1970-01-01T12:00+0600": 0.25,
        "1970-01-01T12:00-06:45": 0.78125,
        "1970-01-01 24:00": 1,
        "1970-01-01T23:59:60": 1,
      },
      [
        ...["1970-13-01", "1970-00-10", "1970-01-32", "1970-01-00", "2023-02-29", "70-01-01", "1970-1-01"],
        ...["1970-01-1", "1970-01-01T25:00", "1970-01-01T12:60", "1970-01-01T12:00:61", "1970-01-01T1:00"],
        ...[
          "x1970-01-01",
          "1970-01-01x",
          "1970-01-01T12:00x",
          "1970.01.01",
          "11970-01-01",
          "1970-01-01T12:0",
        ],
        ...["1970-01-01T12:00+1", "1970-01-01T12:00+06:0", "1970-01-01T12:00:1", "1970-01-01T12:00:01.", ""],
        ...["1970-01-01T12", "1970-01-01X12:00", "1970-01-01T12:00:01.x", "1970-01-01T12:00*06:00"],
      ],
    );
    expect(reader("date")).toBe(daysOf);
  });

  test("of the first century are not read as the twentieth", () => {
    // From the proleptic calendar: 719162 days before 1970.
    expect(daysOf("0001-01-01")).toBe(-719_162);
    expect(daysOf("0050-03-01")).toBe(-719_162 + 49 * 365 + 12 + 59);
    // 0000 had a 29th of February, 1900 had none.
    expect(daysOf("0000-02-29")).toBe(-719_162 - 307);
    expect(daysOf("1900-02-29")).toBe(Number.NaN);
  });

  test("with the year last are read in the order that is known", () => {
    const at = daysOf("2024-03-01");
    const dayFirst = (text: string) => orderedDays(text, "day-month");
    const monthFirst = (text: string) => orderedDays(text, "month-day");
    const wrong = ["1.3/2024", "1/3/24", "1/3/2024x", "x1/3/2024", "123/3/2024", "1/3/20245", "1 3 2024", ""];
    const times = { "1/3/2024 12:00": at + 0.5, "01/03/2024T06:00:00": at + 0.25 };
    reads(dayFirst, { "1.3.2024": at, "01/03/2024": at, "1-3-2024": at, ...times }, wrong);
    reads(monthFirst, { "3.1.2024": at, "03/01/2024": at, "3-1-2024": at }, [...wrong, "13/1/2024"]);
    expect(dayFirst("31/12/2023")).toBe(daysOf("2023-12-31"));
    expect(dayFirst("1/3/2024 25:00")).toBe(Number.NaN);
    expect(dayFirst("1/3/2024 at noon")).toBe(Number.NaN);
  });

  test("tell their order by a number above 12, in one of the two places alone", () => {
    expect(orderOf(["12/12/2024", "13/01/2024"])).toBe("day-month");
    expect(orderOf(["01/13/2024", "12/12/2024"])).toBe("month-day");
    expect(orderOf(["12/12/2024"])).toBeUndefined();
    expect(orderOf(["13/01/2024", "01/13/2024"])).toBeUndefined();
    expect(orderOf(["13/01/2024", "soon"])).toBeUndefined();
    expect(orderOf([])).toBeUndefined();
  });

  test("are three of the notations", () => {
    expect((["date", "day-month", "month-day"] as const).map(isDate)).toEqual([true, true, true]);
    expect((["thousands", "percent", undefined] as const).map(isDate)).toEqual([false, false, false]);
  });
});

test("what only looks like a number or a date", () => {
  const sorted = (is: (text: string) => boolean, yes: string[], no: string[]) => {
    expect(yes.filter((text) => !is(text))).toEqual([]);
    expect(no.filter(is)).toEqual([]);
  };
  sorted(
    hasDecimalComma,
    ["40,5", "-40,5", "+1,25", "0,125"],
    ["40", "x40,5", "40,5x", "40,", ",5", "--4,5", "4.5"],
  );
  sorted(
    isOtherDate,
    ["31/01/2024", "1.2.24", "1-2-2024 3:04", "1/2/2024 13:04:05", "1/2/24  3:04"],
    [
      ...["1/2/202", "1/2/20245", "x1/2/2024", "1/2.2024", "1/2/2024x", "1/2/2024 3:4", "1/2/2024 3:04:5"],
      ...[
        "111/2/2024",
        "1/222/2024",
        "1/2/2024 3:04x",
        "1/2/2024 x:04",
        "1 2 2024",
        "1/2/2024 133:04",
        "/1/2024",
      ],
      ...["a/b/2024", "1/b/2024", "1/2/abcd", "1/2/ab", "1/2/20243:04", "1/2/2024 3:ab", "1/2/2024 3:04:ab"],
    ],
  );
  sorted(isInfinite, ["inf", "-inf", "+Infinity", "∞", "-∞", "INF"], ["xinf", "infx", "", "in", "*inf", "1"]);
});
