// Files as each reader reads them. Where one steps aside for another, who answered is asked too: the exact one never tells how many rows
// it has read.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type ReadOptions, readTable } from "../src/index.js";
import { withDuckDB } from "../src/table/native.js";
import { newFolder } from "./files.js";

function written(content: string | Uint8Array, ending = "csv"): string {
  const file = join(newFolder(), `rows.${ending}`);
  writeFileSync(file, content);
  return file;
}

describe("a file", () => {
  /** What is read, and the rows that were told on the way. */
  async function read(file: string, options: ReadOptions = {}) {
    const told: number[] = [];
    const table = await readTable(file, { ...options, onRows: (rows) => told.push(rows) });
    return { table, told };
  }
  const plain = "n,c,skip\r\n1,x,a\r\n\r\n-2.5,,b\r\nNA,y ,c\r\n";
  const wanted = {
    n: { kind: "number", values: Float64Array.of(1, -2.5, Number.NaN), missing: 1 },
    c: { kind: "category", codes: Int32Array.of(0, -1, 1), categories: ["x", "y"], missing: 1 },
  };

  test.each(["plain", "native", undefined] as const)("is read by %s itself", async (reader) => {
    const file = written(plain);
    const { table, told } = await read(file, { reader, columns: { skip: "ignore" } });
    expect(table.columns).toEqual(wanted);
    expect(table).toMatchObject({ source: file, rows: 3, names: ["n", "c"] });
    expect([0, 1, 2].map(table.place)).toEqual(["line 2", "line 4", "line 5"]);
    expect(told).toEqual([3]);
    expect((await read(file, { reader, columns: { n: "category" } })).table.columns.n).toMatchObject({
      kind: "category",
      categories: ["-2.5", "1"],
    });
  });

  test("that is packed is DuckDB's where asked, and else the exact reader's", async () => {
    const file = written(gzipSync(plain), "csv.gz");
    const own = { columns: { skip: "ignore" } } as const;
    expect((await read(file, { ...own, reader: "native" })).told).toEqual([3]);
    for (const reader of ["plain", "exact", undefined] as const) {
      const { table, told } = await read(file, { ...own, reader });
      expect([table.columns, told]).toEqual([wanted, []]);
    }
  });

  test("that is not plain is DuckDB's where it is large", async () => {
    const rows = (n: number) => `n,c\n${'1,"x"\n'.repeat(n)}`;
    expect((await read(written(rows(1000)))).told).toEqual([]);
    const { table, told } = await read(written(rows(334_000)));
    expect([table.rows, told.at(-1)]).toEqual([334_000, 334_000]);
    // A quote inside a cell is the exact reader's, which refuses it.
    await expect(readTable(written('n,c\n1,fo"ur\n'), { reader: "native" })).rejects.toThrow(
      "a quote begins in the middle of a cell",
    );
  });

  test("reports progress while it is read", async () => {
    const { told } = await read(written(`a,b\n${"1,2\n".repeat(140_000)}`));
    expect(told).toEqual([65_536, 131_072, 140_000]);
  });

  test("of JSON lines by its ending, packed or not", async () => {
    const lines = '{"n": 1, "o\'s": "x"}\n{"n": 2}\n';
    for (const ending of ["jsonl", "ndjson", "json", "JSONL"]) {
      const { table } = await read(written(lines, ending), { columns: { "o's": "category" } });
      expect(table.columns.n).toEqual({ kind: "number", values: Float64Array.of(1, 2), missing: 0 });
      expect(table.columns["o's"]).toMatchObject({ categories: ["x"], missing: 1 });
      expect(table.place(1)).toBe("line 2");
    }
    expect((await read(written(gzipSync(lines), "json.gz"))).table.rows).toBe(2);
    await expect(readTable(written('{"a": 1}\n', "json.csv"))).rejects.toThrow("line 1: a quote begins");
  });

  test("with lists or objects names the column", async () => {
    const refused = (name: string, example: string) =>
      `the column "${name}" holds lists or objects (${example}), and a table has one text or number in a cell; leave it out with data.columns.${name}: ignore.`;
    const list = written('{"a": 1, "b": [1, 2]}\n{"a": 2, "b": [3, 4, 5, 6, 7, 8, 9, 10]}\n', "jsonl");
    await expect(readTable(list)).rejects.toThrow(`${list}: ${refused("b", "[1,2]")}`);
    const object = written('{"o": {"first": 1, "second": 2, "third": 3}}\n', "jsonl");
    await expect(readTable(object, { source: "mine" })).rejects.toThrow(
      `mine: ${refused("o", '{"first":1,"second":')}`,
    );
    const parquet = join(newFolder(), "lists.parquet");
    await withDuckDB((connection) =>
      connection.run(`copy (select 1 as a, [1, 2] as b, {'k': 1} as s) to '${parquet}' (format parquet)`),
    );
    await expect(readTable(parquet)).rejects.toThrow(refused("b", "INTEGER[]"));
    await expect(readTable(parquet, { columns: { b: "ignore" } })).rejects.toThrow(
      /"s" holds lists or objects/,
    );
    const told: [string, string][] = [];
    const onNested = (name: string, example: string): void => void told.push([name, example]);
    expect((await readTable(parquet, { onNested })).names).toEqual(["a"]);
    expect((await readTable(list, { onNested })).names).toEqual(["a"]);
    expect(told.map(([name]) => name)).toEqual(["b", "s", "b"]);
    const { table } = await read(parquet, { columns: { b: "ignore", s: "ignore" } });
    expect([table.names, table.place(0)]).toEqual([["a"], "row 1"]);
  });

  test("that is broken is refused with a sentence", async () => {
    const broken = written('{"a": 1}\n{"a": \n', "jsonl");
    await expect(readTable(broken)).rejects.toThrow(
      /^\S+ cannot be read as JSON lines: (?!.*Error:)[^\n]+[^.\s]\.$/,
    );
    await expect(readTable(written("PAR1 and no more"))).rejects.toThrow(
      /^\S+ cannot be read as Parquet: (?!.*Error:)[^\n]+[^.\s]\.$/,
    );
    const folder = newFolder();
    const empty = join(folder, "empty.parquet");
    await withDuckDB((connection) =>
      connection.run(`copy (select 1 as a where false) to '${empty}' (format parquet)`),
    );
    await expect(readTable(empty)).rejects.toThrow(
      `${empty} has the names of its columns and no row below them.`,
    );
    const bare = newFolder();
    await expect(readTable(bare)).rejects.toThrow(
      `${bare} is a folder without Parquet files, and a file was expected.`,
    );
    const cut = written(gzipSync(`a,b\n${"1,2\n".repeat(100)}`).subarray(0, 30));
    await expect(readTable(cut)).rejects.toThrow(
      `${cut} is packed by gzip and cannot be unpacked: unexpected end of file.`,
    );
  });
});
