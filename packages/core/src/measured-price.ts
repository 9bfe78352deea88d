// What a requirement costs, measured: the differences of P between neighbouring levels, each solved for from where the answer is.
import { onNumbers } from "./costs/numbers.js";
import { unknownName } from "./errors.js";
import { DivergedError } from "./finite.js";
import { type MeasureOptions, told } from "./insist.js";
import { excessOf } from "./report.js";
import { afresh, type Solution, type Solver, solveWith } from "./solver.js";
import { onlyNames } from "./stated.js";
import { onItsSide } from "./terms.js";
import { positive } from "./trainer.js";

/**
 * −dP: by how much the objective and what relaxations cost rise per unit that the level is tightened; of an equality with the sign of
 * its price. What could not be measured is left out.
 */
export interface MeasuredPrice<Names extends string = string> {
  /** Between one level on each side. */
  readonly price?: number;
  /** From the looser and from the tighter level alone: it rises where it gets dearer. */
  readonly looser?: number;
  readonly tighter?: number;
  /** How much less each of the others that gave way does at the looser level, where that is certified; below 0 where it does more. */
  readonly relieved?: Readonly<Partial<Record<Names, number>>>;
}

/**
 * The price of one requirement: the slope of P(level) = f + h(u), in which all others give way anew, by the differences between its
 * level, as relaxed, and one `by` looser and tighter; each must hold. What shares a cost with it that is not a sum keeps its own
 * relaxation. A solution meets its levels within a tolerance, so differences are between what was reached: h is of what others are
 * beyond their levels, and what others that must hold moved is taken out at their prices, where these are prices of what they are
 * judged by. For what is counted `by` is several examples at least. Levels that are not certified, or less than an allowance apart,
 * measure nothing; where its own is not, the others are not asked.
 */
export async function measurePrice<P, N extends string>(
  solver: Solver<P, N>,
  solution: Solution<P, N>,
  name: N,
  { by, ...options }: MeasureOptions & { by: number },
): Promise<MeasuredPrice<N>> {
  onlyNames("", "an option of measurePrice", options, { by: true, steps: true, every: true, onSteps: true });
  positive("by", by);
  const { requirements } = solution.report;
  if (!(name in requirements)) throw unknownName("a requirement", name, Object.keys(requirements));
  const names = (Object.keys(requirements) as N[]).filter((n) => requirements[n].cost !== "free");
  const { owned, byName, vectors, groups, sizes } = solver.arranged;
  const own = byName(solution.state.relaxations);
  const [relaxations, pulls] = [owned(solution.state.relaxations), owned(solution.state.prices, "prices")];
  const shared = groups.find((group) => group.names.includes(name))!;
  const kept = shared.cost.separable ? [name] : [...shared.names];
  let before = 0;
  const asked = told({ ...options, onSteps: (steps) => options.onSteps?.(before + steps) });
  const at = async (move: number): Promise<Solution<P, N> | undefined> => {
    const relaxed = Object.fromEntries(
      kept.map((n) => {
        const amounts = relaxations[n].map((u) => u + (n === name ? move : 0));
        return [n, onItsSide(requirements[n], pulls[n], amounts)];
      }),
    ) as Record<N, number[]>;
    const state = {
      ...afresh(solver, solution.state),
      relaxations: vectors((n) => (kept.includes(n) ? 0 : own[n])),
    };
    const found = solveWith(solver, { ...asked, state }, solver.terms({ relaxed, insist: kept }));
    return certified(found, (steps) => {
      before += steps;
    });
  };
  const here = await at(0);
  if (!here) return {};
  const [loose, tight] = [await at(by), await at(-by)];
  const relaxing = ({ state }: Solution<P, N>): number =>
    groups.reduce(
      (sum, { cost }, i) => sum + onNumbers(cost).value(Array.from(state.relaxations[i].data)),
      0,
    );
  const between = (a?: Solution<P, N>, b?: Solution<P, N>): number | undefined => {
    if (!a || !b) return undefined;
    const of = (n: N) => [a, b].map(({ report }) => report.requirements[n]);
    const towards = (n: N): number => {
      const [from, to] = of(n);
      return requirements[n].sense === "at least" ? from.reached - to.reached : to.reached - from.reached;
    };
    if (Math.abs(towards(name)) <= requirements[name].allowance) return undefined;
    const others = names
      .filter((n) => n !== name && sizes[n] === 1 && (requirements[n].pricedBy === "loss" || !of(n)[0].hard))
      .map((n) => {
        const [from, to] = of(n).map((r) => onItsSide(r, [r.price], [r.relaxation])[0]);
        return of(n)[0].price * (towards(n) - to + from);
      });
    const rise = b.report.objective + relaxing(b) - a.report.objective - relaxing(a);
    return others.reduce((sum, x) => sum + x, rise) / -towards(name);
  };
  const prices = {
    price: between(loose, tight),
    looser: between(loose, here),
    tighter: between(here, tight),
  };
  const less = (n: N): number =>
    Math.max(0, excessOf(requirements[n])) - Math.max(0, excessOf(loose!.report.requirements[n]));
  const relieved = loose && names.filter((n) => !kept.includes(n) && requirements[n].status === "gave way");
  return {
    ...Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined)),
    ...(relieved && { relieved: Object.fromEntries(relieved.map((n) => [n, less(n)])) as never }),
  };
}

/** None where it is not, or numbers ran away. */
async function certified<P, N extends string>(
  found: Promise<Solution<P, N>>,
  onEnd: (steps: number) => void,
): Promise<Solution<P, N> | undefined> {
  try {
    const solution = await found;
    onEnd(solution.steps);
    return solution.certificate.holds ? solution : undefined;
  } catch (reason) {
    if (!(reason instanceof DivergedError)) throw reason;
    return undefined;
  }
}
