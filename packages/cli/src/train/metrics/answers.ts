// Loss, errors and rates: means over examples of what the model answers.
import type { Tensor } from "@pliant/engine";
import { correct, crossEntropy, squaredError } from "@pliant/learn";
import type { Examples } from "../examples.js";
import type { Look, MeanMetric } from "./metric.js";

const one = (x: Tensor): Tensor => x.neg().add(1);

/** Cross-entropy, or the squared error in units of the target's variance. */
export const exampleLoss = ({ target, logits, y }: Look): Tensor =>
  target.kind === "class" ? crossEntropy(logits, y) : squaredError(logits, y);

export const loss: MeanMetric = {
  kind: "mean",
  strictly: "loss",
  value: exampleLoss,
  strict: exampleLoss,
};

/** The probability of each class at logits so many times as large. */
const probabilities = ({ logits }: Look, sharpness: number): Tensor => logits.mul(sharpness).softmax();

/** 1 − the probability of the right class; strictly, whether another one is likelier. */
export const error = (sharpness: number): MeanMetric => ({
  kind: "rate",
  strictly: "error",
  value: (look) => {
    const p = probabilities(look, sharpness);
    return one(p.mul(look.y.oneHot(p.shape[1], p.dtype)).sum({ axis: -1 }));
  },
  strict: ({ logits, y }) => one(correct(logits, y)),
});

const column = (p: Tensor, k: number): Tensor => p.slice([[], [k, k + 1]]).reshape([p.shape[0]]);

export const probabilityOf = (look: Look, k: number, sharpness = 1): Tensor =>
  column(probabilities(look, sharpness), k);

const classOf = ({ y }: Examples, i: number): number => y.data[i];
const chosen = ({ logits }: Look, k: number): Tensor => logits.argmax().eq(k).cast(logits.dtype);

/** The probability of a class; strictly, whether it is the likeliest. */
export const positiveRate = (k: number, sharpness: number): MeanMetric => ({
  kind: "rate",
  strictly: "positive rate",
  value: (look) => probabilityOf(look, k, sharpness),
  strict: (look) => chosen(look, k),
});

/** The same among examples of other classes. */
export const falsePositiveRate = (k: number, sharpness: number): MeanMetric => ({
  ...positiveRate(k, sharpness),
  strictly: "false positive rate",
  members: (examples, i) => classOf(examples, i) !== k,
});

/** The probability of other classes among examples of the class. */
export const falseNegativeRate = (k: number, sharpness: number): MeanMetric => ({
  kind: "rate",
  strictly: "false negative rate",
  members: (examples, i) => classOf(examples, i) === k,
  value: (look) => one(probabilityOf(look, k, sharpness)),
  strict: (look) => one(chosen(look, k)),
});

/** The logit of the right class minus the largest other; of two classes, the signed score. Strictly, whether it is below 0. */
export const margin: MeanMetric = {
  kind: "rate",
  strictly: "error",
  value: signedMargin,
  strict: ({ logits, y }) => one(correct(logits, y)),
};

/** Far below any logit. */
const away = 1e9;

export function signedMargin({ logits, y }: Look): Tensor {
  const own = y.oneHot(logits.shape[1], logits.dtype);
  const right = logits.mul(own).sum({ axis: -1 });
  return right.sub(logits.sub(own.mul(away)).max({ axis: -1 }));
}
