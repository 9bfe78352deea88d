// Tables that are not one file of text: Arrow and Feather, SQLite, folders of Parquet, and addresses on a server of this machine.
// fixtures/ holds one table of 120 rows that pyarrow 22 wrote as Parquet, as Feather packed by LZ4 and by zstd, and as an Arrow stream.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { readTable, sourceSum, type Table } from "@pliant/data";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { unpackLz4 } from "../src/sources/lz4.js";
import { withDuckDB } from "../src/table/native.js";
import { closedPort, serve } from "./server.js";

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pliant-sources-"));
const at = (name: string): string => join(folder, name);

/** All but where it was read from. */
const contentOf = ({ names, rows, columns }: Table) => ({ names, rows, columns });

const module = "@uwdata/flechette";
const flechette = (await import(module).catch(() => undefined)) as
  | {
      tableFromArrays(columns: object): unknown;
      tableToIPC(table: unknown, options: { format: "file" }): Uint8Array;
    }
  | undefined;
if (!flechette) console.warn(`Skipped: Arrow and Feather, since ${module} is not installed.`);
const duckdb = await withDuckDB(async () => true);
if (!duckdb) console.warn("Skipped: folders of Parquet, since @duckdb/node-api is not installed.");

describe.runIf(flechette)("Arrow and Feather", () => {
  test.each(["lz4.feather", "zstd.feather", "stream.arrows"])(
    "%s is the table of the Parquet file: gaps, dates, long whole numbers, categories",
    async (name) => {
      const found = await readTable(fixture(name));
      expect(contentOf(found)).toEqual(contentOf(await readTable(fixture("same.parquet"))));
      expect(found.rows).toBe(120);
      expect(found.columns.city).toMatchObject({ categories: ["Lyon", "Nice"], missing: 40 });
      expect(found.columns.amount).toMatchObject({ kind: "number", missing: 40 });
    },
  );

  test("columns may be of categories, or ignored; lists are refused by name", async () => {
    const { columns, names } = await readTable(fixture("lz4.feather"), {
      columns: { count: "category", when: "ignore" },
    });
    expect(names).not.toContain("when");
    expect(columns.count).toMatchObject({ categories: ["1", "2", "9007199254740993"] });
    const { tableFromArrays, tableToIPC } = flechette!;
    writeFileSync(
      at("lists.arrow"),
      tableToIPC(tableFromArrays({ x: [1, 2], list: [[1], [2, 3]] }), { format: "file" }),
    );
    await expect(readTable(at("lists.arrow"))).rejects.toThrow(
      'the column "list" holds lists or objects (List)',
    );
    expect((await readTable(at("lists.arrow"), { columns: { list: "ignore" } })).names).toEqual(["x"]);
  });

  test("a file cut short is a sentence", async () => {
    const bytes = readFileSync(fixture("lz4.feather"));
    writeFileSync(at("cut.feather"), bytes.subarray(0, bytes.length >> 1));
    await expect(readTable(at("cut.feather"))).rejects.toThrow(/cut\.feather cannot be read as Arrow: /);
  });
});

test("Feather of the first version is a sentence", async () => {
  writeFileSync(at("old.feather"), "FEA1 and more");
  await expect(readTable(at("old.feather"))).rejects.toThrow("a Feather file of the first version");
});

describe("LZ4 frames", () => {
  /** A frame of the blocks given: packed, or as they are. */
  const frame = (...blocks: { bytes: number[]; plain?: true }[]): Uint8Array =>
    Uint8Array.from([
      ...[0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0],
      ...blocks.flatMap(({ bytes, plain }) => [bytes.length, 0, 0, plain ? 0x80 : 0, ...bytes]),
      ...[0, 0, 0, 0],
    ]);
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

  test("literals, copies that overlap, lengths above 15, and blocks that are not packed", () => {
    // "ab", then 4 + 15 + 6 = 25 bytes from two before: abab…
    expect(text(unpackLz4(frame({ bytes: [0x2f, 97, 98, 2, 0, 6, 0] })))).toBe("ab".repeat(14).slice(0, 27));
    expect(text(unpackLz4(frame({ bytes: [120, 121], plain: true }, { bytes: [0x10, 122] })))).toBe("xyz");
    // A copy reaches back into the block before.
    expect(text(unpackLz4(frame({ bytes: [0x40, 97, 98, 99, 100] }, { bytes: [0x00, 4, 0] })))).toBe(
      "abcdabcd",
    );
  });

  test("damage is refused", () => {
    expect(() => unpackLz4(frame({ bytes: [0x10, 97, 9, 0] }))).toThrow("damaged");
    expect(() => unpackLz4(frame({ bytes: [0x40, 97, 98, 99, 100] }).subarray(0, 12))).toThrow("cut short");
    expect(() => unpackLz4(new Uint8Array(12))).toThrow("not an LZ4 frame");
  });
});

