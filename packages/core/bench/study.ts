// Which step sizes lead where: an algorithm on problems whose equilibrium is unique, over a grid of rates.
import { DivergedError, sgd, solve } from "@pliant/core";
import { type QuadraticProblem, stated } from "./problems.js";

export type Algorithm = "resilient" | "paper";

export interface Rates {
  readonly primal: number;
  readonly momentum: number;
  /** Prices set their own pace where there is none. */
  readonly dual?: number;
  /** Of the paper's algorithm only: the default solves for the relaxation. */
  readonly relaxation: number;
}

const primal = [0.05, 0.1, 0.2, 0.4, 0.8];
export const momenta = [0, 0.5];
const dual = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];
const relaxation = [0.05, 0.2, 0.5, 1];

export const grid = (algorithm: Algorithm): Rates[] =>
  primal.flatMap((primal) =>
    momenta.flatMap((momentum) =>
      dual.flatMap((dual) =>
        (algorithm === "paper" ? relaxation : [0]).map((relaxation) => ({
          primal,
          momentum,
          dual,
          relaxation,
        })),
      ),
    ),
  );

export interface Limits {
  readonly tolerance: number;
  /** A problem not certified by then counts as not converged. */
  readonly steps: number;
}

/** Steps until the certificate holds, or none. */
export async function stepsTo(
  problem: QuadraticProblem,
  algorithm: Algorithm,
  rates: Rates,
  { tolerance, steps }: Limits,
): Promise<number | undefined> {
  const { task, data } = stated(problem);
  try {
    const found = await solve(task, {
      data,
      algorithm,
      optimizer: sgd(rates.primal, { momentum: rates.momentum }),
      dualRate: rates.dual,
      relaxationRate: rates.relaxation,
      tolerance,
      steps,
      every: 10,
    });
    return found.certificate.holds ? found.steps : undefined;
  } catch (error) {
    if (error instanceof DivergedError) return undefined;
    throw error;
  }
}

/** Steps for each problem; stops at the first that does not converge if told to. */
export async function outcome(
  problems: readonly QuadraticProblem[],
  algorithm: Algorithm,
  rates: Rates,
  { failFast, ...limits }: Limits & { failFast: boolean },
): Promise<{ steps: number[]; failed: number }> {
  const steps: number[] = [];
  let failed = 0;
  for (const problem of problems) {
    const needed = await stepsTo(problem, algorithm, rates, limits);
    if (needed === undefined) failed++;
    else steps.push(needed);
    if (failed && failFast) break;
  }
  return { steps, failed };
}
