// Loss, margins, and rates of answers. A rate counts answers and has no gradient; its surrogate in training is a logistic loss in bits,
// which is never below the count:
//
//   the class k is given:    log₂(1 + exp(z_k − m_k)),  m_k = log of the mean of exp(z_j) over the other classes
//   another class is given:  −log₂ p_k
//
// Of two classes both are softplus of the signed score, and weighted by prices they are reweighted cross-entropies. A share that should
// be large, or is subtracted, is bounded from below by 1 minus the stand-in of its complement.
//
// A rate of one class changes at its threshold, and a stand-in that pulls at every example as hard bends the whole model to move a few
// of them: "at least 20% are given it" at a loss of 0.52, where a moved threshold has 0.34. So the slope of a stand-in counts most for
// those near the threshold, by a window as wide as the scores of the model themselves are; its value stays the bound.
import { InputError } from "@pliant/core";
import { array, constant, pad, type Tensor } from "@pliant/engine";
import { crossEntropy, squaredError } from "@pliant/learn";
import { by, ofClass, perExample, under } from "../grammar/keys.js";
import type { Examples } from "./examples.js";
import { kind, ofDecisions } from "./kind.js";
import { type Look, type MeanMetric, type ModelOutput, trained } from "./metric.js";

const one = (x: Tensor): Tensor => x.neg().add(1);

export const isPair = ({ target }: ModelOutput): boolean =>
  target.kind === "class" && target.classes.length === 2;

/** With two classes one number is enough, in few operations: it is above 0 if the second is predicted. */
const scoreOf = ({ score, logits }: ModelOutput): Tensor => score ?? column(logits, 1).sub(column(logits, 0));

const cutLooks = new WeakMap<Look, Look>();

/** The same with scores from their threshold on, which are what decisions and what stands for rates see; the loss does not. */
export function atThreshold(look: Look): Look {
  const { cut, logits, score } = look;
  if (!cut) return look;
  const found = cutLooks.get(look) ?? {
    ...look,
    ...(isPair(look)
      ? { score: (score ?? scoreOf(look)).sub(cut), logits: logits.sub(besideNothing(cut)) }
      : { logits: logits.add(cut) }),
  };
  cutLooks.set(look, found);
  return found;
}

/** [N] as the second of two columns, the first of which is 0. */
const besideNothing = (cut: Tensor): Tensor =>
  pad(cut.expandDims(1), [
    [0, 0],
    [1, 0],
  ]);

/** The class in question: the same for all examples, or the right one of each. */
type Class = number | "right";

/** Refuses a class that does not exist: nobody is given it, so its rates would be certified at their best. */
export function refuseUnknown({ target }: ModelOutput, k: Class): void {
  const classes = target.kind === "class" ? target.classes.length : 0;
  if (k !== "right" && !(Number.isInteger(k) && k >= 0 && k < classes))
    throw new InputError(`there is no class ${k}: of ${classes} classes the last is ${classes - 1}.`);
}

/** The score towards a class. */
const towards = (look: Look, k: Class): Tensor => {
  refuseUnknown(look, k);
  const z = scoreOf(look);
  if (k !== "right") return k === 1 ? z : z.neg();
  return z.mul(look.y.cast(z.dtype).mul(2).sub(1));
};

const known = new WeakMap<Look, Map<string, Tensor>>();

/** Many requirements read one tensor of an evaluation: their gradients are summed first, and propagated back once. */
function once(look: Look, name: string, make: () => Tensor): Tensor {
  const own = known.get(look) ?? new Map<string, Tensor>();
  known.set(look, own);
  const found = own.get(name) ?? make();
  own.set(name, found);
  return found;
}

/** For two classes log(1 + exp(score towards one)); away from it means towards the other. */
const leaning = (look: Look, k: Class): Tensor => once(look, `to ${k}`, () => towards(look, k).softplus());
const leaningAway = (look: Look, k: Class): Tensor => {
  refuseUnknown(look, k);
  return k === "right"
    ? once(look, "to wrong", () => towards(look, k).neg().softplus())
    : leaning(look, 1 - k);
};

