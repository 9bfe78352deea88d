// The runs of the paper's plan by a queue: put on it and gathered here, done there.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { items as lab } from "@pliant/lab";
import { progress } from "@pliant/learn/runs";
import { type Job, openQueue, type Taken } from "@pliant/queue";
import { PliantError } from "pliant";
import type { AtHand } from "./work.js";

const { failure, failureFile, finished, items, planOf, work } = lab;

export const reproduceKind = "reproduce";

interface Asked {
  readonly size: lab.Size;
  /** Names the run among those of the plan. */
  readonly folder: string;
}

const jobOf = ({ folder }: lab.PlannedRun, size: lab.Size): Job<Asked> => ({
  kind: reproduceKind,
  asked: { size, folder },
});

export interface GatherOptions {
  readonly out: string;
  readonly size: lab.Size;
  readonly until?: number;
  /** Puts failed runs on the queue again. */
  readonly again?: boolean;
}

/** Puts the runs of a plan on a queue that are not done, and gathers their folders until all are, or time is over. */
export async function gather(
  address: string,
  plan: readonly lab.PlannedRun[],
  { out, size, until = Infinity, again = false }: GatherOptions,
): Promise<void> {
  const queue = await openQueue(address);
  const line = progress();
  try {
    const missing = plan.filter((run) => !finished(out, run));
    const waiting = new Map(
      missing.filter((run) => again || failure(out, run) === undefined).map((run) => [run.folder, run]),
    );
    const jobs = [...waiting.values()].map((run) => jobOf(run, size));
    if (again) await queue.forget(jobs);
    const added = await queue.put(jobs);
    line.show(`${added} runs put on the queue, ${jobs.length - added} known to it`);
    if (waiting.size === 0) return;
    const outcomes = await queue.outcomes();
    const over = Number.isFinite(until) ? setTimeout(outcomes.stop, until - Date.now()) : undefined;
    for await (const outcome of outcomes) {
      const { size: of, folder } = outcome.job.asked as Asked;
      const run = outcome.job.kind === reproduceKind && of === size ? waiting.get(folder) : undefined;
      if (!run) continue;
      const path = join(out, folder);
      if (outcome.failed === undefined) await queue.fetch(outcome, path);
      else {
        mkdirSync(path, { recursive: true });
        writeFileSync(join(path, failureFile), `${outcome.failed}\n`);
      }
      waiting.delete(folder);
      const how = outcome.failed === undefined ? "done" : "failed";
      line.show(`${run.name}: ${how} by ${outcome.worker}, ${waiting.size} to come`);
      if (waiting.size === 0) outcomes.stop();
    }
    clearTimeout(over);
  } finally {
    line.end();
    await queue.close();
  }
}

/** A checkpoint is for going on, and large. */
const sent = (file: string): boolean => !/^(checkpoint|at-work)\b/.test(file);

/** Does the runs that jobs name: each is sent back when all are done, failed or out of time. */
export async function doReproduce(taken: readonly Taken[], { backend, out, until }: AtHand): Promise<void> {
  const named = await Promise.all(
    taken.map(async (each) => {
      const { size, folder } = each.job.asked as Asked;
      const run = planOf(items, size).find((planned) => planned.folder === folder);
      if (!run) throw new PliantError(`a worker's pliant knows no run ${folder}; it may be an older one.`);
      return { run, each };
    }),
  );
  // What failed here before, for another reason perhaps, is tried again: it was asked for again.
  await work(
    named.map(({ run }) => run),
    { backend, out, until, again: true, progress: progress() },
  );
  for (const { run, each } of named) {
    const reason = failure(out, run);
    if (finished(out, run)) await each.finish(join(out, run.folder), sent);
    else if (reason !== undefined) await each.fail(reason);
    else each.giveBack();
  }
}
