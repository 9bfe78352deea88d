// Which specs state a problem whose losses have kinks.
import type { Spec } from "../spec/spec.js";

const kinked: readonly (string | undefined)[] = [
  "absolute-error",
  "quantile",
  "mean-absolute-error",
  "quantile-loss",
];

/** Whether the objective or a requirement is of absolute values. */
export const hasKinks = ({ objective, requirements }: Spec): boolean =>
  [objective.loss, ...Object.values(requirements).map(({ metric }) => metric)].some((name) =>
    kinked.includes(name),
  );
