// Queries to DuckDB: common texts once, as values of an enum type, and marks of missing numbers as missing.
import { expect, test } from "vitest";
import { type Connection, type NativeOptions, readNative, withDuckDB } from "../src/table/native.js";

/** What is read of rows of two columns, and the types that were made for it. */
async function read(rows: string, options: Partial<NativeOptions> = {}) {
  const types: string[] = [];
  const found = await withDuckDB((connection) => {
    const watched = {
      run: (sql: string) => {
        types.push(sql);
        return connection.run(sql);
      },
      runAndReadAll: (sql: string) => connection.runAndReadAll(sql),
      stream: (sql: string) => connection.stream(sql),
    } as unknown as Connection;
    const source = { relation: `(values ${rows}) t(a, b)`, columns: ["a", "b"] };
    return readNative(watched, source, { asTexts: new Set(), missing: new Set(["", "NA"]), ...options });
  });
  return { types, cells: found!.cells };
}

test("texts of the first rows become an enum type, except empty ones and those it cannot hold", async () => {
  const { types, cells } = await read(
    "('x', '1'), ('it''s', '2'), ('', '3'), (null, '4'), ('z' || chr(0), '5'), ('x', '6')",
  );
  expect(types).toEqual(["create or replace type common0 as enum ('x', 'it''s')"]);
  expect(cells[0]).toEqual({ codes: Int32Array.of(0, 1, 2, 2, 3, 0), texts: ["x", "it's", "", "z\0"] });
});

test("a column without texts needs no type", async () => {
  const { types, cells } = await read("('', 'y'), (null, 'y')", { asTexts: new Set([0]) });
  expect(types).toEqual(["create or replace type common1 as enum ('y')"]);
  expect(cells[0]).toEqual({ codes: Int32Array.of(0, 0), texts: [""] });
});

test("several numbers may stand for missing values", async () => {
  const { cells } = await read("('1', 'x'), ('-9', 'x'), ('-99', 'x'), (' -9 ', 'x')", {
    missing: new Set(["NA", "-9", "-99"]),
  });
  const gap = Number.NaN;
  expect(cells[0]).toEqual({ kind: "number", values: Float64Array.of(1, gap, gap, gap), missing: 3 });
});

test("a connection is closed after its use, and fetches nothing from elsewhere", async () => {
  let kept: Connection | undefined;
  const settings = await withDuckDB(async (connection) => {
    kept = connection;
    const asked = ["autoinstall", "autoload"].map((word) => `current_setting('${word}_known_extensions')`);
    return (await connection.runAndReadAll(`select ${asked.join(", ")}`)).getRows();
  });
  expect(settings).toEqual([[false, false]]);
  await expect(kept!.run("select 1")).rejects.toThrow();
});
