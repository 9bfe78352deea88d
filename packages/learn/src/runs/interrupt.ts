// Stopping on purpose: the first SIGINT or SIGTERM is noted, so that a run can save itself and end; a second one ends the
// process at once, and loses no more than what came after the last checkpoint.
import { setImmediate } from "node:timers/promises";
import { PliantError } from "pliant";

export interface Interrupt {
  /** Throws a sentence once a signal has come, after what it does first; signals arrive between chunks of work. */
  check(sentence: () => string | Promise<string>): Promise<void>;
  /** Signals end the process again. */
  release(): void;
}

const signals = ["SIGINT", "SIGTERM"] as const;

export function interrupt(): Interrupt {
  let came = false;
  const note = (): void => {
    came = true;
  };
  for (const signal of signals) process.once(signal, note);
  return {
    check: async (sentence) => {
      await setImmediate();
      if (came) throw new PliantError(await sentence());
    },
    release: () => {
      for (const signal of signals) process.off(signal, note);
    },
  };
}
