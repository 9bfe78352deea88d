// What it would cost to insist, measured: solved again from where the answer is, with something that must now hold. A price is a
// slope; insisting is a whole way along a curve that only gets steeper, and some of these ways have no end.
import type { NdArray } from "@pliant/engine";
import type { Certificate } from "../certificate/certificate.js";
import { unknownName } from "../errors.js";
import { onItsSide } from "../layout/overrides.js";
import { onlyNames } from "../problem/validate.js";
import { excessOf } from "../report/report.js";
import { DivergedError } from "../solver/finite.js";
import { afresh, solveWith } from "../solver/solve.js";
import type { Solution, Solver } from "../solver/solver.js";
import type { SolverState } from "../solver/state.js";

/** How long a question may be worked on. */
export interface MeasureOptions {
  /** At most so many steps for one question; 2000 unless given. */
  steps?: number;
  every?: number;
  /** Told after every look how many steps the question has taken. */
  onSteps?(steps: number): void;
}

/**
 * How a question ended: the level was had; it is out of reach; or neither is known, since steps ran out, or numbers diverged, before.
 * Out of reach means proven infeasible; or that what is missing times its price came to ten times the objective's size, and hardly came
 * nearer while the price doubled: on a convex problem priced by its losses insisting costs at least that much more.
 */
export type End = "had" | "out of reach" | "not known";

/**
 * What it costs to insist on a requirement, measured by solving again with it hard. All costs are in units of the objective.
 */
export interface Insisted<Names extends string> {
  readonly name: Names;
  /** The level that was insisted on. */
  readonly level: number | readonly number[];
  /** Whether it can be had: certified, and the level held. */
  readonly had: boolean;
  readonly end: End;
  /** What it reached: where it cannot be had, the best that was. */
  readonly reached: number;
  readonly objective: number;
  /** How much larger the objective is than before. */
  readonly costs: number;
  /**
   * What convexity promises that it costs at least, of the objective and of what others give way more: of every element its price times
   * how far what it gave way to is from the level.
   */
  readonly atLeast: number;
  /** How much more others give way or, where they must not, miss their levels; those that do not are left out. */
  readonly others: Readonly<Partial<Record<Names, number>>>;
  /** How much less others give way; those that do not are left out. */
  readonly relieved: Readonly<Partial<Record<Names, number>>>;
  readonly certificate: Certificate;
  /** Steps that the question took. */
  readonly steps: number;
}

/** Solves again with one requirement that must now hold, at its level or another. */
export async function insist<P, N extends string>(
  solver: Solver<P, N>,
  solution: Solution<P, N>,
  name: N,
  { level, ...options }: MeasureOptions & { level?: number } = {},
): Promise<Insisted<N>> {
  onlyNames("", "an option of insist", options, { level: true, steps: true, every: true, onSteps: true });
  const before = solution.report.requirements;
  if (!(name in before)) throw unknownName("a requirement", name, Object.keys(before));
  const terms = solver.terms({
    insist: [name],
    ...(level !== undefined && { levels: { [name]: level } as never }),
  });
  const hopeless = outOfReach<N>(name, solver.arranged.size);
  const state = afresh(solver, solution.state);
  const found = await whileFinite(solver, { ...options, state, enough: hopeless }, terms);
  const { objective, requirements, certificate } = found.report;
  const own = requirements[name];
  const had = certificate.holds && own.status !== "violated";
  const missed = (of: typeof own): number => Math.max(0, excessOf(of));
  /** By other requirement, how much farther it is from its level, or nearer to it. */
  const moved = (sign: 1 | -1): Partial<Record<N, number>> =>
    Object.fromEntries(
      (Object.keys(requirements) as N[]).flatMap((other) => {
        if (other === name) return [];
        const by = sign * (missed(requirements[other]) - missed(before[other]));
        return by > requirements[other].allowance ? [[other, by]] : [];
      }),
    ) as Partial<Record<N, number>>;
  return {
    name,
    level: own.level,
    had,
    end: had ? "had" : hopeless.so ? "out of reach" : "not known",
    reached: own.reached,
    objective,
    costs: objective - solution.report.objective,
    atLeast: promised(solver, solution, name, terms),
    others: moved(1),
    relieved: moved(-1),
    certificate,
    steps: found.steps,
  };
}

function promised<P, N extends string>(
  { arranged: { owned, byName, stated } }: Solver<P, N>,
  { state, report }: Solution<P, N>,
  name: N,
  { levels }: ReturnType<Solver<P, N>["terms"]>,
): number {
  const [prices, gave] = [owned(state.prices, "prices")[name], owned(state.relaxations)[name]];
  const [asked, own] = [levels as readonly NdArray[], stated.levels].map((all) => byName(all)[name]);
  const { sense } = report.requirements[name];
  const isFloor = (i: number): boolean => sense === "at least" || (sense === "between" && i < own.length / 2);
  const looser = onItsSide(
    { sense },
    prices,
    asked.map((level, i) => (isFloor(i) ? own[i] - level : level - own[i])),
  );
  return prices.reduce((sum, price, i) => sum + Math.abs(price) * (gave[i] - looser[i]), 0);
}

