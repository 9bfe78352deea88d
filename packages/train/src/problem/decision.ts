// From scores to decisions. With two classes, the second is predicted if its score, the log odds, is above a threshold: one for all, or
// one per group of a column. With several, the class with the largest logit plus offset is predicted.
import { NdArray } from "@pliant/engine";
import type { Examples, Target } from "../data/examples.js";
import { groupCells } from "../data/groups.js";

/** Where scores become decisions; with nothing in it, at a probability of 0.5 and at the largest logit. */
export interface Decision {
  /** For two classes: the score above which the second is given. */
  readonly threshold?: number;
  /** The same by group of a column; rows of no group known go by `threshold`. */
  readonly by?: { readonly column: string; readonly thresholds: Readonly<Record<string, number>> };
  /** For several classes: what is added to each logit. */
  readonly offsets?: readonly number[];
}

type Classes = Extract<Target, { kind: "class" }>;

export const isPair = (target: Target): target is Classes =>
  target.kind === "class" && target.classes.length === 2;

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** 1 where the second of two classes is the positive one, else −1. */
export const signOf = ({ positive = 1 }: Classes): 1 | -1 => (positive === 1 ? 1 : -1);

/** The probability of the positive class from which on it is given. */
export const probabilityAt = (threshold: number, target: Classes): number =>
  sigmoid(signOf(target) * threshold);

/** The decision that gives the positive class from a probability on. */
export const fixedAt = (probability: number, target: Classes): Decision =>
  probability === 0.5 ? {} : { threshold: signOf(target) * Math.log(probability / (1 - probability)) };

/** The threshold of a row of some group. */
export const thresholdFor = ({ threshold = 0, by }: Decision, group: string | null): number =>
  group !== null && by && Object.hasOwn(by.thresholds, group) ? by.thresholds[group] : threshold;

/** Whether decisions are anything but the likeliest class. */
export const isMoved = ({ threshold = 0, by, offsets }: Decision): boolean =>
  threshold !== 0 || by !== undefined || (offsets?.some((offset) => offset !== 0) ?? false);

/** For each example its threshold, [N], or what is added to its logits, [N, K]; undefined where that is 0. */
export function cutOf(decision: Decision, examples: Examples): NdArray | undefined {
  if (!isMoved(decision)) return undefined;
  const { offsets, by } = decision;
  const n = examples.count;
  if (offsets) {
    const all = new Float32Array(n * offsets.length);
    for (let i = 0; i < n; i++) all.set(offsets, i * offsets.length);
    return new NdArray(all, [n, offsets.length]);
  }
  const cells = by && groupCells(examples, by.column);
  return new NdArray(
    Float32Array.from({ length: n }, (_, i) => thresholdFor(decision, cells?.[i] ?? null)),
    [n],
  );
}

/** The class that is given to logits; of two classes from the score of the second alone. */
export function givenBy(decision: Decision, scores: ArrayLike<number>, group: string | null): number {
  if (scores.length === 1) return Number(scores[0] > thresholdFor(decision, group));
  let best = 0;
  const at = (k: number): number => scores[k] + (decision.offsets?.[k] ?? 0);
  for (let k = 1; k < scores.length; k++) if (at(k) > at(best)) best = k;
  return best;
}
