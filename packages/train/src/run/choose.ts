// Which of several runs to take, by the validation rows alone: first the one that misses the fewest requirements there beyond
// chance, those that must hold before the others, then the one with the least loss.
import { excessOn } from "../report/overfitting.js";
import type { TrainReport } from "../report/report.js";

/** How a run stands on the validation rows. */
export interface Standing {
  /** Requirements missed beyond chance: of those that must hold, and of all that are asked. */
  readonly broken: number;
  readonly missed: number;
  readonly loss: number;
}

export interface Chosen extends Standing {
  /** Among the runs. */
  readonly place: number;
  /** How many rows it was chosen on. */
  readonly rows: number;
}

export function standingOf({
  requirements,
  validation,
}: Pick<TrainReport, "requirements" | "validation">): Standing {
  const missed = Object.values(requirements).filter((r) => {
    const excess = r.cost === "free" ? undefined : excessOn(r, r.validation);
    return excess !== undefined && excess.low > 0;
  });
  return {
    broken: missed.filter(({ hard }) => hard).length,
    missed: missed.length,
    loss: validation!.loss.value,
  };
}

export const isAhead = (a: Standing, b: Standing): boolean =>
  a.broken !== b.broken ? a.broken < b.broken : a.missed !== b.missed ? a.missed < b.missed : a.loss < b.loss;

const meanOf = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;

/** How several runs stand on average. */
function standingOfAll(reports: readonly TrainReport[]): Standing {
  const all = reports.map(standingOf);
  const mean = (key: keyof Standing): number => meanOf(all.map((one) => one[key]));
  return { broken: mean("broken"), missed: mean("missed"), loss: mean("loss") };
}

/**
 * The chosen point, of one run or several each. None without validation rows: training rows say little, and test rows must not decide.
 */
export function chosenOf(points: readonly (readonly TrainReport[])[]): Chosen | undefined {
  if (points.length < 2 || points.flat().some(({ validation }) => !validation)) return undefined;
  const standings = points.map(standingOfAll);
  const place = standings.reduce((best, one, i) => (isAhead(one, standings[best]) ? i : best), 0);
  return { place, rows: points[place][0].validation!.examples, ...standings[place] };
}
