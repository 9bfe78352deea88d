// Ratios of counts, and what mistakes cost. Strictly answers are counted; what is trained has probabilities in place of counts:
//
//   precision             Σ w g h / Σ w g         g: whether the class is given, h: whether it is the right one
//   false-discovery rate  1 − precision
//   F1                    2 Σ w g h / (Σ w g + Σ w h)
//   expected cost         mean of C[right, given]
import { array, constant, type Tensor, where } from "@pliant/engine";
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

function counting(strictly: string, k: number, value: OfSums): Statistic {
  const of = (given: (look: Look, k: number) => Tensor) => (look: Look, weights: Tensor) => {
    const [g, h] = [given(look, k), isRight(look, k)];
    return value(g.mul(h).mul(weights).sum(), g.mul(weights).sum(), h.mul(weights).sum());
  };
  return {
    kind: "statistic",
    strictly,
    level: "strict",
    share: true,
    ...trained(of(probabilityOf)),
    strict: of(isGiven),
  };
}

export const precision = (k: number): Statistic =>
  counting("precision", k, (both, given) => ratio(both, given, 1));

export const falseDiscoveryRate = (k: number): Statistic =>
  counting("false discovery rate", k, (both, given) => ratio(given.sub(both), given, 0));

export const f1 = (k: number): Statistic =>
  counting("F1", k, (both, given, right) => ratio(both.mul(2), given.add(right), 1));

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
