// Who reads a file in the end: all but the exact reader look for lines in the file itself, when first asked; and what only looks like
// another format.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ReadOptions, readTable } from "../src/index.js";
import { withDuckDB } from "../src/table/native.js";
import { newFolder } from "./files.js";

function written(content: string | Uint8Array, ending = "csv"): string {
  const file = join(newFolder(), `rows.${ending}`);
  writeFileSync(file, content);
  return file;
}
/** Whether the lines are known without the file. */
async function exactly(content: string, options: ReadOptions = {}): Promise<boolean> {
  const file = written(content);
  const table = await readTable(file, options);
  rmSync(file);
  try {
    return table.place(0) === "line 2";
  } catch {
    return false;
  }
}

test("plain tables use the plain reader, requested ones DuckDB, and others the exact reader", async () => {
  const plain = "n,c\n1,x\n2,y\n";
  expect(await exactly(plain)).toBe(false);
  expect(await exactly(plain, { reader: "plain" })).toBe(false);
  expect(await exactly(plain, { reader: "native" })).toBe(false);
  expect(await exactly('n,c\n1,"x"\n2,y\n', { reader: "native" })).toBe(false);
  expect(await exactly(plain, { reader: "exact" })).toBe(true);
  expect(await exactly('n,c\n1,"x"\n2,y\n')).toBe(true);
  // Quotes within a cell, in one of several texts.
  expect(await exactly('n,c\n1,"say ""hi"""\n2,y\n', { reader: "native" })).toBe(true);
  const file = written("z,c\n01,x\n1,y\n");
  const { columns } = await readTable(file, { reader: "native", columns: { z: "category" } });
  expect(columns.z).toMatchObject({ categories: ["01", "1"] });
});

test("a file that is not there, and one that begins like a packed one", async () => {
  const none = join(newFolder(), "none.csv");
  await expect(readTable(none)).rejects.toThrow(`there is no file ${none}.`);
  expect((await readTable(written("\x1fa,b\n1,2\n"))).names).toEqual(["\x1fa", "b"]);
  await expect(readTable(written(Buffer.from("a\x8b,b\n1,2\n", "latin1")))).rejects.toThrow(
    "not a text in UTF-8",
  );
});

test("texts with brackets in JSON, or beginning with them in Parquet, are texts", async () => {
  const { columns } = await readTable(written('{"t": "a {b} [c]"}\n{"t": "d"}\n', "jsonl"));
  expect(columns.t).toMatchObject({ categories: ["a {b} [c]", "d"] });
  const parquet = join(newFolder(), "rows.parquet");
  const copy = (what: string) =>
    withDuckDB((connection) => connection.run(`copy (select ${what}) to '${parquet}' (format parquet)`));
  await copy("'[x]' as t, 1 as n");
  expect((await readTable(parquet)).columns.t).toMatchObject({ categories: ["[x]"] });
  await copy("[1, 2] as l, 1 as n");
  await expect(readTable(parquet)).rejects.toThrow(/^\S+: the column "l" holds lists or objects/);
});

test("keys of JSON that a column cannot be named after are refused, and are no column without values", async () => {
  const empty = written('{"": 1, "y": "a"}\n{"": 2, "y": "b"}\n', "jsonl");
  await expect(readTable(empty)).rejects.toThrow(`${empty}: a key is empty, and a column needs a name.`);
  const alike = written('{"n": 1, "N": 5}\n{"n": 2, "N": 6}\n', "jsonl");
  await expect(readTable(alike)).rejects.toThrow(
    `${alike}: the keys "n" and "N" differ by case alone; rename one.`,
  );
  const { columns } = await readTable(written('{"n": 1, "none": null}\n{"n": 2, "none": null}\n', "jsonl"));
  expect(columns.none).toMatchObject({ missing: 2 });
});
