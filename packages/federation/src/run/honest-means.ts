// What means over honest sites can be. A site clips its loss to the spec's bound, and prices are not negative: a mean beyond
// shows that a site lied, and the sum is not used.
import { PliantError } from "@pliant/core";
import type { Riding } from "@pliant/federated";
import type { FederationSpec } from "../spec/spec.js";

/** Noise on private losses may carry their mean beyond any bound, so there nothing is checked. */
export function checkMeans(
  { sites: { lossBound }, privacy }: FederationSpec,
  exchange: number,
  numbers: readonly Riding[],
  means: readonly number[],
): void {
  // Rounding in fixed point.
  const slack = 1e-9;
  if (privacy) return;
  const [first] = means;
  if (exchange === 0 && !(first >= -slack && first <= lossBound + slack))
    throw new PliantError(
      `The mean loss is ${first}, and each site's is between 0 and sites.lossBound, ${lossBound}: a site lied.`,
    );
  for (const [k, what] of numbers.entries())
    if ((what === "price before" || what === "price after") && !(means[k] >= -slack))
      throw new PliantError(`The mean price is ${means[k]}, and no price is negative: a site lied.`);
}
