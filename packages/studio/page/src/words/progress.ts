// How far a run that trains has come, and how long it may still take: at the pace of its latest lines.
import type { Curve } from "../../../src/api.js";
import { valueAt } from "../figure/lines.js";
import { duration, whole } from "../lib/format.js";

export interface Progress {
  /** From 0 to 1; undefined where nobody said how far it goes. */
  readonly share: number | undefined;
  readonly words: string;
}

/** `time` has the seconds of steps. A run that settles ends before the last step. */
export function progressOf(
  step: number | null,
  total: number | null,
  time: Curve | undefined,
  unit: string,
): Progress | undefined {
  if (step === null) return undefined;
  const at = `${unit} ${whole(step)}`;
  if (total === null || total <= 0) return { share: undefined, words: at };
  const of = `${at} of ${whole(total)}`;
  const share = Math.min(1, step / total);
  const left = time && secondsLeft(step, total, time);
  return {
    share,
    words: left === undefined ? of : `${of}, at most ${duration(1000 * left)} left`,
  };
}

function secondsLeft(step: number, total: number, time: Curve): number | undefined {
  const [first, last] = [time.x[0], time.x.at(-1)];
  if (first === undefined || last === undefined || last <= first) return undefined;
  // The latter half: a run may have been slower while it began.
  const from = first + (last - first) / 2;
  const pace = (valueAt(time, last) - valueAt(time, from)) / (last - from);
  return pace > 0 ? Math.max(0, total - step) * pace : undefined;
}
