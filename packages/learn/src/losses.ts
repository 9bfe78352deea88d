// Losses, one number a sample: average them, weight them, or put a requirement on each.
import { type Tensor, where } from "@pliant/engine";

/**
 * −log of the probability of the right class: logits [..., K] and int32 labels [...] give [...]. Labels may lack leading axes: one
 * label serves all transforms of a sample.
 */
export function crossEntropy(logits: Tensor, labels: Tensor): Tensor {
  const classes = logits.shape[logits.rank - 1];
  return logits.logSoftmax().mul(labels.oneHot(classes, logits.dtype)).sum({ axis: -1 }).neg();
}

/** (prediction − target)², element by element. */
export const squaredError = (predictions: Tensor, targets: Tensor): Tensor => {
  const gap = predictions.sub(targets);
  return gap.mul(gap);
};

/** −log of the probability of the right answer: logits [...] of "yes", targets 0 or 1 of any dtype. */
export const binaryCrossEntropy = (logits: Tensor, targets: Tensor): Tensor =>
  logits.softplus().sub(logits.mul(targets.cast(logits.dtype)));

/** [1 − y·score]₊ for sides y of −1 or 1. */
export const hinge = (scores: Tensor, sides: Tensor): Tensor =>
  scores.mul(sides.cast(scores.dtype)).neg().add(1).relu();

/** Σ w·v / Σ w along the last axis; 0, with no gradient, where all weights are 0 (a group that a batch lacks). */
export function weightedMean(values: Tensor, weights: Tensor): Tensor {
  const total = weights.sum({ axis: -1 });
  const some = where(total.eq(0), 1, total);
  return values.mul(weights).sum({ axis: -1 }).div(some);
}
