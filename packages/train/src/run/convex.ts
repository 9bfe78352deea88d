// Which specs state a convex problem whose losses have kinks.
import type { Spec } from "../spec/spec.js";

const losses: readonly (string | undefined)[] = [
  undefined,
  ...["cross-entropy", "squared-error", "absolute-error", "huber", "quantile"],
];
const metrics: readonly string[] = [
  ...["loss", "root-mean-square-error", "mean-absolute-error", "quantile-loss"],
];
const kinked: readonly (string | undefined)[] = [
  ...["absolute-error", "quantile", "mean-absolute-error", "quantile-loss"],
];

/**
 * Convex in the parameters of a linear model, at any prices, and not smooth: means of convex losses, each to be at most a number. A
 * difference of two (gap, relative to all) is not convex, nor is what must be at least a level.
 */
export function isConvexWithKinks({ model, objective, requirements }: Spec): boolean {
  const asked = Object.values(requirements);
  return (
    model.kind === "linear" &&
    [objective.loss, ...asked.map(({ metric }) => metric)].some((name) => kinked.includes(name)) &&
    losses.includes(objective.loss) &&
    asked.every(
      (one) =>
        metrics.includes(one.metric) &&
        one.sense !== "at least" &&
        (typeof one.level === "number" || (typeof one.level === "object" && !Array.isArray(one.level))) &&
        !("gap" in one && one.gap) &&
        !("worst" in one && one.worst),
    )
  );
}
