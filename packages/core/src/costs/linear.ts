// h(u) = γ·u and its two limits: 0, and 0 at u = 0 but +∞ elsewhere. With h linear the price of whatever gives way is γ:
// training with fixed penalties, or per sample, the soft margin.
import { type Tensor, where } from "@pliant/engine";
import { type Cost, known } from "./cost.js";
import { beside, checkWeight, showWeight, type Weight } from "./weight.js";

/**
 * γ·u. Admissible prices are 0 ≤ λ ≤ γ. At λ < γ nothing gives way; at λ = γ any relaxation is optimal and the
 * requirements decide: `conjugateGradient` takes 0, `prox` and `proxConjugate` let a solver find it.
 */
export function linear(gamma: Weight): Cost {
  checkWeight(
    "linear",
    "γ",
    gamma,
    "; use `free` for a requirement that gives way at no cost, and `hard` for one that must not give way",
  );
  return slope(`linear(${showWeight(gamma)})`, gamma);
}

function slope(name: string, gamma: Weight): Cost {
  /** 0 where the price is admissible, +∞ elsewhere: both the minimiser and the conjugate. */
  const outside = (lambda: Tensor) => where(lambda.gt(beside(lambda, gamma)), beside(lambda, Infinity), 0);
  return known({
    name,
    separable: true,
    value: (u) => u.mul(beside(u, gamma)).sum(),
    gradient: (u) => beside(u, gamma).broadcastTo(u.shape),
    conjugateGradient: outside,
    conjugate: (lambda) => outside(lambda).sum(),
    prox: (v, t) => v.sub(beside(v, gamma).mul(beside(v, t))).relu(),
    projectDual: (lambda) => lambda.relu().minimum(beside(lambda, gamma)),
  });
}

/** h = 0: bends for nothing, so its price is 0. As if the requirement were only watched. */
export const free: Cost = slope("free", 0);

/** u = 0 always: h is 0 there and +∞ elsewhere. `gradient` takes 0 at 0, where every price is a subgradient. */
export const hard: Cost = known({
  name: "hard",
  separable: true,
  value: (u) => where(u.gt(0), beside(u, Infinity), 0).sum(),
  gradient: (u) => where(u.gt(0), beside(u, Infinity), 0),
  conjugateGradient: zero,
  conjugate: (lambda) => zero(lambda).sum(),
  prox: zero,
  projectDual: (lambda) => lambda.relu(),
});

function zero(like: Tensor): Tensor {
  return beside(like, 0).broadcastTo(like.shape);
}
