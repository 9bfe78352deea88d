// What a site believes of what it is shown. Means that no honest sites can have, or a round that the spec does not have, are a
// coordinator's lie: the site refuses before it trains.
import { InputError } from "@pliant/core";
import type { ShownMessage } from "../protocol/index.js";
import type { FederationSpec } from "../spec/spec.js";
import { stepsOf } from "../spec/stages.js";

/** Steps that a site takes part in at the most: those of the spec, and as many again, or 100, for abandoned rounds. */
export const mostSteps = (spec: FederationSpec): number => {
  const steps = stepsOf(spec);
  return steps + Math.max(steps, 100);
};

/** Refuses what cannot be. Noise on private losses may carry their mean beyond any bound, so there only steps are checked. */
export function checkShown(
  spec: FederationSpec,
  { step, meanPrice, answers }: Pick<ShownMessage, "step" | "meanPrice" | "answers">,
): void {
  const { lossBound, cost, dualRate } = spec.sites;
  const most = mostSteps(spec);
  if (step >= most)
    throw new InputError(
      `The coordinator asks for step ${step + 1}; with abandoned rounds this site takes part in ${most} at the most.`,
    );
  if (spec.privacy) return;
  // Rounding in fixed point.
  const slack = 1e-6 * lossBound;
  for (const mean of answers)
    if (!(mean >= -slack && mean <= lossBound + slack))
      throw new InputError(
        `The coordinator says that the mean loss is ${mean}; it is between 0 and sites.lossBound, ${lossBound}.`,
      );
  // λ = αu, and nobody gives way further than the largest loss; a hard requirement's price grows by the largest loss a step.
  const dearest = lossBound * (cost === "hard" ? dualRate * most : cost.alpha);
  if (!(meanPrice >= -slack && meanPrice <= dearest + slack))
    throw new InputError(
      `The coordinator says that the mean price is ${meanPrice}; by the spec it is between 0 and ${dearest}.`,
    );
}
