// JSON lines: an object a line, whose keys are the columns; or a list of such objects.
import { InputError } from "@pliant/core";
import { nestedIn } from "./nested.js";
import type { ReadRequest } from "./read.js";
import type { Table } from "./table.js";
import { tableOfValues, type Value } from "./values.js";

export function readJsonLines(text: string, asked: ReadRequest): Table {
  const { source, columns = {} } = asked;
  const wrong = (why: string): InputError =>
    new InputError(`${source} cannot be read as JSON lines: ${why}.`);
  const found = new Map<string, Value[]>();
  const left: Record<string, "ignore"> = {};
  const nested = nestedIn(asked);
  let rows = 0;
  for (const { value, line, text: written } of linesIn(text, wrong)) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw wrong(`line ${line} holds no object, as in {"age": 31}`);
    for (const [name, cell] of Object.entries(value as Record<string, unknown>)) {
      let values = found.get(name);
      if (!values) {
        values = [];
        found.set(name, values);
      }
      if (left[name] || columns[name] === "ignore") continue;
      if (typeof cell === "object" && cell !== null) {
        nested(name, JSON.stringify(cell).slice(0, 20));
        left[name] = "ignore";
        continue;
      }
      values[rows] = digits(cell as Value, name, written);
    }
    rows++;
  }
  const names = [...found.keys()];
  refuseAlike(names, source);
  if (rows === 0) throw new InputError(`${source} is empty: a line with an object was expected.`);
  for (const values of found.values()) values.length = rows;
  const place = (row: number): string => `line ${row + 1}`;
  const all = { names, rows, values: (i: number) => found.get(names[i])!, place };
  return tableOfValues(all, { ...asked, columns: { ...columns, ...left } });
}

interface Line {
  readonly value: unknown;
  readonly line: number;
  readonly text: string;
}

function* linesIn(text: string, wrong: (why: string) => InputError): Generator<Line> {
  const parsed = (part: string, line: number): unknown => {
    try {
      return JSON.parse(part);
    } catch (reason) {
      throw wrong(`line ${line} is not JSON: ${(reason as Error).message.replace(/\.$/, "")}`);
    }
  };
  if (/^\s*\[/.test(text)) {
    const list = parsed(text, 1) as unknown[];
    for (const [i, value] of list.entries()) yield { value, line: i + 1, text: "" };
    return;
  }
  let line = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const part = text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 1;
    line++;
    if (part.trim() !== "") yield { value: parsed(part, line), line, text: part };
  }
}

/** A whole number of more digits than a number holds stays as it is written. */
function digits(value: Value, name: string, written: string): Value {
  if (typeof value !== "number" || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  const key = JSON.stringify(name).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`${key}\\s*:\\s*([+-]?\\d{16,})\\s*[,}]`).exec(written)?.[1] ?? value;
}

function refuseAlike(names: readonly string[], source: string): void {
  if (names.includes("")) throw new InputError(`${source}: a key is empty, and a column needs a name.`);
  const known = new Map<string, string>();
  for (const name of names) {
    const like = known.get(name.toLowerCase());
    if (like !== undefined)
      throw new InputError(`${source}: the keys "${like}" and "${name}" differ by case alone; rename one.`);
    known.set(name.toLowerCase(), name);
  }
}
