// Rates of right and wrong answers. They have no gradient: train on a loss and report these.
// Samples are on the last axis; each entry of a leading stack axis has its own value.
import type { Tensor } from "@pliant/engine";
import { weightedMean } from "./losses.js";

/** 1 where the largest logit is the label's: logits [..., K] and int32 labels [...] give [...]. */
export const correct = (logits: Tensor, labels: Tensor): Tensor =>
  logits.argmax().eq(labels).cast(logits.dtype);

/** The share of right answers. */
export const accuracy = (logits: Tensor, labels: Tensor): Tensor =>
  correct(logits, labels).mean({ axis: -1 });

/** The share of wrong answers, counted directly, so it is exactly 0 if there are none. */
export const errorRate = (logits: Tensor, labels: Tensor): Tensor =>
  correct(logits, labels).neg().add(1).mean({ axis: -1 });

/** The number of samples, or the weight, of each outcome. */
export interface Confusion {
  readonly truePositives: Tensor;
  readonly falsePositives: Tensor;
  readonly trueNegatives: Tensor;
  readonly falseNegatives: Tensor;
}

/** Decisions and truths are 0 or 1, of the weights' dtype; weights mark a group or count samples. */
export function confusion(decisions: Tensor, truths: Tensor, weights: Tensor): Confusion {
  const share = (a: Tensor, b: Tensor): Tensor => a.mul(b).mul(weights).sum({ axis: -1 });
  const not = (x: Tensor): Tensor => x.neg().add(1);
  return {
    truePositives: share(decisions, truths),
    falsePositives: share(decisions, not(truths)),
    trueNegatives: share(not(decisions), not(truths)),
    falseNegatives: share(not(decisions), truths),
  };
}

/** The share of negatives decided positive; 0 if there are none. */
export const falsePositiveRate = (decisions: Tensor, truths: Tensor, weights: Tensor): Tensor =>
  weightedMean(decisions, weights.mul(truths.neg().add(1)));

/** The share of positives decided negative; 0 if there are none. */
export const falseNegativeRate = (decisions: Tensor, truths: Tensor, weights: Tensor): Tensor =>
  weightedMean(decisions.neg().add(1), weights.mul(truths));

/** The share decided positive. */
export const positiveRate = (decisions: Tensor, weights: Tensor): Tensor => weightedMean(decisions, weights);
