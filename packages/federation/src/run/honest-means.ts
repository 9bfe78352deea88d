// What means over honest sites can be. A site clips its loss to the spec's bound, and prices are neither negative nor above what the
// spec allows: a mean beyond shows that a site lied, and the sum is not used.
import { PliantError } from "@pliant/core";
import type { Riding } from "@pliant/federated";
import { type FederationSpec, largestPrice } from "../spec/spec.js";
import { mostSteps } from "./believable.js";

/** Noise on private losses may carry their mean beyond any bound. */
export function checkMeans(
  spec: FederationSpec,
  exchange: number,
  numbers: readonly Riding[],
  means: readonly number[],
): void {
  const { sites, privacy } = spec;
  const { lossBound } = sites;
  // Rounding in fixed point.
  const slack = 1e-9;
  const [first] = means;
  if (!privacy && exchange === 0 && !(first >= -slack && first <= lossBound + slack))
    throw new PliantError(
      `The mean loss is ${first}, and each site's is between 0 and sites.lossBound, ${lossBound}: a site lied.`,
    );
  const dearest = largestPrice(spec, mostSteps(spec));
  for (const [k, what] of numbers.entries())
    if (
      (what === "price before" || what === "price after") &&
      !(means[k] >= -slack && means[k] <= dearest + slack)
    )
      throw new PliantError(
        `The mean price is ${means[k]}, and by the spec each site's is between 0 and ${dearest}: a site lied.`,
      );
}
