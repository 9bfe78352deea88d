// A run: steps and checks in turn, from a state or the beginning to the certificate or the last step.
import type { Stored } from "@pliant/engine";
import { isSettled } from "../certificate/certificate.js";
import { wholeNumber } from "../errors.js";
import type { Terms } from "../layout/constraint-layout.js";
import type { Problem } from "../problem/problem.js";
import type { SolveOptions } from "./options.js";
import { createSolver, type Solution, type Solver } from "./solver.js";
import type { SolverState } from "./state.js";

/** Finds the model, the relaxations and the prices. */
export async function solve<P, D, M, N extends string>(
  task: Problem<P, D, M, N>,
  options: SolveOptions<D, P>,
): Promise<Solution<P, N>> {
  const solver = await createSolver(task, options);
  try {
    return await solveWith(solver, options);
  } finally {
    solver.release();
  }
}

export interface RunOptions<P, N extends string> {
  readonly steps?: number;
  readonly every?: number;
  readonly state?: SolverState;
  /** Stops before, after a check that says so. */
  readonly enough?: (found: Solution<P, N>) => boolean | Promise<boolean>;
}

/** What each check finds, from that of the first state on. */
export async function* solutions<P, N extends string>(
  { initial, next, inspect }: Solver<P, N>,
  { steps = 2000, every = 25, state = initial, enough = () => false }: RunOptions<P, N>,
  terms?: Terms<Stored>,
): AsyncGenerator<Solution<P, N>, void> {
  wholeNumber("every", every);
  wholeNumber("steps", steps, 0);
  // Where steps follow, a state that is far from a minimum is not checked further.
  let found = await inspect(state, terms, { onTheWay: steps > 0 });
  yield found;
  const last = found.steps + steps;
  while (found.steps < last && !isSettled(found.certificate) && !(await enough(found))) {
    const taken = Math.min(every, last - found.steps);
    found = await next(found, taken, terms, { onTheWay: found.steps + taken < last });
    yield found;
  }
}

/** The last of `solutions`. */
export async function solveWith<P, N extends string>(
  solver: Solver<P, N>,
  { onProgress, ...options }: RunOptions<P, N> & Pick<SolveOptions<unknown, P>, "onProgress">,
  terms?: Terms<Stored>,
): Promise<Solution<P, N>> {
  let last: Solution<P, N> | undefined;
  for await (const found of solutions(solver, options, terms)) {
    const { report, certificate, params, steps: step } = found;
    if (last) await onProgress?.({ step, objective: report.objective, certificate, params });
    last = found;
  }
  return last!;
}

/** From the model and the prices of a state to another question: steps count from 0, and prices find their pace anew. */
export const afresh = <P, N extends string>({ initial }: Solver<P, N>, state: SolverState): SolverState => ({
  ...state,
  pace: initial.pace,
  inner: initial.inner,
  step: 0,
});
