// What it would cost to insist, and what a level costs, measured after a certified run: solved again from its solution at other
// terms. The cost of what is counted is known no other way, and a slope says little about a whole step.
import { full } from "@pliant/engine";
import {
  DivergedError,
  excessOf,
  type Insisted,
  insist,
  type RequirementReport,
  type Solution,
  type Solver,
  solveWith,
} from "pliant";
import { isCounted, type Stated } from "../problem/stated.js";
import { type Insisting, type Neighbours, type Unit, unitOf } from "../report/sentences.js";

export interface Answers {
  readonly insisting?: Insisting;
  readonly neighbours?: Neighbours;
}

interface Questions<P> {
  readonly solver: Solver<P, string>;
  readonly solution: Solution<P, string>;
  readonly stated: readonly Stated[];
  /** At most so many steps for each question. */
  readonly steps: number;
  /** Told what is being measured. */
  show(line: string): void;
}

/** Where many gave way, those that gave most; `pliant insist` answers for the others. */
const mostAsked = 8;

/** By requirement: what insisting came to of what gave way, and what a unit costs of counted ones that bind. */
export async function measureCosts<P>(questions: Questions<P>): Promise<Record<string, Answers>> {
  const { solver, solution, stated, steps, show } = questions;
  const answers: Record<string, Answers> = {};
  const { requirements } = solution.report;
  const dearest = (status: string, by: "relaxation" | "price") =>
    stated
      .filter((s) => !s.perExample && requirements[s.name].status === status && requirements[s.name][by] > 0)
      .sort((a, b) => requirements[b.name][by] - requirements[a.name][by])
      .slice(0, mostAsked);
  for (const { name } of dearest("gave way", "relaxation")) {
    if (requirements[name].cost === "free") continue;
    show(`insisting on ${name}`);
    answers[name] = {
      insisting: toldOf(await insist(solver, solution, name, { steps }), requirements[name]),
    };
  }
  for (const s of dearest("at its level", "price").filter(isCounted)) {
    show(`what ${s.name} costs`);
    const neighbours = await neighboursOf(s, questions);
    if (neighbours) answers[s.name] = { neighbours };
  }
  return answers;
}

/** Several steps of what is counted, at least. */
const unitFor = ({ metric, level }: Stated, resolution: number): Unit =>
  unitOf(metric.kind === "rate" ? "rate" : "other", [level].flat()[0], 3 * resolution);

/**
 * The objective with every requirement held where the solution has it, and this one a unit looser or tighter. Counts stop within
 * a step or two of where they were sent, so what a unit costs is told by how far they went.
 */
async function neighboursOf<P>(
  stated: Stated,
  { solver, solution, steps }: Questions<P>,
): Promise<Neighbours | undefined> {
  const { name } = stated;
  const { requirements } = solution.report;
  const { allowance } = requirements[name];
  const unit = unitFor(stated, allowance);
  const relaxations = solver.arranged.byName(solution.state.relaxations);
  const insist = Object.keys(requirements).filter((other) => requirements[other].cost !== "free");
  const at = async (move: number) => {
    const relaxed = Object.fromEntries(
      insist.map((other) => [other, relaxations[other].map((u) => u + (other === name ? move : 0))]),
    );
    const held = solution.state.relaxations.map(({ shape, dtype }) => full(shape, 0, dtype));
    const state = { ...solution.state, step: 0, relaxations: held };
    const { report } = await solveWith(solver, { steps, state }, solver.terms({ relaxed, insist }));
    const { reached } = report.requirements[name];
    return { objective: report.objective, reached, certified: report.certificate.holds };
  };
  const here = await finite(at(0));
  const cost = async (move: number): Promise<number | undefined> => {
    const there = here && (await finite(at(move)));
    if (!here || !there) return undefined;
    const went = Math.abs(there.reached - here.reached);
    if (!there.certified || !here.certified || went <= allowance) return undefined;
    return (Math.abs(there.objective - here.objective) / went) * unit.size;
  };
  const [looser, tighter] = [await cost(unit.size), await cost(-unit.size)];
  if (looser === undefined && tighter === undefined) return undefined;
  return { unit, ...(looser !== undefined && { looser }), ...(tighter !== undefined && { tighter }) };
}

/** None where numbers ran away: the run stands, and the question has no answer. */
async function finite<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (reason) {
    if (!(reason instanceof DivergedError)) throw reason;
    return undefined;
  }
}

/** How far a level is missed beyond what can be told. */
export function toldOf(found: Insisted<string>, asked: RequirementReport): Insisting {
  const { level, reached, had, costs, others } = found;
  const missed = excessOf({ sense: asked.sense, level, reached });
  return {
    level,
    reached,
    had,
    missed: missed > asked.allowance ? missed : 0,
    costs,
    others: others as Record<string, number>,
  };
}
