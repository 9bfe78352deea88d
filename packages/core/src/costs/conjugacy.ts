// What follows from a cost's functions by convex duality, the same for every cost.
import type { Tensor } from "@pliant/engine";
import type { Cost, StepSize } from "./cost.js";
import { beside } from "./weight.js";

/**
 * argmin over λ' ≥ 0 of h*(λ') + Σ (λ'ᵢ − λᵢ)² / 2ηᵢ: the proximal ascent step on the dual with u minimised out is
 * λ ← proxConjugate(h, λ + η g, η) for requirements g ≤ u. By Moreau's identity it is [λ]₊ − η prox_{h/η}([λ]₊/η), which needs
 * no conjugate; `projectDual` only undoes rounding. `linear(γ)` clips at γ, `hard` at nothing, `free` gives 0.
 * The relaxation that goes with the new price is prox_{h/η}([λ]₊/η) itself.
 */
export function proxConjugate(
  cost: Cost,
  lambda: Tensor,
  eta: StepSize,
): { price: Tensor; relaxation: Tensor } {
  const wanted = lambda.relu();
  const step = beside(lambda, eta);
  const relaxation = cost.prox(wanted.div(step), beside(lambda, 1).div(step));
  return { price: cost.projectDual(wanted.sub(relaxation.mul(step))), relaxation };
}

/** h(u) + h*(λ) − λ·u: at least 0, and 0 exactly where λ is a (sub)gradient of h at u ≥ 0 (Fenchel–Young). */
export const fenchelGap = (cost: Cost, u: Tensor, lambda: Tensor): Tensor =>
  cost.value(u).add(cost.conjugate(lambda)).sub(u.mul(lambda).sum());
