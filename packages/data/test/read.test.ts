// Tables from files: all readers read the same, in every format; files that are not tables are named.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ReadOptions, readTable, type Table } from "../src/index.js";
import { withDuckDB } from "../src/table/native.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-read-"));
let files = 0;
function written(content: string | Uint8Array, ending = "csv"): string {
  const file = join(folder, `rows-${files++}.${ending}`);
  writeFileSync(file, content);
  return file;
}

/** A table as plain data, with where its rows are. */
const plain = (table: Table) => ({
  names: table.names,
  rows: table.rows,
  places: Array.from({ length: table.rows }, (_, i) => table.place(i)),
  columns: table.names.map((name) => {
    const column = table.columns[name];
    return column.kind === "number"
      ? { ...column, values: Array.from(column.values) }
      : { ...column, codes: Array.from(column.codes) };
  }),
});

/** What a reader finds, or the sentence with which it refuses. */
const outcome = async (file: string, options: ReadOptions) => {
  try {
    return plain(await readTable(file, options));
  } catch (reason) {
    return (reason as Error).message;
  }
};

async function same(content: string | Uint8Array, options: ReadOptions = {}, ending = "csv") {
  const file = written(content, ending);
  const exact = await outcome(file, { ...options, reader: "exact" });
  expect(await outcome(file, { ...options, reader: "native" })).toEqual(exact);
  expect(await outcome(file, { ...options, reader: "plain" })).toEqual(exact);
  return exact;
}

describe("DuckDB and the reader of plain tables read what the exact one reads", () => {
  test.each([
    ["numbers, texts and gaps", "a,b,c\n1,x,\n,y,2\n-.5e1,NA,?\n"],
    ["semicolons", "a;b\n1;x\n2;y\n"],
    ["tabs", "a\tb\n1\tx\n2\ty\n"],
    ["CRLF and a mark", "\uFEFFa,b\r\n1,x\r\n2,y\r\n"],
    ["empty lines", "a,b\n1,x\n\n2,y\n\n"],
    ["an empty line first", "\na,b\n1,x\n"],
    ["spaces around cells", "a,b\n 1 , x\n2 ,x \n"],
    ["a quote after a space", 'a,b\n1, "x"\n2, "y"\n'],
    ["quoted cells of several lines", 'a,b\n1,"x\ny"\n2,"z, ""w"""\n3,u\n'],
    ["a quoted header", '"a, or so",b\n1,2\n'],
    ["lines of an old Mac", "a,b\r1,x\r2,y\r"],
    ["one column", "a\n1\n\n2\n"],
    ["numbers beyond all numbers", "a,b\n1e999,1\n2,2\n"],
    ["infinity and not a number", "a,b\ninf,NaN\n2,2\n"],
    ["digits joined by _", "a,b\n1_000,1\n2,2\n"],
    ["a row too short", "a,b\n1,2\n3\n"],
    ["a row too long", "a,b\n1,2\n3,4,5\n"],
    ["an open quote", 'a,b\n1,2\n3,"x\n4,5\n'],
    ["a quote in a cell", 'a,b\n1,fo"ur\n'],
    ["a header alone", "a,b\n"],
    ["a header twice", "a,a\n1,2\n"],
    ["nothing", ""],
    ["other bytes", Buffer.from("nom,b\nRen\xe9e,1\n", "latin1")],
    ["accents", "nom,b\nRenée,1\nZoë,2\n"],
  ])("%s", async (_, content) => {
    await same(content);
  });

  test("packed or not", async () => {
    const found = await same(gzipSync("a,b\n1,x\n2,y\n"), {}, "csv.gz");
    expect(found).toMatchObject({ rows: 2, columns: [{ values: [1, 2] }, { categories: ["x", "y"] }] });
  });

  test("where a column of numbers turns to texts far down", async () => {
    const rows = Array.from({ length: 25_000 }, (_, i) => `${i % 7},${i}`);
    rows[23_000] = "oops,1";
    rows[24_000] = "3,NA";
    const found = await same(`a,b\n${rows.join("\n")}\n`);
    expect(found).toMatchObject({
      columns: [{ categories: ["0", "1", "2", "3", "4", "5", "6", "oops"] }, { kind: "number", missing: 1 }],
    });
  });

  test.each(["nan", "inf", "-Infinity", " NA ", "1e999", "0x10", "true", "1_000", " 7 ", '"8"'])(
    "where a cell far down in a column of numbers is %s",
    async (cell) => {
      const rows = Array.from({ length: 3000 }, (_, i) => `${i / 7},${i % 3}`);
      rows[2900] = `${cell},1`;
      rows[2950] = "NA,2";
      await same(`a,b\n${rows.join("\n")}\n`);
      await same(`a,b\n${rows.join("\n")}\n`, { missing: ["", "NA", "2"] });
    },
  );

  test("with kinds that are asked, a target, and marks of missing cells", async () => {
    const text = "zip,id,x,y\n01,a,-9,no\n1,b,3,yes\n";
    const options: ReadOptions = {
      columns: { zip: "category", id: "ignore" },
      missing: ["", "-9"],
      target: "y",
    };
    expect(await same(text, options)).toMatchObject({
      names: ["zip", "x", "y"],
      columns: [{ categories: ["01", "1"] }, { missing: 1 }, { categories: ["no", "yes"] }],
    });
    expect(await same("a,y\n1,no\n2,\n", { target: "y" })).toMatch(
      /line 3: the target column "y" has no value/,
    );
    expect(await same(text, { columns: { idd: "ignore" } })).toMatch(/did you mean "id"/);
    expect(await same(text, { columns: { id: "number" } })).toMatch(
      /line 2, column "id": "a" is not a number/,
    );
  });

  test("whatever is in the cells", async () => {
    const cell = fc.oneof(
      fc.stringMatching(/^[a-c1-9 .,;"%$\n-]{0,6}$/),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.constantFrom("", "NA", "inf", "1,234", "12%", "2024-01-31", "31/01/2024", "1_0", "é"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 }), async (rows) => {
        const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
        await same(`a,b\n${rows.map((row) => row.map(quoted).join(",")).join("\n")}\n`);
      }),
      { numRuns: 60 },
    );
  });
});