describe("SQLite", () => {
  const name = "node:sqlite";
  interface Database {
    exec(sql: string): void;
    close(): void;
  }
  const load = () =>
    import(name).catch(() => undefined) as Promise<
      { DatabaseSync: new (path: string) => Database } | undefined
    >;

  test("Node without it says which Node reads the file, and how to export the table", async (context) => {
    if (await load()) return context.skip("this Node has SQLite");
    writeFileSync(at("any.db"), Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(100)]));
    await expect(readTable(`${at("any.db")}#loans`)).rejects.toThrow(
      /any\.db#loans is an SQLite database, which Pliant reads under Node 22\.13 or later.*select \* from loans/,
    );
  });

  test("a table by its name, or the only one: numbers, texts, gaps, long whole numbers", async (context) => {
    const sqlite = await load();
    if (!sqlite) return context.skip("this Node has no SQLite: Node 22.13 or later does");
    const path = at("rows.sqlite");
    const database = new sqlite.DatabaseSync(path);
    database.exec("create table loans (amount real, years integer, city text, id integer, photo blob)");
    database.exec(
      "insert into loans values (1.5, 3, 'Lyon', 9007199254740993, x'00'), (null, 4, null, 2, x'01'), (2.5, 5, 'Nice', 3, x'02')",
    );
    await expect(readTable(path)).rejects.toThrow('the column "photo" holds lists or objects (BLOB)');
    const options = { columns: { photo: "ignore", id: "category" } } as const;
    const only = await readTable(path, options);
    expect(only.names).toEqual(["amount", "years", "city", "id"]);
    expect(only.columns.amount).toEqual({
      ...{ kind: "number", values: Float64Array.of(1.5, Number.NaN, 2.5), missing: 1 },
    });
    expect(only.columns.years).toMatchObject({ values: Float64Array.of(3, 4, 5) });
    expect(only.columns.city).toMatchObject({ categories: ["Lyon", "Nice"], missing: 1 });
    expect(only.columns.id).toMatchObject({ categories: ["2", "3", "9007199254740993"] });
    database.exec("create view \"of Lyon\" as select amount, years from loans where city = 'Lyon'");
    database.exec("create table empty (x)");
    await expect(readTable(path, options)).rejects.toThrow(
      "has 3 tables: empty, loans, of Lyon. Name one after the file:",
    );
    expect(contentOf(await readTable(`${path}#loans`, options))).toEqual(contentOf(only));
    expect((await readTable(`${path}#of Lyon`)).rows).toBe(1);
    await expect(readTable(`${path}#debts`)).rejects.toThrow(
      'has no table "debts". It has: empty, loans, of Lyon.',
    );
    await expect(readTable(`${path}#empty`)).rejects.toThrow('the table "empty" has no row');
    expect(await sourceSum(`${path}#loans`)).toBe(await sourceSum(path));
    database.close();
  });

  test("a table is named of a database only", async () => {
    writeFileSync(at("rows.csv"), "a,b\n1,2\n");
    await expect(readTable(`${at("rows.csv")}#loans`)).rejects.toThrow(
      'rows.csv is no database, and has no table "loans" in it.',
    );
    // A name with the character in it is a name.
    writeFileSync(at("rows#1.csv"), "a,b\n1,2\n3,4\n");
    expect((await readTable(at("rows#1.csv"))).rows).toBe(2);
  });
});

describe.runIf(duckdb)("a folder of Parquet files", () => {
  const parts = at("parts");
  beforeEach(async () => {
    if (existsSync(parts)) return;
    for (const part of ["year=2023", "year=2024/deeper", "_temporary"])
      mkdirSync(join(parts, part), { recursive: true });
    await withDuckDB(async (connection) => {
      const write = (sql: string, file: string) => connection.run(`copy (${sql}) to '${join(parts, file)}'`);
      await write("select 1 as a, 'x' as b", "year=2023/part-1.parquet");
      await write("select 2 as a, 'y' as b, 0.5 as c", "year=2024/deeper/part-0.parquet");
      await write("select 9 as a, 'z' as b", "_temporary/part-9.parquet");
    });
    writeFileSync(join(parts, "_SUCCESS"), "");
  });

  test("is one table in the order of names, with folders' values as a column, and gaps where a file lacks one", async () => {
    const { names, rows, columns } = await readTable(parts);
    expect([...names].sort()).toEqual(["a", "b", "c", "year"]);
    expect(rows).toBe(2);
    expect(columns.a).toMatchObject({ values: Float64Array.of(1, 2) });
    expect(columns.year).toMatchObject({ values: Float64Array.of(2023, 2024) });
    expect(columns.c).toMatchObject({ values: Float64Array.of(Number.NaN, 0.5), missing: 1 });
  });

  test("its sum changes with any of its files", async () => {
    const before = await sourceSum(parts);
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    copyFileSync(join(parts, "year=2023/part-1.parquet"), join(parts, "year=2023/part-2.parquet"));
    expect(await sourceSum(parts)).not.toBe(before);
    expect((await readTable(parts)).rows).toBe(3);
  });
});

