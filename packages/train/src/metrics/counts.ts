// Ratios of counts, and what mistakes cost. Strictly answers are counted; what is trained has probabilities in place of counts:
//
//   precision             Σ w g h / Σ w g         g: whether the class is given, h: whether it is the right one
//   false-discovery rate  1 − precision
//   F1                    2 Σ w g h / (Σ w g + Σ w h)
//   expected cost         mean of C[right, given]
//
// Of those that are given the class, a share is right; of those that are given it or should be, TP / (TP + FP + FN) = F1 / (2 − F1) are
// both: shares of so many examples, and their intervals are exact ones.
import { array, constant, type Tensor, where } from "@pliant/engine";
import { exactInterval } from "@pliant/learn";
import { probabilityOf } from "./answers.js";
import { type Look, type MeanMetric, type Statistic, trained } from "./metric.js";

const isRight = ({ y, logits }: Look, k: number): Tensor => y.eq(k).cast(logits.dtype);
const isGiven = ({ logits }: Look, k: number): Tensor => logits.argmax().eq(k).cast(logits.dtype);

/** Where nothing is counted, what stands for the best. */
const ratio = (part: Tensor, whole: Tensor, ofNothing: number): Tensor => {
  const some = whole.gt(1e-9);
  return where(some, part.div(where(some, whole, 1)), ofNothing);
};

/** From Σ w g h, Σ w g and Σ w h. */
type OfSums = (both: Tensor, given: Tensor, right: Tensor) => Tensor;

interface Counting {
  readonly value: OfSums;
  /** Of how many it tells a share. */
  readonly among: OfSums;
  /** From the value to that share and back, where they differ. */
  readonly share?: { of(value: number): number; back(share: number): number };
}

const itself = { of: (x: number): number => x, back: (x: number): number => x };

function counting(strictly: string, k: number, { value, among, share = itself }: Counting): Statistic {
  const summed = (of: OfSums, given: (look: Look, k: number) => Tensor) => (look: Look, weights: Tensor) => {
    const [g, h] = [given(look, k), isRight(look, k)];
    return of(g.mul(h).mul(weights).sum(), g.mul(weights).sum(), h.mul(weights).sum());
  };
  return {
    kind: "statistic",
    strictly,
    level: "strict",
    share: true,
    ...trained(summed(value, probabilityOf)),
    strict: summed(value, isGiven),
    noise: (look, weights) => summed(among, isGiven)(look, weights).div(weights.shape[0]),
    interval: (found, _, marks, told) => {
      const n = Math.round(told * marks.reduce((count, mark) => count + mark, 0));
      if (n === 0) return undefined;
      const { low, high } = exactInterval(Math.round(share.of(found) * n), n);
      return [share.back(low), share.back(high)];
    },
  };
}

const ofGiven: OfSums = (_, given) => given;

export const precision = (k: number): Statistic =>
  counting("precision", k, { value: (both, given) => ratio(both, given, 1), among: ofGiven });

export const falseDiscoveryRate = (k: number): Statistic =>
  counting("false discovery rate", k, {
    value: (both, given) => ratio(given.sub(both), given, 0),
    among: ofGiven,
  });

export const f1 = (k: number): Statistic =>
  counting("F1", k, {
    value: (both, given, right) => ratio(both.mul(2), given.add(right), 1),
    among: (both, given, right) => given.add(right).sub(both),
    share: { of: (f) => f / (2 - f), back: (j) => (2 * j) / (1 + j) },
  });

/** Of each class (a row) given as each (a column). */
export function expectedCost(costs: readonly (readonly number[])[]): MeanMetric {
  const table = constant(array(costs.map((row) => [...row])));
  const of = ({ y }: Look): Tensor => y.oneHot(costs.length).matmul(table);
  return {
    kind: "mean",
    strictly: "expected cost",
    level: "strict",
    unit: () => Math.max(...costs.flat()) || 1,
    ...trained((look: Look) => of(look).mul(look.logits.softmax()).sum({ axis: -1 })),
    strict: (look) => of(look).mul(look.logits.argmax().oneHot(costs.length)).sum({ axis: -1 }),
  };
}
