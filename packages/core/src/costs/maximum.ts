// h(u) = α·max u, the paper's ‖u‖_β at β = ∞: all requirements may give way together for the price of one.
// On u ≥ 0, h*(λ) = 0 where Σ [λ]₊ ≤ α and +∞ elsewhere: the prices share a budget α.
import { type Tensor, where } from "@pliant/engine";
import { PliantError } from "../errors.js";
import { type Cost, known, type StepSize } from "./cost.js";
import { lastAxis, waterLevel } from "./water-level.js";
import { beside, checkWeight, epsilonOf, showWeight } from "./weight.js";

/**
 * α·max u. Admissible prices are λ ≥ 0 with Σ λ ≤ α. Below the budget nothing gives way; at the budget every uᵢ with a
 * price is the same number, which the requirements decide: `conjugateGradient` takes 0, `prox` and `proxConjugate` let a
 * solver find it, exactly and whatever is tied. `gradient` shares α equally between the largest relaxations.
 */
export function maximum(alpha: number | Tensor): Cost {
  if (Array.isArray(alpha))
    throw new PliantError("maximum: α is one number for the whole group, got a list.");
  checkWeight(
    "maximum",
    "α",
    alpha,
    "; use `hard` for a requirement that must not give way, and `free` for one that gives way at no cost",
  );

  /** Whether the prices keep to the budget, but for the rounding of their sum. */
  const overspent = (lambda: Tensor): Tensor => {
    const size = lambda.shape.at(-1) ?? 1;
    const rounding = epsilonOf(lambda) * (16 + 4 * Math.sqrt(size));
    const spent = lambda.relu().sum({ axis: lastAxis(lambda), keepDims: true });
    return spent.gt(beside(lambda, alpha).mul(1 + rounding));
  };
  /** Where the best bound s on all relaxations lies: Σ [v − s]₊/t = α, or s = 0. */
  const levelFor = (wanted: Tensor, t: StepSize) => {
    const rate = beside(wanted, 1).div(beside(wanted, t)).broadcastTo(wanted.shape);
    return waterLevel(wanted, rate, beside(wanted, alpha));
  };
  return known({
    name: `maximum(${showWeight(alpha)})`,
    separable: false,
    value: (u) =>
      u
        .max({ axis: lastAxis(u) })
        .mul(beside(u, alpha))
        .sum(),
    gradient: (u) => {
      const largest = u.eq(u.max({ axis: lastAxis(u), keepDims: true })).cast(u.dtype);
      return largest.mul(beside(u, alpha)).div(largest.sum({ axis: lastAxis(u), keepDims: true }));
    },
    conjugateGradient: (lambda) =>
      where(overspent(lambda).and(lambda.gt(0)), beside(lambda, Infinity), 0).broadcastTo(lambda.shape),
    conjugate: (lambda) => where(overspent(lambda), beside(lambda, Infinity), 0).sum(),
    // min([v]₊, s)
    prox: (v, t) => {
      const { top, level } = levelFor(v.relu(), t);
      return v.relu().minimum(top.add(level).relu());
    },
    // [λ − s]₊ with the same s at t = 1, by Moreau, or λ itself where s would be negative
    projectDual: (lambda) => {
      const { depth, level } = levelFor(lambda.relu(), 1);
      return lambda.relu().minimum(depth.sub(level).relu());
    },
  });
}
