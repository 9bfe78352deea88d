// rows.csv of a run: which rows it learnt from, was validated and tested on, each by the line of its file that it begins on.
import type { Table } from "@pliant/data";
import type { Part } from "./examples.js";

/** One line a row, of a part in the order in which the run has them; made when it is first asked for. */
export function rowsOf(parts: readonly (readonly [Part, Table])[]): () => string {
  let made: string | undefined;
  return () => {
    made ??= written(parts);
    return made;
  };
}

function written(parts: readonly (readonly [Part, Table])[]): string {
  const [[, first]] = parts;
  const [word] = first.place(0).split(" ");
  const lines = [`part,${word}`];
  for (const [part, table] of parts)
    for (let row = 0; row < table.rows; row++) lines.push(`${part},${table.place(row).split(" ")[1]}`);
  return `${lines.join("\n")}\n`;
}
