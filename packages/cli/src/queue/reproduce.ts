// The paper's runs over a queue: one side puts jobs and gathers folders, the other runs them.
import { join } from "node:path";
import { items as lab } from "@pliant/lab";
import { progress } from "@pliant/learn/runs";
import { type Job, openQueue, type Taken } from "@pliant/queue";
import { writeWhole } from "@pliant/train";
import { type GatherOptions, gather } from "./gather.js";
import type { AtHand } from "./work.js";

const { failure, failureFile, finished, items, planOf, work } = lab;

export const reproduceKind = "reproduce";

interface PlannedRunRequest {
  readonly size: lab.Size;
  /** Identifies the run in the plan. */
  readonly folder: string;
}

const jobOf = ({ folder }: lab.PlannedRun, size: lab.Size): Job<PlannedRunRequest> => ({
  kind: reproduceKind,
  asked: { size, folder },
});

export interface QueuedOptions extends GatherOptions {
  readonly out: string;
  readonly size: lab.Size;
}

/** Puts a plan's unfinished runs on a queue, and gathers their folders until all are done or time is up. */
export async function reproduceByQueue(
  address: string,
  plan: readonly lab.PlannedRun[],
  { out, size, ...options }: QueuedOptions,
): Promise<void> {
  const missing = plan.filter(
    (run) => !finished(out, run) && (options.again || failure(out, run) === undefined),
  );
  const wanted = missing.map((run) => ({
    job: jobOf(run, size),
    name: run.name,
    path: join(out, run.folder),
    failed: (sentence: string): void => {
      writeWhole(join(out, run.folder, failureFile), `${sentence}\n`);
    },
  }));
  const queue = await openQueue(address);
  try {
    await gather(queue, wanted, options);
  } finally {
    await queue.close();
  }
}

/** Checkpoints are large and only needed to resume, so they stay behind. */
const sent = (file: string): boolean => !/^(checkpoint|at-work)\b/.test(file);

/** Runs the jobs, and sends each back when all are done, failed or out of time. */
export async function doReproduce(taken: readonly Taken[], { backend, out, until }: AtHand): Promise<void> {
  const named: { run: lab.PlannedRun; request: Taken }[] = [];
  for (const request of taken) {
    const { size, folder } = request.job.asked as PlannedRunRequest;
    const run = planOf(items, size).find((planned) => planned.folder === folder);
    if (run) named.push({ run, request });
    else await request.fail(`a worker's pliant knows no run ${folder}; it may be an older one.`);
  }
  // A run that failed here before is tried again, because it was requested again.
  await work(
    named.map(({ run }) => run),
    { backend, out, until, again: true, progress: progress() },
  );
  for (const { run, request } of named) {
    const reason = failure(out, run);
    if (finished(out, run)) await request.finish(join(out, run.folder), sent);
    else if (reason !== undefined) await request.fail(reason);
    else request.giveBack();
  }
}
