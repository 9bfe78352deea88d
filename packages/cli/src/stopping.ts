// Commands that run until they are stopped.
import { PliantError } from "@pliant/core";

/** Aborted by the first SIGINT or SIGTERM; what must not be lost is on the disk at any moment. */
export function untilStopped(sentence: string): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => controller.abort(new PliantError(sentence)));
  return controller.signal;
}

/** A number as commands print it. */
export const fixed = (value: number): string => value.toFixed(4);
