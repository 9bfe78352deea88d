// Puts jobs on a queue and gathers their outcomes.
import { progress } from "@pliant/learn/runs";
import { idOf, type Job, type Queue } from "@pliant/queue";

export interface Wanted {
  readonly job: Job;
  /** Its name in progress lines. */
  readonly name: string;
  /** The path of its folder. */
  readonly path: string;
  failed(sentence: string): void;
}

export interface GatherOptions {
  /** When to stop waiting, in milliseconds as `Date.now` counts them; the jobs stay on the queue. */
  readonly until?: number;
  /** Runs finished and failed jobs again. */
  readonly again?: boolean;
}

/** Waits until all jobs are done or failed, or time is up; returns how many are left. */
export async function gather(
  queue: Queue,
  wanted: readonly Wanted[],
  { until = Infinity, again = false }: GatherOptions,
): Promise<number> {
  const waiting = new Map(wanted.map((item) => [idOf(item.job), item]));
  const jobs = wanted.map(({ job }) => job);
  const line = progress();
  if (again) await queue.forget(jobs);
  const added = await queue.put(jobs);
  line.show(`${added} jobs put on the queue, ${jobs.length - added} known to it`);
  if (waiting.size === 0) return 0;
  const outcomes = await queue.outcomes();
  const over = Number.isFinite(until) ? setTimeout(outcomes.stop, until - Date.now()) : undefined;
  for await (const outcome of outcomes) {
    const id = idOf(outcome.job);
    const item = waiting.get(id);
    if (!item) continue;
    if (outcome.failed === undefined) await queue.fetch(outcome, item.path);
    else item.failed(outcome.failed);
    waiting.delete(id);
    const how = outcome.failed === undefined ? "done" : "failed";
    line.show(`${item.name}: ${how} by ${outcome.worker}, ${waiting.size} to come`);
    if (waiting.size === 0) outcomes.stop();
  }
  clearTimeout(over);
  line.end();
  return waiting.size;
}
