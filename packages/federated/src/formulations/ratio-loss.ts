// The ratio-loss baseline: classes that pull the last layer against the others weigh more in every client's loss.
// Read: Wang, Xu, Wang, Zhu, "Addressing class imbalance in federated learning" (AAAI 2021).
import { InputError } from "@pliant/core";
import { type Formulation, unchanged } from "./formulation.js";
import { checkPositive, evenly } from "./resilient.js";

/**
 * Before each round the server takes, for each class p, the gradient G_p of the mean loss of its first `perClass` training
 * samples in the last layer's weights, and r_p = |mean of row p of (K−1) G_p / (Σ_q G_q − G_p)|. Clients train with class
 * weights 1 + strength·r_p; their updates count the same.
 */
export function ratioLoss({ perClass = 5, strength = 0.1 } = {}): Formulation {
  if (!(Number.isInteger(perClass) && perClass >= 1))
    throw new InputError(`perClass must be a whole number of at least 1, got ${perClass}.`);
  checkPositive("strength", strength);
  return {
    name: "ratio-loss",
    initialPrice: 0,
    classWeighting: { perClass, strength },
    refusesNetwork:
      "the ratio loss needs samples of every class at the server, and a federation's server has no data",
    ...unchanged,
    weigh: evenly,
  };
}
