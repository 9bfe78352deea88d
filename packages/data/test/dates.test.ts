import { describe, expect, test } from "vitest";
import { encode, encodedKinds, fitEncoding, parseCsv, withParts } from "../src/index.js";
import type { CategoryColumn } from "../src/table/table.js";

const table = parseCsv("on,x\n2024-02-29,1\n,2\n1969-12-31 23:30,3\n");

describe("parts of dates", () => {
  test("are a year, a month and a day of the week, before 1970 too", () => {
    const { columns, names } = withParts(table, { on: ["year", "month", "weekday"] });
    expect(names).toEqual(["on", "on year", "on month", "on weekday", "x"]);
    expect(columns["on year"]).toMatchObject({ kind: "number", missing: 1 });
    expect(Array.from((columns["on year"] as { values: Float64Array }).values)).toEqual([
      2024,
      Number.NaN,
      1969,
    ]);
    const texts = (name: string) => {
      const { codes, categories } = columns[name] as { codes: Int32Array; categories: readonly string[] };
      return Array.from(codes, (code) => categories[code] ?? null);
    };
    expect(texts("on month")).toEqual(["2", null, "12"]);
    expect(texts("on weekday")).toEqual(["Thursday", null, "Wednesday"]);
  });

  test("are encoded on new rows as on those they were fitted on", () => {
    const encoding = fitEncoding(table, { parts: { on: ["weekday"] } });
    expect(encodedKinds(encoding)).toEqual({ on: "date", x: "number" });
    const again = JSON.parse(JSON.stringify(encoding));
    const fresh = parseCsv("on,x\n2024-02-29,1\n", { columns: encodedKinds(again) });
    const { features, values } = encode(fresh, again);
    expect(features).toEqual(["on", "on missing", "on weekday = Wednesday", "on weekday = Thursday", "x"]);
    expect(Array.from(values).slice(2, 4)).toEqual([0, 1]);
  });

  test("in two orders, or among as many words, are no column of dates", () => {
    const trouble = (...cells: string[]) =>
      (parseCsv(`on,x\n${cells.map((cell) => `${cell},1`).join("\n")}\n`).columns.on as CategoryColumn)
        .trouble;
    expect(trouble("2024-01-31", "03/01/2024")).toContain(
      'the column "on" has dates such as 03/01/2024, which',
    );
    const days = ["2024-01-01", "2024-01-02", "2024-01-03"];
    expect(trouble(...days, "a", "b", "c")).toContain('the column "on" has dates, except in 3 cells');
    expect(trouble(...days, "a", "b", "c", "d")).toBeUndefined();
  });

  test("a column of that name is not lost", () => {
    const both = parseCsv("on,on year\n2024-02-29,1\n");
    expect(() => withParts(both, { on: ["year"] })).toThrow(/has a column "on year" already/);
  });
});

test("percent in training and none in new rows, or the other way, is refused", () => {
  const encoding = fitEncoding(parseCsv("x,y\n10%,1\n30%,2\n"));
  expect(() => encode(parseCsv("x,y\n10,1\n"), encoding)).toThrow(
    /"x" is not written in percent, which in training it was\./,
  );
  const plain = fitEncoding(parseCsv("x,y\n10,1\n30,2\n"));
  expect(() => encode(parseCsv("x,y\n10%,1\n"), plain)).toThrow(
    /"x" is written in percent, which in training it was not\./,
  );
});
