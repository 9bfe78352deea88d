// How well scores rank: AUC, the share of pairs of an example of the class and one of another that its score puts in the right order,
// equal scores by half. A count of pairs has no gradient. Its surrogate is the hinge of every pair,
//
//   1 − AUC ≤ Σ w_i w_j max(0, 1 − (z_i − z_j)) / Σ w_i w_j       i of the class, j of another, z: the log odds of the class
//
// which is convex in the scores. All pairs are summed without being listed: sorted by z_i − 1 and z_j, those that count for a j stand
// before it, and running sums of their weights and scores are all that is needed.
import { concat, auc as engineAuc, type Tensor, where } from "@pliant/engine";
import { proportionInterval } from "@pliant/learn";
import { by, ofClass, under } from "../grammar/keys.js";
import { leadOf, refuseUnknown } from "./answers.js";
import type { Examples } from "./examples.js";
import { kind } from "./kind.js";
import type { Look, Statistic } from "./metric.js";

interface Ranked {
  readonly scores: Tensor;
  /** How much each counts among those of the class, and among the others: each adds up to 1. */
  readonly inside: Tensor;
  readonly outside: Tensor;
  /** Whether there are some of both. */
  readonly some: Tensor;
}

function ranked(look: Look, weights: Tensor, k: number): Ranked {
  refuseUnknown(look, k);
  const of = look.y.eq(k).cast(weights.dtype);
  const [inside, outside] = [weights.mul(of), weights.mul(of.neg().add(1))];
  const [whole, rest] = [inside.sum(), outside.sum()];
  const both = whole.gt(0).and(rest.gt(0));
  const sized = (part: Tensor, sum: Tensor): Tensor => part.div(where(sum.gt(0), sum, 1));
  return {
    scores: leadOf(look, k),
    inside: sized(inside, whole),
    outside: sized(outside, rest),
    some: both,
  };
}

/** Σ over pairs of w_low w_high max(0, 1 − (z_low − z_high)): those of `low` should be the larger by 1. */
function hinges(scores: Tensor, low: Tensor, high: Tensor): Tensor {
  const values = concat([scores.sub(1), scores]);
  const zeros = scores.mul(0).stopGradient();
  const [lows, highs] = [concat([low, zeros]), concat([zeros, high])];
  const order = values.stopGradient().argsort();
  const [v, l, h] = [values, lows, highs].map((x) => x.takeAlong(order));
  // For each, Σ w_low (v − v_low) over those before it.
  const before = v.mul(l.cumsum()).sub(v.mul(l).cumsum());
  return before.mul(h).sum();
}

/** Where a class is absent, as if all were ranked rightly. */
const orBest = (some: Tensor, value: Tensor): Tensor => where(some, value, 1);

/** Those that do not count stand below all others, among the others of which every one is then ranked rightly: taken out again. */
function counted(look: Look, weights: Tensor, k: number): Tensor {
  const { scores, some } = ranked(look, weights, k);
  const counts = weights.gt(0);
  const of = look.y.eq(k).and(counts);
  const aside = where(counts, scores, scores.min().sub(1));
  const extra = counts.not().cast(scores.dtype).sum();
  const others = look.y.ne(k).and(counts).cast(scores.dtype).sum();
  const all = engineAuc(aside.stopGradient(), where(some, of.cast(scores.dtype), 0));
  return orBest(some, all.mul(others.add(extra)).sub(extra).div(others.maximum(1)));
}

/**
 * As many examples as would tell a share so well as n₁ of the class and n₀ others tell the AUC A (Hanley and McNeil, 1982), and Wilson's
 * interval of those: SE² = (A(1 − A) + (n₁ − 1)(A/(2 − A) − A²) + (n₀ − 1)(2A²/(1 + A) − A²)) / (n₁ n₀).
 */
export function aucInterval(value: number, own: number, others: number): readonly [number, number] {
  const nearest = 0.5 / (own * others);
  const a = Math.min(1 - nearest, Math.max(nearest, value));
  const spread =
    a * (1 - a) + (own - 1) * (a / (2 - a) - a ** 2) + (others - 1) * ((2 * a ** 2) / (1 + a) - a ** 2);
  const examples = (a * (1 - a) * own * others) / spread;
  const { low, high } = proportionInterval(value * examples, examples);
  return [low, high];
}

export const auc = (k: number): Statistic => ({
  kind: "statistic",
  strictly: "AUC",
  level: "strict",
  share: true,
  above: (look, weights) => {
    const { scores, inside, outside, some } = ranked(look, weights, k);
    return orBest(some, hinges(scores, outside, inside));
  },
  below: (look, weights) => {
    const { scores, inside, outside, some } = ranked(look, weights, k);
    return orBest(some, hinges(scores, inside, outside).neg().add(1));
  },
  strict: (look, weights) => counted(look, weights, k),
  interval: (value, examples, marks) => {
    const [own, others] = classesOf(examples, marks, k);
    return own > 0 && others > 0 ? aucInterval(value, own, others) : undefined;
  },
  // Scores of two models are not comparable, so the pairs of each model are added.
  adds: (examples, marks) => {
    const [own, others] = classesOf(examples, marks, k);
    return { by: "mean", of: own * others };
  },
});

/** How many of those that are marked are of the class, and how many are not. */
function classesOf({ y }: Examples, marks: Uint8Array, k: number): [number, number] {
  let [own, others] = [0, 0];
  for (let i = 0; i < marks.length; i++) {
    if (marks[i] === 0) continue;
    if (y.data[i] === k) own++;
    else others++;
  }
  return [own, others];
}

export const rankingKinds = [
  kind({
    name: "auc",
    target: "class",
    moreIsBetter: true,
    keys: { ...by, ...under, ...ofClass },
    row: [
      "share of the pairs of a positive and a negative that are ranked correctly",
      "the hinge loss of every pair",
    ],
    make: (_, { classOf }) => auc(classOf()),
  }),
] as const;
