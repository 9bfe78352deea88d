// Loss, margins, and rates of answers. A rate counts answers and has no slope; what stands for it while training is a logistic
// loss in bits, which is never below what is counted:
//
//   the class k is given:    log₂(1 + exp(z_k − m_k)),  m_k = log of the mean of exp(z_j) over the other classes
//   another class is given:  −log₂ p_k
//
// Of two classes both are softplus of the signed score, and weighted by prices they are reweighted cross-entropies: a problem
// that is convex in the logits stays so. A share that should be large, or is subtracted, is bounded from below by 1 minus the
// stand-in of its complement.
import { array, constant, type Tensor } from "@pliant/engine";
import { correct, crossEntropy, squaredError } from "@pliant/learn";
import type { Examples } from "../data/examples.js";
import { type Look, type MeanMetric, trained } from "./metric.js";

const one = (x: Tensor): Tensor => x.neg().add(1);

/** Cross-entropy, or the squared error in units of the target's variance. */
export const exampleLoss = ({ target, logits, y }: Look): Tensor =>
  target.kind === "class" ? crossEntropy(logits, y) : squaredError(logits, y);

export const loss: MeanMetric = {
  kind: "mean",
  strictly: "loss",
  level: "trained",
  ...trained(exampleLoss),
  strict: exampleLoss,
};

/** Far below any logit. */
const away = 1e9;

/** z_k − log Σ exp(z_j)/(K − 1) over the other classes: above 0 only if none of them is all the likelier. */
function lead({ logits }: Look, own: Tensor): Tensor {
  const z = logits.mul(own).sum({ axis: -1 });
  const others = logits.sub(own.mul(away)).logSumExp({ axis: -1 });
  return z.sub(others).add(Math.log(logits.shape[1] - 1));
}

/** log₂(1 + exp(lead)) ≥ 1 where the class is given. */
const given = (look: Look, own: Tensor): Tensor => lead(look, own).softplus().div(Math.LN2);

/** −log₂ p ≥ 1 where another class is given. */
const notGiven = ({ logits }: Look, own: Tensor): Tensor =>
  logits.logSoftmax().mul(own).sum({ axis: -1 }).neg().div(Math.LN2);

/** The class in question: the same for all examples, or the true one of each. */
const ofClass = ({ logits }: Look, k: number): Tensor =>
  constant(
    array(
      Array.from({ length: logits.shape[1] }, (_, j) => Number(j === k)),
      { dtype: logits.dtype },
    ),
  ).expandDims(0);

const ofTruth = ({ logits, y }: Look): Tensor => y.oneHot(logits.shape[1], logits.dtype);

/** Whether an answer is given, with its bounds on either side. */
const givenRate = (own: (look: Look) => Tensor): Pick<MeanMetric, "above" | "below"> => ({
  above: (look) => given(look, own(look)),
  below: (look) => one(notGiven(look, own(look))),
});

const notGivenRate = (own: (look: Look) => Tensor): Pick<MeanMetric, "above" | "below"> => ({
  above: (look) => notGiven(look, own(look)),
  below: (look) => one(given(look, own(look))),
});

/** Whether another class than the right one is given. */
export const error: MeanMetric = {
  kind: "rate",
  strictly: "error",
  level: "strict",
  ...notGivenRate(ofTruth),
  strict: ({ logits, y }) => one(correct(logits, y)),
};

const classOf = ({ y }: Examples, i: number): number => y.data[i];
const chosen = ({ logits }: Look, k: number): Tensor => logits.argmax().eq(k).cast(logits.dtype);

/** Whether the class is given. */
export const positiveRate = (k: number): MeanMetric => ({
  kind: "rate",
  strictly: "positive rate",
  level: "strict",
  classOf: k,
  counts: "given",
  ...givenRate((look) => ofClass(look, k)),
  strict: (look) => chosen(look, k),
});

/** The same among examples of other classes. */
export const falsePositiveRate = (k: number): MeanMetric => ({
  ...positiveRate(k),
  strictly: "false positive rate",
  members: (examples, i) => classOf(examples, i) !== k,
});

/** Whether another class is given, among examples of the class. */
export const falseNegativeRate = (k: number): MeanMetric => ({
  kind: "rate",
  strictly: "false negative rate",
  level: "strict",
  classOf: k,
  counts: "not given",
  members: (examples, i) => classOf(examples, i) === k,
  ...notGivenRate((look) => ofClass(look, k)),
  strict: (look) => one(chosen(look, k)),
});

/** The logit of the right class minus the largest other; of two classes, the signed score. Strictly, whether it is below 0. */
export const margin: MeanMetric = {
  kind: "rate",
  strictly: "error",
  level: "trained",
  ...trained(signedMargin),
  strict: ({ logits, y }) => one(correct(logits, y)),
};

export function signedMargin({ logits, y }: Look): Tensor {
  const own = y.oneHot(logits.shape[1], logits.dtype);
  const right = logits.mul(own).sum({ axis: -1 });
  return right.sub(logits.sub(own.mul(away)).max({ axis: -1 }));
}

const column = (p: Tensor, k: number): Tensor => p.slice([[], [k, k + 1]]).reshape([p.shape[0]]);

/** The probability of a class. */
export const probabilityOf = ({ logits }: Look, k: number): Tensor => column(logits.softmax(), k);
