// Work in turns: many small files are read fastest one after another, without a turn of its own for each, but others who ask meanwhile are
// not to wait for the end of it.
import { setImmediate } from "node:timers/promises";

/** Milliseconds that nobody notices. */
const longest = 8;

/** Asked after every piece of the work: goes on at once, or after others had their turn. */
export function turns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < longest) return;
    await setImmediate();
    since = performance.now();
  };
}
