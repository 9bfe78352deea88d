// What it would cost to insist, and what a requirement costs, both measured: solved again from where the answer is, at other
// terms. A price is a slope; insisting is a whole way along a curve that only gets steeper.
import type { Certificate } from "./certificate.js";
import { unknownName } from "./errors.js";
import { DivergedError } from "./finite.js";
import type { RequirementReport } from "./report.js";
import { afresh, type Solution, type Solver, solveWith } from "./solver.js";
import type { SolverState } from "./state.js";

export interface MeasureOptions {
  /** At most so many steps for one question; 2000 unless given. */
  steps?: number;
  every?: number;
}

export interface Insisted<Names extends string> {
  readonly name: Names;
  /** The level that was insisted on. */
  readonly level: number | readonly number[];
  /** Whether it can be had: certified, and the level held. */
  readonly had: boolean;
  /** What it reached: where it cannot be had, the best that was. */
  readonly reached: number;
  readonly objective: number;
  /** How much larger the objective is than before. */
  readonly costs: number;
  /** What convexity promises it costs at least: price times relaxation. */
  readonly atLeast: number;
  /** How much more others give way or, where they must not, miss their levels; those that do not are left out. */
  readonly others: Readonly<Partial<Record<Names, number>>>;
  readonly certificate: Certificate;
}

/** Solves again with one requirement that must now hold, at its level or another. */
export async function insist<P, N extends string>(
  solver: Solver<P, N>,
  solution: Solution<P, N>,
  name: N,
  { level, ...options }: MeasureOptions & { level?: number } = {},
): Promise<Insisted<N>> {
  const before = solution.report.requirements;
  if (!(name in before)) throw unknownName("a requirement", name, Object.keys(before));
  const terms = solver.terms({
    insist: [name],
    ...(level !== undefined && { levels: { [name]: level } as never }),
  });
  const found = await whileFinite(solver, { ...options, state: afresh(solver, solution.state) }, terms);
  const { objective, requirements, certificate } = found.report;
  const own = requirements[name];
  const others = Object.fromEntries(
    (Object.keys(requirements) as N[]).flatMap((other) => {
      if (other === name) return [];
      const more = missed(requirements[other]) - missed(before[other]);
      return more > requirements[other].allowance ? [[other, more]] : [];
    }),
  ) as Partial<Record<N, number>>;
  return {
    name,
    level: own.level,
    had: certificate.holds && own.status !== "violated",
    reached: own.reached,
    objective,
    costs: objective - solution.report.objective,
    atLeast: before[name].price * before[name].relaxation,
    others,
    certificate,
  };
}

/** Where it cannot be had prices rise until steps overshoot: what was reached before says so, and the question has its answer. */
async function whileFinite<P, N extends string>(
  solver: Solver<P, N>,
  options: MeasureOptions & { state: SolverState },
  terms: ReturnType<Solver<P, N>["terms"]>,
): Promise<Solution<P, N>> {
  try {
    return await solveWith(solver, options, terms);
  } catch (reason) {
    if (!(reason instanceof DivergedError)) throw reason;
    const { certificate, report, ...last } = await solver.inspect(reason.lastGood, terms);
    const none = { ...certificate, holds: false };
    return { ...last, certificate: none, report: { ...report, certificate: none } };
  }
}

/** How far beyond its level a requirement is. */
function missed({ sense, level, reached }: RequirementReport): number {
  const levels = typeof level === "number" ? [level] : level;
  const over = (x: number): number => Math.max(0, x);
  if (sense === "at most") return over(reached - Math.max(...levels));
  if (sense === "at least") return over(Math.min(...levels) - reached);
  if (sense === "equal to") return Math.min(...levels.map((x) => Math.abs(reached - x)));
  return over(Math.max(levels[0] - reached, reached - levels[1]));
}

export interface MeasuredPrice {
  /** −dP*: by how much the objective rises per unit that the level is tightened, between one level on each side. */
  readonly price: number;
  /** From the looser and from the tighter level alone: it rises where it gets dearer. */
  readonly looser: number;
  readonly tighter: number;
  readonly certified: boolean;
}

/**
 * The price of one requirement, by differences of P*: every level is where the solution is and must hold, this one `by` looser and
 * tighter. A solution meets its levels within a tolerance, so differences are between what was reached, and what the others
 * moved meanwhile is taken out at their prices. For what is counted `by` is several examples at least.
 */
export async function measurePrice<P, N extends string>(
  solver: Solver<P, N>,
  solution: Solution<P, N>,
  name: N,
  { by, ...options }: MeasureOptions & { by: number },
): Promise<MeasuredPrice> {
  const { requirements } = solution.report;
  if (!(name in requirements)) throw unknownName("a requirement", name, Object.keys(requirements));
  const names = Object.keys(requirements) as N[];
  const { byName, vectors } = solver.arranged;
  const relaxations = byName(solution.state.relaxations);
  const at = async (move: number): Promise<Solution<P, N>> => {
    const relaxed = Object.fromEntries(
      names.map((n) => [n, relaxations[n].map((u) => u + (n === name ? move : 0))]),
    ) as Record<N, number[]>;
    const terms = solver.terms({ relaxed, insist: names });
    const state = { ...afresh(solver, solution.state), relaxations: vectors(() => 0) };
    return solveWith(solver, { ...options, state }, terms);
  };
  const [loose, here, tight] = [await at(by), await at(0), await at(-by)];
  const between = (a: Solution<P, N>, b: Solution<P, N>): number => {
    const towards = (n: N): number => {
      const [from, to] = [a, b].map(({ report }) => report.requirements[n].reached);
      return requirements[n].sense === "at least" ? from - to : to - from;
    };
    const others = names.reduce(
      (sum, n) => (n === name ? sum : sum + Math.abs(a.report.requirements[n].price) * towards(n)),
      0,
    );
    return (b.report.objective - a.report.objective + others) / -towards(name);
  };
  return {
    price: between(loose, tight),
    looser: between(loose, here),
    tighter: between(here, tight),
    certified: [loose, here, tight].every(({ certificate }) => certificate.holds),
  };
}