/** Cross-entropy, or the squared error in units of the target's variance. */
export const exampleLoss = (look: Look): Tensor => {
  const { target, logits, y } = look;
  if (target.kind === "number") return squaredError(logits, y);
  return isPair(look) ? leaningAway(look, "right") : crossEntropy(logits, y);
};

export const loss: MeanMetric = {
  kind: "mean",
  strictly: "loss",
  level: "trained",
  convex: true,
  ...trained(exampleLoss),
  strict: exampleLoss,
};

/** Far below any logit. */
export const away = 1e9;

/** z_k − log Σ exp(z_j)/(K − 1) over the other classes: above 0 only if none of them is all the likelier. */
function lead({ logits }: Look, own: Tensor): Tensor {
  const z = logits.mul(own).sum({ axis: -1 });
  const others = logits.sub(own.mul(away)).logSumExp({ axis: -1 });
  return z.sub(others).add(Math.log(logits.shape[1] - 1));
}

const marksOf = (look: Look, k: Class): Tensor => {
  const { logits, y } = look;
  refuseUnknown(look, k);
  return k === "right"
    ? y.oneHot(logits.shape[1], logits.dtype)
    : constant(
        array(
          Array.from({ length: logits.shape[1] }, (_, j) => Number(j === k)),
          { dtype: logits.dtype },
        ),
      ).expandDims(0);
};

/** By how much a class leads: of two, the score towards it. */
export const leadOf = (look: Look, k: Class): Tensor =>
  isPair(look) ? towards(look, k) : lead(look, marksOf(look, k));

/** log₂(1 + exp(lead)) ≥ 1 where the class is given. */
const given = (whole: Look, k: Class): Tensor => {
  const look = atThreshold(whole);
  return nearThreshold(isPair(look) ? leaning(look, k) : leadOf(look, k).softplus(), look, k);
};

/** −log₂ p ≥ 1 where another class is given. */
const notGiven = (whole: Look, k: Class): Tensor => {
  const look = atThreshold(whole);
  const bound = isPair(look)
    ? leaningAway(look, k)
    : look.logits.logSoftmax().mul(marksOf(look, k)).sum({ axis: -1 }).neg();
  return nearThreshold(bound, look, k);
};

/** How wide the window is, in sizes of the leads. */
const width = 0.3;

/** τ, of leads. */
export const blurOf = (v: Tensor): Tensor => v.pow(2).mean().sqrt().mul(width).add(1e-3);

/** σ(v/τ)σ(−v/τ) with a mean of 1 over the examples; of two classes the same for both. */
const windowOf = (look: Look, k: Class): Tensor =>
  once(look, isPair(look) ? "window" : `window of ${k}`, () => {
    const v = leadOf(look, k).stopGradient();
    const p = v.div(blurOf(v)).sigmoid();
    const near = p.mul(one(p));
    return near.div(near.mean());
  });

/** The bound in bits, with its gradient weighted by the window; the objective minimises mistakes anyway. */
function nearThreshold(bound: Tensor, look: Look, k: Class): Tensor {
  const bits = bound.div(Math.LN2);
  if (k === "right") return bits;
  const weighed = bits.mul(windowOf(look, k));
  return weighed.add(bits.sub(weighed).stopGradient());
}

/** Whether an answer is given, with its bounds on either side. */
const givenRate = (k: Class): Pick<MeanMetric, "above" | "below"> => ({
  above: (look) => given(look, k),
  below: (look) => one(notGiven(look, k)),
});

const notGivenRate = (k: Class): Pick<MeanMetric, "above" | "below"> => ({
  above: (look) => notGiven(look, k),
  below: (look) => one(given(look, k)),
});

