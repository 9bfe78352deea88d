// Numbers that a command measured, taken from the file it recorded them in: no page has one that was typed.
//
//   {{packages/cli/bench/records/fairness.json reductions.0.pliant.seconds .2}}
//
// is a number of a record with two digits after the point; `%1` is percent with one, `e1` powers of ten, nothing is as it
// stands. A block of ```figures is a table of them; see tableOf.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { escaped } from "./escaped.js";
import { root } from "./place.js";

type Json = { readonly [name: string]: unknown };

const read = (path: string): Json => JSON.parse(readFileSync(join(root, path), "utf8"));

/** What a path such as reductions.0.seconds leads to. A name that has points in it is written in full. */
function reached(record: unknown, path: string, where: string): unknown {
  let at: unknown = record;
  for (const name of path.split(".").filter(Boolean)) at = (at as Json | undefined)?.[name];
  if (at === undefined) throw new Error(`${where} has no ${path}.`);
  return at;
}

export function shown(value: unknown, format = ""): string {
  if (value === null) return "–";
  if (typeof value !== "number") return String(value);
  const [, kind, digits] = /^([.%e]?)(\d*)$/.exec(format) ?? [];
  if (kind === undefined) throw new Error(`${format} is no format: .2, %1 or e1.`);
  if (kind === "%") return `${(100 * value).toFixed(Number(digits))}%`;
  if (kind === "e") return value.toExponential(Number(digits));
  const text = kind === "." ? value.toFixed(Number(digits)) : String(value);
  return text.replace(/^-?\d{5,}/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

/** Which command measured it, where and when. */
const origin = (record: Json): string =>
  ["command", "machine", "date"]
    .map((name) => record[name])
    .filter((text) => typeof text === "string")
    .join(" · ");

/** The number that {{…}} asks for, as HTML that says where it is from. */
export function numberOf(asked: string): string {
  const [path, at, format] = asked.trim().split(/\s+/);
  const record = read(path);
  const text = escaped(shown(reached(record, at ?? "", path), format));
  return `<span class="measured" title="${escaped(origin(record))}">${text}</span>`;
}

/**
 * A table of a record, as the block says it in YAML: `record`, `rows` (the path of a list or of an object), and `columns`,
 * each a title with the path of its number within a row and a format; `key` is the row's own name in an object.
 */
export function tableOf(text: string): string {
  const { record: path, rows, columns } = parse(text);
  const record = read(path);
  const found = reached(record, rows, path) as Json;
  const titles = Object.keys(columns);
  const cells = Object.entries(found).map(([key, row]) =>
    Object.values<string>(columns).map((column) => {
      const [at, format] = column.split(/\s+/);
      return at === "key" ? key : shown(reached(row, at, `${path}, ${rows}.${key},`), format);
    }),
  );
  const line = (tag: string, each: readonly string[]): string =>
    `<tr>${each.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  return (
    `<figure><div class="scroll" tabindex="0" role="region" aria-label="Table: ${escaped(titles.join(", "))}">` +
    `<table><thead>${line("th", titles)}</thead><tbody>${cells.map((row) => line("td", row)).join("")}</tbody></table></div>` +
    `<figcaption>${escaped(origin(record))}</figcaption></figure>\n`
  );
}
