// Whole numbers of more digits than a number holds: exact where they are names, told of where they are numbers.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type NumberColumn, type ReadOptions, readTable } from "../src/index.js";
import { withDuckDB } from "../src/table/native.js";
import { newFolder } from "./files.js";

// 2⁵³ + 1 is between two numbers, 2⁵³ and 2⁵³ + 2.
const [even, odd] = ["9007199254740992", "9007199254740993"];

const csv = (cells: readonly string[]): string =>
  ["id,x", ...cells.map((cell, i) => `${cell},${i}`), ""].join("\n");
const json = (cells: readonly string[]): string =>
  cells.map((cell, i) => `{"id": ${cell}, "x": ${i}}\n`).join("");

async function written(kind: string, cells: readonly string[]): Promise<string> {
  const file = join(newFolder(), `rows.${kind}`);
  if (kind === "parquet")
    await withDuckDB((connection) =>
      connection.run(
        `copy (select unnest([${cells.join(", ")}])::bigint as id, unnest(range(${cells.length})) as x) to '${file}' (format parquet)`,
      ),
    );
  else writeFileSync(file, kind === "csv" ? csv(cells) : json(cells));
  return file;
}

const readers: [string, ReadOptions][] = [
  ["csv", { reader: "plain" }],
  ["csv", { reader: "native" }],
  ["csv", { reader: "exact" }],
  ["jsonl", {}],
  ["parquet", {}],
];

describe.each(readers)("%s, %j", (kind, options) => {
  const read = async (cells: readonly string[], more: ReadOptions = {}) =>
    (await readTable(await written(kind, cells), { ...options, ...more })).columns.id;

  test("as categories two that differ in the last digit are two", async () => {
    const column = await read([odd, even, odd], { columns: { id: "category" } });
    expect(column).toMatchObject({ categories: [even, odd], codes: Int32Array.from([1, 0, 1]) });
  });

  test.each([
    ["the first of them is told of", ["1", even, odd, "9007199254740995"], odd],
    ["below 0 too", ["1", `-${odd}`], `-${odd}`],
    ["not those that a number holds", [even, "9007199254740994", "1152921504606846976"], undefined],
    ["nor shorter ones", ["9007199254740991", "7"], undefined],
  ])("as numbers, %s", async (_, cells, rounded) => {
    for (const asked of [{}, { columns: { id: "number" } } as const]) {
      const column = await read(cells, asked);
      expect(column).toMatchObject({ kind: "number", values: Float64Array.from(cells, Number) });
      expect((column as NumberColumn).rounded).toBe(rounded);
    }
  });
});

test.each(["1e300", "12345678901234567.5", "123456789012345678.0", "0.1234567890123456789"])(
  "%s is not written to its last digit",
  async (cell) => {
    for (const [kind, options] of readers.filter(([kind]) => kind !== "parquet")) {
      const { columns } = await readTable(await written(kind, ["1", cell]), options);
      expect(columns.id).toMatchObject({ kind: "number", values: Float64Array.of(1, Number(cell)) });
      expect(columns.id).not.toHaveProperty("rounded");
    }
  },
);

test("formatted numbers are reported as well", async () => {
  const { columns } = await readTable(await written("csv", ['"9,007,199,254,740,993"', '"1,000"']));
  expect(columns.id).toMatchObject({ written: "thousands", rounded: "9,007,199,254,740,993" });
});
