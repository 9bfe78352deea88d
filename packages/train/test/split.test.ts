// Which rows are kept apart: in proportion, whole groups at once, or the last in time.

import { InputError } from "@pliant/core";
import { categoryColumn, numberColumn, parseCsv, type Table } from "@pliant/data";
import { describe, expect, test } from "vitest";
import { rowsOf } from "../src/data/rows.js";
import { type Kept, splitRows } from "../src/data/split.js";

const rows = Array.from({ length: 400 }, (_, i) => {
  const day = String(1 + (i % 28)).padStart(2, "0");
  return `${i},p${i % 37},${i % 10 === 0 ? "yes" : "no"},${i % 4 === 0 ? "B" : "A"},2024-0${1 + (i % 3)}-${day}`;
});
const table = parseCsv(`n,patient,y,group,on\n${rows.join("\n")}\n`, { columns: { patient: "category" } });

const split = (kept: { test?: Kept; validation?: Kept }, seed = 1, of: Table = table) =>
  splitRows(of, kept, {
    seed,
    strata: ["y", "group"],
    mistake: (_, sentence) => new InputError(sentence),
  });
const numbers = (part: Table | undefined, name = "n") => Array.from(numberColumn(part!, name).values);
const texts = (part: Table | undefined, name: string) => {
  const { codes, categories } = categoryColumn(part!, name);
  return Array.from(codes, (code) => categories[code]);
};

/** Every row is in one part. */
function whole(parts: ReturnType<typeof split>): void {
  const all = [parts.train, parts.test, parts.validation].flatMap((part) => (part ? numbers(part) : []));
  expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, i) => i));
}

describe("a stratified share", () => {
  test("has each class and group in its proportion, to within a row", () => {
    const parts = split({
      test: { share: 0.3, stratified: true },
      validation: { share: 0.1, stratified: true },
    });
    whole(parts);
    expect(parts.test!.rows).toBe(120);
    expect(parts.validation!.rows).toBe(40);
    for (const [part, share] of [
      [parts.test, 0.3],
      [parts.validation, 0.1],
    ] as const)
      for (const y of ["yes", "no"])
        for (const group of ["A", "B"]) {
          const count = (one: Table) => {
            const groups = texts(one, "group");
            return texts(one, "y").filter((cell, i) => cell === y && groups[i] === group).length;
          };
          expect(Math.abs(count(part!) - share * count(table))).toBeLessThanOrEqual(1);
        }
  });

  test("is another for another seed", () => {
    const drawn = (seed: number) =>
      numbers(split({ test: { share: 0.3, stratified: true } }, seed).test).join();
    expect(drawn(1)).toBe(drawn(1));
    expect(drawn(1)).not.toBe(drawn(2));
  });
});

describe("a share of whole groups", () => {
  test("has nobody on both sides, and about the size that was asked", () => {
    const parts = split({ test: { share: 0.3, by: "patient" }, validation: { share: 0.2, by: "patient" } });
    whole(parts);
    const sides = [parts.train, parts.test, parts.validation].map((part) => new Set(texts(part, "patient")));
    for (const [i, side] of sides.entries())
      for (const other of sides.slice(i + 1)) for (const one of side) expect(other.has(one)).toBe(false);
    expect(Math.abs(parts.test!.rows - 120)).toBeLessThanOrEqual(6);
    expect(Math.abs(parts.validation!.rows - 80)).toBeLessThanOrEqual(6);
  });

  test("is refused where every group is too large", () => {
    expect(() => split({ test: { share: 0.1, by: "y" } }, 1, parseCsv("y,x\na,1\na,2\nb,3\nb,4\n"))).toThrow(
      /too few to keep|no whole group of "y" is small enough/,
    );
  });
});

describe("the last rows", () => {
  test("are no earlier than any that is learnt from", () => {
    const parts = split({ test: { last: 0.25, of: "on" }, validation: { share: 0.2, stratified: true } });
    whole(parts);
    const first = Math.min(...numbers(parts.test, "on"));
    for (const part of [parts.train, parts.validation])
      expect(Math.max(...numbers(part, "on"))).toBeLessThan(first);
    expect(parts.test!.rows).toBeGreaterThanOrEqual(100);
  });

  test("are not told where a date is missing, or texts have no order", () => {
    const gaps = parseCsv("on,x\n2024-01-01,1\n,2\n2024-01-03,3\n");
    expect(() => split({ test: { last: 0.3, of: "on" } }, 1, gaps)).toThrow(/line 3: "on" is missing/);
    expect(() => split({ test: { last: 0.3, of: "patient" } })).toThrow(/neither dates nor numbers/);
  });
});

test("rows.csv says of every row the part it is in, by its line", () => {
  const parts = split({ test: 0.3, validation: 0.1 });
  const [head, ...lines] = rowsOf([
    ["train", parts.train],
    ["validation", parts.validation!],
    ["test", parts.test!],
  ])()
    .trim()
    .split("\n");
  expect(head).toBe("part,line");
  expect(lines).toHaveLength(400);
  for (const part of ["train", "validation", "test"] as const) {
    const own = lines.filter((line) => line.startsWith(`${part},`)).map((line) => Number(line.split(",")[1]));
    // The row with number n stands on line n + 2, below the header.
    expect(own).toEqual(numbers(parts[part]).map((n) => n + 2));
  }
});
