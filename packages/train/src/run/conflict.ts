// Hard requirements that were not met together: can each be met without the others? Each is solved from the same model with the levels
// of the others relaxed, until it holds. Requirements that hold alone and not together are reported as conflicting.
import { afresh, type Solution, type Solver, solveWith } from "@pliant/core";
import { opposed } from "../report/judged.js";

/** Above this number, they are not tried one by one. */
const most = 4;

interface Question<P> {
  readonly solver: Solver<P, string>;
  readonly solution: Solution<P, string>;
  /** At most so many for each. */
  readonly steps: number;
  /** Steps between two checks. */
  readonly every: number;
  show(line: string): void;
}

/**
 * By name, whether each was met by itself; nothing where nothing is opposed to anything, or too much, or where there is an equality,
 * which no level gets out of the way.
 */
export async function metAlone<P>({
  solver,
  solution,
  steps,
  every,
  show,
}: Question<P>): Promise<Record<string, boolean> | undefined> {
  const { requirements } = solution.report;
  const names = opposed(requirements);
  if (names.length < 2 || names.length > most) return undefined;
  if (Object.values(requirements).some(({ sense }) => sense === "equal to")) return undefined;
  const { sizes, vectors } = solver.arranged;
  const found: Record<string, boolean> = {};
  for (const name of names) {
    show(`whether ${name} can be met without the others`);
    const others = Object.keys(requirements).filter((other) => other !== name);
    const terms = solver.terms({
      relaxed: Object.fromEntries(
        others.map((other) => [other, Array(sizes[other]).fill(away * requirements[other].scale)]),
      ),
      insist: [name],
    });
    const start = {
      ...afresh(solver, solution.state),
      prices: vectors(() => 0),
      relaxations: vectors(() => 0),
    };
    const holds = ({ report }: Solution<P, string>): boolean =>
      report.requirements[name].status !== "violated";
    found[name] = holds(await solveWith(solver, { steps, every, state: start, enough: holds }, terms));
  }
  return found;
}

/** A level so many scales away asks nothing. */
const away = 1e4;
