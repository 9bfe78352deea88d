// What a metric is: a differentiable surrogate that is trained, and the strict truth that is reported.
import type { Tensor } from "@pliant/engine";
import type { Examples, Target } from "../examples.js";

/** A model at some examples. */
export interface Look {
  readonly target: Target;
  /** [N, K] of classes; [N], in deviations, of a number. */
  readonly logits: Tensor;
  readonly y: Tensor;
  /** The logits with one feature of every example moved by so many deviations. */
  moved(feature: number, by: number): Tensor;
  /** The sum of squared weights, biases left out. */
  readonly squares: Tensor;
}

interface Described {
  /** Of the strict metric, for a reader. */
  readonly strictly: string;
}

/** A mean over examples; of a rate, each is 0 or 1. */
export interface MeanMetric extends Described {
  readonly kind: "rate" | "mean";
  /** The examples it is about; all unless given. */
  members?(examples: Examples, i: number): boolean;
  value(look: Look): Tensor;
  strict(look: Look): Tensor;
}

/** A number of all examples together, which count by weights whose mean is 1. */
export interface Statistic extends Described {
  readonly kind: "statistic";
  members?(examples: Examples, i: number): boolean;
  value(look: Look, weights: Tensor): Tensor;
  strict(look: Look, weights: Tensor): Tensor;
}

export type Metric = MeanMetric | Statistic;
