// DuckDB on small relations, and the number of passes.
import { describe, expect, test } from "vitest";
import {
  type Connection,
  identifier,
  literal,
  type NativeOptions,
  readNative,
  type Source,
  withDuckDB,
} from "../src/table/native.js";
import { lookLikeNumbers } from "../src/table/notation.js";
import type { NumberColumn } from "../src/table/table.js";
import type { Texts } from "../src/table/texts.js";

describe("DuckDB", () => {
  /** What is read of a relation, the queries it took, and how many rows were told. */
  async function native(source: Source, options: Partial<NativeOptions> = {}) {
    const queries: string[] = [];
    const told: number[] = [];
    const found = await withDuckDB((connection) => {
      const watched = {
        run: (sql: string) => connection.run(sql),
        runAndReadAll: (sql: string) => connection.runAndReadAll(sql),
        stream: (sql: string) => {
          queries.push(sql);
          return connection.stream(sql);
        },
      } as unknown as Connection;
      return readNative(watched, source, {
        asTexts: new Set(),
        missing: new Set(["", "NA", "-9"]),
        onRows: (rows) => told.push(rows),
        ...options,
      });
    });
    return { ...found!, queries: queries.length, told };
  }
  const values = (...rows: string[]): Source => ({
    relation: `(values ${rows.join(", ")}) t(a, b)`,
    columns: ["a", "b"],
  });
  const numbers = (missing: number, ...of: number[]) => ({
    kind: "number",
    values: Float64Array.from(of),
    missing,
  });
  const texts = (codes: number[], ...of: string[]) => ({ codes: Int32Array.from(codes), texts: of });
  const gap = Number.NaN;
  /** The first of 5000 cells that is another than it should be, −1 where none is: a list of so many takes long to show. */
  const other = (cells: Int32Array | Float64Array, wanted: (i: number) => number): number =>
    Array.from({ length: Math.max(5000, cells.length) }).findIndex((_, i) => cells[i] !== wanted(i));

  test("reads numbers and texts in one pass, with their gaps", async () => {
    const found = await native(
      values("('1', 'x')", "(' NA ', 'it''s')", "(null, null)", "(' 2.5', ' x')", "('-9', 'x')"),
    );
    expect(found).toMatchObject({ rows: 5, queries: 1, told: [5] });
    expect(found.cells).toEqual([numbers(3, 1, gap, gap, 2.5, gap), texts([0, 1, 2, 0, 0], "x", "it's", "")]);
  });

  test("reads numbers as texts where that is wanted", async () => {
    const { cells } = await native(values("('1', '7')", "('1', '8')"), { asTexts: new Set([1]) });
    expect(cells).toEqual([numbers(0, 1, 1), texts([0, 1], "7", "8")]);
  });

  test("reads again as texts what turns out to be none, past the room that was made", async () => {
    const relation =
      "(select case when i = 4000 then 'oops' else (i % 3)::varchar end as a, i::varchar as b from range(5000) t(i))";
    const found = await native({ relation, columns: ["a", "b"] }, { expected: 1 });
    expect(found).toMatchObject({ rows: 5000, queries: 2 });
    const [a, b] = found.cells as [Texts, NumberColumn];
    expect(a.texts).toEqual(["0", "1", "2", "oops"]);
    expect(other(a.codes, (i) => (i === 4000 ? 3 : i % 3))).toBe(-1);
    expect([b.kind, b.missing]).toEqual(["number", 0]);
    expect(other(b.values, (i) => i)).toBe(-1);
  });

  test("reads more different texts than it looked at first", async () => {
    const relation = "(select 't' || (i % 2500) as a, 'x' || (i % 2)::varchar as b from range(5000) t(i))";
    const { cells } = await native({ relation, columns: ["a", "b"] }, { expected: 1 });
    const [a, b] = cells as [Texts, Texts];
    expect(a.texts.length).toBe(2500);
    expect(a.texts.findIndex((text, i) => text !== `t${i}`)).toBe(-1);
    expect(other(a.codes, (i) => i % 2500)).toBe(-1);
    expect(b.texts).toEqual(["x0", "x1"]);
    expect(other(b.codes, (i) => i % 2)).toBe(-1);
  });

  test("has numbers parsed by the reader of the file, where all of them are", async () => {
    const asked: unknown[] = [];
    const parsed = (relation: string) => (columns: ReadonlySet<string>, missing: ReadonlySet<string>) => {
      asked.push([...columns], [...missing]);
      return `${relation} t(a, b)`;
    };
    const plain = values("('1', 'x')", "('NA', 'y')");
    const good = await native({ ...plain, parsed: parsed("(values (1::double, 'x'), (null, 'y'))") });
    expect(good.queries).toBe(1);
    expect(good.cells).toEqual([numbers(1, 1, gap), texts([0, 1], "x", "y")]);
    expect(asked).toEqual([["a"], ["", "NA", "-9"]]);
    // nan and inf in the file are texts; files that DuckDB cannot read this way are read otherwise.
    for (const relation of [
      "(values (1::double, 'x'), ('nan'::double, 'y'))",
      "(values (1::double, 'x'), ('inf'::double, 'y'))",
      "nowhere",
    ]) {
      const found = await native({ ...plain, parsed: parsed(relation) });
      expect(found.queries).toBe(2);
      expect(found.cells).toEqual(good.cells);
    }
    // Without a column of numbers there is nothing to parse.
    asked.length = 0;
    await native({ ...values("('z', 'x')"), parsed: parsed("nowhere") });
    expect(asked).toEqual([]);
  });

  test("is told names and texts in its own quotes", () => {
    expect([literal("it's"), identifier('a "b"')]).toEqual(["'it''s'", '"a ""b"""']);
    const missing = new Set(["NA"]);
    expect(lookLikeNumbers(["1", " 2 ", "NA"], missing)).toBe(true);
    expect(lookLikeNumbers(["1", "x"], missing)).toBe(false);
    expect(lookLikeNumbers(["NA"], missing)).toBe(false);
  });
});
