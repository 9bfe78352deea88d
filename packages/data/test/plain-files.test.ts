// Files that the reader of plain tables reads itself, and those that it leaves to others: it alone answers here.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CsvOptions } from "../src/index.js";
import { type PlainOptions, readPlain, readPlainly } from "../src/table/plain.js";
import { newFolder } from "./files.js";

interface Asked extends CsvOptions {
  packed?: boolean;
  onRows?(rows: number): void;
}

/** The first bytes are those that a reader looks at. */
function read(content: string | Buffer, { packed = false, ...asked }: Asked = {}) {
  const file = join(newFolder(), "rows.csv");
  writeFileSync(file, content);
  const bytes = Buffer.from(content as string).subarray(0, 1 << 18);
  return readPlainly(file, { bytes, packed }, { source: "rows.csv", ...asked });
}
const category = (categories: string[], ...codes: number[]) => ({
  kind: "category",
  codes: Int32Array.from(codes),
  categories,
  missing: codes.filter((code) => code < 0).length,
});
const numbers = (...values: number[]) => ({
  kind: "number",
  values: Float64Array.from(values),
  missing: values.filter(Number.isNaN).length,
});

describe("a file of plain cells", () => {
  test("is a table, whatever its delimiter and its line ends", () => {
    for (const [between, end] of [
      [",", "\n"],
      [";", "\r\n"],
      ["\t", "\n"],
    ]) {
      const lines = ["n|c|skip", "1|x|a", "", "-2.5||b", "NA|y |c", "+.5|x|d"];
      const text = lines.map((line) => line.replaceAll("|", between) + end).join("");
      const found = read(text, { columns: { skip: "ignore" } })!;
      expect(found).toMatchObject({ source: "rows.csv", rows: 4, names: ["n", "c"] });
      expect(found.columns).toEqual({
        n: numbers(1, -2.5, Number.NaN, 0.5),
        c: category(["x", "y"], 0, -1, 1, 0),
      });
      expect([0, 1, 2, 3].map(found.place)).toEqual(["line 2", "line 4", "line 5", "line 6"]);
      expect(read(text.slice(0, -end.length))!.rows).toBe(4);
    }
  });

  test("has the kinds, the marks and the target that are asked for", () => {
    const text = "n,c\n1,7\n-9,8\n";
    expect(read(text, { columns: { n: "category" } })!.columns.n).toMatchObject({ categories: ["-9", "1"] });
    expect(read(text, { columns: { n: "number" } })!.columns.n).toEqual(numbers(1, -9));
    expect(read(text, { missing: ["-9"] })!.columns.n).toEqual(numbers(1, Number.NaN));
    expect(() => read(text, { columns: { c: "category" }, missing: ["7"], target: "c" })).toThrow(
      'rows.csv, line 2: the target column "c" has no value here',
    );
    expect(() => read(text, { target: "d" })).toThrow('rows.csv has no column "d"');
    const own = read("constructor,c\n1,x\n2,y\n")!;
    expect(own.columns.constructor).toEqual(numbers(1, 2));
  });

  test("tells how many rows it has read, now and then and at the end", () => {
    const told: number[] = [];
    read(`a,b\n${"1,2\n".repeat(70_000)}`, { onRows: (rows) => told.push(rows) });
    expect(told).toEqual([65_536, 70_000]);
  });

  test("is one of texts where a word stands among its first numbers, and none where it stands further down", () => {
    const rows = Array.from({ length: 2500 }, (_, i) => `${i},x`);
    const withWord = (at: number) => {
      const own = [...rows];
      own[at] = "word,x";
      return read(`n,c\n${own.join("\n")}\n`);
    };
    expect(withWord(1997)!.columns.n.kind).toBe("category");
    expect(withWord(2000)).toBeUndefined();
  });

  test("is not judged by a line that the first block cuts off", () => {
    // 262144 bytes end within the number of the second row, after "-".
    const first = `${"x".repeat(262_144 - 4 - 2 - 2 - 1)}`;
    const found = read(`c,n\n${first},1\n-2,-2\n`, { columns: { c: "category" } })!;
    expect(found.columns.n).toEqual(numbers(1, -2));
  });
});

describe("a file is left to others", () => {
  test.each([
    ["packed", "a,b\n1,2\n", { packed: true }],
    ["with a header of several lines", '"a\nb",c\n1,2\n', {}],
    ["of one column", "a\n1\n", {}],
    ["without a row", "a,b\n\n", {}],
    ["with a header in another encoding", Buffer.from("pr\xe9nom,b\nx,1\n", "latin1"), {}],
    ["with a quote", 'a,b\n"1",2\n', {}],
    ["with a row too short", "a,b\n1\n", {}],
    ["with a row too long", "a,b\n1,2,3\n", {}],
    ["with accents where nobody looks", "a,b\n1,é\n", { columns: { b: "ignore" } }],
  ] as const)("that is %s", (_, content, asked) => {
    expect(read(content as string, asked as Asked)).toBeUndefined();
  });
});

describe("numbers in digits", () => {
  const cells = (text: string, options: Partial<PlainOptions> = {}) => {
    const found = readPlain(Buffer.from(text), 0, {
      wants: ["numbers", "texts"],
      delimiter: ",",
      missing: new Set(["", "NA"]),
      expected: 0,
      ...options,
    });
    return found && { rows: found.rows, cells: found.cells };
  };

  test("end with their cell, and are as exact as fifteen digits are", () => {
    const texts = [
      "0",
      "-0",
      "9",
      "10",
      "+7",
      "-.5",
      "3.",
      "123456789012345",
      "0.123456789012345",
      "1e3",
      " 8",
      "1_0",
    ];
    const more = ["9007199254740993", "0.1234567890123456789", "1.0000000000000002", "-9.80665", "00012"];
    const found = cells(`${[...texts, ...more].join(",x\n")},x\n`)!;
    const wanted = [...texts, ...more].map((text) => Number(text.replace("_", "")));
    expect(found.cells[0]).toEqual({ ...numbers(...wanted), rounded: "9007199254740993" });
    expect(found.cells[1]).toEqual({ codes: new Int32Array(wanted.length), texts: ["x"] });
  });

  test("may be followed by a line end of two bytes, and by nothing else", () => {
    expect(cells("1,x\r\n2,y\r\n")?.rows).toBe(2);
    for (const text of ["1,x\r", "1\n,x\n", "1,x\n2\r\n", "1/,x\n", "1:,x\n", "-,x\n", "+.,x\n", "1-,x\n"])
      expect([text, cells(text)]).toEqual([text, undefined]);
  });

  test("missing cells are counted, also if a number stands for them", () => {
    const missing = new Set(["NA", "-9", "x"]);
    expect(cells("-9,a\n-9.0,a\nNA,a\n 5,a\n", { missing })!.cells[0]).toEqual(
      numbers(Number.NaN, -9, Number.NaN, 5),
    );
  });

  test("are read from where they begin, by columns that are wanted", () => {
    const found = readPlain(Buffer.from("skip\n1;x;2\n3;y;4\n"), 5, {
      wants: ["nothing", "texts", "numbers"],
      delimiter: ";",
      missing: new Set(),
      expected: 9,
    })!;
    expect(found).toEqual({
      rows: 2,
      cells: [{ codes: Int32Array.of(0, 1), texts: ["x", "y"] }, numbers(2, 4)],
    });
  });
});
