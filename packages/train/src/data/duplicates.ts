// Duplicate rows: how many, and how many of them on both sides of a split. In a table with few distinct values equal rows are expected,
// so no warning is given for as many as chance gives with independent columns.
import type { Column, Table } from "@pliant/data";
import type { Part } from "./examples.js";

export interface Duplicates {
  /** Rows that are equal to one before them. */
  readonly rows: number;
  /** Some of them, each with the first that it is equal to, as `line 17`. */
  readonly such: readonly (readonly [string, string])[];
  /** By part: rows that are equal to one that is learnt from. */
  readonly learnt: Readonly<Partial<Record<Part, number>>>;
}

/** The first of the parts is learnt from. */
export type Parts = readonly (readonly [Part, Table])[];

const shown = 2;

/** Undefined where there are no more than chance gives. */
export function duplicatesIn(parts: Parts, names: readonly string[]): Duplicates | undefined {
  if (names.length < 2) return undefined;
  const tables = parts.map(([, table]) => table);
  const firsts = firstEqual(tables, names);
  const learnt: Partial<Record<Part, number>> = {};
  const such: [string, string][] = [];
  const placeOf = (row: number): string => {
    let at = row;
    const table = tables.find(({ rows }) => {
      if (at < rows) return true;
      at -= rows;
      return false;
    });
    const { place, source } = table!;
    return source === tables[0].source ? place(at) : `${source}, ${place(at)}`;
  };
  let [row, count] = [0, 0];
  for (const [part, table] of parts)
    for (let i = 0; i < table.rows; i++, row++) {
      if (firsts[row] === row) continue;
      count++;
      if (such.length < shown) such.push([placeOf(row), placeOf(firsts[row])]);
      if (row >= tables[0].rows && firsts[row] < tables[0].rows) learnt[part] = (learnt[part] ?? 0) + 1;
    }
  if (count === 0 || count <= byChance(tables, names)) return undefined;
  return { rows: count, such, learnt };
}

/** A column of several tables one after another, with one number for what is equal: NaN where missing. */
function cellsOf(columns: readonly Column[], total: number): Float64Array {
  // One table of numbers is taken as it is.
  if (columns.length === 1 && columns[0].kind === "number") return columns[0].values;
  const places = new Map<string, number>();
  const cells = new Float64Array(total);
  let at = 0;
  for (const column of columns) {
    if (column.kind === "number") {
      cells.set(column.values, at);
      at += column.values.length;
      continue;
    }
    // A text has the same place in all tables.
    const common = column.categories.map((text) => {
      const known = places.get(text);
      if (known === undefined) places.set(text, places.size);
      return known ?? places.size - 1;
    });
    const { codes } = column;
    for (let row = 0; row < codes.length; row++, at++)
      cells[at] = codes[row] < 0 ? Number.NaN : common[codes[row]];
  }
  return cells;
}

const bits = new Float64Array(1);
const halves = new Uint32Array(bits.buffer);

function mixed(hash: number, value: number): number {
  // One zero, and one NaN.
  bits[0] = value === 0 ? 0 : value;
  let found = Math.imul(hash ^ halves[0], 0x85ebca6b);
  found = Math.imul(found ^ (found >>> 15) ^ halves[1], 0xc2b2ae35);
  return found ^ (found >>> 13);
}

/** How many different numbers there are, by a table of those met so far: a sort takes several times as long. */
export function differentIn(values: Float64Array): number {
  let met = new Float64Array(1 << 12).fill(Number.NaN);
  let count = 0;
  /** Whether it is new. */
  const add = (value: number): boolean => {
    const mask = met.length - 1;
    let slot = mixed(0, value) & mask;
    for (; !Number.isNaN(met[slot]); slot = (slot + 1) & mask) if (met[slot] === value) return false;
    met[slot] = value;
    return true;
  };
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value) || !add(value)) continue;
    count++;
    if (2 * count < met.length) continue;
    const before = met;
    met = new Float64Array(4 * before.length).fill(Number.NaN);
    for (const known of before) if (!Number.isNaN(known)) add(known);
  }
  return count;
}

/** For every row of some tables in order, the first row that equals it in some columns. */
function firstEqual(tables: readonly Table[], names: readonly string[]): Int32Array {
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  const cells = names.map((name) =>
    cellsOf(
      tables.map(({ columns }) => columns[name]),
      total,
    ),
  );
  const hashes = new Int32Array(total);
  for (const column of cells)
    for (let row = 0; row < total; row++) hashes[row] = mixed(hashes[row], column[row]);
  const isEqual = (a: number, b: number): boolean => {
    for (const column of cells)
      if (column[a] !== column[b] && !(Number.isNaN(column[a]) && Number.isNaN(column[b]))) return false;
    return true;
  };
  const mask = 2 ** Math.ceil(Math.log2(2 * total + 2)) - 1;
  const slots = new Int32Array(mask + 1).fill(-1);
  const firsts = new Int32Array(total);
  for (let row = 0; row < total; row++) {
    const hash = hashes[row];
    let slot = hash & mask;
    let first = row;
    for (let known = slots[slot]; known >= 0; known = slots[slot]) {
      if (hashes[known] === hash && isEqual(known, row)) {
        first = known;
        break;
      }
      slot = (slot + 1) & mask;
    }
    if (first === row) slots[slot] = row;
    firsts[row] = first;
  }
  return firsts;
}

/** The number of rows from which the chance of equal values is estimated. */
const looked = 2000;

/** How many pairs of rows would be equal if columns did not depend on each other. */
function byChance(tables: readonly Table[], names: readonly string[]): number {
  const [{ rows, columns }] = tables;
  const total = tables.reduce((sum, table) => sum + table.rows, 0);
  const every = Math.ceil(rows / looked);
  const equal = names.reduce((share, name) => {
    const column = columns[name];
    const cells = column.kind === "number" ? column.values : column.codes;
    const counts = new Map<number, number>();
    let n = 0;
    for (let row = 0; row < rows; row += every, n++)
      counts.set(cells[row], (counts.get(cells[row]) ?? 0) + 1);
    const pairs = [...counts.values()].reduce((sum, count) => sum + count * (count - 1), 0);
    return share * (n > 1 ? pairs / (n * (n - 1)) : 1);
  }, 1);
  return (equal * total * (total - 1)) / 2;
}