describe("other formats", () => {
  test("Parquet has the table of the CSV it was made of", async () => {
    const csv = written("n,city,on\n1.5,Lyon,2024-01-31\n,Nice,2024-02-01\n");
    const parquet = join(folder, "rows.parquet");
    await withDuckDB((connection) =>
      connection.run(`copy (from read_csv('${csv}')) to '${parquet}' (format parquet)`),
    );
    const [a, b] = [plain(await readTable(csv)), plain(await readTable(parquet))];
    expect(b).toEqual({ ...a, places: ["row 1", "row 2"] });
  });

  test("JSON lines, with keys that some lack", async () => {
    const file = written('{"n": 1, "t": "x"}\n{"n": 2.5, "ok": true}\n{"n": null, "t": "y"}\n', "jsonl");
    expect(plain(await readTable(file))).toMatchObject({
      names: ["n", "t", "ok"],
      columns: [
        { values: [1, 2.5, Number.NaN] },
        { categories: ["x", "y"], missing: 1 },
        { categories: ["true"] },
      ],
    });
  });

  test("lists and broken lines are refused", async () => {
    const list = written('{"a": 1, "b": [1, 2]}\n', "jsonl");
    await expect(readTable(list)).rejects.toThrow(/the column "b" holds lists or objects/);
    await expect(readTable(list, { columns: { b: "ignore" } })).resolves.toMatchObject({ rows: 1 });
    const broken = written('{"a": 1}\n{"a": \n', "jsonl");
    await expect(readTable(broken)).rejects.toThrow(/cannot be read as JSON lines: .*line/);
    await expect(readTable(written("PAR1 and no more", "parquet"))).rejects.toThrow(
      /cannot be read as Parquet/,
    );
  });
});

describe("what is no table in UTF-8 is named", () => {
  test.each([
    [
      "a workbook",
      Buffer.from("PK\x03\x04rest"),
      /is a ZIP archive or an Excel workbook; save the sheet as CSV/,
    ],
    ["UTF-16 with a mark", Buffer.from("\uFEFFa,b\n1,2\n", "utf16le"), /is a text in UTF-16/],
    ["UTF-16 without", Buffer.from("a,b\n1,2\n3,4\n", "utf16le"), /is a text in UTF-16/],
    [
      "Windows-1252",
      Buffer.from("nom,x\nAnne,1\nRen\xe9e,2\n", "latin1"),
      /line 3 has the byte 0xe9\. It looks like Windows-1252 \(Latin-1\), in which the word there is "Renée"/,
    ],
    [
      "gzip cut short",
      gzipSync(`a,b\n${"1,2\n".repeat(100)}`).subarray(0, 30),
      /packed by gzip and cannot be unpacked/,
    ],
  ])("%s", async (_, content, sentence) => {
    await expect(readTable(written(content))).rejects.toThrow(sentence);
  });

  test("a folder, and no file", async () => {
    const empty = mkdtempSync(join(tmpdir(), "pliant-empty-"));
    await expect(readTable(empty)).rejects.toThrow(/is a folder/);
    await expect(readTable(join(folder, "none.csv"))).rejects.toThrow(/there is no file/);
  });
});

test("the nameless first column that pandas writes is its index, and read where it is asked for", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "pliant-index-")), "rows.csv");
  writeFileSync(path, ",age,bought\n0,31,yes\n1,44,no\n");
  expect((await readTable(path)).names).toEqual(["age", "bought"]);
  expect((await readTable(path, { columns: { "Unnamed: 0": "number" } })).names).toEqual([
    "Unnamed: 0",
    "age",
    "bought",
  ]);
  writeFileSync(path, "age,,bought\n1,2,yes\n");
  await expect(readTable(path)).rejects.toThrow("column 2 has no name in the header");
});
