// The first line a person reads of a run.
import type { RunOptions } from "../run/run.js";

/** An `onStart` that says what is about to be trained, on what, and from which step. */
export const opening =
  (say: (text: string) => void): NonNullable<RunOptions["onStart"]> =>
  ({ spec, data, device, seed }, { state, path }) => {
    const what = spec.data.file ?? spec.data.dataset;
    const validation =
      data.validation === undefined ? "" : `${data.validation} more are for validation, and `;
    say(
      `Training a model (${spec.model.kind}) on ${data.train} examples of ${what}; ${validation}${data.test} are kept for testing (seed ${seed}, ${device}).`,
    );
    if (state && state.step > 0) say(`Resuming at step ${state.step} from ${path}.`);
  };
