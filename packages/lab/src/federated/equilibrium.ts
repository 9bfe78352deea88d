// How far a run's relaxations are from the resilient equilibrium, ∇h(u_c) = λ_c at every client.

import { onNumbers } from "@pliant/core";
import { average, waterLevel } from "@pliant/federated";
import { costOf } from "./formulation.js";
import type { Recipe } from "./recipe.js";

type Duals = { readonly relaxation: number; readonly price: number };

/**
 * ‖u − p‖ over the larger of ‖u‖ and ‖p‖, where p = prox_h(u + λ) is u itself at the equilibrium and nowhere else: 0 there,
 * whatever the scale of u and λ. Nothing for runs that do not relax.
 */
export function equilibriumResidual(
  recipe: Pick<Recipe, "alpha" | "cost">,
  clients: readonly Duals[],
): number | undefined {
  if (recipe.alpha === undefined) return undefined;
  const u = clients.map(({ relaxation }) => relaxation);
  const p = proxOf(
    recipe,
    clients.map(({ relaxation, price }) => relaxation + price),
  );
  const scale = Math.max(Math.hypot(...u), Math.hypot(...p));
  return scale === 0 ? 0 : Math.hypot(...u.map((value, c) => value - p[c])) / scale;
}

/** argmin over p ≥ 0 of h(p) + ½‖p − v‖²; of the maximum norm all clients stop at one level, so that C·α is left above it. */
function proxOf(recipe: Pick<Recipe, "alpha" | "cost">, v: readonly number[]): readonly number[] {
  const cost = costOf(recipe);
  if (!("maximum" in cost)) return onNumbers(cost).prox(v, 1);
  const level = waterLevel(v, cost.maximum, average);
  return v.map((value) => Math.min(value, level));
}

/** From here on, the report mentions it. */
export const noticeable = 0.05;

/** The residual in words; nothing where u is as good as λ's. */
export function equilibriumNote(
  { alpha = 1, cost }: Pick<Recipe, "alpha" | "cost">,
  residual: number | undefined,
  clients: readonly Duals[],
): string | undefined {
  if (residual === undefined || residual < noticeable) return undefined;
  const verdict = `Not at the equilibrium: u is off by ${(100 * residual).toFixed(0)}% of its size`;
  if (cost !== "quadratic") return `${verdict}.`;
  const dearest = clients.toSorted((a, b) => b.price - a.price).slice(0, 5);
  const times = dearest
    .filter(({ price }) => price > 0)
    .map(({ relaxation, price }) => (alpha * relaxation) / price);
  if (times.length === 0) return `${verdict}.`;
  const [least, most] = [Math.min(...times), Math.max(...times)].map((value) => value.toFixed(2));
  if (times.length === 1) return `${verdict}; at the only price it is ${least} times λ/α.`;
  return `${verdict}; at the ${times.length} highest prices it is ${least} to ${most} times λ/α.`;
}