test("a folder without Parquet files is a sentence", async () => {
  mkdirSync(at("empty"));
  await expect(readTable(at("empty"))).rejects.toThrow("is a folder without Parquet files");
});

describe("addresses", () => {
  test("CSV, packed CSV, JSON lines and Parquet are read as the files are, and fetched once", async () => {
    const files: Record<string, Buffer> = {
      "/rows.csv": Buffer.from("a,b\n1,x\n2,y\n"),
      "/rows.csv.gz": gzipSync("a,b\n1,x\n2,y\n"),
      "/rows.jsonl": Buffer.from('{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n'),
      "/same.parquet": readFileSync(fixture("same.parquet")),
    };
    const { url, requests } = await serve(({ url }, response) => response.end(files[url!.split("?")[0]]));
    const [plain, packed, lines] = await Promise.all(
      ["rows.csv", "rows.csv.gz", "rows.jsonl"].map((name) => readTable(`${url}${name}`)),
    );
    expect(plain.source).toBe(`${url}rows.csv`);
    expect(contentOf(plain)).toMatchObject({ names: ["a", "b"], rows: 2 });
    expect(contentOf(packed)).toEqual(contentOf(plain));
    expect(contentOf(lines)).toEqual(contentOf(plain));
    expect(contentOf(await readTable(`${url}same.parquet?version=1`))).toEqual(
      contentOf(await readTable(fixture("same.parquet"))),
    );
    await readTable(`${url}rows.csv`);
    expect(await sourceSum(`${url}same.parquet?version=1`)).toBe(await sourceSum(fixture("same.parquet")));
    expect(requests.length).toBe(4);
  });

  test("a refusal by a server is reported without secrets, and the next call tries again", async () => {
    let there = false;
    let authorization: string | undefined;
    const { url } = await serve((request, response) => {
      authorization = request.headers.authorization;
      if (there) response.end("a,b\n1,2\n");
      else response.writeHead(403).end();
    });
    const secret = `${url.replace("//", "//me:pass@")}rows.csv?signature=abc`;
    const reason = await readTable(`${url}rows.csv?signature=abc`).catch((error: Error) => error);
    expect((reason as Error).message).toBe(
      `${url}rows.csv?signature=… cannot be read: the server answered 403 Forbidden.`,
    );
    expect(((await readTable(secret).catch((e: Error) => e)) as Error).message).not.toMatch(/pass|abc/);
    expect(authorization).toBe(`Basic ${Buffer.from("me:pass").toString("base64")}`);
    there = true;
    expect((await readTable(`${url}rows.csv?signature=abc`)).rows).toBe(1);
  });

  test("no server, a web page, and an answer that breaks off", async () => {
    const closed = await closedPort();
    await expect(readTable(`${closed}rows.csv`)).rejects.toThrow(/rows\.csv cannot be read: .*ECONNREFUSED/);
    const { url } = await serve(({ url }, response) => {
      if (url === "/page") return response.writeHead(200, { "content-type": "text/html" }).end("<p>Sign in");
      response.writeHead(200, { "content-length": 100 });
      response.write("a,b\n");
      setTimeout(() => response.destroy(), 20);
    });
    await expect(readTable(`${url}page`)).rejects.toThrow("/page is a web page, not a table");
    await expect(readTable(`${url}rows.csv`)).rejects.toThrow(/rows\.csv cannot be read: /);
  });

  test("s3:// asks the store for the object, signed by the keys of the environment", async () => {
    const asked: Record<string, unknown> = {};
    const { url } = await serve((request, response) => {
      Object.assign(asked, { path: request.url, ...request.headers });
      response.end("a,b\n1,2\n");
    });
    const address = `s3://bucket/folder/rows.csv?endpoint=${url}&region=eu-1`;
    vi.stubEnv("AWS_ACCESS_KEY_ID", "");
    await expect(readTable(address)).rejects.toThrow("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    try {
      const table = await readTable(address);
      expect(table.source).toBe("s3://bucket/folder/rows.csv?endpoint=…&region=…");
      expect(table.rows).toBe(1);
      expect(asked.path).toBe("/bucket/folder/rows.csv");
      expect(asked.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/eu-1\/s3\/aws4_request/);
      await expect(readTable(`s3://bucket?endpoint=${url}`)).rejects.toThrow("names a bucket and no object");
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test.each([
    ["postgres://me:word@host/base", /^postgres:\/\/…@host\/base is a PostgreSQL database.*\\copy \(select/],
    [
      "gs://bucket/rows.csv",
      /^gs:\/\/bucket\/rows\.csv cannot be read: Pliant reads files, https:\/\/ and s3:\/\//,
    ],
  ])("%s is not read, and what to do instead", async (address, sentence) => {
    await expect(readTable(address)).rejects.toThrow(sentence);
  });
});
