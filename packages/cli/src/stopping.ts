// Commands that run until they are stopped.
import { Interrupted } from "@pliant/learn/runs";

/** Aborted by the first SIGINT or SIGTERM; everything that must not be lost is on disk at any moment. */
export function untilStopped(sentence: string): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => controller.abort(new Interrupted(sentence, "signal")));
  return controller.signal;
}

/** A number as commands print it. */
export const fixed = (value: number): string => value.toFixed(4);
