// The host's loop of every run on disk: chunks of work on the device, one after another, until the run is done or asked to stop.
import type { Interrupt } from "./interrupt.js";

/** The work of a run in each chunk, and its stop between two chunks. */
export interface ChunkedRun<State> {
  /** Whether nothing is left to do. */
  done(state: State): boolean;
  /** Trains for one chunk, then logs and saves if due. */
  next(state: State): Promise<State>;
  /** Saves the latest state; returns a sentence that says how to continue. */
  stop(state: State): string | Promise<string>;
}

/** Runs to the end from a state; a signal or a deadline stops it between two chunks. */
export async function runChunks<State>(
  start: State,
  { done, next, stop }: ChunkedRun<State>,
  interrupted: Interrupt,
): Promise<State> {
  let state = start;
  while (!done(state)) {
    state = await next(state);
    if (!done(state)) await interrupted.check(() => stop(state));
  }
  return state;
}
