// Ratios of counts, and costs of mistakes. The strict metrics count answers:
//
//   precision             Σ w g h / Σ w g         g: whether the class is given, h: whether it is the right one
//   false-discovery rate  1 − precision
//   F1                    2 Σ w g h / (Σ w g + Σ w h)
//   expected cost         mean of C[right, given]
//
// A ratio is at its level v just where a sum is 0: precision where (1 − v) Σ w g h − v Σ w g (1 − h) is. What is trained is that sum,
// each count in it by the bound that stands for a rate on the side in question: reweighted cross-entropies again, convex in the scores,
// whose minimum at any price is the threshold that a cost-sensitive learner has. With probabilities in place of counts it would be no
// such thing: those of a rare class hardly move with the threshold, and a price bends the whole model in vain. Where there is no level
// to go by, v is what is counted now, blurred about the threshold. Costs are trained by the same bounds.
//
// Of those that are given the class, a share is right; of those that are given it or should be, TP / (TP + FP + FN) = F1 / (2 − F1) are
// both: shares of so many examples, and their intervals are exact ones.
import { hint, InputError } from "@pliant/core";
import { array, constant, stack, type Tensor, where } from "@pliant/engine";
import { exactInterval } from "@pliant/learn";
import * as z from "zod";
import { by, ofClass, under } from "../grammar/keys.js";
import { answer, atThreshold, blurOf, leadOf, positiveRate, refuseUnknown } from "./answers.js";
import type { Target } from "./examples.js";
import { type Complain, kind, ofDecisions } from "./kind.js";
import type { Decides, Look, MeanMetric, Statistic } from "./metric.js";

const isRight = (look: Look, k: number): Tensor => {
  refuseUnknown(look, k);
  return look.y.eq(k).cast(look.logits.dtype);
};
const isGiven = (look: Look, k: number): Tensor => answer(look).eq(k).cast(look.logits.dtype);

/** Whether it is given, blurred as widely as the window in which a rate's slope counts. */
const nearlyGiven = (look: Look, k: number): Tensor => {
  const v = leadOf(atThreshold(look), k);
  return v.div(blurOf(v)).sigmoid();
};

/** Where nothing is counted, what stands for the best. */
const ratio = (part: Tensor, whole: Tensor, ofNothing: number): Tensor => {
  const some = whole.gt(1e-9);
  return where(some, part.div(where(some, whole, 1)), ofNothing);
};

/** From Σ w g h, Σ w g and Σ w h. */
type OfSums = (both: Tensor, given: Tensor, right: Tensor) => Tensor;

interface Counting {
  readonly value: OfSums;
  /** How it changes with Σ w g h, and with Σ w g (1 − h), times the whole that it is a part of, where it is v. */
  slopes(v: Tensor): { right: Tensor; wrong: Tensor };
  readonly whole: OfSums;
  /** The number of examples that the share is about. */
  readonly among: OfSums;
  /** From the value to that share and back, where they differ. */
  readonly share?: { of(value: number): number; back(share: number): number };
  readonly decides: Decides;
}

const itself = { of: (x: number): number => x, back: (x: number): number => x };

function counting(strictly: string, k: number, counts: Counting, level?: number): Statistic {
  const { value, slopes, whole, among, share = itself, decides } = counts;
  const summed = (of: OfSums, given: (look: Look, k: number) => Tensor) => (look: Look, weights: Tensor) => {
    const [g, h] = [given(look, k), isRight(look, k)];
    return of(g.mul(h).mul(weights).sum(), g.mul(weights).sum(), h.mul(weights).sum());
  };
  const counted = summed(value, isGiven);
  /** The number of examples that the share is about, from the marked examples. */
  const amongOf = (marks: Uint8Array, told: number): number =>
    Math.round(told * marks.reduce((count, mark) => count + mark, 0));
  const blurred = summed(value, nearlyGiven);
  const { above, below } = positiveRate(k);
  /** What is counted, moved to where the counts' bounds would have it: each on the side that makes it more, or less. */
  const bound = (side: "above" | "below") => (look: Look, weights: Tensor) => {
    const [g, h, near] = [isGiven(look, k), isRight(look, k), nearlyGiven(look, k).stopGradient()];
    const v = blurred(look, weights).stopGradient();
    const { right, wrong } = slopes(level === undefined ? v : v.mul(0).add(level));
    const beyond = (slope: Tensor, examples: Tensor): Tensor => {
      const most = (side === "above" ? above : below)(look);
      const least = (side === "above" ? below : above)(look);
      const own = where(slope.gt(0), most, least);
      return own.sub(g).mul(examples).mul(weights).sum().mul(slope);
    };
    const size = near.mul(weights).sum().maximum(h.mul(weights).sum()).maximum(1e-9);
    return counted(look, weights).add(
      beyond(right, h)
        .add(beyond(wrong, h.neg().add(1)))
        .div(size),
    );
  };
  return {
    kind: "statistic",
    strictly,
    level: "strict",
    share: true,
    decides,
    above: bound("above"),
    below: bound("below"),
    strict: counted,
    at: (asked) => counting(strictly, k, counts, asked),
    step: (look, weights) => {
      const { right, wrong } = slopes(counted(look, weights));
      const n = summed(whole, isGiven)(look, weights).mul(weights.gt(0).cast(weights.dtype).mean());
      // If nothing is counted, one more example changes nothing.
      return where(n.gt(0.5), right.abs().maximum(wrong.abs()).div(n.maximum(1)), 0);
    },
    noise: (look, weights) => summed(among, isGiven)(look, weights).div(weights.shape[0]),
    interval: (found, _, marks, told) => {
      const n = amongOf(marks, told);
      if (n === 0) return undefined;
      const { low, high } = exactInterval(Math.round(share.of(found) * n), n);
      return [share.back(low), share.back(high)];
    },
    adds: (_, marks, told) => ({ by: share === itself ? "share" : "F1", of: amongOf(marks, told) }),
  };
}

