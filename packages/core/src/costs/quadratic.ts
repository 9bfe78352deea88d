// h(u) = Σ αᵢ uᵢ², the paper's cost: ∇h(u) = 2αu, so u* = λ*/2α. Every price is admissible.
import { type Cost, known } from "./cost.js";
import { beside, checkWeight, showWeight, type Weight } from "./weight.js";

/** α‖u‖². The larger α, the nearer to `hard`. */
export function quadratic(alpha: Weight): Cost {
  checkWeight(
    "quadratic",
    "α",
    alpha,
    "; use `hard` for a requirement that must not give way, and `free` for one that gives way at no cost",
  );
  return known({
    name: `quadratic(${showWeight(alpha)})`,
    separable: true,
    value: (u) => u.pow(2).mul(beside(u, alpha)).sum(),
    gradient: (u) => u.mul(beside(u, alpha)).mul(2),
    conjugateGradient: (lambda) => lambda.relu().div(beside(lambda, alpha)).div(2),
    conjugate: (lambda) => lambda.relu().pow(2).div(beside(lambda, alpha)).div(4).sum(),
    // u + 2αt u = v
    prox: (v, t) => v.relu().div(beside(v, alpha).mul(beside(v, t)).mul(2).add(1)),
    projectDual: (lambda) => lambda.relu(),
  });
}
