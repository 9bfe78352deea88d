// Trains the runs of a plan in order, as far as time allows; a run that fails is recorded and the next one started.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InputError, PliantError } from "@pliant/core";
import { Interrupted } from "@pliant/learn/runs";
import type { RunnerOptions } from "../runner-options.js";
import type { PlannedRun } from "./item.js";
import { failure, failureFile, finished } from "./plan.js";

export interface Worked {
  readonly done: readonly PlannedRun[];
  readonly failed: readonly PlannedRun[];
  /** Whether the time ran out first. */
  readonly stopped: boolean;
}

/** Runs that are trained together. */
function batches(runs: readonly PlannedRun[]): PlannedRun[][] {
  const found: PlannedRun[][] = [];
  for (const run of runs) {
    const last = found.at(-1);
    const beside = last?.[0].family === run.family && last[0].stage === run.stage;
    if (last && beside && run.family.together === "all") last.push(run);
    else found.push([run]);
  }
  return found;
}

export async function work(plan: readonly PlannedRun[], options: RunnerOptions): Promise<Worked> {
  const { out, until = Infinity, again } = options;
  if (again) for (const run of plan) rmSync(join(out, run.folder, failureFile), { force: true });
  const waiting = plan.filter((run) => !finished(out, run) && failure(out, run) === undefined);
  const failed: PlannedRun[] = [];
  let stopped = false;
  for (const batch of batches(waiting)) {
    stopped = Date.now() >= until;
    if (stopped) break;
    try {
      await batch[0].family.train(batch, { ...options, resume: true, again: false });
    } catch (error) {
      if (error instanceof Interrupted && error.reason === "deadline") {
        stopped = true;
        break;
      }
      // A mistake in the input concerns all runs, a failure in training only this one.
      if (error instanceof Interrupted || error instanceof InputError || !(error instanceof PliantError))
        throw error;
      for (const run of batch) {
        if (finished(out, run)) continue;
        failed.push(run);
        mkdirSync(join(out, run.folder), { recursive: true });
        writeFileSync(join(out, run.folder, failureFile), `${error.message}\n`);
      }
    }
  }
  return { done: waiting.filter((run) => finished(out, run)), failed, stopped };
}
