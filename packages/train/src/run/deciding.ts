// The steps after scores are solved: decisions and importance, each in a file of the run folder.

import type { Solution, Solver, SolverState } from "@pliant/core";
import type { Params } from "@pliant/learn";
import { encodeState } from "@pliant/learn/runs";
import { join, rmSync } from "@pliant/platform";
import { decisionFile, writeDecision } from "../decision/file.js";
import { explained, heldOutFile, writeHeldOut } from "../explain/held-out.js";
import type { Importance } from "../explain/importance.js";
import { type Decided, type Deciding, decide } from "../fit/decide.js";
import { checks } from "../fit/press.js";
import { bestFile } from "../fit/watch.js";
import { writeWhole } from "../store/files.js";

type OwnSolution = Solution<Params, string>;

interface Solved {
  readonly solver: Solver<Params, string>;
  readonly solution: OwnSolution;
}

interface DecidedRun {
  readonly decided?: Decided;
  /** Where scores were pressed, another one. */
  readonly solution: OwnSolution;
  readonly importance?: readonly Importance[];
}

export async function decideInFolder(out: string, solved: Solved, deciding: Deciding): Promise<DecidedRun> {
  const { training, backend, spec } = deciding;
  const decided = await decide(solved.solution, deciding);
  const solution = decided?.params ? await pressedSolution(solved, decided.params) : solved.solution;
  if (decided?.params) writeWhole(join(out, bestFile), encodeState(solution.state));
  if (decided) writeDecision(out, decided.decision);
  const { params } = solution;
  const scores = await explained({ training, backend, params, spec, ...(decided && { decided }) });
  if (scores) writeHeldOut(out, scores);
  return {
    solution,
    ...(decided && { decided }),
    ...(scores && { importance: scores.importance }),
  };
}

/** For a run that starts afresh. */
export function forgetDecisions(out: string): void {
  for (const file of [decisionFile, heldOutFile]) rmSync(join(out, file), { force: true });
}

/** The certificate of a retrained model: its prices are not those of an equilibrium. */
async function pressedSolution({ solver, solution }: Solved, params: Params): Promise<OwnSolution> {
  const found = await solver.inspect({ ...solution.state, params } as SolverState);
  const certificate = {
    ...found.certificate,
    holds: false,
    short: [`retraining kept the best of ${checks} intermediate models, which is not an equilibrium`],
  };
  return { ...found, certificate, report: { ...found.report, certificate } };
}
