// What a requirement costs, measured: the differences of P* between neighbouring levels, each solved for from where the answer is.
import { unknownName } from "./errors.js";
import { DivergedError } from "./finite.js";
import type { MeasureOptions } from "./insist.js";
import { afresh, type Solution, type Solver, solveWith } from "./solver.js";

/** −dP*: by how much the objective rises per unit that the level is tightened. What could not be measured is left out. */
export interface MeasuredPrice {
  /** Between one level on each side. */
  readonly price?: number;
  /** From the looser and from the tighter level alone: it rises where it gets dearer. */
  readonly looser?: number;
  readonly tighter?: number;
}

/**
 * The price of one requirement: every level is where the solution is and must hold, this one `by` looser and tighter. A solution meets
 * its levels within a tolerance, so differences are between what was reached, and what others moved meanwhile is taken out at their
 * prices, where these are prices of what they are judged by. For what is counted `by` is several examples at least. Levels that are not
 * certified, or less than an allowance apart, measure nothing.
 */
export async function measurePrice<P, N extends string>(
  solver: Solver<P, N>,
  solution: Solution<P, N>,
  name: N,
  { by, ...options }: MeasureOptions & { by: number },
): Promise<MeasuredPrice> {
  const { requirements } = solution.report;
  if (!(name in requirements)) throw unknownName("a requirement", name, Object.keys(requirements));
  const names = (Object.keys(requirements) as N[]).filter((n) => requirements[n].cost !== "free");
  const { owned, vectors } = solver.arranged;
  const relaxations = owned(solution.state.relaxations);
  const at = async (move: number): Promise<Solution<P, N> | undefined> => {
    const relaxed = Object.fromEntries(
      names.map((n) => [n, relaxations[n].map((u) => u + (n === name ? move : 0))]),
    ) as Record<N, number[]>;
    const terms = solver.terms({ relaxed, insist: names });
    const state = { ...afresh(solver, solution.state), relaxations: vectors(() => 0) };
    return certified(solveWith(solver, { ...options, state }, terms));
  };
  const between = (a?: Solution<P, N>, b?: Solution<P, N>): number | undefined => {
    if (!a || !b) return undefined;
    const towards = (n: N): number => {
      const [from, to] = [a, b].map(({ report }) => report.requirements[n].reached);
      return requirements[n].sense === "at least" ? from - to : to - from;
    };
    if (Math.abs(towards(name)) <= requirements[name].allowance) return undefined;
    const others = names
      .filter((n) => n !== name && requirements[n].pricedBy === "loss")
      .reduce((sum, n) => sum + Math.abs(a.report.requirements[n].price) * towards(n), 0);
    return (b.report.objective - a.report.objective + others) / -towards(name);
  };
  const [loose, here, tight] = [await at(by), await at(0), await at(-by)];
  const found = { price: between(loose, tight), looser: between(loose, here), tighter: between(here, tight) };
  return Object.fromEntries(Object.entries(found).filter(([, price]) => price !== undefined));
}

/** None where it is not, or numbers ran away. */
async function certified<P, N extends string>(
  found: Promise<Solution<P, N>>,
): Promise<Solution<P, N> | undefined> {
  try {
    const solution = await found;
    return solution.certificate.holds ? solution : undefined;
  } catch (reason) {
    if (!(reason instanceof DivergedError)) throw reason;
    return undefined;
  }
}
