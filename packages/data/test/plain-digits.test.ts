// The reader of plain tables, byte by byte: numbers create no strings, line ends are where they are, and columns that
// nobody wants are passed over.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type PlainOptions, readPlain, readPlainly } from "../src/table/plain.js";
import { newFolder } from "./files.js";

/** What is read, and how many cells were read as texts on the way. */
function read(content: string | number[], options: Partial<PlainOptions> = {}) {
  const bytes = Buffer.from(content as string);
  let texts = 0;
  const textOf = Buffer.prototype.toString;
  const texting = vi.spyOn(Buffer.prototype, "toString").mockImplementation(function (this: Buffer, ...args) {
    texts++;
    return textOf.apply(this, args);
  });
  const missing = new Set(["", "NA"]);
  const wants = ["numbers", "texts"] as const;
  const found = readPlain(bytes, 0, { wants, delimiter: ",", missing, expected: 4, ...options });
  texting.mockRestore();
  return found && { ...found, texts };
}
const numbers = (...values: number[]) => ({
  kind: "number",
  values: Float64Array.from(values),
  missing: values.filter(Number.isNaN).length,
});

test("numbers in at most fifteen digits are read as bytes, in front of a delimiter and at the end of a line", () => {
  const cells = ["1", "-2.5", "+.5", "0.19", "90", "3.", "-0.09", "123456789012345", "9.87654321098765"];
  const first = read(`${cells.join(",x\n")},x\n`)!;
  expect([first.cells[0], first.texts]).toEqual([numbers(...cells.map(Number)), 0]);
  for (const end of ["\n", "\r\n"]) {
    const last = read(cells.map((cell) => `x,${cell}${end}`).join(""), { wants: ["texts", "numbers"] })!;
    expect([last.cells[1], last.texts]).toEqual([numbers(...cells.map(Number)), 0]);
  }
  // One digit more, an exponent and a gap take a text each.
  const others = read("1234567890123456,x\n1e3,x\nNA,x\n")!;
  expect([others.cells[0], others.texts]).toEqual([numbers(1234567890123456, 1000, Number.NaN), 3]);
});

test("gaps may end a line of either kind, and a carriage return begins none", () => {
  const found = read("x,NA\nx,\r\nx,NA\r\nx,7\n", { wants: ["texts", "numbers"] })!;
  expect(found.cells[1]).toEqual(numbers(Number.NaN, Number.NaN, Number.NaN, 7));
  expect(read("1,x\n\r\n2,y\n")!.rows).toBe(2);
  expect(read("1,x\n\r2,y\n")).toBeUndefined();
});

test("a byte that is no text where nobody looks is left to others, the least one too", () => {
  expect(read([0x31, 0x2c, 0x80, 0x0a], { wants: ["numbers", "nothing"] })).toBeUndefined();
});

test("progress is reported every 65536 rows, and at the end", () => {
  const told: number[] = [];
  read("x\n".repeat(65_540), { wants: ["nothing"], onRows: (rows) => told.push(rows) });
  expect(told).toEqual([65_536, 65_540]);
  expect(read("x\n".repeat(9), { wants: ["nothing"] })!.rows).toBe(9);
});

test("columns that are not wanted may stand before those that are", () => {
  const file = join(newFolder(), "rows.csv");
  writeFileSync(file, "skip,n,none,c\na,1,b,x\nc,2,d,y\n");
  const columns = { skip: "ignore", none: "ignore" } as const;
  const bytes = Buffer.from("skip,n,none,c\na,1,b,x\n");
  const table = readPlainly(file, { bytes, packed: false }, { source: "rows.csv", columns })!;
  expect(table.columns.n).toEqual(numbers(1, 2));
  expect(table.columns.c).toMatchObject({ codes: Int32Array.of(0, 1), categories: ["x", "y"] });
});
