// JSON lines and Parquet in TypeScript read what DuckDB reads from the same files, and refuse what it refuses.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withDuckDB } from "../src/table/native.js";
import { type ReadOptions, readTable } from "../src/table/read.js";

const folder = mkdtempSync(join(tmpdir(), "pliant-data-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

/** Columns, and the place of the last row; of a refused file the sentence. */
async function found(file: string, options: ReadOptions): Promise<unknown> {
  const nested: string[] = [];
  try {
    const { rows, names, columns, place } = await readTable(file, {
      onNested: (name, example) => nested.push(`${name}: ${example}`),
      ...options,
    });
    return { rows, names, columns, last: place(rows - 1), nested };
  } catch (reason) {
    return (reason as Error).message;
  }
}

async function bothRead(file: string, options: ReadOptions = {}): Promise<unknown> {
  const exact = await found(file, { ...options, reader: "exact" });
  expect(exact).toEqual(await found(file, { ...options, reader: "native" }));
  return exact;
}

const lines = [
  '{"age": 31, "income": 52000.5, "paid": true, "town": "Köln", "when": "2024-01-31"}',
  '{"age": 44, "income": null, "paid": false, "town": "Oslo", "when": "2024-02-01", "late": 1}',
  "",
  '{"town": " Oslo ", "age": 1e3, "paid": true, "income": -0.25}',
].join("\n");

describe("JSON lines", () => {
  test.each([
    ["rows.jsonl", lines],
    ["rows.ndjson", `${lines}\n`],
    ["list.json", `[${lines.split("\n").filter(Boolean).join(",\n")}]`],
    ["long.jsonl", '{"id": 12345678901234567890, "x": 1}\n{"id": 2, "x": 2}\n'],
    ["marked.jsonl", '{"x": -1, "y": "?"}\n{"x": 2, "y": "b"}\n'],
  ])("%s", async (name, text) => {
    writeFileSync(at(name), text);
    const missing = name.startsWith("marked") ? ["-1", "?"] : undefined;
    expect(await bothRead(at(name), { ...(missing && { missing }) })).toHaveProperty("rows");
  });

  test("packed by gzip", async () => {
    writeFileSync(at("rows.jsonl.gz"), gzipSync(lines));
    expect(await bothRead(at("rows.jsonl.gz"))).toHaveProperty("rows", 3);
  });

  test("keys that differ by case alone are refused in the same words", async () => {
    writeFileSync(at("case.jsonl"), '{"Age": 1, "age": 2}\n{"Age": 3, "age": 4}\n');
    expect(await bothRead(at("case.jsonl"))).toMatch(/differ by case alone/);
  });

  test("a column of lists or objects is named", async () => {
    writeFileSync(at("nested.jsonl"), '{"x": 1, "tags": ["a"]}\n{"x": 2, "tags": []}\n');
    const exact = { reader: "exact" as const };
    expect(await found(at("nested.jsonl"), exact)).toMatchObject({ names: ["x"], nested: ['tags: ["a"]'] });
    await expect(readTable(at("nested.jsonl"), exact)).rejects.toThrow(
      'column "tags" holds lists or objects',
    );
    const ignored = await readTable(at("nested.jsonl"), { ...exact, columns: { tags: "ignore" } });
    expect(ignored.names).toEqual(["x"]);
  });

  test.each([
    ["broken.jsonl", '{"x": 1}\n{"x": \n', /cannot be read as JSON lines: line 2 is not JSON/],
    ["numbers.jsonl", "1\n2\n", /line 1 holds no object/],
    ["empty.jsonl", "\n", /is empty/],
  ])("%s is refused by a sentence", async (name, text, sentence) => {
    writeFileSync(at(name), text);
    expect(await found(at(name), { reader: "exact" })).toMatch(sentence);
  });
});

describe("Parquet", () => {
  const columns = [
    "i::integer as small, (i * 1000003)::bigint as big, (i / 7)::double as ratio, (i / 7)::float as single",
    "i % 2 = 0 as flag, 'town ' || (i % 5) as town, date '2024-01-01' + i::integer as day",
    "timestamp '2024-01-01 10:00:00' + to_seconds(i * 61) as moment, case when i % 3 = 0 then null else i end as gaps",
    "(i / 4)::decimal(9, 2) as price",
  ].join(", ");
  let made = false;
  const write = (name: string, codec: string): Promise<unknown> =>
    withDuckDB((connection) =>
      connection.run(
        `copy (select ${columns} from range(3000) t(i)) to '${at(name)}' (format parquet, compression ${codec}, row_group_size 2048)`,
      ),
    );
  beforeAll(async () => {
    made = (await write("snappy.parquet", "snappy")) !== undefined;
  });

  test.each(["snappy", "zstd", "gzip", "uncompressed"])("packed by %s", async (codec) => {
    expect(made).toBe(true);
    await write(`${codec}.parquet`, codec);
    expect(await bothRead(at(`${codec}.parquet`))).toMatchObject({ rows: 3000, last: "row 3000" });
  });

  test("kinds that are asked for, and columns that are ignored", async () => {
    const columns = { small: "category", town: "ignore", moment: "ignore" } as const;
    expect(await bothRead(at("snappy.parquet"), { columns })).toHaveProperty("names.0", "small");
  });

  test("a column of lists, objects or bytes is named with its type", async () => {
    const nested = "[1, 2] as list, {'a': 1, 'b': 'x'} as pair, 'x'::blob as raw, 1 as x";
    await withDuckDB((c) => c.run(`copy (select ${nested}) to '${at("nested.parquet")}' (format parquet)`));
    expect(await bothRead(at("nested.parquet"))).toMatchObject({ names: ["x"] });
  });

  test("a file that is cut off is refused by a sentence", async () => {
    writeFileSync(at("cut.parquet"), "PAR1 and no more");
    expect(await found(at("cut.parquet"), { reader: "exact" })).toMatch(/cannot be read as Parquet: .*\.$/);
  });
});
