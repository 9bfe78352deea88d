// The numbers of metrics.jsonl in columns, a row an evaluation.
import { largestResidual } from "./certificate.js";
import { type Column, column } from "./column.js";
import { requirementsOf, slackOf } from "./requirement.js";

export interface RequirementColumns {
  readonly slack: Column;
  readonly relaxation: Column;
  readonly price: Column;
}

export interface Table {
  rows: number;
  /** Over all requirements, the lines before each first came. */
  skipped: number;
  readonly step: Column;
  /** When a line was logged, in seconds. */
  readonly time: Column;
  readonly objective: Column;
  /** The largest residual of the certificate. */
  readonly residual: Column;
  readonly requirements: Map<string, RequirementColumns>;
  /** Other numbers, by name. */
  readonly other: Map<string, Column>;
  /** Where the lines with clients begin and end in the file, by row. */
  readonly clientLines: Map<number, readonly [from: number, to: number]>;
}

export const emptyTable = (): Table => ({
  rows: 0,
  skipped: 0,
  step: column(),
  time: column(),
  objective: column(),
  residual: column(),
  requirements: new Map(),
  other: new Map(),
  clientLines: new Map(),
});

const utf8 = new TextDecoder();

/** Whole lines; one that is not JSON, or has no step, is passed over, and so is a last one without an end. */
export function addLines(table: Table, bytes: Uint8Array, at: number): void {
  let from = 0;
  for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
    const line = parsed(utf8.decode(bytes.subarray(from, to)));
    if (line && Number.isFinite(line.step)) addRow(table, line, [at + from, at + to]);
    from = to + 1;
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Numbers written for lines before a requirement first came: training names all of them in its first line. */
const mostSkipped = 1 << 21;

/** Other quantities kept: more could not be drawn. */
const mostOthers = 24;

const numberOr = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);

function setOther({ other }: Table, name: string, row: number, value: number): void {
  if (!other.has(name) && other.size < mostOthers) other.set(name, column());
  other.get(name)?.set(row, value);
}

function addRow(table: Table, line: Record<string, unknown>, span: readonly [number, number]): void {
  const row = table.rows++;
  const { step, communicationRounds, objective, time, requirements, certificate, clients, ...rest } = line;
  // The rounds that were asked for are those of communication; several may make one of the prices.
  table.step.set(row, numberOr(communicationRounds ?? step));
  table.time.set(row, Date.parse(String(time)) / 1000);
  table.objective.set(row, numberOr(objective));
  table.residual.set(row, largestResidual(certificate));
  for (const [name, r] of Object.entries(requirementsOf({ requirements }))) {
    let columns = table.requirements.get(name);
    if (!columns) {
      table.skipped += row;
      if (table.skipped > mostSkipped) continue;
      columns = { slack: column(), relaxation: column(), price: column() };
      table.requirements.set(name, columns);
    }
    columns.slack.set(row, slackOf(r));
    columns.relaxation.set(row, r.relaxation);
    columns.price.set(row, r.price);
  }
  if (clients) table.clientLines.set(row, span);
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value === "number") setOther(table, name, row, value);
    else if (Array.isArray(value)) setOther(table, `mean ${name}`, row, meanOf(value));
    else if (typeof value === "object" && value !== null)
      for (const [part, inner] of Object.entries(value))
        if (typeof inner === "number") setOther(table, `${name} ${part}`, row, inner);
  }
}

const meanOf = (values: readonly unknown[]): number =>
  values.reduce<number>((sum, value) => sum + numberOr(value), 0) / values.length;
