// Plain tables, read in one pass over their bytes: numbers to the bit, texts told apart, and nothing that is not plain.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlainOptions, readPlain } from "../src/table/plain.js";
import { Words } from "../src/table/words.js";

const read = (text: string | Buffer, options: Partial<PlainOptions> = {}) =>
  readPlain(typeof text === "string" ? Buffer.from(text) : text, 0, {
    wants: ["numbers", "texts"],
    delimiter: ",",
    missing: new Set(["", "NA"]),
    expected: 2,
    ...options,
  });

describe("a plain table", () => {
  test("has the numbers that its cells say, to the bit", () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.stringMatching(/^[+-]?([0-9]{1,20}[.]?[0-9]{0,25}|[.][0-9]{1,25})$/),
    );
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 30 }), (cells) => {
        const found = read(`${cells.join(",x\n")},x\n`)!;
        const { values } = found.cells[0] as { values: Float64Array };
        expect(Array.from(values)).toEqual(cells.map(Number));
      }),
    );
  });

  test("has its texts, gaps and rows, past the room that was made", () => {
    const found = read("1,é\r\nNA, b\n\n,b\n-0.25,é\n7,\n")!;
    expect(found.rows).toBe(5);
    const [numbers, texts] = found.cells as [{ values: Float64Array; missing: number }, object];
    expect(Array.from(numbers.values)).toEqual([1, Number.NaN, Number.NaN, -0.25, 7]);
    expect(numbers.missing).toBe(2);
    expect(texts).toEqual({ codes: Int32Array.of(0, 1, 1, 0, 2), texts: ["é", "b", ""] });
  });

  test("has gaps where a number stands for them, written so", () => {
    const found = read("-9,a\n-9.0,a\n", { missing: new Set(["-9"]) })!;
    expect(Array.from((found.cells[0] as { values: Float64Array }).values)).toEqual([Number.NaN, -9]);
  });

  test.each([
    ["a quote", '1,"x"\n'],
    ["a quote in a number", '"1",x\n'],
    ["a row too short", "1\n"],
    ["a row too long", "1,x,2\n"],
    ["a number that is none", "1x,x\n"],
    ["a point alone", ".,x\n"],
    ["a line end of an old Mac", "1,x\r2,y\n"],
    ["bytes of another encoding", Buffer.from("1,Ren\xe9e\n", "latin1")],
  ])("is none with %s", (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  test("may have anything in UTF-8 or not only where it is looked at", () => {
    const wants = ["numbers", "nothing"] as const;
    expect(read("1,x\n", { wants })!.cells).toHaveLength(1);
    expect(read("1,é\n", { wants })).toBeUndefined();
  });
});

test("texts with equal hashes are distinguished, few or many", () => {
  const cells = Array.from({ length: 500 }, (_, i) => `t${i}`);
  const bytes = Buffer.from(cells.join(""));
  const words = new Words(bytes);
  const places = () => {
    let from = 0;
    return cells.map((cell) => {
      from += cell.length;
      return words.place(from - cell.length, from, 7);
    });
  };
  const wanted = cells.map((_, i) => i);
  expect(places()).toEqual(wanted);
  expect(places()).toEqual(wanted);
  expect(words.texts()).toEqual(cells);
});
