import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "@pliant/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CsvOptions,
  columnOf,
  numberColumn,
  parseCsv,
  readTable,
  type Table,
  takeRows,
} from "../src/index.js";

const numbers = (table: Table, name: string) => Array.from(numberColumn(table, name).values);

/** The cells of a column of categories as texts, null where missing. */
const texts = (table: Table, name: string) => {
  const column = columnOf(table, name);
  if (column.kind !== "category") throw new Error(`${name} holds numbers`);
  return Array.from(column.codes, (code) => (code < 0 ? null : column.categories[code]));
};

describe("columns", () => {
  test("are numbers where every known cell is one, else categories", () => {
    const table = parseCsv("age,city,score\n31,Lyon,1e3\n,Nice,-.5\n40,NA,7.\n");
    expect(table.rows).toBe(3);
    expect(table.names).toEqual(["age", "city", "score"]);
    expect(numbers(table, "age")).toEqual([31, Number.NaN, 40]);
    expect(numbers(table, "score")).toEqual([1000, -0.5, 7]);
    expect(table.columns.city).toMatchObject({ kind: "category", categories: ["Lyon", "Nice"], missing: 1 });
    expect(texts(table, "city")).toEqual(["Lyon", "Nice", null]);
    expect(table.columns.age.missing).toBe(1);
  });

  test("take the kind that is asked, and are left out where that is ignore", () => {
    const table = parseCsv("zip,id,x\n10,a,1\n9,b,2\n", { columns: { zip: "category", id: "ignore" } });
    expect(table.names).toEqual(["zip", "x"]);
    expect(table.columns.zip).toMatchObject({ kind: "category", categories: ["9", "10"] });
    expect(texts(table, "zip")).toEqual(["10", "9"]);
  });

  test("may be called like what every object has", () => {
    const table = parseCsv("constructor,__proto__\n1,a\n2,b\n");
    expect(numbers(table, "constructor")).toEqual([1, 2]);
    expect(texts(table, "__proto__")).toEqual(["a", "b"]);
    expect(() => columnOf(parseCsv("a\n1\n"), "constructor")).toThrow(/no column "constructor"/);
  });

  test("with no known cell are categories of which there is none", () => {
    expect(parseCsv("a,b\n1,\n2,?\n").columns.b).toMatchObject({
      kind: "category",
      categories: [],
      missing: 2,
    });
  });

  test("know the marks of a missing cell that are asked", () => {
    const table = parseCsv("a,b\n1,NA\n-999,x\n", { missing: ["-999"] });
    expect(numbers(table, "a")).toEqual([1, Number.NaN]);
    expect(texts(table, "b")).toEqual(["NA", "x"]);
  });
});

describe("the forms that spreadsheets write", () => {
  test.each([
    ["commas", "a,b\n1,x\n2,y\n"],
    ["semicolons", "a;b\n1;x\n2;y\n"],
    ["tabs", "a\tb\n1\tx\n2\ty\n"],
    ["a byte order mark and CRLF", "\uFEFFa,b\r\n1,x\r\n2,y\r\n"],
    ["no line end at the end", "a,b\n1,x\n2,y"],
    ["empty lines", "a,b\n\n1,x\n\n2,y\n\n"],
    ["quotes and spaces", '"a", b\n1 ,"x"\n 2,y\n'],
    ["line ends of an old Mac", "a,b\r1,x\r2,y\r"],
  ])("%s", (_, text) => {
    const table = parseCsv(text);
    expect(numbers(table, "a")).toEqual([1, 2]);
    expect(texts(table, "b")).toEqual(["x", "y"]);
  });

  test("a quoted cell may hold delimiters, quotes and line ends, and lines are counted through them", () => {
    const table = parseCsv('n;"one; two"\r\n1;"a;b"\r\n2;"c ""d""\r\ne"\r\n3;f\r\n');
    expect(table.names).toEqual(["n", "one; two"]);
    expect(texts(table, "one; two")).toEqual(["a;b", 'c "d"\ne', "f"]);
    expect([0, 1, 2].map(table.place)).toEqual(["line 2", "line 3", "line 5"]);
  });

  test("a line end of an old Mac is one in a quoted cell too", () => {
    const table = parseCsv('a,b\r"x\ry",3\r');
    expect(texts(table, "a")).toEqual(["x\ny"]);
    expect(table.place(0)).toBe("line 2");
  });

  test("whatever is written is read back", () => {
    const cell = fc.stringMatching(/^[a-z ,;"\n]{1,8}$/).filter((text) => text.trim() === text);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, fc.double({ noNaN: true, noDefaultInfinity: true })), { minLength: 1 }),
        (rows) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const text = ["word,value", ...rows.map(([word, value]) => `${quoted(`.${word}`)},${value}`)].join(
            "\n",
          );
          const table = parseCsv(text);
          expect(texts(table, "word")).toEqual(rows.map(([word]) => `.${word}`));
          expect(numbers(table, "value")).toEqual(rows.map(([, value]) => Number(`${value}`)));
          const lines = text.split("\n");
          for (const i of rows.keys())
            expect(lines[Number(table.place(i).slice(5)) - 1]).toMatch(
              new RegExp(`^"\\.${rows[i][0][0] === '"' ? '""' : ""}`),
            );
        },
      ),
    );
  });
});

