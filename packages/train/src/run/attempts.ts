// Overfitted runs begin again with more decay, which mends it or ruins the model. So every attempt is judged on the
// validation rows, and the search ends where more decay does worse there.

import { type Capacity, withMore } from "../fit/capacity.js";
import { isBetter, type Merit, meritOf } from "../fit/watch.js";
import type { TrainReport } from "../report/report.js";

/** A run with one decay. */
export interface Try {
  readonly capacity: Capacity;
  readonly overfitted: boolean;
  /** On the validation rows. */
  readonly merit: Merit;
}

/** Between two that differ by less, the one that is not overfitted wins. */
const near = 0.02;

const isNear = (a: Merit, best: Merit): boolean =>
  isBetter(a, best) ||
  (a.missed <= best.missed && a.value <= best.value + near * Math.max(Math.abs(best.value), 1e-9));

/** The best of all tries, from `first` on towards more decay. */
export async function bestTry<T extends Try>(
  first: Capacity,
  attempt: (capacity: Capacity) => Promise<T>,
  show: (line: string) => void,
): Promise<T> {
  let best = await attempt(first);
  let last = best;
  for (let more = withMore(first); last.overfitted && more; more = withMore(more)) {
    show(`overfitted with decay ${last.capacity.decay}; again with ${more.decay}`);
    last = await attempt(more);
    if (!isNear(last.merit, best.merit)) break;
    if (!last.overfitted || isBetter(last.merit, best.merit)) best = last;
  }
  if (best !== last)
    show(
      `decay ${last.capacity.decay} is no better on the validation rows; the model is that of decay ${best.capacity.decay}`,
    );
  return best;
}

/** The loss and what giving way costs on the validation rows, whatever the decay counted in the objective. */
export function meritOnValidation(
  { steps, validation, requirements }: Pick<TrainReport, "steps" | "validation" | "requirements">,
  cost: string,
): Merit {
  const there = Object.entries(requirements).map(([name, r]) => {
    const trained = r.pricedBy === "loss" && !r.perExample && r.relative === undefined && r.validation;
    return [name, trained ? { ...r, reached: trained.surrogate } : r] as const;
  });
  return meritOf(
    { step: steps, objective: validation!.loss.value, requirements: Object.fromEntries(there) },
    cost,
  );
}
