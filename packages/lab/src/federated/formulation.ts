// From a recipe to what the federation optimises.

import {
  agnostic,
  constrained,
  type Formulation,
  qFair,
  ratioLoss,
  relaxationCost,
  resilient,
  unconstrained,
} from "@pliant/federated";
import { type CostName, type Recipe, ratesOf } from "./recipe.js";

const betas: Record<CostName, number> = { linear: 1, quadratic: 2, power4: 4, maximum: Infinity };

export function formulationOf(recipe: Recipe): Formulation {
  const { level, alpha, cost, clients, fairness } = recipe;
  const rates = ratesOf(recipe);
  switch (recipe.method) {
    case "resilient":
      return resilient({ level, ...rates, cost: relaxationCost({ alpha, beta: betas[cost] }) });
    case "constrained":
      return constrained({ level, dualRate: rates.dualRate });
    case "unconstrained":
      return unconstrained();
    case "agnostic":
      // The step of its weights is the one that the prices of the others take.
      return agnostic({ dualRate: rates.dualRate / clients });
    case "q-fair":
      return qFair({ q: fairness });
    case "ratio-loss":
      return ratioLoss();
  }
}

/** q-fair weighs by losses measured before every communication round, the others by those before each dual step. */
export const roundsPerDual = ({ method, roundsPerDual }: Recipe): number =>
  method === "q-fair" ? 1 : roundsPerDual;
