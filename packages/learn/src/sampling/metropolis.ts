// Metropolis–Hastings over transforms. The target density of a sample's transform is proportional to the sample's loss under it;
// proposals are uniform, so a proposal is accepted with probability min(1, ℓ(proposed)/ℓ(current)). Averaging the last states'
// losses leans towards the worst transforms, which a requirement on all of them is about. (Uniform sampling needs no function: it
// is the mean of the losses.)

import { InputError } from "@pliant/core";
import { array, constant, type Tensor, where } from "@pliant/engine";

/** The last state of a Metropolis–Hastings chain over proposals, for each sample. */
export interface Chain {
  /** The loss of each sample's last state, [..., B]; differentiable, the choice of the state is not. */
  readonly loss: Tensor;
  /** Which of the K proposals that state is, int32 [..., B]. */
  readonly index: Tensor;
  /** The share of accepted proposals, [...]; 0 if the chain has only its first state. */
  readonly accepted: Tensor;
}

/**
 * A chain for each sample: losses [K, ..., B] of K uniformly drawn transforms of each sample, the first the start; uniform
 * numbers [K − 1, ..., B] in [0, 1) decide. Losses must not be negative.
 */
export function metropolis(losses: Tensor, uniforms: Tensor): Chain {
  const [states, ...chainShape] = losses.shape;
  if (uniforms.shape.join() !== [states - 1, ...chainShape].join())
    throw new InputError(
      `metropolis: losses [${losses.shape}] need uniform numbers [${[states - 1, ...chainShape]}], got [${uniforms.shape}].`,
    );
  const entry = (x: Tensor, k: number): Tensor => x.slice([[k, k + 1]]).squeeze(0);
  let loss = entry(losses, 0);
  let index = constant(array(0, { dtype: "int32" })).broadcastTo(chainShape);
  let accepted = constant(array(0, { dtype: losses.dtype })).broadcastTo(chainShape);
  for (let k = 1; k < states; k++) {
    const proposed = entry(losses, k);
    // u < ℓ'/ℓ without the division: from a state with zero loss, every proposal is accepted.
    const accept = entry(uniforms, k - 1)
      .mul(loss)
      .lt(proposed);
    loss = where(accept, proposed, loss);
    index = where(accept, k, index);
    accepted = accepted.add(accept.cast(losses.dtype));
  }
  return { loss, index, accepted: accepted.mean({ axis: -1 }).div(Math.max(1, states - 1)) };
}

/**
 * The chain as the published experiments ran it: every sample's loss is replaced by its batch's mean before the chains run, so all
 * accept with the same probability and the mean of `loss` is (1 − a)·m₁ + a·m₂ for two states of batch means m₁ and m₂ and
 * a share a of acceptances: in effect uniform sampling. Only to compare with them.
 */
export const batchChain = (losses: Tensor, uniforms: Tensor): Chain =>
  metropolis(losses.mean({ axis: -1, keepDims: true }).broadcastTo(losses.shape), uniforms);
