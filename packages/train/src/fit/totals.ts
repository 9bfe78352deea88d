// Loss plus costs of a solution, by the spec, beside a model without soft requirements. A count has no gradient: prices follow the
// count, and the model follows its surrogate. Where the one moves without the other, prices and counts agree at a model that is dearer
// than it need be, and only the two totals side by side tell.
import {
  afresh,
  DivergedError,
  type RequirementReport,
  type Solution,
  type Solver,
  solveWith,
} from "@pliant/core";
import { meritOf } from "./watch.js";

/** Objectives with what giving way costs, counted as it is priced. */
export interface Totals {
  readonly own: number;
  /** The total of a model with the hard requirements only. */
  readonly without: number;
  /** The total of the equilibrium at the full costs, if that is not the solution. */
  readonly whole?: number;
  /** Their uncertainty: the tolerance of the objective, and the error of each count at its price. */
  readonly within: number;
}

export const bends = ({ hard, cost }: RequirementReport): boolean => !hard && cost !== "free";

/** Whether something that is counted may give way, and all that may is one number each. */
export function isWeighed<P>({ arranged }: Solver<P, string>, { report }: Solution<P, string>): boolean {
  const asked = Object.entries(report.requirements).filter(([, r]) => bends(r));
  return (
    asked.some(([, { pricedBy }]) => pricedBy === "strict") &&
    asked.every(([name, { sense }]) => arranged.sizes[name] === (sense === "between" ? 2 : 1))
  );
}

/** The costs of what may give way times this are nothing, beside what moves a model. */
export const nothing = 1e-6;

export interface Weighing {
  /** That of the spec. */
  readonly cost: string;
  readonly steps: number;
  readonly every: number;
  show(line: string): void;
}

export const totalOf = <P>({ steps, report }: Solution<P, string>, cost: string): number =>
  meritOf({ step: steps, objective: report.objective, requirements: report.requirements }, cost).value;

export function accuracyOf<P>({ report, certificate }: Solution<P, string>): number {
  const counts = Object.values(report.requirements).filter(bends);
  return counts.reduce(
    (sum, { price, allowance }) => sum + Math.abs(price) * allowance,
    certificate.tolerance * Math.abs(report.objective),
  );
}

/** Solved from the solution at almost no cost; the result is the total of a model, converged or not. */
export async function totalsOf<P>(
  solver: Solver<P, string>,
  solution: Solution<P, string>,
  { cost, steps, every, show }: Weighing,
): Promise<Totals | undefined> {
  if (!solution.certificate.holds || !isWeighed(solver, solution)) return undefined;
  show("the same without soft requirements");
  const state = afresh(solver, solution.state);
  const free = solver.terms({ factor: nothing });
  const without = await solveWith(solver, { state, steps, every }, free).catch((reason) => {
    if (!(reason instanceof DivergedError)) throw reason;
    return undefined;
  });
  return (
    without && {
      own: totalOf(solution, cost),
      without: totalOf(without, cost),
      within: accuracyOf(solution),
    }
  );
}
