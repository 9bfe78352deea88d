// A problem of the benchmark: the rows, the requirements of the model, and the known facts about its solution.
import { part, rowsOf, type Table } from "../table.js";

export interface TruthCase {
  readonly metric: "loss" | "error" | "false-negative-rate" | "false-positive-rate" | "positive-rate";
  readonly level: number | readonly [number, number] | string;
  readonly by?: string;
  readonly gap?: boolean;
  readonly hard?: boolean;
  readonly sense?: "at most" | "at least";
  readonly class?: string;
}

export interface Case {
  readonly name: string;
  /** Training rows and test rows. */
  readonly rows: () => readonly [Table, Table];
  readonly target: string;
  readonly model: { readonly kind: "linear" } | { readonly kind: "mlp" };
  readonly decay: number;
  readonly requirements: Readonly<Record<string, TruthCase>>;
  /** The share of the training rows kept for validation. */
  readonly validation?: number;
  /** Some of what must hold cannot: to be called violated, never certified. */
  readonly impossible: boolean;
  /** All levels can be met together. */
  readonly feasible: boolean;
  /** Whether to measure what insisting costs where it gave way. */
  readonly insist: boolean;
}

interface Options {
  readonly test?: number;
  readonly target?: string;
  readonly mlp?: boolean;
  readonly decay?: number;
  readonly validation?: number;
  readonly impossible?: boolean;
  readonly feasible?: boolean;
  readonly insist?: boolean;
}

/** The last `test` rows are kept for testing (default: three in ten). */
export function problem(
  name: string,
  table: () => Table,
  requirements: Case["requirements"],
  options: Options = {},
): Case {
  const { test, target = "y", mlp = false, decay = 0, validation } = options;
  const { impossible = false, feasible = !impossible, insist = false } = options;
  return {
    name: `${name}, ${mlp ? "mlp" : "linear"}${validation === undefined ? "" : ", validation"}`,
    rows: () => {
      const all = table();
      const from = rowsOf(all) - (test ?? Math.round(0.3 * rowsOf(all)));
      return [part(all, 0, from), part(all, from)];
    },
    target,
    model: { kind: mlp ? "mlp" : "linear" },
    decay,
    requirements,
    validation,
    impossible,
    feasible,
    insist,
  };
}

export const misses = (level: TruthCase["level"], more: Partial<TruthCase> = {}) => ({
  misses: { metric: "false-negative-rate", level, ...more } as TruthCase,
});
export const alarms = (level: TruthCase["level"], more: Partial<TruthCase> = {}) => ({
  alarms: { metric: "false-positive-rate", level, ...more } as TruthCase,
});
export const mistakes = (level: TruthCase["level"], more: Partial<TruthCase> = {}) => ({
  mistakes: { metric: "error", level, ...more } as TruthCase,
});
export const losses = (level: TruthCase["level"], more: Partial<TruthCase> = {}) => ({
  losses: { metric: "loss", level, by: "group", ...more } as TruthCase,
});
export const parity = (level: number, more: Partial<TruthCase> = {}) => ({
  parity: { metric: "positive-rate", by: "group", gap: true, level, ...more } as TruthCase,
});
/** Both kinds of mistake as often in each group as in the rest. */
export const odds = (level: number, more: Partial<TruthCase> = {}) => ({
  ...misses(level, { by: "group", gap: true, ...more }),
  ...alarms(level, { by: "group", gap: true, ...more }),
});
