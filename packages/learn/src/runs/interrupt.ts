// Stops a run between two chunks of work, after it is saved: on the first SIGINT or SIGTERM, or at a deadline. A second signal ends
// the process at once, which loses no more than what came after the last checkpoint.
import { PliantError } from "@pliant/core";
import { onStopAsked, turn } from "@pliant/platform";

/** Whether a run is to stop, asked between two chunks of work. */
export interface Interrupt {
  /** Throws a sentence once a signal has come, after what it does first; signals arrive between chunks of work. */
  check(sentence: () => string | Promise<string>): Promise<void>;
  /** Signals end the process again. */
  release(): void;
}

/** When to stop though nobody asks. */
export interface InterruptOptions {
  /** The moment to stop at, in milliseconds as `Date.now` counts them. */
  readonly until?: number;
}

/** A run that was saved and stopped: by a signal, or since its time was over. */
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
