// What DuckDB reads of small relations, in how many passes.
import { describe, expect, test } from "vitest";
import {
  type Connection,
  identifier,
  literal,
  lookLikeNumbers,
  type NativeOptions,
  readNative,
  type Source,
  withDuckDB,
} from "../src/table/native.js";

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
    const wanted = Array.from({ length: 5000 }, (_, i) => (i === 4000 ? 3 : i % 3));
    expect(found.cells[0]).toEqual(texts(wanted, "0", "1", "2", "oops"));
    expect(found.cells[1]).toEqual(numbers(0, ...Array.from({ length: 5000 }, (_, i) => i)));
  });

  test("reads more different texts than it looked at first", async () => {
    const relation = "(select 't' || (i % 2500) as a, 'x' || (i % 2)::varchar as b from range(5000) t(i))";
    const { cells } = await native({ relation, columns: ["a", "b"] }, { expected: 1 });
    expect(cells[0]).toEqual(
      texts(
        Array.from({ length: 5000 }, (_, i) => i % 2500),
        ...Array.from({ length: 2500 }, (_, i) => `t${i}`),
      ),
    );
    expect(cells[1]).toEqual(
      texts(
        Array.from({ length: 5000 }, (_, i) => i % 2),
        "x0",
        "x1",
      ),
    );
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
    // What the file calls nan or inf is a text, and what cannot be read so is read otherwise.
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