/** The class that is given; of equal scores the first. */
export const answer = (whole: Look): Tensor => {
  const look = atThreshold(whole);
  return isPair(look)
    ? once(look, "given", () => scoreOf(look).gt(0).cast(look.logits.dtype))
    : look.logits.argmax();
};

const chosen = (look: Look, k: Class): Tensor => {
  refuseUnknown(look, k);
  const { logits, y } = look;
  if (!isPair(look))
    return answer(look)
      .eq(k === "right" ? y : k)
      .cast(logits.dtype);
  const second = answer(look);
  if (k === "right") return second.eq(y.cast(logits.dtype)).cast(logits.dtype);
  return k === 1 ? second : one(second);
};

/** 1 where another class than the right one is given. */
export const wrong = (look: Look): Tensor => one(chosen(look, "right"));

/** Whether another class than the right one is given. */
export const error: MeanMetric = {
  kind: "rate",
  strictly: "error",
  level: "strict",
  decides: { costs: "errors" },
  ...notGivenRate("right"),
  strict: wrong,
};

const classAt = ({ y }: Examples, i: number): number => y.data[i];

/** Whether the class is given. */
export const positiveRate = (k: number): MeanMetric => ({
  kind: "rate",
  strictly: "positive rate",
  level: "strict",
  classOf: k,
  counts: "given",
  decides: { of: k, share: ({ tp, fp, P, N }) => [tp + fp, P + N] },
  ...givenRate(k),
  strict: (look) => chosen(look, k),
});

/** The same among examples of other classes. */
export const falsePositiveRate = (k: number): MeanMetric => ({
  ...positiveRate(k),
  strictly: "false positive rate",
  decides: { of: k, share: ({ fp, N }) => [fp, N] },
  members: (examples, i) => classAt(examples, i) !== k,
});

/** Whether another class is given, among examples of the class. */
export const falseNegativeRate = (k: number): MeanMetric => ({
  kind: "rate",
  strictly: "false negative rate",
  level: "strict",
  classOf: k,
  counts: "not given",
  decides: { of: k, share: ({ tp, P }) => [P - tp, P] },
  members: (examples, i) => classAt(examples, i) === k,
  ...notGivenRate(k),
  strict: (look) => one(chosen(look, k)),
});

const column = (p: Tensor, k: number): Tensor => p.slice([[], [k, k + 1]]).reshape([p.shape[0]]);

/** The probability of a class. */
export const probabilityOf = (said: ModelOutput, k: number): Tensor => {
  refuseUnknown(said, k);
  if (!isPair(said)) return column(said.logits.softmax(), k);
  const z = scoreOf(said);
  return (k === 1 ? z : z.neg()).sigmoid();
};

export const answerKinds = [
  kind({
    name: "loss",
    target: "any",
    surrogate: "smooth and convex",
    keys: { ...by, ...under, ...perExample },
    row: ["cross-entropy, or squared error divided by the target's variance", "the same"],
    make: () => loss,
  }),
  kind({
    ...ofDecisions,
    name: "error",
    keys: { ...by, ...under },
    row: ["share of wrong answers", "cross-entropy, in bits"],
    make: () => error,
  }),
  kind({
    ...ofDecisions,
    name: "false-positive-rate",
    keys: { ...by, ...under, ...ofClass },
    row: [
      "share of the negatives that are predicted positive",
      "−log₂ of the probability of the other classes",
    ],
    make: (_, { classOf }) => falsePositiveRate(classOf()),
  }),
  kind({
    ...ofDecisions,
    name: "false-negative-rate",
    keys: { ...by, ...under, ...ofClass },
    row: ["share of the positives that are predicted negative", "−log₂ of the probability of the class"],
    make: (_, { classOf }) => falseNegativeRate(classOf()),
  }),
  kind({
    ...ofDecisions,
    name: "positive-rate",
    keys: { ...by, ...under, ...ofClass },
    row: ["share predicted positive", "−log₂ of the probability of the other classes"],
    make: (_, { classOf }) => positiveRate(classOf()),
  }),
] as const;