const ofGiven: OfSums = (_, given) => given;

export const precision = (k: number): Statistic =>
  counting("precision", k, {
    value: (both, given) => ratio(both, given, 1),
    slopes: (v) => ({ right: v.neg().add(1), wrong: v.neg() }),
    whole: ofGiven,
    among: ofGiven,
    decides: { of: k, share: ({ tp, fp }) => [tp, tp + fp], ofNothing: 1, amongGiven: true },
  });

export const falseDiscoveryRate = (k: number): Statistic =>
  counting("false discovery rate", k, {
    value: (both, given) => ratio(given.sub(both), given, 0),
    slopes: (v) => ({ right: v.neg(), wrong: v.neg().add(1) }),
    whole: ofGiven,
    among: ofGiven,
    decides: { of: k, share: ({ tp, fp }) => [fp, tp + fp], amongGiven: true },
  });

export const f1 = (k: number): Statistic =>
  counting("F1", k, {
    value: (both, given, right) => ratio(both.mul(2), given.add(right), 1),
    slopes: (v) => ({ right: v.neg().add(2), wrong: v.neg() }),
    whole: (_, given, right) => given.add(right),
    among: (both, given, right) => given.add(right).sub(both),
    share: { of: (f) => f / (2 - f), back: (j) => (2 * j) / (1 + j) },
    decides: { of: k, share: ({ tp, fp, P }) => [tp, fp + P], ofNothing: 1, back: (j) => (2 * j) / (1 + j) },
  });

/** The cost of each class (row) predicted as each (column). */
export function expectedCost(costs: readonly (readonly number[])[]): MeanMetric {
  const table = constant(array(costs.map((row) => [...row])));
  const of = ({ y, target }: Look): Tensor => {
    const classes = target.kind === "class" ? target.classes.length : 0;
    if (classes !== costs.length)
      throw new InputError(`costs are of ${costs.length} classes, and there are ${classes}.`);
    return y.oneHot(costs.length).matmul(table);
  };
  /** The cost of each answer, times the surrogate of predicting it. */
  const bounded = (side: "above" | "below") => (look: Look) => {
    const given = costs.map((_, k) => positiveRate(k)[side](look));
    return of(look).mul(stack(given, 1)).sum({ axis: -1 });
  };
  return {
    kind: "mean",
    strictly: "expected cost",
    level: "strict",
    decides: { costs },
    unit: () => Math.max(...costs.flat()) || 1,
    above: bounded("above"),
    below: bounded("below"),
    strict: (look) => of(look).mul(answer(look).cast("int32").oneHot(costs.length)).sum({ axis: -1 }),
  };
}

/** The cost of each answer by the true class; 0 if none is stated. */
function costTable(
  costs: Readonly<Record<string, Readonly<Record<string, number>>>>,
  target: Target,
  complain: Complain,
): number[][] {
  const { classes } = target as Extract<Target, { kind: "class" }>;
  for (const name of [...Object.keys(costs), ...Object.values(costs).flatMap(Object.keys)])
    if (!classes.includes(name)) throw complain("costs", `"${name}" is not a class${hint(name, classes)}`);
  return classes.map((right) => classes.map((given) => costs[right]?.[given] ?? 0));
}

const keys = { ...by, ...under, ...ofClass };
const surrogate = "a linear bound of the counts at the level, from the surrogates of the rates";
const alike = "the same bound, of its own counts";

export const countKinds = [
  kind({
    ...ofDecisions,
    name: "precision",
    moreIsBetter: true,
    keys,
    row: ["share of the predicted positives that are positive", surrogate],
    make: (_, { classOf }) => precision(classOf()),
  }),
  kind({
    ...ofDecisions,
    name: "false-discovery-rate",
    keys,
    row: ["share of the predicted positives that are not positive", alike],
    make: (_, { classOf }) => falseDiscoveryRate(classOf()),
  }),
  kind({
    ...ofDecisions,
    name: "f1",
    moreIsBetter: true,
    keys,
    row: ["2·TP / (predicted + actual positives)", alike],
    make: (_, { classOf }) => f1(classOf()),
  }),
  kind({
    ...ofDecisions,
    name: "expected-cost",
    keys: {
      ...by,
      ...under,
      costs: z
        .record(z.string(), z.record(z.string(), z.number().min(0)))
        .describe("Costs by true class and decision: { yes: { no: 5 }, no: { yes: 1 } }."),
    },
    row: [
      "mean cost of the decisions by `costs: { yes: { no: 5 } }` (true class, then decision)",
      "the same with the surrogates of the rates",
    ],
    make: ({ costs }, { target, complain }) => expectedCost(costTable(costs, target, complain)),
  }),
] as const;
