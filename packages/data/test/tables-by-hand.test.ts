// Tables and their encoding at cells that are known by hand, with what is said of wrong ones word by word.
import { InputError } from "@pliant/core";
import { describe, expect, test } from "vitest";
import {
  type CategoryEncoding,
  type CsvOptions,
  categoryColumn,
  type Encoding,
  encode,
  encodedKinds,
  featureNames,
  fitEncoding,
  numberColumn,
  parseCsv,
  takeRows,
  withParts,
} from "../src/index.js";
import { checkHeader, delimiterOf, headerOf, missingCells, tableOf } from "../src/table/csv.js";
import type { CategoryColumn } from "../src/table/table.js";

const table = (text: string, options: CsvOptions = {}) => parseCsv(text, { source: "rows.csv", ...options });
const refusal = (text: string, options?: CsvOptions) => () => table(text, options);

describe("a table", () => {
  test("is called the table where nobody says what it is", () => {
    expect(() => parseCsv("")).toThrow(
      "the table is empty: a line with the names of the columns was expected.",
    );
    expect(parseCsv("a\n1\n").source).toBe("the table");
    expect(missingCells).toEqual(["", "NA", "N/A", "NaN", "nan", "null", "?"]);
  });

  test("has columns of numbers and of categories, and says which a name is not", () => {
    const { columns } = table("n,c\n1,x\n2,\n");
    expect(columns.n).toEqual({ kind: "number", values: Float64Array.of(1, 2), missing: 0 });
    expect(columns.c).toEqual({
      kind: "category",
      codes: Int32Array.of(0, -1),
      categories: ["x"],
      missing: 1,
    });
    const own = table("n,c,d\n1,x,a\n2,y,b\n3,z,c\n4,x,d\n");
    expect(numberColumn(own, "n").values[3]).toBe(4);
    expect(categoryColumn(own, "c").codes[3]).toBe(0);
    expect(() => numberColumn(own, "c")).toThrow(
      'rows.csv: column "c" holds categories (x, y, z) where numbers are needed.',
    );
    expect(() => numberColumn(own, "d")).toThrow(
      'rows.csv: column "d" holds categories (a, b, c, …) where numbers are needed.',
    );
    expect(() => categoryColumn(own, "n")).toThrow(
      'rows.csv: column "n" holds numbers where categories are needed.',
    );
  });

  test("names the columns near to one that is not there", () => {
    expect(refusal("income,incoma,age\n1,2,3\n", { columns: { incom: "number" } })).toThrow(
      'rows.csv has no column "incom"; did you mean "income" or "incoma"? It has: income, incoma, age.',
    );
    expect(refusal("a,b\n1,2\n", { target: "something else" })).toThrow(
      'rows.csv has no column "something else". It has: a, b.',
    );
  });

  test("gives some of its rows, and refuses others", () => {
    const own = table("n,c\n1,x\n,y\n3,\n");
    const some = takeRows(own, [1, 2]);
    expect(some.columns).toEqual({
      n: { kind: "number", values: Float64Array.of(Number.NaN, 3), missing: 1 },
      c: { kind: "category", codes: Int32Array.of(1, -1), categories: ["x", "y"], missing: 1 },
    });
    expect(some).toMatchObject({ source: "rows.csv", names: ["n", "c"], rows: 2 });
    for (const row of [-1, 3, 0.5])
      expect(() => takeRows(own, [0, row])).toThrow(`rows.csv has rows 0 to 2, and ${row} was asked for.`);
    expect(takeRows(own, []).rows).toBe(0);
  });
});

describe("a target", () => {
  const rows = "n,y\n1,a\n2,\n3,b\n4,?\n5,NA\n";

  test("with gaps is refused, with the first line and the number of others", () => {
    const start = 'rows.csv, line 3: the target column "y" has no value here';
    const end = "; fill it in, or leave such rows out with data.withoutTarget: drop.";
    expect(refusal("n,y\n1,a\n2,\n", { target: "y" })).toThrow(`${start}${end}`);
    expect(refusal("n,y\n1,a\n2,\n3,\n", { target: "y" })).toThrow(`${start}, nor in 1 other row${end}`);
    expect(refusal(rows, { target: "y" })).toThrow(`${start}, nor in 2 other rows${end}`);
    // In another column a gap is none of its business.
    expect(table("n,y\n,1\n2,2\n", { target: "y" }).rows).toBe(2);
    expect(refusal("n,y\n1,0\n2,\n", { target: "y" })).toThrow(`${start}${end}`);
  });

  test("with gaps may be dropped, be it numbers or categories", () => {
    const asked = { target: "y", dropWithoutTarget: true };
    const left = table(rows, asked);
    expect(left).toMatchObject({ rows: 2, dropped: 3 });
    expect(left.columns.y).toMatchObject({ codes: Int32Array.of(0, 1), missing: 0 });
    expect([0, 1].map(left.place)).toEqual(["line 2", "line 4"]);
    const numbers = table("n,y\n1,\n2,0\n", asked);
    expect(numbers).toMatchObject({ rows: 1, dropped: 1 });
    expect(numbers.columns.n).toMatchObject({ values: Float64Array.of(2) });
    expect(table("n,y\n1,7\n", asked)).not.toHaveProperty("dropped");
    expect(refusal("n,y\n1,\n2,?\n", asked)).toThrow(
      'rows.csv: the target column "y" has no value in any row.',
    );
    // Without a target nothing is dropped.
    expect(table(rows, { dropWithoutTarget: true }).rows).toBe(5);
  });
});

