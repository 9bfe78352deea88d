// Which specs state a problem whose losses have kinks.
import { kindOf } from "../metrics/kinds.js";
import type { Spec } from "../spec/spec.js";

const kinkedLosses: readonly (string | undefined)[] = ["absolute-error", "quantile"];

/** Whether the objective or a requirement is of absolute values. */
export const hasKinks = ({ objective, requirements }: Spec): boolean =>
  kinkedLosses.includes(objective.loss) ||
  Object.values(requirements).some(({ metric }) => kindOf(metric).surrogate === "kinked");