test("some rows of a table, in the order asked", () => {
  const table = takeRows(parseCsv("a,b\n1,x\n,y\n3,\n"), [2, 0, 2]);
  expect(numbers(table, "a")).toEqual([3, 1, 3]);
  expect(texts(table, "b")).toEqual([null, "x", null]);
  expect(table).toMatchObject({
    rows: 3,
    columns: { a: { missing: 0 }, b: { categories: ["x", "y"], missing: 2 } },
  });
  expect([0, 1, 2].map(table.place)).toEqual(["line 4", "line 2", "line 4"]);
  expect(() => takeRows(table, [3])).toThrow(/rows 0 to 2, and 3 was asked for/);
});

describe("mistakes name the file, the line and the column", () => {
  const refusals: [string, string, CsvOptions, RegExp][] = [
    ["nothing at all", "", {}, /^loans\.csv is empty/],
    ["nothing but a line end", "\n", {}, /^loans\.csv is empty/],
    ["a header alone", "a,b\n", {}, /no row below/],
    ["a name twice", "a,b,a\n1,2,3\n", {}, /columns 1 and 3 are both called "a"/],
    ["no name", "a,,c\n1,2,3\n", {}, /column 2 has no name/],
    ["a row too short", "a,b\n1,2\n\n3\n", {}, /line 4: 1 cells where the header names 2 columns/],
    ["a row too long", 'a,b\n"x\ny",2\n3,4,5\n', {}, /line 4: 3 cells/],
    [
      "a word among numbers",
      "a,b\n1,2\n3,four\n",
      { columns: { b: "number" } },
      /line 3, column "b": "four" is not a number\.$/,
    ],
    [
      "a decimal comma",
      "a;b\n1,5;2\n",
      { columns: { a: "number" } },
      /"1,5" is not a number \(decimals take a point\)/,
    ],
    ["a hexadecimal", "a,b\n0x10,2\n", { columns: { a: "number" } }, /line 2, column "a": "0x10"/],
    ["a number out of range", "a,b\n1e999,2\n", { columns: { a: "number" } }, /"1e999" is not a number/],
    [
      "a column that is not there",
      "income,age\n1,2\n",
      { columns: { incom: "number" } },
      /no column "incom"; did you mean "income"\? It has: income, age/,
    ],
    ["a target that is not there", "income,repaid\n1,2\n", { target: "repayed" }, /did you mean "repaid"/],
    [
      "a target with a gap",
      "income,repaid\n1,yes\n2,\n",
      { target: "repaid" },
      /line 3: the target column "repaid" has no value/,
    ],
    [
      "a quote never closed",
      'a,b\n1,2\n3,"four\n5,6\n',
      {},
      /line 3: a quote is opened in this row and never closed/,
    ],
    ["a quote inside a cell", 'a,b\n1,2\n3,fo"ur\n', {}, /line 3: a quote begins in the middle of a cell/],
    ["text after a quote", 'a,b\n1,"2"x\n', {}, /line 2: a quoted cell goes on after its closing quote/],
  ];
  test.each(refusals)("%s", (_, text, options, sentence) => {
    const read = () => parseCsv(text, { source: "loans.csv", ...options });
    expect(read).toThrow(InputError);
    expect(read).toThrow(/^loans\.csv/);
    expect(read).toThrow(sentence);
  });

  test("a file is named by its path", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "pliant-csv-")), "rows.csv");
    await expect(readTable(file)).rejects.toThrow(`there is no file ${file}.`);
    writeFileSync(file, Buffer.from([0x61, 0x0a, 0xff, 0xfe]));
    await expect(readTable(file)).rejects.toThrow(`${file} is not a text in UTF-8`);
    writeFileSync(file, "a\n1\n");
    expect((await readTable(file)).source).toBe(file);
  });
});
