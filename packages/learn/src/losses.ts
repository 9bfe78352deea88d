// Losses, one number a sample: average them, weight them, or put a requirement on each.

import { PliantError } from "@pliant/core";
import { type Tensor, where } from "@pliant/engine";

/**
 * −log of the probability of the right class: logits [..., K] and int32 labels [...] give [...]. Labels may lack leading axes: one
 * label serves all transforms of a sample.
 */
export function crossEntropy(logits: Tensor, labels: Tensor): Tensor {
  const classes = logits.shape[logits.rank - 1];
  return logits.logSoftmax().mul(labels.oneHot(classes, logits.dtype)).sum({ axis: -1 }).neg();
}

/** Targets may lack leading axes; anything else would pair each prediction with each target in silence. */
function paired(name: string, predictions: Tensor, targets: Tensor): Tensor {
  const own = predictions.shape.slice(predictions.rank - targets.rank);
  if (targets.rank <= predictions.rank && targets.shape.every((size, i) => size === own[i])) return targets;
  throw new PliantError(
    `${name}: predictions [${predictions.shape}] and targets [${targets.shape}] are not one for one; reshape one of them.`,
  );
}

/** (prediction − target)², element by element. */
export const squaredError = (predictions: Tensor, targets: Tensor): Tensor => {
  const gap = predictions.sub(paired("squaredError", predictions, targets));
  return gap.mul(gap);
};

/** −log of the probability of the right answer: logits [...] of "yes", targets 0 or 1 of any dtype. */
export const binaryCrossEntropy = (logits: Tensor, targets: Tensor): Tensor =>
  logits.softplus().sub(logits.mul(paired("binaryCrossEntropy", logits, targets).cast(logits.dtype)));

/** [1 − y·score]₊ for sides y of −1 or 1. */
export const hinge = (scores: Tensor, sides: Tensor): Tensor =>
  scores
    .mul(paired("hinge", scores, sides).cast(scores.dtype))
    .neg()
    .add(1)
    .relu();

/**
 * Σ w·v / Σ w along the last axis; 0, with no gradient, where all weights are 0. As a requirement on groups that a batch may lack use
 * `groupMeans` of the core, which says what was observed.
 */
export function weightedMean(values: Tensor, weights: Tensor): Tensor {
  const total = weights.sum({ axis: -1 });
  const some = where(total.eq(0), 1, total);
  return values.mul(weights).sum({ axis: -1 }).div(some);
}
