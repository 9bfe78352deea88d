// h(u) = α Σ uᵢ^β with β > 1: ∇h(u) = αβ u^(β−1). Every price is admissible.
// The paper's ablation "‖u‖_β, β = 1, 2, 4" is this function: its row β = 2 is its quadratic cost to the digit, which the
// square root of a sum would not be. Where its federated code, with C clients, has α, write α/(βC) here.
import type { Tensor } from "@pliant/engine";
import { PliantError } from "../errors.js";
import { type Cost, known } from "./cost.js";
import { linear } from "./linear.js";
import { quadratic } from "./quadratic.js";
import { beside, checkWeight, showWeight, type Weight } from "./weight.js";

/** α Σ u^β; `power(1, α)` is `linear(α)` and `power(2, α)` is `quadratic(α)`. */
export function power(beta: number, alpha: Weight): Cost {
  if (!(beta >= 1 && beta < Infinity)) {
    const hint = beta === Infinity ? "; β = ∞ is `maximum(α)`" : "";
    throw new PliantError(`power: β must be a finite number of at least 1, got ${String(beta)}${hint}.`);
  }
  if (beta === 1) return linear(alpha);
  if (beta === 2) return quadratic(alpha);
  checkWeight("power", "α", alpha);
  const conjugateGradient = (lambda: Tensor) =>
    lambda
      .relu()
      .div(beside(lambda, alpha).mul(beta))
      .pow(1 / (beta - 1));
  return known({
    name: `power(${beta}, ${showWeight(alpha)})`,
    separable: true,
    value: (u) => u.pow(beta).mul(beside(u, alpha)).sum(),
    gradient: (u) => u.pow(beta - 1).mul(beside(u, alpha).mul(beta)),
    conjugateGradient,
    // λu − αu^β at αβ u^(β−1) = λ
    conjugate: (lambda) =>
      conjugateGradient(lambda)
        .mul(lambda)
        .mul(1 - 1 / beta)
        .sum(),
    // u + c u^(β−1) = v with c = αβt; for β < 2 solved for w = u^(β−1), so that the power is at least 1.
    prox: (v, t) => {
      const one = beside(v, 1);
      const c = beside(v, alpha).mul(beside(v, t)).mul(beta);
      if (beta > 2) return positiveRoot(one, c, beta - 1, v.relu());
      return positiveRoot(c, one, 1 / (beta - 1), v.relu()).pow(1 / (beta - 1));
    },
    projectDual: (lambda) => lambda.relu(),
  });
}

/** As many steps of Newton's as bring it to rounding in float64; a test tries β from 1.05 to 100. */
const newtonSteps = 12;

/**
 * x ≥ 0 with a·x + b·x^r = v, for a, b > 0 and r ≥ 1. The left side is convex and min(v/a, (v/b)^(1/r)) lies between the
 * root and twice the root, so Newton's method comes down on the root without overshooting.
 */
function positiveRoot(a: Tensor, b: Tensor, r: number, v: Tensor): Tensor {
  let x = v.div(a).minimum(v.div(b).pow(1 / r));
  for (let step = 0; step < newtonSteps; step++) {
    const slope = x.pow(r - 1);
    const excess = x.mul(a.add(b.mul(slope))).sub(v);
    x = x.sub(excess.div(a.add(b.mul(slope).mul(r)))).relu();
  }
  return x;
}
