// The answer in the user's words: what each requirement asked, what was reached, how far it gave way and at what price.
import type { NdArray } from "@pliant/engine";
import type { Certificate } from "./certificate.js";
import type { Layout } from "./layout.js";
import type { Problem } from "./problem.js";
import type { SolverState } from "./solver.js";

export interface RequirementReport {
  readonly sense: string;
  readonly level: number | readonly [number, number];
  /** The level reached; of a requirement on every example, the worst. */
  readonly reached: number;
  /** How far it had to give way; of a requirement on every example, the sum. */
  readonly relaxation: number;
  /** What insisting would cost the objective, per unit of level. */
  readonly price: number;
  readonly cost: string;
  /** The strict metric, where there is one. */
  readonly strict?: number;
}

/** By how much a level is missed: negative where it is met. */
export function excessOf({
  sense,
  level,
  reached,
}: Pick<RequirementReport, "sense" | "level" | "reached">): number {
  const [low, high] = typeof level === "number" ? [level, level] : level;
  const [below, above] = [low - reached, reached - high];
  return sense === "between" ? Math.max(below, above) : sense === "at least" ? below : above;
}

export interface Report<Names extends string> {
  readonly objective: number;
  readonly requirements: Record<Names, RequirementReport>;
  readonly certificate: Certificate;
  readonly steps: number;
  /** A table, dearest requirement first. */
  readonly text: string;
}

/** What the solver saw last. */
interface Seen {
  readonly certificate: Certificate;
  readonly objective: number;
  readonly slacks: readonly NdArray[];
  readonly strict: Readonly<Record<string, NdArray>>;
}

export function createReport<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  { groups, sizes }: Layout<P, D, N>,
  state: SolverState,
  { certificate, slacks, objective, strict }: Seen,
): Report<N> {
  const requirements = {} as Record<N, RequirementReport>;
  for (const [i, { names, cost }] of groups.entries()) {
    let at = 0;
    for (const name of names) {
      const part = (x: NdArray): number[] => Array.from(x.data.subarray(at, at + sizes[name]));
      const { sense, level } = task.requirements[name];
      const own = part(slacks[i]);
      const worst = own.reduce((a, b) => Math.max(a, b), -Infinity);
      const sum = (x: NdArray): number => part(x).reduce((a, b) => a + b, 0);
      // Of a two-sided requirement the first half of the slacks is below the lower level, the second above the upper.
      const below = sense === "at least" || (sense === "between" && own.indexOf(worst) < own.length / 2);
      const edge = typeof level === "number" ? level : level[below ? 0 : 1];
      requirements[name] = {
        sense,
        level,
        reached: below ? edge - worst : edge + worst,
        relaxation: sum(state.relaxations[i]),
        price: sum(state.prices[i]),
        cost: cost.name,
        ...(strict[name] ? { strict: strict[name].item() } : {}),
      };
      at += sizes[name];
    }
  }
  const report = { objective, requirements, certificate, steps: state.step };
  return { ...report, text: table(report) };
}

/** Four digits; what is nothing for a reader is 0. */
const number = (x: number): string => (Math.abs(x) < 1e-6 ? "0" : String(Number(x.toPrecision(4))));
const small = (x: number): string => (x === 0 ? "0" : x.toExponential(1));

function table({ objective, requirements, certificate, steps }: Omit<Report<string>, "text">): string {
  const rows = Object.entries(requirements).sort(([, a], [, b]) => b.price - a.price);
  const hasStrict = rows.some(([, { strict }]) => strict !== undefined);
  const cells = [
    ["requirement", "asked", "reached", "gave", "price", ...(hasStrict ? ["strict"] : [])],
    ...rows.map(([name, r]) => [
      name,
      `${r.sense} ${[r.level].flat().join(" and ")}`,
      number(r.reached),
      number(r.relaxation),
      number(r.price),
      ...(hasStrict ? [r.strict === undefined ? "" : number(r.strict)] : []),
    ]),
  ];
  const widths = cells[0].map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  const lines = cells.map((row) =>
    row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  "),
  );
  const state = certificate.holds
    ? `certified to ${certificate.tolerance}`
    : `not certified: stopped before the residuals reached ${certificate.tolerance}`;
  return [
    ...lines,
    "",
    `objective ${number(objective)} after ${steps} steps, ${state}`,
    `residuals: equilibrium ${small(certificate.equilibrium)}, feasibility ${small(certificate.feasibility)}, ` +
      `complementarity ${small(certificate.complementarity)}, stationarity ${small(certificate.stationarity)}`,
  ].join("\n");
}
