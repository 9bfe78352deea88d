// An equilibrium leaves open on which side of its level a count ends, by an example or a tolerance. Hard requirements must end on the
// feasible side: the solver continues briefly towards levels that are tighter by as much, and of the equilibria on the way the first is
// taken at which nothing is missed.
import { excessOf, type RequirementReport, type Solution, type Solver } from "@pliant/core";

const looks = 40;

/** By how much counts that must hold are beyond their levels, all together. */
const beyond = <P>({ report }: Solution<P, string>): number =>
  Object.values(report.requirements)
    .filter(isFirmCount)
    .reduce((sum, r) => sum + Math.max(0, excessOf(r)), 0);

const isFirmCount = ({ hard, pricedBy }: RequirementReport): boolean => hard && pricedBy === "strict";

export async function whereItHolds<P>(
  { advance, inspect, terms, arranged: { sizes } }: Solver<P, string>,
  last: Solution<P, string>,
  /** Price steps between two checks, and steps of the model alone before a check. */
  { every = 5, settle = 0 }: { every?: number; settle?: number } = {},
): Promise<Solution<P, string>> {
  if (!last.certificate.holds || beyond(last) === 0) return last;
  const firm = Object.entries(last.report.requirements).filter(([, r]) => isFirmCount(r));
  const relaxed = firm.map(([name, { allowance }]) => [name, Array(sizes[name]).fill(-allowance)] as const);
  const tighter = terms({ relaxed: Object.fromEntries(relaxed) });
  let [found, best] = [last, last];
  for (let look = 0; look < looks && beyond(best) > 0; look++) {
    const moved = await advance(found.state, every, tighter);
    found = await inspect(
      settle > 0 ? await advance(moved, settle, tighter, { atThesePrices: true }) : moved,
    );
    if (found.certificate.holds && beyond(found) < beyond(best)) best = found;
  }
  return best;
}
