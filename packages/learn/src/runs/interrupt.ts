// Saves and stops a run between two chunks of work, on the first SIGINT or SIGTERM or at a deadline. A second signal ends the
// process at once, which loses only the work since the last checkpoint.
import { PliantError } from "@pliant/core";
import { onStopAsked, turn } from "@pliant/platform";

/** Checks between two chunks of work whether the run should stop. */
export interface Interrupt {
  /** If a signal has arrived, throws an error with the sentence; signals arrive between chunks. */
  check(sentence: () => string | Promise<string>): Promise<void>;
  /** Restores the default signal handling. */
  release(): void;
}

/** A deadline. */
export interface InterruptOptions {
  /** The deadline in milliseconds, as in `Date.now`. */
  readonly until?: number;
}

/** Thrown when a run was saved and stopped, by a signal or at its deadline. */
export class Interrupted extends PliantError {
  override readonly name = "Interrupted";
  constructor(
    message: string,
    readonly reason: "signal" | "deadline",
  ) {
    super(message);
  }
}

/** Catches SIGINT and SIGTERM from now on, so that a run can save before it stops. */
export function interrupt({ until = Infinity }: InterruptOptions = {}): Interrupt {
  let came = false;
  const { release } = onStopAsked(() => {
    came = true;
  });
  return {
    check: async (sentence) => {
      await turn();
      if (came) throw new Interrupted(await sentence(), "signal");
      if (Date.now() >= until) throw new Interrupted(await sentence(), "deadline");
    },
    release,
  };
}
