// The model that a run reports, once its steps are taken.
import { isSettled, type Solution, type Solver, type SolverState } from "@pliant/core";
import type { Backend } from "@pliant/engine";
import type { Params } from "@pliant/learn";
import { lineOf } from "@pliant/learn/runs";
import type { Training } from "../problem/prepare.js";
import { judgedOn } from "../problem/problem.js";
import type { Spec } from "../spec/spec.js";
import { everyFor, stepsFor, takesNewton } from "./budget.js";
import type { Choices } from "./choices.js";
import { whereItHolds } from "./feasible-side.js";
import { atShare, weighed } from "./surrogate-weight.js";
import { movedThreshold, singleRate } from "./threshold.js";
import type { Watched } from "./watch.js";

type OwnSolver = Solver<Params, string>;
type OwnSolution = Solution<Params, string>;

/** What was solved. */
interface Work {
  readonly spec: Spec;
  readonly training: Training;
  readonly backend: Backend;
  /** Whether it was overfitting. */
  readonly givenUp: boolean;
  /** Whether to take measurements that need further runs. */
  readonly insist?: boolean;
  show(line: string): void;
}

export interface Reported extends Pick<Choices, "keptStep" | "moved" | "totals" | "share"> {
  /** Where it is not the one that was given. */
  readonly solver?: OwnSolver;
  readonly solution: OwnSolution;
  /** What to insist from, where that is not the solution. */
  readonly start?: SolverState;
}

/**
 * The model that is reported: the equilibrium's, else the best one's; its threshold where a single rate wants it, and counts weighed
 * for less where that comes to less.
 */
export async function lastStep(
  solver: OwnSolver,
  last: OwnSolution,
  watched: Watched<unknown>,
  { spec, training: { task, prepared, facts }, backend, givenUp, insist, show }: Work,
): Promise<Reported> {
  const { inspect } = solver;
  const best = isSettled(last.certificate) ? undefined : watched.best(last.steps);
  const only = singleRate(task, prepared, last.report);
  const onItsSide = (found: OwnSolution, by = solver): Promise<OwnSolution> =>
    whereItHolds(by, found, takesNewton(spec) ? { every: 1, settle: 5 } : {});
  const solution = best ? await inspect(best) : only ? last : await onItsSide(last);
  if (solution.steps > last.steps) watched.folder.save(solution.state, lineOf(solution));
  if (!best) watched.forget();
  // A measurement that needs further runs counts like one about insisting; for a linear model it takes a few steps.
  const { lighter, totals } =
    ((takesNewton(spec) || (insist && !only)) &&
      !givenUp &&
      (await weighed(solver, solution, {
        quick: takesNewton(spec),
        cost: spec.cost,
        steps: stepsFor(spec, facts.train),
        every: everyFor(spec),
        show,
      }))) ||
    {};
  if (lighter) {
    const { share } = lighter;
    const lightly = atShare(solver, share);
    const found = await onItsSide(await lightly.inspect({ ...lighter.state, step: last.steps }), lightly);
    watched.keep(found.state);
    const start = solution.certificate.holds ? { start: solution.state } : {};
    return { solver: lightly, solution: found, ...start, totals, share };
  }
  const kept = { ...(best && { keptStep: best.step }), ...(totals && { totals }) };
  const { params, certificate } = solution;
  const moved =
    only && (await movedThreshold(task, only, { params, examples: judgedOn(only, prepared), backend }));
  if (!moved) return { solution, ...kept };
  const state = { ...solution.state, params: moved.params };
  watched.keep(state);
  const { report, ...rest } = await inspect(state);
  return {
    ...kept,
    moved: moved.by,
    // The equilibrium is that before; an example more or less is what it leaves open.
    solution: { ...rest, certificate, report: { ...report, certificate } },
  };
}
