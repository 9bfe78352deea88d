// What a requirement costs, measured: the differences of P between neighbouring levels, each solved for from where the answer is.
import type { NdArray } from "@pliant/engine";
import { onNumbers } from "../costs/numbers.js";
import { positive, unknownName } from "../errors.js";
import { onItsSide } from "../layout/overrides.js";
import { onlyNames } from "../problem/validate.js";
import { excessOf, type RequirementReport } from "../report/report.js";
import { DivergedError } from "../solver/finite.js";
import { afresh, solveWith } from "../solver/solve.js";
import type { Solution, Solver } from "../solver/solver.js";
import { type MeasureOptions, told } from "./insist.js";

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

/** How far levels move unless given: a share of what counts as much of the requirement, and several of what it is counted in. */
const [share, several] = [0.01, 5];

/**
 * The price of one requirement: the slope of P(level) = f + h(u), in which all others give way anew, by the differences between its
 * level, as relaxed, and one `by` looser and tighter; each must hold. Levels of all its elements move together, so it is the sum of
 * their prices, as in reports; one that nothing presses has a price of 0. What shares a cost with it that is not a sum keeps its own
 * relaxation. A solution meets its levels within a tolerance: what it missed them by is taken out at its prices, where these are
 * prices of what is judged; what is counted counts as reached. For that `by` is several examples at least. Levels that are not
 * certified, or less than an allowance apart, measure nothing; where its own is not, the others are not asked.
 */
export async function measurePrice<P, N extends string>(
  solver: Solver<P, N>,
  solution: Solution<P, N>,
  name: N,
  { by: given, ...options }: MeasureOptions & { by?: number } = {},
): Promise<MeasuredPrice<N>> {
  onlyNames("", "an option of measurePrice", options, { by: true, steps: true, every: true, onSteps: true });
  const { requirements } = solution.report;
  if (!(name in requirements)) throw unknownName("a requirement", name, Object.keys(requirements));
  const { scales, resolutions } = solver.arranged;
  const largest = (of: readonly NdArray[]): number => Math.max(0, ...solver.arranged.byName(of)[name]);
  const by = given ?? Math.max(share * largest(scales), several * largest(resolutions));
  positive("by", by);
  const names = (Object.keys(requirements) as N[]).filter((n) => requirements[n].cost !== "free");
  const { owned, byName, vectors, groups, sizes } = solver.arranged;
  const own = byName(solution.state.relaxations);
  const [relaxations, pulls] = [owned(solution.state.relaxations), owned(solution.state.prices, "prices")];
  const shared = groups.find((group) => group.names.includes(name))!;
  const kept = shared.cost.separable ? [name] : [...shared.names];
  let before = 0;
  const asked = told({ ...options, onSteps: (steps) => options.onSteps?.(before + steps) });
  // All elements of an equality move to one side, as its price, the sum of theirs, says: that of one may have the other sign.
  const { sense, price: sum } = requirements[name];
  const side = sense === "equal to" && sum < 0 ? -1 : 1;
  const at = async (move: number): Promise<Neighbour<P, N> | undefined> => {
    const relaxed = Object.fromEntries(
      kept.map((n) => {
        const amounts = onItsSide(requirements[n], pulls[n], relaxations[n]);
        return [n, amounts.map((u) => u + (n === name ? side * move : 0))];
      }),
    ) as Record<N, number[]>;
    const state = {
      ...afresh(solver, solution.state),
      relaxations: vectors((n) => (kept.includes(n) ? 0 : own[n])),
    };
    const found = await certified(
      solveWith(solver, { ...asked, state }, solver.terms({ relaxed, insist: kept })),
      (steps) => {
        before += steps;
      },
    );
    return found && { move, found };
  };
  const here = await at(0);
  if (!here) return {};
  const [loose, tight] = [await at(by), await at(-by)];
  const relaxing = ({ state }: Solution<P, N>): number =>
    groups.reduce(
      (sum, { cost }, i) => sum + onNumbers(cost).value(Array.from(state.relaxations[i].data)),
      0,
    );
  /** f + h(u), with what levels were missed by, as relaxed, taken out at the prices of those who missed them. */
  const worth = (found: Solution<P, N>): number => {
    const priced = owned(found.state.prices, "prices");
    const given = owned(found.state.relaxations);
    const missed = names.flatMap((n) => {
      const r = found.report.requirements[n];
      if (r.pricedBy === "strict" && (n === name || r.hard)) return [];
      const allowed = onItsSide(r, priced[n], given[n]);
      return beyond(r, sizes[n]).map((off, i) => priced[n][i] * (off - allowed[i]));
    });
    return missed.reduce((sum, x) => sum + x, found.report.objective + relaxing(found));
  };
  /** What is counted is where it was reached, its elements weighed by their prices; a loss is at its level. */
  const between = (a?: Neighbour<P, N>, b?: Neighbour<P, N>): number | undefined => {
    if (!a || !b) return undefined;
    const { pricedBy, allowance } = requirements[name];
    const ends = [a, b].map(({ found }) => ({
      off: beyond(found.report.requirements[name], sizes[name]),
      price: owned(found.state.prices, "prices")[name].map(Math.abs),
    }));
    const weights = ends[0].price.map((price, i) => price + ends[1].price[i]);
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    // What is farther from its level than that is not held by it.
    const [from, to] = ends.map(({ off }) =>
      off.reduce((sum, x, i) => sum + (Math.abs(x) > allowance ? 0 : (x * weights[i]) / (whole || 1)), 0),
    );
    const apart = side * (b.move - a.move) + (pricedBy === "strict" ? to - from : 0);
    if (Math.abs(apart) <= allowance) return undefined;
    // Not −0 where nothing moved.
    return (worth(b.found) - worth(a.found)) / -apart + 0;
  };
  const prices = {
    price: between(loose, tight),
    looser: between(loose, here),
    tighter: between(here, tight),
  };
  const less = (n: N): number =>
    Math.max(0, excessOf(requirements[n])) - Math.max(0, excessOf(loose!.found.report.requirements[n]));
  const relieved = loose && names.filter((n) => !kept.includes(n) && requirements[n].status === "gave way");
  return {
    ...Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined)),
    ...(relieved && { relieved: Object.fromEntries(relieved.map((n) => [n, less(n)])) as never }),
  };
}

/** What a level that is `move` looser comes to. */
interface Neighbour<P, N extends string> {
  readonly move: number;
  readonly found: Solution<P, N>;
}

/** By how much each element is beyond its level, of an equality upwards; nothing is known of very many. */
function beyond(report: RequirementReport, size: number): number[] {
  const { sense, elements, level, worstLevel, reached } = report;
  const sides = sense === "between" ? 2 : 1;
  const each = elements ?? (size === sides ? [{ level: worstLevel ?? level, reached }] : []);
  const below = each.map((e) => [e.level].flat()[0] - e.reached);
  if (sense === "at least") return below;
  const above = each.map((e) => e.reached - [e.level].flat().at(-1)!);
  return sense === "between" ? [...below, ...above] : above;
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
