// The dual rates of a run, whatever its length, and whether the explicit step in u is stable at them.
import type { Recipe } from "./recipe.js";

/** η_λ and η_u in use, divided by the number of clients in each step. */
export interface Rates {
  readonly dual: number;
  /** Only of the explicit step. */
  readonly relaxation?: number;
}

type Rated = Pick<
  Recipe,
  "horizon" | "rounds" | "clients" | "dualRate" | "relaxationRate" | "alpha" | "cost"
>;

/**
 * A shorter run takes longer steps, so that rounds × rate stays what it is over the horizon. The explicit step
 * u ← u + s(λ − αu), s = η_u/C, comes to λ/α in one step at sα = 1 and swings beyond: scaling stops there, and leaves a rate
 * that is asked for beyond it as it is.
 */
export function ratesOf(recipe: Rated): Rates {
  const { horizon, rounds, clients, dualRate = 0, relaxationRate, alpha = 0, cost } = recipe;
  const longer = horizon / rounds;
  const dual = dualRate * longer;
  if (relaxationRate === undefined) return { dual };
  const atOnce = cost === "quadratic" ? clients / alpha : Infinity;
  return { dual, relaxation: Math.min(relaxationRate * longer, Math.max(relaxationRate, atOnce)) };
}

/** A warning if the explicit step in u is unstable. */
export function rateWarning(recipe: Rated): string | undefined {
  const { relaxation } = ratesOf(recipe);
  const { alpha = 0, clients, cost } = recipe;
  if (relaxation === undefined || cost !== "quadratic") return undefined;
  const gain = (relaxation * alpha) / clients;
  if (gain < 2) return undefined;
  return `The explicit step in u is unstable: η_u·α/C is ${Number(gain.toPrecision(3))}, and from 2 on u jumps between 0 and ${Number((relaxation / clients).toPrecision(3))}·λ instead of settling at λ/α = ${Number((1 / alpha).toPrecision(3))}·λ; a smaller --relaxation-rate, or --relaxation-rate exact, settles.`;
}