/** What is missing times its price, in sizes of the objective, beyond which nobody insists. */
const beyond = 10;
/** What comes nearer has done so, while its price doubled, by this share of what is missing, or of the way so far. */
const nearer = { ofMissing: 0.02, ofWay: 0.1 };

/** Judges from look to look whether one requirement can still be had; `so` once it cannot. */
function outOfReach<N extends string>(name: N, size: number) {
  let first: number | undefined;
  let mark = { price: 0, missing: 0 };
  const judge = ({ report, certificate }: Solution<unknown, N>): boolean => {
    if (certificate.infeasible?.includes(name)) judge.so = true;
    if (judge.so) return true;
    const { price: signed, allowance, ...own } = report.requirements[name];
    const [price, missing] = [Math.abs(signed), excessOf(own)];
    first ??= missing;
    if (missing > allowance && mark.price > 0 && price < 2 * mark.price) return false;
    const gained = mark.missing - missing;
    const stuck =
      mark.price > 0 && gained < nearer.ofMissing * missing && gained <= nearer.ofWay * (first - missing);
    mark = { price, missing };
    judge.so =
      missing > allowance && stuck && price * missing > beyond * Math.max(size, Math.abs(report.objective));
    return judge.so;
  };
  judge.so = false;
  return judge;
}

/** The question as a solve, which starts at step 0. */
export const told = <T extends MeasureOptions>({ onSteps, ...options }: T) => ({
  ...options,
  ...(onSteps && { onProgress: ({ step }: { readonly step: number }) => onSteps(step) }),
});

/** Where it cannot be had prices rise until steps overshoot: what was reached before says so, and the question has its answer. */
async function whileFinite<P, N extends string>(
  solver: Solver<P, N>,
  options: MeasureOptions & { state: SolverState; enough: (found: Solution<P, N>) => boolean },
  terms: ReturnType<Solver<P, N>["terms"]>,
): Promise<Solution<P, N>> {
  try {
    return await solveWith(solver, told(options), terms);
  } catch (reason) {
    if (!(reason instanceof DivergedError)) throw reason;
    const { certificate, report, ...last } = await solver.inspect(reason.lastGood, terms);
    const none = { ...certificate, holds: false };
    return { ...last, certificate: none, report: { ...report, certificate: none } };
  }
}

/** Which requirements `insistOnEach` asks about, and within how many steps. */
export interface EachOptions<Names extends string> extends MeasureOptions {
  /** Which; all that gave way unless given. */
  readonly names?: readonly Names[];
  /** At most so many steps for all questions together; four times those of the solution, and 4000 at least, unless given. */
  readonly budget?: number;
  /** Told what is asked next. */
  onAsk?(name: Names): void;
}

/** The answers for every requirement that was asked about, and those that time did not suffice for. */
export interface InsistedEach<Names extends string> {
  /** In the order in which they were asked. */
  readonly answers: readonly Insisted<Names>[];
  /** Those that the budget had no steps for. */
  readonly left: readonly Names[];
}

/** Insists on each of those that gave way by itself, on those that gave most, in units of their scale, first. */
export async function insistOnEach<P, N extends string>(
  solver: Solver<P, N>,
  solution: Solution<P, N>,
  { names, budget, onAsk, steps = 2000, every, onSteps, ...others }: EachOptions<N> = {},
): Promise<InsistedEach<N>> {
  const known = { names: true, budget: true, onAsk: true, steps: true, every: true, onSteps: true } as const;
  onlyNames("", "an option of insistOnEach", others, known);
  const { requirements } = solution.report;
  const gave = (Object.keys(requirements) as N[]).filter((name) => requirements[name].status === "gave way");
  const share = (name: N): number => requirements[name].relaxation / requirements[name].scale;
  const asked = [...(names ?? gave)].sort((a, b) => share(b) - share(a));
  let remaining = budget ?? Math.max(4000, 4 * solution.steps);
  const answers: Insisted<N>[] = [];
  const left: N[] = [];
  for (const name of asked) {
    if (remaining <= 0) {
      left.push(name);
      continue;
    }
    onAsk?.(name);
    const found = await insist(solver, solution, name, { steps: Math.min(steps, remaining), every, onSteps });
    answers.push(found);
    remaining -= found.steps;
  }
  return { answers, left };
}
