// From a recipe to what the federation optimises, and how.

import {
  agnostic,
  constrained,
  type Formulation,
  fedAvg,
  fedPd,
  fedProx,
  qFair,
  type RelaxationCost,
  ratioLoss,
  relaxationCost,
  resilient,
  type Solver,
  scaffold,
  unconstrained,
} from "@pliant/federated";
import { betas } from "../choices.js";
import { ratesOf } from "./rates.js";
import type { Recipe } from "./recipe.js";

/** h of one client. */
export const costOf = ({ alpha = 0, cost = "quadratic" }: Pick<Recipe, "alpha" | "cost">): RelaxationCost =>
  relaxationCost({ alpha, beta: betas[cost] });

export function formulationOf(recipe: Recipe): Formulation {
  const { level, cap, fairness = 1, agnosticRate = 0 } = recipe;
  const { dual: dualRate, relaxation: relaxationRate } = ratesOf(recipe);
  switch (recipe.method) {
    case "resilient":
      return resilient({ level, dualRate, relaxationRate, cost: costOf(recipe) });
    case "constrained":
      return constrained({ level, dualRate, cap });
    case "unconstrained":
      return unconstrained();
    case "agnostic":
      return agnostic({ dualRate: agnosticRate * (recipe.horizon / recipe.rounds) });
    case "q-fair":
      return qFair({ q: fairness });
    case "ratio-loss":
      return ratioLoss();
  }
}

export function solverOf({ solver, proximal = 0, penalty = 1 }: Recipe): Solver {
  switch (solver) {
    case "fedavg":
      return fedAvg();
    case "fedprox":
      return fedProx({ mu: proximal });
    case "scaffold":
      return scaffold();
    case "fedpd":
      return fedPd({ eta: penalty });
  }
}

/** q-fair weighs by losses measured before every communication round, the others by those before each dual step. */
export const roundsPerDual = ({ method, roundsPerDual }: Recipe): number =>
  method === "q-fair" ? 1 : roundsPerDual;
