// What it would cost to insist, and what a level costs, measured after a certified run: solved again from its solution at other
// terms. The cost of what is counted is known no other way, and a slope says little about a whole step.
import {
  excessOf,
  type Insisted,
  insistOnEach,
  type MeasureOptions,
  measurePrice,
  type Report,
  type RequirementReport,
  type Solution,
  type Solver,
  type SolverState,
} from "@pliant/core";
import { duration } from "@pliant/learn/runs";
import { isCounted, type Stated } from "../problem/stated.js";
import { askedOf, type Insisting, type Neighbours, type Unit, type Unmet, unitOf } from "./answers.js";
import type { LeastReached } from "./least.js";

export interface Answers {
  readonly insisting?: Insisting;
  readonly neighbours?: Neighbours;
  /** For a violated hard rate: why no threshold meets it. */
  readonly unmet?: Unmet;
  /** Why neither is known, where something gave way or binds. */
  readonly unmeasured?: string;
}

interface Questions<P> {
  readonly solver: Solver<P, string>;
  readonly solution: Solution<P, string>;
  /** Where it is nearer to what is insisted on than the solution: the equilibrium at the whole costs. */
  readonly start?: SolverState;
  readonly stated: readonly Stated[];
  /** At most so many steps for each question. */
  readonly steps: number;
  /** At most so many for all about insisting, and as many for all about levels; default: four times those of the solution. */
  readonly budget?: number;
  /** Steps between two checks. */
  readonly every: number;
  /** The least that the model can reach of a requirement, where that is known. */
  least?(stated: Stated): Promise<LeastReached | undefined>;
  /** Told what is being measured, and the share of it that is done. */
  show(line: string, done?: number): void;
}

/** Where many bind, the dearest; insisting on those that gave way has a budget of its own, and `pliant insist` answers for the rest. */
const mostAsked = 8;

/** A run of a few steps says little of how many a question takes. */
const leastBudget = 4000;

/** So many steps for questions about a solution. */
export const budgetFor = ({ steps }: { readonly steps: number }): number => Math.max(leastBudget, 4 * steps);

/** Why something was not measured, each for the end of a sentence. */
export const reasons = {
  unasked: "to measure it, run pliant insist",
  everyExample: "the requirement applies to every example; to measure it, run pliant train --hard",
  spent:
    "the budget was spent on requirements that gave way further, relative to their levels; to measure it, run pliant insist",
  dearer: `only the ${mostAsked} most expensive were`,
  spentOnDearer: "the budget was spent on more expensive requirements",
  cutShort: "the budget ended before neighbouring levels settled",
  unsettled: "neighbouring levels did not settle, or give the same count",
};

/** For a certified run: why the cost is unknown, before anything is measured. */
export const unmeasuredYet = (
  stated: readonly Stated[],
  requirements: Readonly<Record<string, RequirementReport>>,
  why = reasons.unasked,
): Record<string, Answers> =>
  Object.fromEntries(
    stated.flatMap((s): [string, Answers][] => {
      const { status, cost, price } = requirements[s.name];
      // The report describes the threshold's results.
      if (s.decided) return [];
      const gave = status === "gave way" && cost !== "free";
      const binds = status === "at its level" && isCounted(s) && price > 0;
      if (!gave && !binds) return [];
      return [[s.name, { unmeasured: s.perExample ? reasons.everyExample : why }]];
    }),
  );

/** By requirement: what insisting came to of what gave way, and what a unit costs of counted ones that bind. */
export async function measureCosts<P>(questions: Questions<P>): Promise<Record<string, Answers>> {
  const { solver, solution, start, stated, steps, every, show } = questions;
  const budget = questions.budget ?? budgetFor(solution);
  const { requirements } = solution.report;
  const answers = unmeasuredYet(stated, requirements);
  const open = (status: string): Stated[] =>
    stated.filter(
      ({ name, perExample }) => answers[name] && !perExample && requirements[name].status === status,
    );
  const gave: string[] = [];
  for (const s of open("gave way")) {
    const beyond = outOfReach(await questions.least?.(s), requirements[s.name]);
    if (beyond) answers[s.name] = { insisting: beyond };
    else gave.push(s.name);
  }
  const dearest = open("at its level").sort(
    (a, b) => requirements[b.name].price - requirements[a.name].price,
  );
  const waiting = telling(show, gave.length + Math.min(mostAsked, dearest.length));
  const near = start ? { ...solution, state: start } : solution;
  const { answers: insisted, left } = await insistOnEach(solver, near, {
    names: gave,
    budget,
    steps,
    every,
    onAsk: (name) => waiting.ask(`insisting on "${name}"`),
    onSteps: (done) => waiting.after(done, steps),
  });
  for (const found of insisted) answers[found.name] = { insisting: toldOf(found, solution.report) };
  for (const name of left) answers[name] = { unmeasured: reasons.spent };
  for (const s of dearest.slice(mostAsked)) answers[s.name] = { unmeasured: reasons.dearer };
  let remaining = budget;
  for (const s of dearest.slice(0, mostAsked)) {
    if (remaining <= 0) {
      answers[s.name] = { unmeasured: reasons.spentOnDearer };
      continue;
    }
    waiting.ask(`what ${s.name} costs`);
    // For the level itself, and for one on either side.
    const most = Math.min(steps, Math.ceil(remaining / 3));
    let taken = 0;
    const onSteps = (done: number): void => {
      taken = done;
      waiting.after(done, 3 * most);
    };
    const neighbours = await neighboursOf(s, { ...questions, steps: most, onSteps });
    const unsettled = most < steps && taken >= most ? reasons.cutShort : reasons.unsettled;
    answers[s.name] = neighbours ? { neighbours } : { unmeasured: unsettled };
    remaining -= taken;
  }
  return answers;
}

