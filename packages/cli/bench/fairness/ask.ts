// The task of both sides: a table in two files, and an upper bound on a rate or a gap.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ran, type Report, train } from "../pliant.js";
import { part, rowsOf, type Table, writeCsv } from "../table.js";
import { misses, odds, parity } from "../truth/case.js";

export type Kind = "misses" | "parity" | "odds";

/** The worst of the rates or gaps that a kind is about, and the error; of models drawn at random, both as expected. */
export interface Outcome {
  readonly rate: number;
  readonly error: number;
}

/** By how much a level is missed. */
export const violation = ({ rate }: Outcome, level: number): number => Math.max(0, rate - level);

export interface Rows {
  readonly name: string;
  readonly folder: string;
  readonly train: string;
  readonly test: string;
  readonly table: Table;
}

export function written(root: string, name: string, table: Table, test: number): Rows {
  const folder = join(root, name.replace(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  const from = rowsOf(table) - test;
  const rows = { name, folder, train: join(folder, "train.csv"), test: join(folder, "test.csv") };
  writeCsv(rows.train, part(table, 0, from));
  writeCsv(rows.test, part(table, from));
  return { ...rows, table: part(table, 0, from) };
}

const requirements = (kind: Kind, level: number): object =>
  ({ misses, parity, odds })[kind](level, { hard: true });

export interface Ours extends Ran {
  readonly report: Report;
  readonly train: Outcome;
  readonly test: Outcome;
}

let runs = 0;

/**
 * `pliant train` with its defaults; the requirement must hold. The cost of a unit of the level is not measured, because no peer measures
 * it.
 */
export async function ours(
  { folder, table }: Rows,
  kind: Kind,
  level: number,
  { hidden, decay = 0 }: { hidden?: number; decay?: number } = {},
): Promise<Ours> {
  const spec = {
    data: {
      file: "train.csv",
      test: "test.csv",
      target: "y",
      ...(table.group && { columns: { group: "group" } }),
    },
    model: hidden === undefined ? { kind: "linear" } : { kind: "mlp", hidden: [hidden] },
    ...(decay > 0 && { objective: { decay } }),
    requirements: requirements(kind, level),
    // As the peers have it; learnt thresholds stand beside them in the benchmark of decisions.
    decision: { threshold: 0.5 },
  };
  writeFileSync(join(folder, "spec.json"), JSON.stringify(spec));
  const ran = await train(folder, `run-${++runs}`, ["--no-insist"]);
  if (!ran.report) throw new Error(`pliant train: ${ran.mistake}`);
  const { report } = ran;
  const on = (rows: "train" | "test"): Outcome => ({
    rate: Math.max(...Object.values(report.requirements).map((r) => r[rows]!.strict.value)),
    error: report[rows].error!.value,
  });
  return { ...ran, report, train: on("train"), test: on("test") };
}
