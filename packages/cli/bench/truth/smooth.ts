// A case whose requirements are all about losses, as the exact solver takes it: there prices and the cost of insisting are known.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { NdArray } from "@pliant/engine";
import { decodeState, type Saved } from "@pliant/learn/runs";
import type { Report } from "../pliant.js";
import { rowsOf, type Table } from "../table.js";
import type { Case } from "./case.js";
import type { LossRequirement, Stated } from "./exact.js";
import { groupOf } from "./judge.js";
import { sizeOf } from "./network.js";

export interface Exact extends Stated {
  /** The names of the requirements as the report has them. */
  readonly names: readonly string[];
}

/** Units of a hidden layer unless a spec says otherwise. */
const hidden = 16;

type About = Omit<Case, "rows">;

/** Not where a metric counts, or rows are kept for validation. */
export const hasExact = ({ requirements, validation }: About): boolean =>
  validation === undefined && Object.values(requirements).every(({ metric }) => metric === "loss");

/** None where there are more than two classes, either. */
export function exactly(of: About, table: Table, report: Report, folder: string): Exact | undefined {
  const texts = table[of.target];
  const kinds = new Set(texts);
  const kind = kinds.size === 2 ? "class" : "number";
  if (!hasExact(of) || typeof texts[0] !== "number") return undefined;
  const features = Object.keys(table).filter(
    (name) => name !== of.target && typeof table[name][0] === "number",
  );
  const columns = features.map((name) => standard(table[name] as number[]));
  const y = kind === "class" ? Float64Array.from(texts as number[]) : standard(texts as number[]);
  const x = Array.from(y, (_, i) => Float64Array.from(columns, (column) => column[i]));
  const layers = of.model.kind === "linear" ? [features.length, 1] : [features.length, hidden, 1];
  const names = Object.keys(report.requirements);
  return {
    problem: {
      examples: { x, y, kind },
      decay: of.decay,
      requirements: names.map((name) => requirementOf(of, table, report, name)),
    },
    layers,
    // A network is taken up where Pliant left it: the prices are those of that valley.
    start: layers.length === 2 ? new Float64Array(sizeOf(layers)) : trained(folder),
    said: names.map((name) => report.requirements[name].price),
    names,
  };
}

function standard(values: readonly number[]): Float64Array {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length);
  return Float64Array.from(values, (v) => (v - mean) / (deviation || 1));
}

function requirementOf(of: About, table: Table, report: Report, name: string): LossRequirement {
  const { cost, of: own } = report.requirements[name];
  const { level, gap } = of.requirements[own];
  const group = groupOf(name);
  const n = rowsOf(table);
  const inside = (i: number): boolean =>
    group === undefined || String(table[group.column][i]) === group.value;
  const count = Array.from({ length: n }, (_, i) => i).filter(inside).length;
  if (gap || typeof level === "object")
    throw new Error(`${of.name}: gaps and pairs of losses have no exact form.`);
  // "overall + 0.02" asks for the difference from the mean of all.
  const relative = typeof level === "string";
  const alpha = /^quadratic\((.*)\)$/.exec(cost)?.[1];
  return {
    weights: Float64Array.from({ length: n }, (_, i) => Number(inside(i)) / count - Number(relative) / n),
    level: relative ? Number(level.replace(/^overall \+/, "")) : level,
    ...(alpha !== undefined && { alpha: Number(alpha) }),
  };
}

function trained(folder: string): Float64Array {
  const file = join(folder, "checkpoint.safetensors");
  const { params } = decodeState<Saved & { params: { weight: NdArray; bias: NdArray }[] }>(
    readFileSync(file),
    file,
  );
  return Float64Array.from(params.flatMap(({ weight, bias }) => [...weight.data, ...bias.data].map(Number)));
}
