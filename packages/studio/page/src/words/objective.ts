// The objective of a report beside the curve of it: they may be of other steps, or of other rows.
import type { Curve, RunDetail } from "../../../src/api.js";
import { number, whole } from "../lib/format.js";

export interface ObjectiveOf {
  /** What stands before the number. */
  readonly term: string;
  /** What stands at the curve. */
  readonly note: string;
}

/** Undefined where the report's is what the curve ends at. */
export function objectiveIn(
  detail: RunDetail | undefined,
  curve: Curve | undefined,
  unit: string,
): ObjectiveOf | undefined {
  const { objective, steps } = detail?.summary ?? {};
  const last = curve?.y.at(-1);
  if (typeof objective !== "number" || last === undefined) return undefined;
  const kept = detail?.report?.keptStep;
  if (typeof kept === "number" && kept !== steps)
    return {
      term: `objective at ${unit} ${whole(kept)}, the model kept`,
      note: `What is minimised. The model of ${unit} ${whole(kept)} was kept: ${number(objective)}.`,
    };
  // Runs may log a mean over what they trained on meanwhile, and measure once more at the end.
  if (Math.abs(last - objective) <= 1e-3 * Math.abs(objective)) return undefined;
  return {
    term: "objective, measured at the end",
    note: `What is minimised, as logged while training; measured at the end it was ${number(objective)}.`,
  };
}
