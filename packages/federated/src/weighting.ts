// Whether clients count alike in the objective, or their samples do.
import { InputError } from "@pliant/core";
import type { Formulation } from "./formulations/index.js";

/** R̄ = (1/C) Σ R_c, or Σ (n_c/N) R_c: the mean over all samples. */
export type Weighting = "clients" | "samples";

/** s_c = n_c over the mean of the participants', as FedAvg counts those that are there; nothing where clients count alike. */
export function sharesOf(weighting: Weighting, samples: readonly number[]): readonly number[] | undefined {
  if (weighting === "clients") return undefined;
  const mean = samples.reduce((sum, n) => sum + n, 0) / samples.length;
  return samples.map((n) => n / mean);
}

export function checkWeighting(
  weighting: Weighting = "clients",
  { name, refusesShares }: Pick<Formulation, "name" | "refusesShares">,
): void {
  if (weighting !== "clients" && weighting !== "samples")
    throw new InputError(`weighting is "clients" or "samples", got "${weighting}".`);
  if (weighting === "samples" && refusesShares)
    throw new InputError(`"${name}" cannot count clients by their samples: ${refusesShares}.`);
}