/** Where the model does not meet the level even alone: insisting would only raise its price without end. */
export function outOfReach(
  least: LeastReached | undefined,
  { level, allowance }: Pick<RequirementReport, "level" | "allowance">,
): Insisting | undefined {
  if (least === undefined || typeof level !== "number" || least.value <= level + allowance) return undefined;
  const { value, isMinimum } = least;
  return {
    ...{ level, reached: value, had: false, missed: value - level, outOfReach: true, costs: 0, others: {} },
    ...(isMinimum ? { least: value } : { alone: true }),
  };
}

/** For who waits: which of so many questions it is, how far it is with it at least, and since when it asks. */
function telling(show: Questions<unknown>["show"], questions: number) {
  const began = performance.now();
  let [asked, what] = [0, ""];
  const line = (): string => (questions > 1 ? `${what} (${asked} of ${questions})` : what);
  return {
    ask: (next: string): void => {
      [asked, what] = [asked + 1, next];
      show(line(), (asked - 1) / questions);
    },
    after: (steps: number, most: number): void => {
      const so = duration((performance.now() - began) / 1000);
      show(
        `${line()}  step ${steps} of ${most} at most  ${so} so far`,
        (asked - 1 + steps / most) / questions,
      );
    },
  };
}

/** Several steps of what is counted, at least. */
const unitFor = ({ metric, level }: Stated, resolution: number): Unit =>
  unitOf(metric.kind === "rate" ? "rate" : "other", [level].flat()[0], 3 * resolution);

/** The cost of one unit of a count, on either side of the solution's value. */
async function neighboursOf<P>(
  stated: Stated,
  { solver, solution, steps, every, onSteps }: Questions<P> & Pick<MeasureOptions, "onSteps">,
): Promise<Neighbours | undefined> {
  const { requirements } = solution.report;
  const unit = unitFor(stated, requirements[stated.name].allowance);
  const othersGave = Object.entries(requirements).some(
    ([name, { status, cost }]) => name !== stated.name && status === "gave way" && cost !== "free",
  );
  const { looser, tighter, relieved } = await measurePrice(solver, solution, stated.name, {
    by: unit.size,
    steps,
    every,
    onSteps,
  });
  if (looser === undefined && tighter === undefined) return undefined;
  const seen = Object.entries((relieved ?? {}) as Record<string, number>).filter(
    ([name, less]) => requirements[name].cost !== "free" && less >= 5e-4 * (requirements[name].unit ?? 1),
  );
  // Negative if both the count and the loss improve, because the surrogate is not the count.
  return {
    unit,
    ...(looser !== undefined && { looser: looser * unit.size }),
    ...(tighter !== undefined && { tighter: tighter * unit.size }),
    ...(othersGave && { relieved: Object.fromEntries(seen) }),
  };
}

/** How far a level is missed beyond its resolution, and which other hard requirements are violated. */
export function toldOf(
  found: Insisted<string>,
  { requirements, ...report }: Pick<Report<string>, "requirements" | "objective" | "certificate">,
): Insisting {
  const { level, reached, had, end, costs } = found;
  const asked = requirements[found.name];
  // Free requirements are not enforced, and never give way.
  const ofAsked = (moves: object): Record<string, number> =>
    Object.fromEntries(Object.entries(moves).filter(([name]) => requirements[name].cost !== "free"));
  const others = ofAsked(found.others);
  const broken = Object.keys(others).filter((name) => requirements[name].cost === "hard");
  const missed = excessOf({ sense: asked.sense, level, reached });
  const looser = isLooser(asked, level);
  return {
    level,
    reached,
    had,
    missed: missed > asked.allowance ? missed : 0,
    ...(missed <= asked.allowance && missed >= 5e-4 * (asked.unit ?? 1) && { short: missed }),
    ...(end === "out of reach" && { outOfReach: true }),
    costs,
    ...knownTo(found, asked, report),
    others,
    ...(broken.length > 0 && { broken }),
    ...(looser && {
      looser: {
        than: askedOf(asked),
        thanReached: isLooser({ ...asked, level: asked.reached }, level),
        relieved: ofAsked(found.relieved),
      },
    }),
  };
}

/**
 * A count stays where it is over a range of prices, and a level is held to within an allowance: repeated solves end at costs that differ
 * by as much as the allowance is worth there. A cost that rises from nothing as a square is twice as steep there as on the whole way.
 * Where the problem is not convex, a repeated run may end in another minimum: the cost is then the difference of two objectives, each
 * known to the tolerance only.
 * What is below two percent says nothing to a reader.
 */
function knownTo(
  { reached, costs }: Insisted<string>,
  { reached: before, pricedBy, allowance }: RequirementReport,
  { objective, certificate: { kind, tolerance } }: Pick<Report<string>, "objective" | "certificate">,
): { within?: number } {
  const ofCount = pricedBy === "strict" ? (2 * Math.abs(costs) * allowance) / Math.abs(before - reached) : 0;
  const ofMinima = kind === "global" ? 0 : 2 * tolerance * Math.abs(objective);
  const within = ofCount + ofMinima;
  return within > 0 && Number.isFinite(within) && within >= 0.02 * Math.abs(costs) ? { within } : {};
}

/** For plain levels, whether another is looser. */
function isLooser({ sense, level }: RequirementReport, other: number | readonly number[]): boolean {
  if (typeof level !== "number" || typeof other !== "number") return false;
  return sense === "at most" ? other > level : sense === "at least" && other < level;
}