test("columns that a reader has as numbers already are taken as they are", () => {
  const own = { kind: "number", values: Float64Array.of(4, 5), missing: 0 } as const;
  const asked: number[] = [];
  const { columns, names } = tableOf(
    {
      names: ["a", "b"],
      rows: 2,
      cells: (i) => {
        asked.push(i);
        return own;
      },
      place: (row) => `row ${row}`,
    },
    { source: "memory", columns: { a: "ignore" } },
  );
  expect([names, columns, asked]).toEqual([["b"], { b: own }, [1]]);
});

describe("accepted forms of CSV", () => {
  test("the delimiter is the one that the header has most of, outside quotes", () => {
    expect(["a,b", "a;b", "a\tb", "a", "a,b;c;d", "a;b,c,d", "\uFEFFa;b"].map(delimiterOf)).toEqual([
      ...[",", ";", "\t", ",", ";", ",", ";"],
    ]);
    expect(delimiterOf('"a;b;c",d')).toBe(",");
    expect(delimiterOf('"a,b,c";d')).toBe(";");
    expect(table('\uFEFF"a",b\n1,2\n').names).toEqual(["a", "b"]);
    expect(delimiterOf('"a;\n;;",d,e;f\n1;2;3;4;5')).toBe(",");
    expect(delimiterOf("\n\n a;b\n1,2,3,4")).toBe(";");
    expect(delimiterOf("a;b\r1,2,3,4")).toBe(";");
  });

  test("the header of one line, where it looks like one", () => {
    expect(headerOf("a; b ;c", "rows.csv")).toEqual(["a", "b", "c"]);
    expect(headerOf('a,"b', "rows.csv")).toBeUndefined();
    expect(() => headerOf("a,a", "rows.csv")).toThrow(InputError);
    expect(() => checkHeader(["x", "a", "b", "a"], "rows.csv")).toThrow(
      'rows.csv: columns 2 and 4 are both called "a"; names must differ.',
    );
    expect(() => checkHeader(["a", ""], "rows.csv")).toThrow("rows.csv: column 2 has no name in the header.");
    expect(checkHeader(["a", "b"], "rows.csv")).toEqual(["a", "b"]);
  });

  test("lines are counted from the first, through quoted cells and empty lines", () => {
    expect(refusal('a,b\n"1\n2","3\n4\n5"\n\n6\n')).toThrow(
      "rows.csv, line 7: 1 cells where the header names 2 columns.",
    );
    expect(refusal('a,b\n\n  \n1,"2\n')).toThrow(
      "rows.csv, line 4: a quote is opened in this row and never closed.",
    );
    expect(refusal('a,b\r"1\r2",3\r4\r')).toThrow(
      /^rows\.csv, line 4: 1 cells where the header names 2 columns\.$/,
    );
    expect(refusal("a,b\n")).toThrow("rows.csv has the names of its columns and no row below them.");
    expect(refusal('a,b\n1,"2"x\n')).toThrow(
      "rows.csv, line 2: a quoted cell goes on after its closing quote.",
    );
    expect(refusal('a,b\n1,2"x"\n')).toThrow(
      "rows.csv, line 2: a quote begins in the middle of a cell; put the whole cell in quotes and double those inside.",
    );
    expect(refusal('"a,b\n1,2\n')).toThrow("rows.csv, line 1: a quote is opened in this row");
    expect(table("a,b\r\n1,2\r\r\n3,4\r\n").place(1)).toBe("line 4");
  });
});

