// How much the surrogates of counts should weigh. At an equilibrium λ = ∇h(u) of the count, and the model follows λ times the gradient
// of the surrogate: if a unit of the surrogate were a unit of the count, loss plus costs would be minimal there. It is not, so the same
// is solved with λ = s·∇h(u) for several s, from nothing, which is the model without what may give way, to all of it; of these the one
// is taken at which the loss and what giving way costs, counted and by the whole costs, are least. What is priced by its own loss needs
// none of this: where such a requirement may give way too, or where each of these takes a training, they are tried only if asking
// nothing would come to less than the answer.
import { afresh, DivergedError, type Solution, type Solver, type SolverState, solveWith } from "@pliant/core";
import {
  accuracyOf,
  bends,
  isWeighed,
  nothing,
  type Totals,
  totalOf,
  totalsOf,
  type Weighing,
} from "./totals.js";

/** The parts of the costs that are tried besides all of them. */
export const shares = [0, 0.125, 0.25, 0.5, 0.75] as const;
/** Each is solved from the one before, which is near; where steps are small, in no more than the answer took. */
const mostSteps = 100;

/** The problem with so much of its costs; default: all of them. */
export function atShare<P>(solver: Solver<P, string>, share?: number): Solver<P, string> {
  if (share === undefined) return solver;
  const terms: typeof solver.terms = (changes) =>
    solver.terms({ factor: Math.max(share, nothing), ...changes });
  const own = terms({});
  return {
    ...solver,
    terms,
    inspect: (state, given = own) => solver.inspect(state, given),
    advance: (state, steps, given = own, how) => solver.advance(state, steps, given, how),
    next: (found, steps, given = own, how) => solver.next(found, steps, given, how),
  };
}

export interface Weighed {
  readonly totals: Totals;
  /** Where it is not the answer itself: the part of the costs that comes to less, and its equilibrium. */
  readonly lighter?: { readonly share: number; readonly state: SolverState };
}

/** Whether all that may give way is counted. */
const ofCountsAlone = <P>({ report }: Solution<P, string>): boolean =>
  Object.values(report.requirements).every((r) => !bends(r) || r.pricedBy === "strict");

/** Undefined where there is nothing to weigh, or it is not known what that comes to. */
export async function weighed<P>(
  solver: Solver<P, string>,
  answer: Solution<P, string>,
  weighing: Weighing & { readonly quick: boolean },
): Promise<Weighed | undefined> {
  if (!isWeighed(solver, answer)) return undefined;
  if (weighing.quick && ofCountsAlone(answer)) return tried(solver, answer, weighing);
  const totals = await totalsOf(solver, answer, weighing);
  if (!totals || totals.own <= totals.without + totals.within) return totals && { totals };
  const most = Math.max(mostSteps, answer.steps);
  return (await tried(solver, answer, weighing, most)) ?? { totals };
}

async function tried<P>(
  solver: Solver<P, string>,
  answer: Solution<P, string>,
  { cost, steps, every, show }: Weighing,
  most = mostSteps,
): Promise<Weighed | undefined> {
  const { holds } = answer.certificate;
  const own = totalOf(answer, cost);
  let state = afresh(solver, answer.state);
  let least: { share: number; solution: Solution<P, string>; total: number } | undefined;
  let without: number | undefined;
  // An answer that did not settle may, where what stands for counts weighs more and more.
  show("choosing the weight of the surrogates");
  for (const share of [...shares, ...(holds ? [] : [1])]) {
    const solution = await settled(atShare(solver, share), state, {
      steps: Math.min(steps, most),
      every,
    });
    if (!solution) continue;
    const total = totalOf(solution, cost);
    if (share === 0) without = total;
    if (!least || total < least.total) least = { share, solution, total };
    state = afresh(solver, solution.state);
  }
  if (!least || without === undefined) return undefined;
  const within = accuracyOf(holds ? answer : least.solution);
  const isLighter = holds ? least.total < own - within : least.total <= own + within;
  if (!isLighter) return holds ? { totals: { own, without, within } } : undefined;
  const { share, solution, total } = least;
  return {
    totals: { own: total, without, within, ...(holds && { whole: own }) },
    lighter: { share, state: solution.state },
  };
}

async function settled<P>(
  solver: Solver<P, string>,
  state: SolverState,
  options: { steps: number; every: number },
): Promise<Solution<P, string> | undefined> {
  try {
    const found = await solveWith(solver, { ...options, state });
    return found.certificate.holds ? found : undefined;
  } catch (reason) {
    if (!(reason instanceof DivergedError)) throw reason;
    return undefined;
  }
}
