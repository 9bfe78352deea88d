// The level s at which weighted heights above it add up to a given mass: Σ wᵢ [vᵢ − s]₊ = mass. It is what projections onto
// simplices and the prox of a maximum come down to. For every set A of places (Σ_A w v − mass) / Σ_A w ≤ s, with equality
// for the places above s, so s is a largest over sets and needs neither sorting nor a decision between ties.
import { expandDims, type Tensor, where } from "@pliant/engine";

/** Up to this many heights all sets { vⱼ ≥ vᵢ } are compared at once; beyond, the square matrix would be the cost. */
const pairwiseLimit = 256;

/** The axis of a group of requirements; a single number is a group of one. */
export const lastAxis = (x: Tensor): number | readonly number[] => (x.rank === 0 ? [] : -1);

export interface WaterLevel {
  /** The largest height, along the last axis kept with size 1. */
  readonly top: Tensor;
  /** Every height, measured from the top: at most 0. */
  readonly depth: Tensor;
  /** The level, measured from the top. A small mass is not lost beside large heights. */
  readonly level: Tensor;
}

/** The level along the last axis. Weights are positive and of the shape of `v`; mass is at least 0. */
export function waterLevel(v: Tensor, w: Tensor, mass: Tensor): WaterLevel {
  const top = v.max({ axis: lastAxis(v), keepDims: true });
  const depth = v.sub(top);
  const find = (v.shape.at(-1) ?? 1) <= pairwiseLimit ? amongAllSets : byBisection;
  return { top, depth, level: find(depth, w, mass) };
}

const above = (depth: Tensor, level: Tensor, w: Tensor): Tensor => where(depth.ge(level), w, 0);

function amongAllSets(depth: Tensor, w: Tensor, mass: Tensor): Tensor {
  if (depth.rank === 0) return depth.sub(mass.div(w));
  // Rows: the set of a place. Columns: its members.
  const members = above(expandDims(depth, -2), expandDims(depth, -1), expandDims(w, -2));
  const total = members.mul(expandDims(depth, -2)).sum({ axis: -1 });
  return total
    .sub(mass)
    .div(members.sum({ axis: -1 }))
    .max({ axis: -1, keepDims: true });
}

/** Each round halves where the level can be, and jumps to it once no height lies between. */
function byBisection(depth: Tensor, w: Tensor, mass: Tensor): Tensor {
  const over = { axis: -1, keepDims: true };
  const levelOf = (members: Tensor) => members.mul(depth).sum(over).sub(mass).div(members.sum(over));
  const rounds = depth.dtype === "float64" ? 52 : 24;
  let low = levelOf(w);
  let high = low.mul(0);
  for (let round = 0; round < rounds; round++) {
    const middle = low.add(high).mul(0.5);
    const level = levelOf(above(depth, middle, w));
    high = where(level.lt(middle), middle, high);
    low = low.maximum(level);
  }
  return low;
}