describe("an encoding", () => {
  test("has the mean and the deviation of the numbers that are known", () => {
    const { columns } = fitEncoding(
      table("n,c,e,g\n1,x,,1e-200\n2,y,,2e-200\n,,,3e-200\n3,x,,3e-200\n6,x,,\n"),
    );
    expect(columns[0]).toEqual({
      kind: "number",
      name: "n",
      mean: 3,
      std: Math.sqrt(14 / 4),
      indicator: true,
    });
    expect(columns[1]).toEqual({ kind: "category", name: "c", categories: ["x", "y"] });
    expect(columns[2]).toEqual({ kind: "category", name: "e", categories: [] });
    // Squares of so little are 0.
    expect(columns[3]).toMatchObject({ std: 1 });
    const none = takeRows(table("n,c\n,x\n1,y\n"), [0]);
    expect(fitEncoding(none).columns).toEqual([
      { kind: "number", name: "n", mean: 0, std: 1, indicator: true },
      { kind: "category", name: "c", categories: ["x"] },
    ]);
    expect(fitEncoding(table("n\n7\n7\n")).columns[0]).toMatchObject({ mean: 7, std: 1, indicator: false });
    expect(fitEncoding(table("n\n3\n-1\n")).columns[0]).toMatchObject({ mean: 1, std: 2 });
    expect(fitEncoding(table("n\n7%\n9%\n")).columns[0]).toMatchObject({ written: "percent" });
    expect(fitEncoding(table("n\n7\n"))).not.toHaveProperty("parts");
  });

  test("writes every feature of every row", () => {
    const rows = 2500;
    const own = table(
      `n,c,m\n${Array.from({ length: rows }, (_, i) => `${i % 3 === 0 ? "" : i},${"abc"[i % 3]},${-i}`).join("\n")}\n`,
    );
    const encoding: Encoding = {
      columns: [
        { kind: "number", name: "n", mean: 10, std: 4, indicator: true },
        { kind: "category", name: "c", categories: ["c", "a"] },
        { kind: "number", name: "m", mean: 0, std: 2, indicator: false },
      ],
    };
    const { values, shape, features } = encode(own, encoding);
    expect(shape).toEqual([rows, 5]);
    expect(features).toEqual(["n", "n missing", "c = c", "c = a", "m"]);
    const wanted = Array.from({ length: rows }, (_, i) => [
      ...(i % 3 === 0 ? [0, 1] : [(i - 10) / 4, 0]),
      ...[Number(i % 3 === 2), Number(i % 3 === 0), i === 0 ? 0 : -i / 2],
    ]);
    // By the first that differs: a list of so many takes long to show.
    const flat = wanted.flat();
    expect(values.length).toBe(flat.length);
    expect(flat.findIndex((value, i) => values[i] !== value)).toBe(-1);
  });

  test("may hold the index of a category, −1 if missing", () => {
    const column: CategoryEncoding = { kind: "category", name: "c", categories: ["b", "a"], embedded: 4 };
    const encoding: Encoding = {
      columns: [column, { kind: "number", name: "n", mean: 0, std: 1, indicator: false }],
    };
    const own = table("n,c\n1,a\n2,\n3,new\n4,b\n");
    expect(featureNames(encoding)).toEqual(["c", "n"]);
    expect([...encode(own, encoding).values]).toEqual([1, 1, -1, 2, -1, 3, 0, 4]);
  });

  test("tells the kinds that new rows must have", () => {
    const own = table("d,e,p,c\n2024-01-31,31/01/2024,5%,x\n2024-02-01,01/02/2024,6%,y\n");
    const encoding = fitEncoding(own, { parts: { d: ["year", "month"] } });
    expect(encodedKinds(encoding)).toEqual({ d: "date", e: "day-month", p: "number", c: "category" });
    expect(featureNames(encoding).slice(0, 4)).toEqual(["d", "d year", "d month = 1", "d month = 2"]);
    expect(encoding.parts).toEqual({ d: ["year", "month"] });
    expect(encode(own, encoding).shape).toEqual([2, 8]);
  });

  test("fitted on percents requires percents, unless all cells are missing", () => {
    const percents = fitEncoding(table("x,y\n10%,1\n30%,2\n"));
    const refused = (text: string) => () => encode(table(text, { columns: { x: "number" } }), percents);
    expect(refused("x,y\n10,1\n,2\n")).toThrow(
      'rows.csv: the column "x" is not written in percent, which in training it was.',
    );
    expect([...encode(table("x,y\n,1\n", { columns: { x: "number" } }), percents).values]).toEqual([0, -1]);
    const plain = fitEncoding(table("x\n10\n30\n"));
    expect(() => encode(table("x\n10%\n"), plain)).toThrow(
      'rows.csv: the column "x" is written in percent, which in training it was not.',
    );
  });
});

test("parts of dates: twelve months, and weeks that begin on Monday", () => {
  const days = Array.from({ length: 8 }, (_, i) => `1969-12-${24 + i}`);
  const { columns } = withParts(table(`on\n${days.join("\n")}\n\n`), { on: ["weekday", "month", "year"] });
  const texts = (name: string) => {
    const column = columns[name] as CategoryColumn;
    return Array.from(column.codes, (code) => column.categories[code]);
  };
  expect(texts("on weekday")).toEqual([
    ...["Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"],
  ]);
  expect(columns["on month"]).toMatchObject({
    categories: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"],
    missing: 0,
  });
  expect(columns["on year"]).toEqual({ kind: "number", values: new Float64Array(8).fill(1969), missing: 0 });
  expect(() => withParts(table("on,on year\n2024-02-29,1\n"), { on: ["year"] })).toThrow(
    'rows.csv has a column "on year" already, and dates would make another.',
  );
});
