// A metric: the strict number that people ask for, and its surrogate where a gradient is needed.
import type { Tensor } from "@pliant/engine";
import type { Examples, Target } from "./examples.js";

/** The outputs of a model on some examples. */
export interface ModelOutput {
  readonly target: Target;
  /** [N, K] of classes; [N], in deviations, of a number. */
  readonly logits: Tensor;
  /** For two classes: by how much the second's logit is above the first's, [N]. */
  readonly score?: Tensor;
  /** Where decisions are made: of two classes the threshold of each score, [N]; of more what is added to each logit, [N, K]. */
  readonly cut?: Tensor;
}

/** Rows that are given a class: tp of them are of it, fp are not, of P that are of it and N that are not. */
export interface Counts {
  readonly tp: number;
  readonly fp: number;
  readonly P: number;
  readonly N: number;
}

/** How a metric follows from decisions alone: a share of what is counted of a class, or the mean of what each answer costs. */
export type Decides =
  | {
      readonly of: number;
      /** A part, and the whole that it is of. */
      share(counts: Counts): readonly [part: number, whole: number];
      /** Its value where the whole is empty. */
      readonly ofNothing?: number;
      /** The value, where it is not the share itself. */
      back?(share: number): number;
      /** Whether the whole is of rows that are given the class, so that a few of them say nothing. */
      readonly amongGiven?: true;
    }
  | { readonly costs: "errors" | readonly (readonly number[])[] };

/** A model at some examples. */
export interface Look extends ModelOutput {
  readonly y: Tensor;
  /** The same with one feature of every example moved by so many deviations. */
  moved(feature: number, by: number): ModelOutput;
  /** The sum of squared weights, biases left out. */
  readonly squares: Tensor;
}

interface Described {
  /** The name of the strict metric in reports. */
  readonly strictly: string;
  /** Which of the two a level is about, and prices follow: what is counted, or what is trained. */
  readonly level: "strict" | "trained";
  /** Whether what is trained is convex in the parameters of a linear model. */
  readonly convex?: true;
  /** For metrics that depend on decisions only. */
  readonly decides?: Decides;
  /** For a rate of one class: which, and whether it counts that it is given. */
  readonly classOf?: number;
  readonly counts?: "given" | "not given";
  /** Whether it is between 0 and 1, where it is no rate. */
  readonly share?: boolean;
  /** The unit in which its cost of giving way counts, if it is not 1: for dollars, the standard deviation of the target. */
  unit?(target: Target): number;
  /** The examples it is about; default: all. */
  members?(examples: Examples, i: number): boolean;
}

/** `above` and `below` are the trained metrics: bounds of a counted strict metric on either side, or else the same. */
interface Sides<Of extends readonly unknown[]> {
  above(...of: Of): Tensor;
  below(...of: Of): Tensor;
  strict(...of: Of): Tensor;
}

/** A mean over examples; of a rate, each is strictly 0 or 1. */
export interface MeanMetric extends Described, Sides<[look: Look]> {
  readonly kind: "rate" | "mean";
}

/** How a statistic adds up with those of other rows: as the share of so many, as F1 of them, or as a mean by them, of squares or not. */
export interface Adds {
  readonly by: "share" | "F1" | "mean" | "square" | "largest";
  readonly of: number;
}

/** A number of all examples together, which count by weights whose mean is 1. */
export interface Statistic extends Described, Sides<[look: Look, weights: Tensor]> {
  readonly kind: "statistic";
  /** The same, trained for a level; default: itself. */
  at?(level: number): Statistic;
  /** By how much one example more or less moves what is counted; default: nothing that matters. */
  step?(look: Look, weights: Tensor): Tensor;
  /** What `interval` needs of the answers, beside the value: one number. */
  noise?(look: Look, weights: Tensor): Tensor;
  /** 95% of a value of the examples that are marked, where it is known how far chance moves it. */
  interval?(
    value: number,
    examples: Examples,
    marks: Uint8Array,
    noise: number,
  ): readonly [number, number] | undefined;
  /** How it adds up with that of other examples, where that is not as a mean by their numbers. */
  adds?(examples: Examples, marks: Uint8Array, noise: number): Adds;
}

export type Metric = MeanMetric | Statistic;

/** Whether what is counted is a share, whose levels are read in percentage points. */
export const isShare = ({ kind, share }: Metric): boolean => kind === "rate" || share === true;

export type Side = "above" | "below" | "strict";

/** One differentiable number on both sides. */
export const trained = <Of extends readonly unknown[]>(value: (...of: Of) => Tensor) => ({
  above: value,
  below: value,
});
